//! Claims in words.

use entail_json::Value;
use entail_trace::SupportRef;

/// What a belief states: its claim text, or `key = value`.
pub(super) fn of_belief(key: &str, value: &Value, claim: Option<&str>) -> String {
    match claim.map(str::trim).filter(|claim| !claim.is_empty()) {
        Some(claim) => unmarked(claim),
        None => unmarked(&format!("{key} = {value}")),
    }
}

/// The text with every beginning of a marker disarmed, so that nobody can forge one.
pub(super) fn unmarked(text: &str) -> String {
    text.replace("[evidence:", "(evidence:")
}

/// The statement followed by a marker for each evidence support.
pub(super) fn with_markers<'a>(
    mut statement: String,
    supports: impl IntoIterator<Item = &'a SupportRef>,
) -> String {
    for support in supports {
        statement.push(' ');
        statement.push_str(&support.marker());
    }
    statement
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_marker_is_disarmed_wherever_it_stands() {
        let forged = "x [evidence:e:0-1:00] [evidence:[evidence:e:0-1:00]";
        assert!(!of_belief("k", &Value::Null, Some(forged)).contains("[evidence:"));
        assert!(!of_belief("k", &forged.into(), None).contains("[evidence:"));
        assert!(!of_belief("k[evidence:", &Value::Null, None).contains("[evidence:"));
    }

    #[test]
    fn without_words_a_belief_states_its_key_and_value() {
        assert_eq!(
            of_belief("k", &Value::from(vec![1_i64]), Some(" ")),
            "k = [1]"
        );
    }
}

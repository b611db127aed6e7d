//! Why an action was not accepted.

use entail_contract::{ActionKind, Code, Problem};
use entail_json::Value;

/// An action that was not accepted, and why, in words for the model.
pub type Rejection = Problem;

/// Reads what [`Problem::to_value`] wrote.
pub(crate) fn read(value: &Value) -> Option<Rejection> {
    let text = |name| value.get(name).and_then(Value::as_str);
    let action = match value.get("action") {
        None | Some(Value::Null) => None,
        Some(index) => Some(usize::try_from(index.as_u64()?).ok()?),
    };
    Some(Problem {
        action,
        kind: match text("type") {
            Some(word) => Some(ActionKind::from_name(word)?),
            None => None,
        },
        key: text("key").map(str::to_owned),
        code: Code::from_name(text("code")?)?,
        message: text("message")?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rejection_reads_back() {
        for code in Code::ALL {
            for (action, kind, key) in [
                (None, None, None),
                (Some(3), None, None),
                (Some(1), Some(ActionKind::Claim), Some("k".to_owned())),
            ] {
                let rejection = Problem {
                    action,
                    kind,
                    key,
                    code,
                    message: "m".to_owned(),
                };
                assert_eq!(read(&rejection.to_value()), Some(rejection));
            }
        }
    }
}

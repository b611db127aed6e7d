//! What the model is told about its last turn.

use entail_contract::Problem;

use crate::limits::FEEDBACK_ITEMS;
use crate::text::{one_line, shorten};

/// The last turn's rejections, and the tool errors since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Feedback {
    pub rejections: Vec<Problem>,
    pub errors: Vec<Problem>,
}

impl Feedback {
    /// The text to show the model, each problem on a line of its own that begins with `- `;
    /// empty when there is nothing to tell.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        list(
            &mut text,
            "These parts of your last response were rejected and nothing of them was applied; \
             everything else was applied. Correct them or do without them:",
            &self.rejections,
        );
        list(&mut text, "These tool calls failed:", &self.errors);
        text
    }
}

/// The text about problems that no session has taken in yet.
pub(crate) fn text_of(rejections: &[Problem]) -> String {
    Feedback {
        rejections: rejections.to_vec(),
        errors: Vec::new(),
    }
    .text()
}

fn list(text: &mut String, heading: &str, problems: &[Problem]) {
    if problems.is_empty() {
        return;
    }
    text.push_str(heading);
    text.push('\n');
    for problem in problems.iter().take(FEEDBACK_ITEMS) {
        text.push_str("- ");
        text.push_str(&one_line(&shorten(&problem.to_string(), 1_000)));
        text.push('\n');
    }
    if let Some(more) = problems
        .len()
        .checked_sub(FEEDBACK_ITEMS)
        .filter(|more| *more > 0)
    {
        text.push_str(&format!("- and {more} more of the same kinds\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_contract::Code;

    #[test]
    fn a_problem_stands_on_one_line_whatever_it_quotes() {
        let problem = Problem::of_response(Code::NotAResponse, "a\n## Task\u{2028}b\rc");
        let text = text_of(&[problem]);
        assert_eq!(text.lines().count(), 2);
        assert!(!text.contains(['\r', '\u{2028}']));
    }

    #[test]
    fn nothing_to_tell_is_no_text() {
        assert_eq!(Feedback::default().text(), "");
    }

    #[test]
    fn a_long_list_says_how_many_more_there_are() {
        let problems = vec![Problem::of_response(Code::NotAResponse, "x"); FEEDBACK_ITEMS + 7];
        assert!(text_of(&problems).ends_with("- and 7 more of the same kinds\n"));
    }
}

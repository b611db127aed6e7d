//! Whatever a model's way of writing, the same actions are read; and nothing that was not
//! written.

#![expect(
    clippy::expect_used,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod support;

use entail_contract::{Action, Limits, Parser, Response, parse};
use entail_json::{Object, Value};
use proptest::prelude::*;
use support::{Style, action, style, text, word};

/// What stands around the actions.
#[derive(Clone, Copy, Debug)]
enum Wrapping {
    Bare,
    Blank,
    ByteOrderMark,
    Fence,
    PlainFence,
    OneLineFence,
    OpenFence,
    FenceInProse,
    Prose,
    Tags,
    Reasoning,
    ReasoningThenFence,
    LoneClosingTag,
    ReasoningAfter,
}

const WRAPPINGS: [Wrapping; 14] = [
    Wrapping::Bare,
    Wrapping::Blank,
    Wrapping::ByteOrderMark,
    Wrapping::Fence,
    Wrapping::PlainFence,
    Wrapping::OneLineFence,
    Wrapping::OpenFence,
    Wrapping::FenceInProse,
    Wrapping::Prose,
    Wrapping::Tags,
    Wrapping::Reasoning,
    Wrapping::ReasoningThenFence,
    Wrapping::LoneClosingTag,
    Wrapping::ReasoningAfter,
];

impl Wrapping {
    fn wrap(self, body: &str) -> String {
        match self {
            Self::Bare => body.to_owned(),
            Self::Blank => format!(" \n\t{body}\r\n \u{a0}"),
            Self::ByteOrderMark => format!("\u{feff} {body}"),
            Self::Fence => format!("```json\n{body}\n```"),
            Self::PlainFence => format!("```\n{body}\n```\n"),
            Self::OneLineFence => format!("```json {body} ```"),
            Self::OpenFence => format!("```JSON\n{body}"),
            Self::FenceInProse => format!(
                "Let's see [1], {{2}} and [the rest]:\n```bash\necho \"{{1..3}}\"\n```\n\
                 ```json\n{body}\n```\nThat's all, see {{3}}."
            ),
            Self::Prose => format!("Let's see [1] and {{x | x > 2}}: {body} Thanks [2]!"),
            Self::Tags => format!("<tool_call>\n{body}\n</tool_call></tool_call>"),
            Self::Reasoning => {
                format!("<think>Perhaps {{\"actions\": [1, \"or [ {{ </b> don't</think>\n{body}")
            }
            Self::ReasoningThenFence => format!(
                "<Thinking depth=2>a <think> b {{\"actions\": []}}</THINKING>\nSo:\n```json\n{body}\n```"
            ),
            Self::LoneClosingTag => format!("{{\"actions\": []}} or [rather</think>{body}"),
            Self::ReasoningAfter => {
                format!("{body}\n<think>It could be {{\"actions\": [1]}} too.</think>")
            }
        }
    }

    /// Whether Python literals are looked for there: not among prose.
    fn takes_python(self) -> bool {
        !matches!(self, Self::Prose | Self::Tags | Self::ReasoningAfter)
    }
}

/// How the actions are put together.
#[derive(Clone, Copy, Debug)]
enum Form {
    Envelope,
    List,
    Single,
}

fn body(actions: &[Action], form: Form, style: Style) -> String {
    let list: Value = actions.iter().map(Action::to_value).collect();
    match (form, actions) {
        (Form::Single, [action]) => style.write(&action.to_value()),
        (Form::List, [_, ..]) => style.write(&list),
        _ => style.write(&Value::Object(Object::from([("actions", list)]))),
    }
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![Just(Form::Envelope), Just(Form::List), Just(Form::Single)]
}

fn indexed(actions: &[Action]) -> Vec<(usize, Action)> {
    (1..).zip(actions.iter().cloned()).collect()
}

/// What holds of any response, whatever was read.
fn check_whole(response: &Response) {
    let refused: Vec<_> = response
        .problems
        .iter()
        .map(|problem| problem.action)
        .collect();
    let taken: Vec<_> = response
        .actions
        .iter()
        .map(|(index, _)| Some(*index))
        .collect();
    assert!(refused.is_sorted() && taken.is_sorted());
    assert!(taken.iter().all(|index| !refused.contains(index)));
    assert_eq!(response.unusable, refused.first() == Some(&None));
    if response.unusable {
        assert!(response.actions.is_empty() && response.problems.len() == 1);
    }
    assert!(
        response
            .problems
            .iter()
            .all(|problem| problem.message.lines().count() == 1)
    );
}

proptest! {
    #[test]
    fn the_same_actions_are_read_from_every_wrapping(
        actions in proptest::collection::vec(action(text().boxed()), 0..4),
        form in form(),
        style in style(),
    ) {
        let body = body(&actions, form, style);
        for wrapping in WRAPPINGS {
            if style.python && !wrapping.takes_python() {
                continue;
            }
            let written = wrapping.wrap(&body);
            let response = parse(&written);
            prop_assert_eq!(&response.problems, &[], "{:?} {}", wrapping, written);
            prop_assert_eq!(&response.actions, &indexed(&actions), "{:?} {}", wrapping, written);
        }
    }

    #[test]
    fn a_value_and_its_bytes_are_read_as_its_text_is(
        actions in proptest::collection::vec(action(text().boxed()), 0..3),
    ) {
        let list: Value = actions.iter().map(Action::to_value).collect();
        let parser = Parser::default();
        let response = parser.parse_value(&list);
        prop_assert_eq!(&response.actions, &indexed(&actions));
        let written = list.to_string();
        prop_assert_eq!(&parser.parse_bytes(written.as_bytes()), &response);
        prop_assert_eq!(&parser.parse_value(&Value::String(written)), &response);
    }

    #[test]
    fn of_a_response_that_was_cut_nothing_is_read(
        actions in proptest::collection::vec(action(text().boxed()), 1..4),
        mut style in style(),
        wrapping in proptest::sample::select(WRAPPINGS.as_slice()),
        cut in any::<proptest::sample::Index>(),
    ) {
        style.python &= wrapping.takes_python();
        let body = body(&actions, Form::Envelope, style);
        let written = wrapping.wrap(&body);
        let start = written.rfind(&body).expect("the body");
        let length = cut.index(body.len());
        let (at, _) = body.char_indices().rfind(|(at, _)| *at <= length).expect("a character");
        let response = parse(&written[..start + at]);
        check_whole(&response);
        prop_assert_eq!(&response.actions, &[], "{}", &written[..start + at]);
    }

    #[test]
    fn a_mutation_never_makes_up_an_action(
        actions in proptest::collection::vec(action(word().boxed()), 1..4),
        style in style(),
        wrapping in proptest::sample::select(WRAPPINGS.as_slice()),
        edits in proptest::collection::vec(
            (any::<proptest::sample::Index>(), 0..4_usize, text()),
            1..4,
        ),
    ) {
        let mut written = wrapping.wrap(&body(&actions, Form::Envelope, style));
        for (place, removed, inserted) in edits {
            let (at, _) = written.char_indices().nth(place.index(written.chars().count()))
                .expect("a character");
            let end = written[at..].char_indices().nth(removed)
                .map_or(written.len(), |(length, _)| at + length);
            written.replace_range(at..end, &inserted);
            if written.is_empty() {
                written.push(' ');
            }
        }
        let response = parse(&written);
        check_whole(&response);
        for (_, action) in &response.actions {
            let plain = !written.contains('\\');
            let literally = |text: &str| !plain || written.contains(text);
            let there = match action {
                Action::CallTool(call) => literally(&call.tool) && written.contains("call_tool"),
                Action::Cite(cite) => {
                    literally(&cite.document) && literally(&cite.quote) && literally(&cite.key)
                }
                Action::Claim(claim) => {
                    literally(&claim.key) && claim.follows_from.iter().all(|key| literally(key))
                }
                Action::Answer(answer) => literally(&answer.text),
            };
            prop_assert!(there, "{:?} is not in {}", action, written);
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic_and_the_same_way_twice(text in text()) {
        let parser = Parser::new(Limits { actions: 3, depth: 4, value_bytes: 20, bytes: 200 });
        for parser in [Parser::default(), parser] {
            let response = parser.parse(&text);
            check_whole(&response);
            prop_assert_eq!(response, parser.parse_bytes(text.as_bytes()));
        }
    }

    /// What was read, written down plainly, is read again.
    #[test]
    fn what_was_read_is_read_again(actions in proptest::collection::vec(action(text().boxed()), 0..3)) {
        let list: Value = actions.iter().map(Action::to_value).collect();
        let once = parse(&list.to_string());
        let again: Value = once.actions.iter().map(|(_, action)| action.to_value()).collect();
        prop_assert_eq!(parse(&again.to_string()), once);
    }
}

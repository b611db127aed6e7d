//! The search for a response in a text, against one that tries every bracket anew.

#![expect(
    clippy::string_slice,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use entail_contract::{Response, parse};
use proptest::prelude::*;

/// How well a value suits a response; less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Envelope,
    Action,
    Objects,
    Other,
}

/// Why a value was not read: whether an object with a quoted member name was open.
struct Failed {
    in_object: bool,
}

/// A recursive reader of what the texts below hold: no white space but spaces, no literals, two
/// escapes, natural numbers. It gives the end and the names on the first two levels.
fn value(text: &[u8], at: usize) -> Result<(usize, Seen), Failed> {
    let stray = Err(Failed { in_object: false });
    let at = space(text, at);
    match text.get(at) {
        Some(b'"') => Ok((string(text, at)?, Seen::Scalar)),
        Some(b'1') => Ok((
            at + text[at..].iter().take_while(|byte| **byte == b'1').count(),
            Seen::Scalar,
        )),
        Some(b'[') => {
            let mut items = Vec::new();
            let mut at = space(text, at + 1);
            while text.get(at) != Some(&b']') {
                let (end, seen) = value(text, at)?;
                items.push(seen);
                at = space(text, end);
                match text.get(at) {
                    Some(b',') => at = space(text, at + 1),
                    Some(b']') => {}
                    _ => return stray,
                }
            }
            Ok((at + 1, Seen::List(items)))
        }
        Some(b'{') => {
            let mut names = Vec::new();
            let mut at = space(text, at + 1);
            let in_object = text.get(at) == Some(&b'"');
            let broken = |_| Failed { in_object };
            while text.get(at) != Some(&b'}') {
                let end = string(text, at).map_err(broken)?;
                names.push(text[at + 1..end - 1].to_vec());
                at = space(text, end);
                if text.get(at) != Some(&b':') {
                    return Err(Failed { in_object });
                }
                let (end, _) = value(text, at + 1).map_err(broken)?;
                at = space(text, end);
                match text.get(at) {
                    Some(b',') => at = space(text, at + 1),
                    Some(b'}') => {}
                    _ => return Err(Failed { in_object }),
                }
            }
            Ok((at + 1, Seen::Object(names)))
        }
        _ => stray,
    }
}

enum Seen {
    Scalar,
    List(Vec<Seen>),
    Object(Vec<Vec<u8>>),
}

impl Seen {
    fn shape(&self) -> Shape {
        let has = |seen: &Self, wanted: &str| match seen {
            Self::Object(names) => names.iter().any(|name| name == wanted.as_bytes()),
            _ => false,
        };
        match self {
            _ if has(self, "actions") => Shape::Envelope,
            _ if has(self, "type") => Shape::Action,
            Self::List(items) if items.iter().any(|item| has(item, "type")) => Shape::Action,
            Self::List(items)
                if !items.is_empty()
                    && items.iter().all(|item| matches!(item, Self::Object(_))) =>
            {
                Shape::Objects
            }
            _ => Shape::Other,
        }
    }
}

fn space(text: &[u8], at: usize) -> usize {
    at + text
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| **byte == b' ')
        .count()
}

fn string(text: &[u8], at: usize) -> Result<usize, Failed> {
    let stray = Err(Failed { in_object: false });
    if text.get(at) != Some(&b'"') {
        return stray;
    }
    let mut at = at + 1;
    loop {
        match text.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') if matches!(text.get(at + 1), Some(b'"' | b'\\')) => at += 2,
            Some(b'\\') | None => return stray,
            Some(_) => at += 1,
        }
    }
}

/// What the contract says, word for word: every bracket in turn, the best shape, then the first;
/// a broken object ends it.
fn expected(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut best: Option<(Shape, &str)> = None;
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'{' | b'[') {
            at += 1;
            continue;
        }
        match value(bytes, at) {
            Ok((end, seen)) => {
                let shape = seen.shape();
                if shape < best.map_or(Shape::Other, |(best, _)| best) {
                    best = Some((shape, &text[at..end]));
                }
                at = end;
            }
            Err(Failed { in_object: true }) => break,
            Err(Failed { in_object: false }) => at += 1,
        }
    }
    best.map(|(_, text)| text)
}

fn fragment() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(
        [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            " ",
            "a",
            "1",
            "\\",
            "\\\"",
            "{\"a\":",
            "[\"",
            "\",",
            "[1]",
            "{}",
            "[[1],",
            "{\"a\":1}",
            "[{\"a\":1}]",
            "{\"actions\":[]}",
            "[{",
            "{[",
            "],[",
            "{\"type\":\"answer\",\"text\":\"t\"}",
            "[{\"type\":\"answer\",\"text\":\"u\"},",
            "\"]\"",
            "\"[\"",
        ]
        .as_slice(),
    )
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let found = parse(text);
    if value(text.as_bytes(), 0).is_ok_and(|(end, _)| space(text.as_bytes(), end) == text.len()) {
        return Ok(());
    }
    match expected(text) {
        Some(place) => {
            let mut there = parse(place);
            there.position = found.position;
            prop_assert_eq!(&found, &there, "{}", text);
        }
        None => {
            prop_assert!(found.is_unusable(), "{}: {:?}", text, found);
            prop_assert_eq!(
                found.problems[0].code.as_str(),
                "response_not_json",
                "{}",
                text
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    #[test]
    fn the_search_finds_what_trying_every_bracket_finds(
        fragments in proptest::collection::vec(fragment(), 1..24),
    ) {
        check(&fragments.concat())?;
    }
}

#[test]
fn the_search_finds_what_trying_every_bracket_finds_in_every_short_text() {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "1",
        "{\"actions\":[]}",
        "[{\"a\":1}]",
    ];
    let mut texts = vec![String::new()];
    for _ in 0..5 {
        texts = texts
            .iter()
            .flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}")))
            .collect();
        for text in &texts {
            let outcome = check(text);
            assert!(outcome.is_ok(), "{outcome:?}");
        }
    }
}

#[test]
fn a_response_in_prose_equals_the_response_alone() {
    let alone = "{\"actions\":[{\"type\":\"answer\",\"text\":\"t\"},1]}";
    let Response {
        actions, problems, ..
    } = parse(alone);
    let found = parse(&format!("[see] {alone} {{x}}"));
    assert_eq!((found.actions, found.problems), (actions, problems));
}

//! Tags of reasoning: `<think>` and its kin. What stands between them is no output.

use crate::limits::TAG_NAME_BYTES;

/// Names of reasoning tags, in lower case.
const NAMES: [&[u8]; 22] = [
    b"think",
    b"thinking",
    b"thinking_process",
    b"thought",
    b"thoughts",
    b"thought_process",
    b"reason",
    b"reasoning",
    b"reasoning_content",
    b"reasoning_process",
    b"reflection",
    b"analysis",
    b"scratchpad",
    b"chain_of_thought",
    b"chain-of-thought",
    b"inner_monologue",
    b"internal_monologue",
    b"inner_thoughts",
    b"antthinking",
    b"antml:thinking",
    b"seed:think",
    b"seed:thinking",
];

/// A reasoning tag and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Opening(usize),
    Closing(usize),
}

/// The reasoning tag that starts at `at`, if one does. Looks no further than the next `<`.
pub(crate) fn tag(bytes: &[u8], at: usize) -> Option<Tag> {
    let rest = bytes.get(at..)?;
    if rest.starts_with(b"[THINK]") {
        return Some(Tag::Opening(at + 7));
    }
    if rest.starts_with(b"[/THINK]") {
        return Some(Tag::Closing(at + 8));
    }
    let inside = rest.strip_prefix(b"<")?;
    let (closing, inside) = match inside.strip_prefix(b"/") {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    if !inside.first()?.is_ascii_alphabetic() {
        return None;
    }
    let length = inside
        .iter()
        .take(TAG_NAME_BYTES)
        .position(|byte| matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'))?;
    let name = inside.get(..length)?;
    NAMES
        .iter()
        .find(|known| known.eq_ignore_ascii_case(name))?;
    let attributes = inside.get(length..)?;
    let width = memchr::memchr2(b'>', b'<', attributes)?;
    if attributes.get(width) != Some(&b'>') {
        return None;
    }
    let end = at + 1 + usize::from(closing) + length + width + 1;
    let empty = width > 0 && attributes.get(width - 1) == Some(&b'/');
    match (closing, empty) {
        (false, true) => None,
        (false, false) => Some(Tag::Opening(end)),
        (true, _) => Some(Tag::Closing(end)),
    }
}

/// Where the first closing tag from `from` on ends.
pub(crate) fn first_closing(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memchr2_iter(b'<', b'[', bytes.get(from..)?)
        .find_map(|place| closing_end(bytes, from + place))
}

/// Where the last closing tag ends.
pub(crate) fn last_closing(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'<', b'[', bytes)
        .rev()
        .find_map(|place| closing_end(bytes, place))
}

fn closing_end(bytes: &[u8], at: usize) -> Option<usize> {
    match tag(bytes, at) {
        Some(Tag::Closing(end)) => Some(end),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_known_in_any_case_and_with_attributes() {
        for (text, found) in [
            ("<think>", Some(Tag::Opening(7))),
            ("<THINK lang=\"en\">x", Some(Tag::Opening(17))),
            ("<Thinking\n>", Some(Tag::Opening(11))),
            ("</Reasoning >", Some(Tag::Closing(13))),
            ("<seed:think>", Some(Tag::Opening(12))),
            ("<reasoning_content>", Some(Tag::Opening(19))),
            ("</Internal_Monologue>", Some(Tag::Closing(21))),
            ("</chain-of-thought\t>", Some(Tag::Closing(20))),
            ("<internal_monologues>", None),
            ("[THINK]", Some(Tag::Opening(7))),
            ("[/THINK]", Some(Tag::Closing(8))),
            ("<thinker>", None),
            ("<think", None),
            ("<think <b>", None),
            ("<think/>", None),
            ("<tool_call>", None),
            ("< think>", None),
            ("[think]", None),
            ("<", None),
            ("", None),
        ] {
            assert_eq!(tag(text.as_bytes(), 0), found, "{text}");
        }
    }

    #[test]
    fn the_first_and_the_last_closing_tag_are_found() {
        let text = b"a<think>b</think>c</thinking>d";
        assert_eq!(first_closing(text, 0), Some(17));
        assert_eq!(first_closing(text, 17), Some(29));
        assert_eq!(first_closing(text, 29), None);
        assert_eq!(last_closing(text), Some(29));
    }
}

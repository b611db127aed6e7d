//! Tags of reasoning: `<think>` and its kin. What stands between them is no output.
//!
//! Some models write them in other brackets (`[THINK]`, `◁think▷`); others give each part of what
//! they say a channel: `<|channel|>analysis<|message|>…<|end|>` is reasoning, and what comes before
//! `<|channel|>final<|message|>` is not output either.

use crate::limits::{CHANNEL_HEADER_BYTES, TAG_NAME_BYTES};

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

const CHANNEL: &[u8] = b"<|channel|>";
const MESSAGE: &[u8] = b"<|message|>";

/// A reasoning tag and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Reasoning up to the next closing tag.
    Opening(usize),
    /// The end of reasoning, opened or not.
    Closing(usize),
    /// Reasoning up to the end of its part, which closes nothing else.
    Channel(usize),
}

/// Whether a tag may start with this byte.
pub(crate) fn may_start(byte: u8) -> bool {
    matches!(byte, b'<' | b'[' | TRIANGLE)
}

/// The first byte of `◁`.
const TRIANGLE: u8 = 0xe2;

/// The reasoning tag that starts at `at`, if one does. Looks no further than the next `<`.
pub(crate) fn tag(bytes: &[u8], at: usize) -> Option<Tag> {
    let rest = bytes.get(at..)?;
    if rest.starts_with(b"[THINK]") {
        return Some(Tag::Opening(at + 7));
    }
    if rest.starts_with(b"[/THINK]") {
        return Some(Tag::Closing(at + 8));
    }
    if let Some(inside) = rest.strip_prefix("◁".as_bytes()) {
        return between_triangles(inside, at);
    }
    if let Some(header) = rest.strip_prefix(CHANNEL) {
        return channel(header, at + CHANNEL.len());
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
    named(inside.get(..length)?)?;
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

fn named(name: &[u8]) -> Option<()> {
    let is_known = NAMES.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_known.then_some(())
}

/// The tag that starts at `at` with `◁`, which `inside` follows.
fn between_triangles(inside: &[u8], at: usize) -> Option<Tag> {
    let (closing, inside) = match inside.strip_prefix(b"/") {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let bracket = "▷".as_bytes();
    let length = inside
        .get(..inside.len().min(TAG_NAME_BYTES + bracket.len()))?
        .windows(bracket.len())
        .position(|there| there == bracket)?;
    named(inside.get(..length)?)?;
    let end = at + "◁".len() + usize::from(closing) + length + bracket.len();
    Some(if closing {
        Tag::Closing(end)
    } else {
        Tag::Opening(end)
    })
}

/// The tag whose header, which starts at `at`, names a channel.
fn channel(header: &[u8], at: usize) -> Option<Tag> {
    let blanks = header
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let rest = header.get(blanks..)?;
    let length = rest
        .iter()
        .take(TAG_NAME_BYTES)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let (name, after) = (rest.get(..length)?, rest.get(length..)?);
    let end = at + blanks + length;
    if name.eq_ignore_ascii_case(b"analysis") {
        return Some(Tag::Channel(end));
    }
    if !name.eq_ignore_ascii_case(b"final") {
        return None;
    }
    let message = after
        .get(..after.len().min(CHANNEL_HEADER_BYTES))?
        .windows(MESSAGE.len())
        .position(|there| there == MESSAGE);
    Some(Tag::Closing(match message {
        Some(place) => end + place + MESSAGE.len(),
        None => end,
    }))
}

/// Where the part of a channel that goes on at `from` ends: at its own end, or where the next
/// part begins.
pub(crate) fn channel_end(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memchr_iter(b'<', bytes.get(from..)?).find_map(|place| {
        let rest = bytes.get(from + place..)?;
        if rest.starts_with(b"<|end|>") {
            return Some(from + place + b"<|end|>".len());
        }
        (rest.starts_with(CHANNEL) || rest.starts_with(b"<|start|>")).then_some(from + place)
    })
}

/// Where the first closing tag from `from` on ends.
pub(crate) fn first_closing(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memchr3_iter(b'<', b'[', TRIANGLE, bytes.get(from..)?)
        .find_map(|place| closing_end(bytes, from + place))
}

/// Where the last closing tag ends.
pub(crate) fn last_closing(bytes: &[u8]) -> Option<usize> {
    memchr::memchr3_iter(b'<', b'[', TRIANGLE, bytes)
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
            ("◁think▷", Some(Tag::Opening(11))),
            ("◁/Thinking▷x", Some(Tag::Closing(15))),
            ("◁thinker▷", None),
            ("◁think", None),
            ("◁", None),
            ("<|channel|>analysis<|message|>", Some(Tag::Channel(19))),
            ("<|channel|> Analysis to=x", Some(Tag::Channel(20))),
            ("<|channel|>final<|message|>{", Some(Tag::Closing(27))),
            (
                "<|channel|>final <|constrain|>JSON<|message|>{",
                Some(Tag::Closing(45)),
            ),
            ("<|channel|>final", Some(Tag::Closing(16))),
            ("<|channel|>finally", None),
            ("<|channel|>commentary<|message|>", None),
            ("<|channel|>", None),
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

//! Fenced code blocks of Markdown.

use crate::scan::skip_space;

/// The opening of a fenced block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// Whether the block says that it is JSON.
    pub(crate) json: bool,
    /// Where its content starts, past the info string and white space.
    pub(crate) content: usize,
}

/// Where the fence that starts at `at` ends, if three backticks or more stand there.
pub(crate) fn run(bytes: &[u8], at: usize) -> Option<usize> {
    let length = bytes
        .get(at..)?
        .iter()
        .position(|byte| *byte != b'`')
        .unwrap_or(bytes.len() - at);
    (length >= 3).then_some(at + length)
}

/// The block whose fence ends at `run_end`. The info string goes to the end of the line, or to
/// the first bracket, since models put both on one line.
pub(crate) fn opening(bytes: &[u8], run_end: usize) -> Opening {
    let rest = bytes.get(run_end..).unwrap_or_default();
    let length = rest
        .iter()
        .position(|byte| matches!(byte, b'\n' | b'{' | b'[' | b'(' | b'`'))
        .unwrap_or(rest.len());
    let info = rest.get(..length).unwrap_or_default().trim_ascii();
    let label = info.split(|byte| !byte.is_ascii_alphanumeric()).next();
    Opening {
        json: label.is_some_and(|label| {
            [b"json".as_slice(), b"jsonc", b"json5"]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(label))
        }),
        content: skip_space(bytes, run_end + length),
    }
}

/// Whether the fence that ends at `run_end` can close a block: nothing follows on its line.
pub(crate) fn closes(bytes: &[u8], run_end: usize) -> bool {
    let line = bytes
        .get(run_end..)
        .unwrap_or_default()
        .iter()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    matches!(line, None | Some(b'\n'))
}

/// The first fence from `from` on that can close a block: where it starts and ends.
pub(crate) fn closing(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        at += memchr::memchr(b'`', bytes.get(at..)?)?;
        match run(bytes, at) {
            Some(end) if closes(bytes, end) => return Some((at, end)),
            Some(end) => at = end,
            None => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_info_string_ends_at_the_line_or_at_a_bracket() {
        for (text, json, content) in [
            ("```json\n{}", true, 8),
            ("```JSON {}", true, 8),
            ("```json{}", true, 7),
            ("````jsonc title=x\n\n  []", true, 21),
            ("```\n{}", false, 4),
            ("```python\nx", false, 10),
            ("```jsonl\n{}", false, 9),
            ("```", false, 3),
        ] {
            let end = run(text.as_bytes(), 0).unwrap();
            assert_eq!(
                opening(text.as_bytes(), end),
                Opening { json, content },
                "{text}"
            );
        }
        assert_eq!(run(b"``x", 0), None);
    }

    #[test]
    fn a_fence_with_an_info_string_closes_nothing() {
        assert_eq!(closing(b"a\n```json\nb\n```  \nc", 0), Some((12, 15)));
        assert_eq!(closing(b"a ```", 0), Some((2, 5)));
        assert_eq!(closing(b"a ``` b", 0), None);
    }
}

//! The markers of evidence in a statement: `[evidence:<id>:<start>-<end>:<sha256>]`.

use entail_json::Digest;

use crate::limits::MAX_ID_BYTES;

const OPEN: &[u8] = b"[evidence:";

/// Looking for an end no further than this keeps many beginnings without one from adding up.
const LONGEST: usize = MAX_ID_BYTES + 128;

/// Every well-formed marker of a statement, brackets included, in order. Text that only begins
/// like one is text.
pub(crate) fn markers(statement: &str) -> impl Iterator<Item = &str> {
    memchr::memmem::find_iter(statement.as_bytes(), OPEN).filter_map(move |start| {
        let rest = statement.as_bytes().get(start..)?;
        let window = rest.get(..LONGEST).unwrap_or(rest);
        let length = memchr::memchr(b']', window)?.checked_add(1)?;
        let marker = statement.get(start..start.checked_add(length)?)?;
        is_marker(marker).then_some(marker)
    })
}

fn is_marker(marker: &str) -> bool {
    let inside = marker
        .strip_prefix("[evidence:")
        .and_then(|rest| rest.strip_suffix(']'));
    let Some((rest, digest)) = inside.and_then(|inside| inside.rsplit_once(':')) else {
        return false;
    };
    let Some((id, span)) = rest.rsplit_once(':') else {
        return false;
    };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    !id.is_empty()
        && digest.parse::<Digest>().is_ok()
        && span
            .split_once('-')
            .is_some_and(|(start, end)| number(start) && number(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_markers_are_markers() {
        let sha = "a".repeat(64);
        let good = format!("[evidence:e:1:0-5:{sha}]");
        let text = format!(
            "x {good} [evidence:e:0-5:short] [evidence::0-5:{sha}] [evidence:e:0:{sha}] \
             [evidence:e:-5:{sha}] (evidence:e:0-5:{sha}) [evidence:[evidence:f:0-1:{sha}] [evidence:"
        );
        let second = format!("[evidence:f:0-1:{sha}]");
        let outer = format!("[evidence:[evidence:f:0-1:{sha}]");
        assert_eq!(
            markers(&text).collect::<Vec<_>>(),
            [good.as_str(), &outer, &second]
        );
    }
}

//! Lines for a terminal, and text cut to what can be shown.

use std::fmt::Write as _;

use super::{ReportView, counted};
use crate::limits::MAX_SHOWN_TEXT;
use crate::words::Severity;

pub(super) fn lines(view: &ReportView<'_>) -> String {
    let mut out = String::new();
    for result in view.results.all() {
        let verdict = if result.passed() { "ok  " } else { "FAIL" };
        let _ = write!(
            out,
            "{verdict} {:<24} {}",
            result.name().as_str(),
            result.name().title()
        );
        let counted = counted(result);
        if counted.is_empty() {
            out.push('\n');
        } else {
            let _ = writeln!(out, " ({counted})");
        }
        for failure in result.failures() {
            let mark = if failure.severity == Severity::Error {
                "error"
            } else {
                "warning"
            };
            let _ = writeln!(out, "     {mark}: {}", failure.message);
        }
    }
    for name in view.not_run() {
        let _ = writeln!(
            out,
            "-    {:<24} not run, it needs {}",
            name.as_str(),
            name.needs()
        );
    }
    let layers = view.results.layers();
    let layers = layers
        .iter()
        .map(|outcome| format!("{} {}", outcome.layer, outcome.status.as_str()));
    let layers: Vec<String> = layers.collect();
    let _ = writeln!(out, "Layers: {}", layers.join(", ").replace('_', " "));
    let (held, run) = (view.held(), view.results.all().len());
    let _ = writeln!(out, "{}: {held} of {run} checks hold", view.verdict());
    out
}

/// Text cut to what can be shown, in one line.
pub(super) fn clipped(text: &str) -> String {
    let mut out = String::new();
    for (n, word) in text.split_whitespace().enumerate() {
        if n > 0 {
            out.push(' ');
        }
        out.push_str(word);
        if out.len() > MAX_SHOWN_TEXT.saturating_mul(4) {
            break;
        }
    }
    out.retain(|c| !c.is_control());
    match out.char_indices().nth(MAX_SHOWN_TEXT) {
        Some((at, _)) => {
            out.truncate(at);
            out.push('…');
            out
        }
        None => out,
    }
}

/// Appends text with what HTML and XML read as markup written out. Characters that XML 1.0 does
/// not have are left away.
pub(super) fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
}

pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_written_out_and_control_characters_are_left_away() {
        assert_eq!(
            escaped("<script>\"a\" & 'b'\0\u{7}\u{ffff}</script>\n"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;\n"
        );
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        let cut = clipped(&"é ".repeat(1000));
        assert_eq!(cut.chars().count(), MAX_SHOWN_TEXT + 1);
        assert_eq!(clipped(" a\n\tb "), "a b");
    }
}

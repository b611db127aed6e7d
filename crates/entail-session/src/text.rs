//! Small things done with text.

/// The text, or its beginning and `…` where it has more characters than that.
pub(crate) fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => {
            let mut short = text.get(..end).unwrap_or_default().to_owned();
            short.push('…');
            short
        }
    }
}

/// Texts in backticks, joined by commas; at most so many of them.
pub(crate) fn listed<'a>(texts: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let mut list = String::new();
    for (n, text) in texts.into_iter().enumerate() {
        if n == most {
            list.push_str(", …");
            break;
        }
        if n > 0 {
            list.push_str(", ");
        }
        list.push('`');
        list.push_str(&shorten(text, 80));
        list.push('`');
    }
    list
}

/// The text on one line: line ends of any kind, and other control characters, as JSON escapes.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            c if breaks_lines(c) => {
                let _ =
                    std::fmt::Write::write_fmt(&mut line, format_args!("\\u{:04x}", u32::from(c)));
            }
            c => line.push(c),
        }
    }
    line
}

fn breaks_lines(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_kind_of_line_end_is_left_on_one_line() {
        let line = one_line("a\nb\r\nc\u{b}d\u{c}e\u{85}f\u{2028}g\u{2029}h\0i\tj");
        assert_eq!(
            line,
            "a\\nb\\r\\nc\\u000bd\\u000ce\\u0085f\\u2028g\\u2029h\\u0000i\\tj"
        );
    }

    #[test]
    fn a_shortened_text_is_cut_between_characters() {
        assert_eq!(shorten("éàü", 2), "éà…");
        assert_eq!(shorten("éàü", 3), "éàü");
        assert_eq!(listed(["a", "b", "c"], 2), "`a`, `b`, …");
    }
}

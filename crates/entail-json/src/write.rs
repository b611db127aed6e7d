//! The canonical form, version 1: one text for one value.
//!
//! UTF-8 without spaces, object keys sorted by Unicode code point, strings escaped only where
//! JSON must, integers in full, floats in the shortest form that reads back the same, laid out
//! as Python prints them.

use std::fmt::Write as _;

use crate::{Digest, Value, plain::plain_length, sha256};

/// The canonical text of a value.
///
/// ```
/// let value = entail_json::read_str(r#"{"b": [1, 2.50, 1e16], "a": "\u00e9\n"}"#)?;
/// assert_eq!(entail_json::to_canonical(&value), r#"{"a":"é\n","b":[1,2.5,1e+16]}"#);
/// # Ok::<(), entail_json::ReadError>(())
/// ```
#[must_use]
pub fn to_canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

/// The SHA-256 of the canonical text.
#[must_use]
pub fn fingerprint(value: &Value) -> Digest {
    sha256(to_canonical(value).as_bytes())
}

enum Open<'a> {
    Array(std::slice::Iter<'a, Value>),
    Object(std::vec::IntoIter<(&'a str, &'a Value)>),
}

/// Appends the canonical text of a value.
pub fn write_canonical(value: &Value, out: &mut String) {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            match value {
                Value::Null => out.push_str("null"),
                Value::Bool(true) => out.push_str("true"),
                Value::Bool(false) => out.push_str("false"),
                Value::Number(number) => number.write(out),
                Value::String(text) => write_string(text, out),
                Value::Array(items) => {
                    out.push('[');
                    let mut items = items.iter();
                    next = items.next();
                    open.push(Open::Array(items));
                }
                Value::Object(object) => {
                    out.push('{');
                    let mut members = object.sorted().into_iter();
                    next = members.next().map(|member| write_name(member, out));
                    open.push(Open::Object(members));
                }
            }
            if next.is_some() {
                continue;
            }
        }
        let Some(innermost) = open.last_mut() else {
            return;
        };
        match innermost {
            Open::Array(items) => match items.next() {
                Some(item) => {
                    out.push(',');
                    next = Some(item);
                }
                None => {
                    out.push(']');
                    open.pop();
                }
            },
            Open::Object(members) => match members.next() {
                Some(member) => {
                    out.push(',');
                    next = Some(write_name(member, out));
                }
                None => {
                    out.push('}');
                    open.pop();
                }
            },
        }
    }
}

fn write_name<'a>((name, value): (&str, &'a Value), out: &mut String) -> &'a Value {
    write_string(name, out);
    out.push(':');
    value
}

/// Appends a string in quotes, escaped only where JSON must.
///
/// ```
/// let mut out = String::new();
/// entail_json::write_string("tab\t, bell\u{7}, é, \u{7f}", &mut out);
/// assert_eq!(out, "\"tab\\t, bell\\u0007, é, \u{7f}\"");
/// ```
pub fn write_string(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_length(rest.as_bytes()));
        out.push_str(plain);
        let mut characters = special.chars();
        match characters.next() {
            None => break,
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\t') => out.push_str("\\t"),
            Some('\n') => out.push_str("\\n"),
            Some('\u{c}') => out.push_str("\\f"),
            Some('\r') => out.push_str("\\r"),
            Some(control) => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
        }
        rest = characters.as_str();
    }
    out.push('"');
}

/// Appends a finite float in the shortest form that reads back the same.
///
/// The exponent form is used below 1e-4 and from 1e16 on; a whole number ends in `.0`.
pub fn write_float(value: f64, out: &mut String) {
    let mut shortest = ShortText::default();
    let _ = write!(shortest, "{:e}", value + 0.0);
    let text = shortest.as_str();
    let (text, negative) = text
        .strip_prefix('-')
        .map_or((text, false), |rest| (rest, true));
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return out.push_str(text);
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if negative {
        out.push('-');
    }
    match usize::try_from(exponent) {
        Ok(places) if places < 16 => {
            out.push_str(first);
            let whole = rest.len().min(places);
            out.push_str(rest.get(..whole).unwrap_or_default());
            out.extend(std::iter::repeat_n('0', places - whole));
            out.push('.');
            let fraction = rest.get(whole..).unwrap_or_default();
            out.push_str(if fraction.is_empty() { "0" } else { fraction });
        }
        Err(_) if exponent >= -4 => {
            out.push_str("0.");
            out.extend((exponent..-1).map(|_| '0'));
            out.push_str(first);
            out.push_str(rest);
        }
        _ => {
            out.push_str(mantissa);
            let sign = if exponent < 0 { '-' } else { '+' };
            let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
        }
    }
}

/// Room for the shortest exponent form of any float: sign, 17 digits, point, `e-324`.
#[derive(Default)]
struct ShortText {
    bytes: [u8; 32],
    len: usize,
}

impl ShortText {
    fn as_str(&self) -> &str {
        self.bytes
            .get(..self.len)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }
}

impl std::fmt::Write for ShortText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.len + text.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(std::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(value: f64) -> String {
        let mut out = String::new();
        write_float(value, &mut out);
        out
    }

    #[test]
    fn floats_are_laid_out_as_python_prints_them() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "0.0"),
            (1.0, "1.0"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.00012, "0.00012"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (123456.789, "123456.789"),
            (9999999999999998.0, "9999999999999998.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.234e22, "1.234e+22"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (5e-324, "5e-324"),
            (0.1 + 0.2, "0.30000000000000004"),
        ];
        for (value, text) in cases {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn strings_are_escaped_only_where_json_must() {
        let mut out = String::new();
        write_string("\0\u{1f} \"\\/\u{7f}é\u{2028}😀</script>", &mut out);
        assert_eq!(
            out,
            "\"\\u0000\\u001f \\\"\\\\/\u{7f}é\u{2028}😀</script>\""
        );
    }
}

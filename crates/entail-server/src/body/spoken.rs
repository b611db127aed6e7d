//! Bodies that carry what a model said.

use axum::extract::{FromRequest, Request};
use entail_json::{FaultKind, Object, Reader, Value, limits::MAX_DEPTH, read_str, sha256};

use crate::{
    app::App,
    body::{
        JsonBody,
        read::{parse_json, read_json_bytes},
    },
    problem::Problem,
};

/// The member that holds what the model said.
const RESPONSE: &str = "response";

/// A JSON body within `max_body_bytes` whose `response` is what a model said.
///
/// What exact JSON does not take in there (a name given twice, U+0000, half a surrogate pair, a
/// number past all floats, too deep nesting) is the model's fault and not the caller's: such a
/// response is taken as the text it is, so that the turn refuses the action that holds it and the
/// model hears why.
#[derive(Debug)]
pub(crate) struct SpokenBody(JsonBody);

impl SpokenBody {
    /// The body.
    pub(crate) fn json(self) -> JsonBody {
        self.0
    }
}

impl FromRequest<App> for SpokenBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let bytes = read_json_bytes(request, app).await?;
        let value = parse_json(&bytes).or_else(|problem| restated(&bytes).ok_or(problem))?;
        Ok(Self(JsonBody::new(value, sha256(&bytes))))
    }
}

/// The body with its response as text, if nothing else in it is at fault.
fn restated(bytes: &[u8]) -> Option<Value> {
    let mut reader = Reader::default();
    reader.limits.max_depth = MAX_DEPTH;
    let reading = reader.read(bytes).ok()?;
    let Value::Object(mut body) = reading.value else {
        return None;
    };
    let place = body.iter().position(|(name, _)| name == RESPONSE)?;
    let is_inside = reading.faults.iter().all(|fault| {
        let path = fault.path();
        let at = path.first().and_then(|at| usize::try_from(*at).ok());
        at == Some(place) && (path.len() > 1 || fault.kind != FaultKind::DuplicateName)
    });
    if !is_inside {
        return None;
    }
    let written = member(&reader, std::str::from_utf8(bytes).ok()?)?;
    let text = if written.starts_with('"') {
        read_str(&spelled_out(written))
            .ok()?
            .as_str()
            .map(str::to_owned)?
    } else {
        written.to_owned()
    };
    body.insert(RESPONSE, text.into());
    check_rest(&body).then_some(Value::Object(body))
}

/// Whether everything else is as shallow as the strict reader wants it.
fn check_rest(body: &Object) -> bool {
    read_str(&Value::Object(body.clone()).to_string()).is_ok()
}

/// The response as it is written in the body.
fn member<'t>(reader: &Reader, text: &'t str) -> Option<&'t str> {
    let blank = |at: usize| {
        let rest = text.get(at..)?;
        Some(at + rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len())
    };
    let pass = |at: usize, mark: char| {
        let at = blank(at)?;
        text.get(at..)?.starts_with(mark).then_some(at + 1)
    };
    let mut at = pass(0, '{')?;
    loop {
        let (name, end) = reader.read_prefix(text, blank(at)?).ok()?;
        let start = blank(pass(end, ':')?)?;
        let (_, end) = reader.read_prefix(text, start).ok()?;
        if name.value.as_str() == Some(RESPONSE) {
            return text.get(start..end);
        }
        at = pass(end, ',')?;
    }
}

/// A string's JSON in which escapes that stand for no storable character stand for themselves:
/// inside the response's own strings they mean the same.
fn spelled_out(written: &str) -> String {
    let mut out = String::with_capacity(written.len() + 16);
    let mut rest = written;
    while let Some(at) = rest.find('\\') {
        let Some((plain, escape)) = rest.split_at_checked(at) else {
            break;
        };
        out.push_str(plain);
        let length = match unit(escape) {
            None => 2,
            Some(0xd800..=0xdbff) => match escape.get(6..).and_then(unit) {
                Some(0xdc00..=0xdfff) => 12,
                _ => {
                    out.push('\\');
                    6
                }
            },
            Some(0 | 0xdc00..=0xdfff) => {
                out.push('\\');
                6
            }
            Some(_) => 6,
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(escape);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The code unit that a `\uXXXX` at the start of a text stands for.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(body: &str) -> Option<String> {
        let value = restated(body.as_bytes())?;
        value.get(RESPONSE)?.as_str().map(str::to_owned)
    }

    #[test]
    fn a_response_that_is_at_fault_is_the_text_it_is_written_as() {
        for (body, text) in [
            (r#"{"response": {"a": 1, "a": 2}}"#, r#"{"a": 1, "a": 2}"#),
            (
                r#"{"model": "m", "response" : ["\ud800", 1e999] , "step_id": null}"#,
                r#"["\ud800", 1e999]"#,
            ),
            (r#"{"response": "a\u0000b"}"#, r"a\u0000b"),
            (
                r#"{"response": "\ud83d\ude00 \ud83d \uDE00\n\\u0000"}"#,
                "😀 \\ud83d \\uDE00\n\\u0000",
            ),
        ] {
            assert_eq!(response(body).as_deref(), Some(text), "{body}");
        }
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let body = format!("{{\"response\": {deep}}}");
        assert_eq!(response(&body), Some(deep));
    }

    #[test]
    fn a_fault_anywhere_else_is_the_callers() {
        for body in [
            r#"{"response": "\u0000", "model": "\u0000"}"#,
            r#"{"response": "x", "response": "y"}"#,
            r#"{"model": 1e999, "response": "x"}"#,
            r#"{"response": "\u0000""#,
            r#"["\u0000"]"#,
            r#"{"other": "\u0000"}"#,
        ] {
            assert_eq!(response(body), None, "{body}");
        }
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(
            response(&format!("{{\"response\": \"\", \"model\": {deep}}}")),
            None
        );
    }
}

//! From a text to a response: the whole text first, then the places where one may stand in it.

use std::fmt::Write as _;

use entail_json::{Position, Value, position, to_canonical};

use crate::{
    Code, Limits, Problem, Response,
    actions::{self, WAY_OUT},
    limits::{MAX_BYTES, MAX_DEPTH},
    scan::{Broken, Dialect, Scanner},
    search::{Found, Place, is_blank, search, skip_blank},
    shape::ShapeOf,
    tape::Tape,
};

/// Reads responses within limits.
///
/// ```
/// use entail_contract::{Action, Parser};
///
/// let response = Parser::default().parse("Here it is: {\"type\": \"answer\", \"text\": \"yes\"}");
/// assert!(matches!(&response.actions[0], (1, Action::Answer(answer)) if answer.text == "yes"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parser {
    limits: Limits,
}

/// How much reading a response took.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Bytes and parts of values visited, each as often as it was.
    pub steps: u64,
}

/// Reads a response within the default limits.
///
/// ```
/// let response = entail_contract::parse(r#"{"actions": [{"type": "claim", "key": "k"}, 7]}"#);
/// let codes: Vec<_> = response.problems.iter().map(|problem| problem.code.as_str()).collect();
/// assert_eq!(codes, ["missing_field", "not_an_object"]);
/// ```
#[must_use]
pub fn parse(text: &str) -> Response {
    Parser::default().parse(text)
}

impl Parser {
    /// A parser with these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: Limits {
                bytes: limits.bytes.min(MAX_BYTES),
                depth: limits.depth.min(MAX_DEPTH),
                ..limits
            },
        }
    }

    /// Reads a response. Linear in its length, whatever it holds.
    #[must_use]
    pub fn parse(&self, text: &str) -> Response {
        self.parse_counting(text).0
    }

    /// Reads a response that may not be UTF-8; if it is not, it is unusable.
    ///
    /// ```
    /// let response = entail_contract::Parser::default().parse_bytes(b"{\"actions\": [\"\xff\"]}");
    /// assert_eq!(response.position.map(|at| at.column), Some(15));
    /// ```
    #[must_use]
    pub fn parse_bytes(&self, bytes: &[u8]) -> Response {
        if bytes.len() > self.limits.bytes {
            return self.too_long();
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.parse(text),
            Err(error) => {
                let place = position(bytes, error.valid_up_to());
                let message = format!(
                    "the response is not valid UTF-8 at line {}, column {}; {WAY_OUT}",
                    place.line, place.column
                );
                let problem = Problem::of_response(Code::ResponseNotJson, message);
                Response::unusable(problem, Some(place))
            }
        }
    }

    /// Reads a response that a caller holds as a value: a string is read as a text, anything else
    /// as the response itself.
    ///
    /// A caller that still has the text should give that, since a value no longer shows a name
    /// that was given twice.
    ///
    /// ```
    /// use entail_contract::Parser;
    ///
    /// let value = entail_json::read_str(r#"{"actions": [{"type": "answer", "text": "yes"}]}"#)?;
    /// assert_eq!(Parser::default().parse_value(&value).actions.len(), 1);
    /// # Ok::<(), entail_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn parse_value(&self, value: &Value) -> Response {
        match value {
            Value::String(text) => self.parse(text),
            other => self.parse(&to_canonical(other)),
        }
    }

    /// [`parse`](Self::parse), and how much work it was.
    #[doc(hidden)]
    #[must_use]
    pub fn parse_counting(&self, text: &str) -> (Response, Work) {
        if text.len() > self.limits.bytes {
            return (self.too_long(), Work::default());
        }
        let body = Body::of(text);
        let mut scanner = Scanner::new(text.as_bytes());
        let whole = match self.whole(text, body, &mut scanner) {
            Ok((response, steps)) => {
                let steps = scanner.steps + steps;
                return (response, Work { steps });
            }
            Err(broken) => broken,
        };
        let mut found = search(text, &mut scanner, self.limits.depth, whole);
        let tape = found.tape.take();
        let mut steps = 0;
        let response = found.place.and_then(|place| {
            let (response, read) = match tape {
                Some(tape) => actions::read(&tape, &self.limits),
                None => self.place(text, place, &mut scanner)?,
            };
            steps = read;
            Some(response)
        });
        let response = response.unwrap_or_else(|| {
            steps = text.len() as u64;
            nothing(text, body, whole, &found)
        });
        let steps = scanner.steps + steps;
        (response, Work { steps })
    }

    /// Reads the whole text as one value.
    fn whole(
        &self,
        text: &str,
        body: Body,
        scanner: &mut Scanner<'_>,
    ) -> Result<(Response, u64), Broken> {
        /// Longer texts are scanned before anything is kept of them.
        const SCAN_FIRST: usize = 1 << 16;
        if body.end - body.start > SCAN_FIRST {
            let mut shape = ShapeOf::new(text, Dialect::Json);
            let end = scanner.value(body.start, body.end, Dialect::Json, &mut shape)?;
            body.ends_at(end)?;
        }
        let mut tape = Tape::new(text, Dialect::Json, self.limits.depth);
        let end = scanner.value(body.start, body.end, Dialect::Json, &mut tape)?;
        body.ends_at(end)?;
        Ok(actions::read(&tape, &self.limits))
    }

    /// Reads the value at a place that a search found; `None` if it is no response and no JSON.
    fn place(
        &self,
        text: &str,
        place: Place,
        scanner: &mut Scanner<'_>,
    ) -> Option<(Response, u64)> {
        let mut tape = Tape::new(text, place.dialect, self.limits.depth);
        scanner
            .value(place.start, place.end, place.dialect, &mut tape)
            .ok()?;
        if place.dialect == Dialect::Python && !actions::is_response(&tape) {
            return None;
        }
        Some(actions::read(&tape, &self.limits))
    }

    fn too_long(&self) -> Response {
        let problem = Problem::of_response(
            Code::LimitExceeded,
            format!(
                "the response is longer than {} bytes, so none of it was read; send a shorter one",
                self.limits.bytes
            ),
        );
        Response::unusable(problem, None)
    }
}

/// The text without what is blank around it.
#[derive(Clone, Copy, Debug)]
struct Body {
    start: usize,
    end: usize,
}

impl Body {
    fn of(text: &str) -> Self {
        let end = text.trim_end_matches(is_blank).len();
        Self {
            start: skip_blank(text, 0).min(end),
            end,
        }
    }

    fn ends_at(self, end: usize) -> Result<(), Broken> {
        if end == self.end {
            Ok(())
        } else {
            Err(Broken::expected(end, "the end of the response"))
        }
    }
}

/// What to say when no response was found.
fn nothing(text: &str, body: Body, whole: Broken, found: &Found<'_>) -> Response {
    let bytes = text.as_bytes();
    if body.start == body.end {
        return not_json(format!("the response is empty; {WAY_OUT}"), None);
    }
    if found.only_reasoning {
        return not_json(
            format!("the response is reasoning only; after it, {WAY_OUT}"),
            None,
        );
    }
    let starts_as_json = matches!(bytes.get(body.start), Some(b'{' | b'[' | b'('));
    let broken = match found.broken {
        Some(broken) => broken,
        None if starts_as_json => whole,
        None => {
            let place = position(bytes, body.start);
            return not_json(
                format!("the response holds no JSON that is a response; {WAY_OUT}"),
                Some(place),
            );
        }
    };
    let at = crate::scan::skip_space(bytes, broken.at);
    let place = position(bytes, at);
    let mut message = String::new();
    let _ = if broken.unfinished {
        write!(
            message,
            "the JSON ends at line {}, column {} before it is complete: {} is missing; reply again \
             with the whole of one JSON object {{\"actions\": [...]}}",
            place.line, place.column, broken.expected
        )
    } else {
        write!(
            message,
            "the JSON breaks at line {}, column {}, where {} was expected; {WAY_OUT}",
            place.line, place.column, broken.expected
        )
    };
    not_json(message, Some(place))
}

fn not_json(message: String, place: Option<Position>) -> Response {
    Response::unusable(Problem::of_response(Code::ResponseNotJson, message), place)
}

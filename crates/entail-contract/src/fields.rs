//! The fields of one action: what is given, of what type, and what is wrong with it.

use std::borrow::Cow;

use entail_json::{Object, Value, to_canonical};

use crate::{
    ActionKind, Code, Limits, Problem,
    field::Field,
    numbers,
    scan::{Dialect, Scalar, Scanner},
    tape::{At, Fault, Part, Tape},
    words::{describe, excerpt},
};

/// What is given for a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Given {
    #[default]
    Nothing,
    Once(At),
    Twice,
}

/// One action's fields, and the problems found in them so far.
pub(crate) struct Fields<'a, 't> {
    tape: &'a Tape<'t>,
    limits: &'a Limits,
    index: usize,
    given: [Given; Field::COUNT],
    kind: Option<ActionKind>,
    problems: &'a mut Vec<Problem>,
    /// How many problems there were before this action.
    before: usize,
    /// Bytes visited in texts inside strings.
    pub(crate) steps: u64,
}

impl<'a, 't> Fields<'a, 't> {
    /// Sorts the members of the object at `action` into fields. A name given twice is a problem;
    /// names that no action has are passed over.
    pub(crate) fn collect(
        tape: &'a Tape<'t>,
        limits: &'a Limits,
        index: usize,
        action: At,
        problems: &'a mut Vec<Problem>,
    ) -> Self {
        let mut fields = Self {
            tape,
            limits,
            index,
            given: [Given::Nothing; Field::COUNT],
            kind: None,
            before: problems.len(),
            problems,
            steps: 0,
        };
        let mut twice: Vec<Cow<'t, str>> = Vec::new();
        let mut unknown: Vec<Cow<'t, str>> = Vec::new();
        for (name, value) in tape.members(action) {
            let name = tape.said(name).unwrap_or_default();
            let Some(field) = Field::from_name(&name) else {
                unknown.push(name);
                continue;
            };
            if let Some(given) = fields.given.get_mut(field as usize) {
                match given {
                    Given::Nothing => *given = Given::Once(value),
                    Given::Once(_) => {
                        *given = Given::Twice;
                        twice.push(name);
                    }
                    Given::Twice => {}
                }
            }
        }
        twice.extend(first_twin(unknown));
        fields.kind = fields
            .once(Field::Type)
            .and_then(|at| tape.said(at))
            .and_then(|said| ActionKind::from_name(&said));
        for name in twice {
            fields.problem(
                Code::DuplicateField,
                format!("the action gives `{}` twice; give it once", excerpt(&name)),
            );
        }
        fields
    }

    /// The action's kind; if it has none, that is a problem.
    pub(crate) fn kind(&mut self) -> Option<ActionKind> {
        const WAY_OUT: &str = "set it to `call_tool`, `cite`, `claim` or `answer`";
        if self.kind.is_none() && self.given(Field::Type) != Given::Twice {
            let message = match self.once(Field::Type) {
                None => format!("the action has no `type`; {WAY_OUT}"),
                Some(at) => match self.tape.said(at) {
                    Some(said) => {
                        format!("the action type `{}` is unknown; {WAY_OUT}", excerpt(&said))
                    }
                    None => format!("`type` is {}; {WAY_OUT}", self.described(at)),
                },
            };
            self.problem(Code::UnknownActionType, message);
        }
        self.kind
    }

    /// Whether nothing was wrong with this action.
    pub(crate) fn clean(&self) -> bool {
        self.problems.len() == self.before
    }

    /// Makes a problem of each field that is missing or null.
    pub(crate) fn require(&mut self, fields: &[Field]) {
        for field in fields {
            if self.is_absent(*field) {
                let name = field.name();
                self.missing(format!("`{name}`; add it"));
            }
        }
    }

    /// As [`require`](Self::require) for `value`, which may be null; `or_formula`: a formula may
    /// stand for it.
    pub(crate) fn require_value(&mut self, or_formula: bool) {
        if self.given(Field::Value) != Given::Nothing {
            return;
        }
        let formula = !self.is_absent(Field::Formula) && !self.is_empty_text(Field::Formula);
        match (or_formula, formula) {
            (true, true) => {}
            (true, false) => self.missing("`value` or `formula`; add one of them".to_owned()),
            (false, _) => self.missing("`value`; add it".to_owned()),
        }
    }

    fn missing(&mut self, what: String) {
        let kind = self.kind.map_or("action", ActionKind::as_str);
        let article = if self.kind == Some(ActionKind::Answer) {
            "an"
        } else {
            "a"
        };
        self.problem(Code::MissingField, format!("{article} {kind} needs {what}"));
    }

    /// A text; nothing when it is absent, null or wrong.
    pub(crate) fn text(&mut self, field: Field) -> String {
        let Some(at) = self.present(field) else {
            return String::new();
        };
        match self.tape.string(at) {
            Some(Ok(text)) => text,
            Some(Err(fault)) => {
                self.fault(field, &fault);
                String::new()
            }
            None => {
                let message = format!(
                    "`{}` must be a string, but is {}; write it in quotes",
                    field.name(),
                    self.described(at)
                );
                self.problem(Code::WrongType, message);
                String::new()
            }
        }
    }

    /// A text that may be left out; an empty one counts as left out.
    pub(crate) fn optional_text(&mut self, field: Field) -> Option<String> {
        let text = self.text(field);
        (!text.is_empty()).then_some(text)
    }

    /// The text of an answer: a string, or a number as it is written canonically.
    pub(crate) fn answer_text(&mut self) -> String {
        let field = Field::Text;
        let Some(at) = self.present(field) else {
            return String::new();
        };
        let text = match (self.tape.string(at), self.tape.number(at)) {
            (Some(Ok(text)), _) => text,
            (Some(Err(fault)), _) => {
                self.fault(field, &fault);
                return String::new();
            }
            (None, Some(Some(number))) => number.to_string(),
            (None, Some(None)) => {
                self.fault(field, &Fault::NotFinite);
                return String::new();
            }
            (None, None) => {
                let message = format!(
                    "`text` must be a string or a number, but is {}; write the answer as one string",
                    self.described(at)
                );
                self.problem(Code::WrongType, message);
                return String::new();
            }
        };
        if text.len() > self.limits.value_bytes {
            self.too_large(field);
        }
        text
    }

    /// Any value; null when it is absent or wrong.
    pub(crate) fn value(&mut self) -> Value {
        let Some(at) = self.present(Field::Value) else {
            return Value::Null;
        };
        match self.tape.value(at) {
            Ok(value) => {
                self.check_size(Field::Value, &value, self.tape.written(at).len());
                value
            }
            Err(fault) => {
                self.fault(Field::Value, &fault);
                Value::Null
            }
        }
    }

    /// Arguments: an object, or the JSON text of one; none when absent, null or blank.
    pub(crate) fn args(&mut self) -> Object {
        let Some(at) = self.present(Field::Args) else {
            return Object::new();
        };
        let written = self.tape.written(at).len();
        let decoded = match self.tape.part(at) {
            Part::Object => self.tape.value(at),
            Part::Scalar(Scalar::String(_)) => match self.tape.string(at) {
                Some(Ok(text)) => match self.args_text(&text) {
                    Ok(decoded) => decoded,
                    Err(message) => {
                        self.problem(Code::InvalidArgs, message);
                        return Object::new();
                    }
                },
                Some(Err(fault)) => Err(fault),
                None => Ok(Value::Null),
            },
            _ => {
                let message = format!(
                    "`args` must be an object, but is {}; write the arguments as \
                     {{\"name\": value}}",
                    self.described(at)
                );
                self.problem(Code::InvalidArgs, message);
                return Object::new();
            }
        };
        match decoded {
            Ok(value) => {
                self.check_size(Field::Args, &value, written);
                match value {
                    Value::Object(object) => object,
                    _ => Object::new(),
                }
            }
            Err(fault) => {
                self.fault(Field::Args, &fault);
                Object::new()
            }
        }
    }

    /// Arguments given as text, read to the letter; what is wrong with them, if they are not the
    /// text of an object.
    fn args_text(&mut self, text: &str) -> Result<Result<Value, Fault>, String> {
        /// How deep `args` stands in an envelope.
        const DEPTH: usize = 3;
        const WAY_OUT: &str = "write the arguments as a JSON object";
        if text.trim().is_empty() {
            return Ok(Ok(Value::Object(Object::new())));
        }
        let mut tape = Tape::new(
            text,
            Dialect::Strict,
            self.limits.depth.saturating_sub(DEPTH),
        );
        let mut scanner = Scanner::new(text.as_bytes());
        let end = scanner.value(0, text.len(), Dialect::Strict, &mut tape);
        self.steps += scanner.steps + tape.len() as u64;
        let (at, expected) = match end {
            Ok(end) if text.get(end..).unwrap_or_default().trim().is_empty() => {
                return if tape.part(0) == Part::Object {
                    Ok(tape.value(0))
                } else {
                    Err(format!("the text in `args` is no JSON object; {WAY_OUT}"))
                };
            }
            Ok(end) => (end, "the end of the text"),
            Err(broken) => (broken.at, broken.expected),
        };
        let place = entail_json::position(text.as_bytes(), at);
        Err(format!(
            "the text in `args` is not valid JSON: {expected} was expected at its line {}, \
             column {}; {WAY_OUT}",
            place.line, place.column
        ))
    }

    /// A list of texts, or one text for a list of one.
    pub(crate) fn follows_from(&mut self) -> Vec<String> {
        let field = Field::FollowsFrom;
        let Some(at) = self.present(field) else {
            return Vec::new();
        };
        let texts: Option<Result<Vec<String>, Fault>> = match self.tape.part(at) {
            Part::List => self
                .tape
                .elements(at)
                .map(|item| self.tape.string(item))
                .collect(),
            _ => self.tape.string(at).map(|text| {
                text.map(|text| {
                    if text.is_empty() {
                        Vec::new()
                    } else {
                        vec![text]
                    }
                })
            }),
        };
        match texts {
            Some(Ok(texts)) => texts,
            Some(Err(fault)) => {
                self.fault(field, &fault);
                Vec::new()
            }
            None => {
                let found = match self.tape.part(at) {
                    Part::List => "holds something that is no string".to_owned(),
                    _ => format!("is {}", self.described(at)),
                };
                self.problem(
                    Code::WrongType,
                    format!("`follows_from` must be a list of keys, but {found}; list each key as a string"),
                );
                Vec::new()
            }
        }
    }

    /// A confidence: a number from 0 to 1, such a number in a string, or a percentage string.
    pub(crate) fn confidence(&mut self) -> Option<f64> {
        let at = self.present(Field::Confidence)?;
        let confidence = match (self.tape.number(at), self.tape.said(at)) {
            (Some(number), _) => number.map(|number| number.as_f64()),
            (None, Some(text)) => confidence_text(text.trim()),
            (None, None) => None,
        };
        let confidence = confidence.filter(|confidence| (0.0..=1.0).contains(confidence));
        if confidence.is_none() {
            let message = format!(
                "`confidence` must be a number from 0 to 1 or a percentage, but is {}; give one or \
                 leave it out",
                self.described(at)
            );
            self.problem(Code::InvalidConfidence, message);
        }
        confidence.map(|confidence| confidence + 0.0)
    }

    fn given(&self, field: Field) -> Given {
        self.given.get(field as usize).copied().unwrap_or_default()
    }

    fn once(&self, field: Field) -> Option<At> {
        match self.given(field) {
            Given::Once(at) => Some(at),
            Given::Nothing | Given::Twice => None,
        }
    }

    /// Where the field stands, if it is given once and is not null.
    fn present(&self, field: Field) -> Option<At> {
        let null = Part::Scalar(Scalar::Null);
        self.once(field).filter(|at| self.tape.part(*at) != null)
    }

    fn is_absent(&self, field: Field) -> bool {
        self.given(field) != Given::Twice && self.present(field).is_none()
    }

    fn is_empty_text(&self, field: Field) -> bool {
        self.present(field).is_some_and(|at| {
            matches!(self.tape.part(at), Part::Scalar(Scalar::String(_)))
                && self.tape.written(at).is_empty()
        })
    }

    fn check_size(&mut self, field: Field, value: &Value, written: usize) {
        /// A byte of a text takes at most so many in canonical JSON (`\u001f`).
        const GROWTH: usize = 6;
        let limit = self.limits.value_bytes;
        if written > limit / GROWTH && to_canonical(value).len() > limit {
            self.too_large(field);
        }
    }

    fn too_large(&mut self, field: Field) {
        let message = format!(
            "`{}` takes more than {} bytes, the most that can be stored; shorten it",
            field.name(),
            self.limits.value_bytes
        );
        self.problem(Code::UnsupportedValue, message);
    }

    /// Something in the action that no field asks for is nested past the limit.
    pub(crate) fn too_deep(&mut self) {
        let message = format!(
            "the action makes the response deeper than {} levels; nest it less",
            self.limits.depth
        );
        self.problem(Code::UnsupportedValue, message);
    }

    fn fault(&mut self, field: Field, fault: &Fault) {
        let name = field.name();
        let (code, message) = match fault {
            Fault::Duplicate(member) => (
                Code::DuplicateField,
                format!(
                    "an object in `{name}` gives `{}` twice; give it once",
                    excerpt(member)
                ),
            ),
            Fault::Nul => (
                Code::UnsupportedValue,
                format!(
                    "`{name}` holds the character U+0000, which cannot be stored; leave it out"
                ),
            ),
            Fault::Surrogate => (
                Code::UnsupportedValue,
                format!(
                    "`{name}` holds half of a surrogate pair, which is no character; write the \
                     character itself"
                ),
            ),
            Fault::NotFinite => (
                Code::UnsupportedValue,
                format!("`{name}` is or holds a number that is not finite; give a finite number"),
            ),
            Fault::TooDeep => (
                Code::UnsupportedValue,
                format!(
                    "`{name}` makes the response deeper than {} levels; nest it less",
                    self.limits.depth
                ),
            ),
        };
        self.problem(code, message);
    }

    fn problem(&mut self, code: Code, message: String) {
        let key = self
            .once(Field::Key)
            .and_then(|at| self.tape.string(at)?.ok());
        self.problems.push(Problem {
            action: Some(self.index),
            kind: self.kind,
            key,
            code,
            message,
        });
    }

    /// What the part is, for a message.
    fn described(&self, at: At) -> String {
        describe(self.tape, at)
    }
}

fn confidence_text(text: &str) -> Option<f64> {
    match text.strip_suffix('%') {
        Some(percentage) => Some(numbers::decode_text(percentage.trim_end())? / 100.0),
        None => numbers::decode_text(text),
    }
}

/// A name that occurs more than once.
fn first_twin<'t>(mut names: Vec<Cow<'t, str>>) -> Option<Cow<'t, str>> {
    if names.len() < 2 {
        return None;
    }
    names.sort_unstable();
    names
        .array_windows()
        .find_map(|[one, other]| (one == other).then(|| one.clone()))
}

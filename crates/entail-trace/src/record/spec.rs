//! The problem.

use entail_json::{Object, Value};

use super::{identified, sealed::Plumbing};
use crate::fault::{At, Faults};
use crate::fields::{Fields, any, integer, object, text};
use crate::id::{Content, Id, IdKind, Identified, sealed::Hashed};
use crate::sink::Sink;

/// A problem to reason about: what a session's task is in its trace.
pub type ProblemSpec = Identified<ProblemSpecContent>;

/// What a [`ProblemSpec`] says.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemSpecContent {
    /// The task, in words.
    pub description: String,
    /// What an answer must keep to; any members.
    pub constraints: Object,
    /// What kind of output is expected; `Claim` unless said otherwise.
    pub expected_output_type: String,
    /// What is expected, if that is known; else `null`.
    pub expected: Value,
    /// The version of the problem, if it has one.
    pub version: Option<i64>,
}

impl ProblemSpecContent {
    /// A problem with a description and nothing else.
    #[must_use]
    pub fn new(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            constraints: Object::new(),
            expected_output_type: "Claim".to_owned(),
            expected: Value::Null,
            version: None,
        }
    }

    fn write<S: Sink>(&self, id: Option<&Id>, sink: &mut S) {
        sink.open();
        sink.name("constraints");
        sink.object(&self.constraints);
        sink.text_member("description", &self.description);
        sink.name("expected");
        sink.value(&self.expected);
        sink.text_member("expected_output_type", &self.expected_output_type);
        if let Some(id) = id {
            sink.text_member("id", id);
        }
        sink.name("version");
        match self.version {
            Some(version) => sink.integer(version),
            None => sink.value(&Value::Null),
        }
        sink.close();
    }
}

impl Content for ProblemSpecContent {
    const ID_KIND: IdKind = IdKind::Spec;
}

impl Hashed for ProblemSpecContent {
    fn hashed<S: Sink>(&self, sink: &mut S) {
        self.write(None, sink);
    }

    fn emit<S: Sink>(&self, id: &Id, sink: &mut S) {
        self.write(Some(id), sink);
    }
}

impl Plumbing for ProblemSpec {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let id = fields.own_id();
        let description = fields.required(&["description"], text);
        let constraints = fields.defaulted(&["constraints"], object, Object::new);
        let output = fields.defaulted(&["expected_output_type"], text, || "Claim".to_owned());
        let expected = fields.defaulted(&["expected"], any, || Value::Null);
        let version = fields.nullable("version", integer);
        fields.close();
        let content = ProblemSpecContent {
            description: description?,
            constraints: constraints?,
            expected_output_type: output?,
            expected: expected?,
            version: version?,
        };
        Some(Self::read_as(id?, content))
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        Hashed::emit(&**self, self.id(), sink);
    }
}

identified!(ProblemSpec);

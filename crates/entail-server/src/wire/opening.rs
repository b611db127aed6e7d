//! `{task, instructions?, policy?, documents?, tools?, premises?, plan?, labels?, expires_in_s?}`

use entail_json::Value;
use entail_kernel::{Span, base::Premise};
use entail_session::{
    ConstraintDefinition, Labels, Policy, RuleDefinition, ToolDefinition, read_labels,
};
use utoipa::ToSchema;

use super::{
    ConstraintBody, PremiseBody, RuleBody, ToolBody, by_session, constraint, premise, rule,
    seconds, tool,
};
use crate::body::decode::{Decoded, Fields, Pointer, any, list, map, text};

/// What a session starts with.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `opening` reads")]
pub(crate) struct OpeningBody {
    /// The task, in words.
    #[schema(example = "How did revenue develop from Q2 to Q3?")]
    task: String,
    /// How to go about it, for the model.
    instructions: Option<String>,
    /// What the session goes by.
    #[schema(required = false, schema_with = crate::openapi::shapes::policy)]
    policy: (),
    /// Texts that a model may cite.
    documents: Option<Vec<DocumentBody>>,
    /// Tools that a model may call, by name.
    tools: Option<std::collections::BTreeMap<String, ToolBody>>,
    /// Rules, by name.
    rules: Option<std::collections::BTreeMap<String, RuleBody>>,
    /// Constraints, by name.
    constraints: Option<std::collections::BTreeMap<String, ConstraintBody>>,
    /// Facts known from the start.
    premises: Option<Vec<PremiseBody>>,
    /// A plan of the caller's own; without one it grows.
    #[schema(value_type = Option<Object>)]
    plan: Option<()>,
    /// Labels to find the session by.
    #[schema(required = false, schema_with = crate::openapi::shapes::labels)]
    labels: (),
    /// Close it as abandoned after so many seconds.
    #[schema(minimum = 0.000001, maximum = 1e11)]
    expires_in_s: Option<f64>,
}

/// A text under its name.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `document` reads")]
pub(crate) struct DocumentBody {
    /// The name, at most 128 bytes.
    #[schema(example = "10-Q")]
    name: String,
    /// The text.
    text: String,
}

/// A text.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; the endpoint reads")]
pub(crate) struct DocumentTextBody {
    /// The text.
    #[schema(example = "Total revenue for Q2 was $4.3 billion.")]
    text: String,
}

/// A text under its name, not indexed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DocumentText {
    /// The name.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
}

/// An opening before its documents were stored and indexed.
#[derive(Clone, Debug)]
pub(crate) struct OpeningRequest {
    /// The task.
    pub(crate) task: String,
    /// How to go about it.
    pub(crate) instructions: Option<String>,
    /// The policy.
    pub(crate) policy: Policy,
    /// The documents.
    pub(crate) documents: Vec<DocumentText>,
    /// The tools.
    pub(crate) tools: Vec<(String, ToolDefinition)>,
    /// The rules.
    pub(crate) rules: Vec<(String, RuleDefinition)>,
    /// The constraints.
    pub(crate) constraints: Vec<(String, ConstraintDefinition)>,
    /// The premises.
    pub(crate) premises: Vec<Premise>,
    /// The plan.
    pub(crate) plan: Option<Value>,
    /// The labels.
    pub(crate) labels: Labels,
    /// How long it stays open.
    pub(crate) expires_in: Option<Span>,
}

/// Reads one.
pub(crate) fn opening(value: Value, place: &Pointer) -> Decoded<OpeningRequest> {
    let mut fields = Fields::open(value, place)?;
    let task = fields.required("task", text);
    let instructions = fields.optional("instructions", text);
    let policy = fields.optional("policy", by_session(Policy::read));
    let documents = fields.optional("documents", list(document));
    let tools = fields.optional("tools", map(tool));
    let rules = fields.optional("rules", map(rule));
    let constraints = fields.optional("constraints", map(constraint));
    let premises = fields.optional("premises", list(premise));
    let plan = fields.optional("plan", any);
    let labels = fields.optional("labels", by_session(read_labels));
    let expires_in = fields.optional("expires_in_s", seconds);
    fields.close(|| {
        Some(OpeningRequest {
            task: task?,
            instructions: instructions?,
            policy: policy?.unwrap_or_default(),
            documents: documents?.unwrap_or_default(),
            tools: tools?.unwrap_or_default(),
            rules: rules?.unwrap_or_default(),
            constraints: constraints?.unwrap_or_default(),
            premises: premises?.unwrap_or_default(),
            plan: plan?,
            labels: labels?.unwrap_or_default(),
            expires_in: expires_in?,
        })
    })
}

fn document(value: Value, place: &Pointer) -> Decoded<DocumentText> {
    let mut fields = Fields::open(value, place)?;
    let name = fields.required("name", text);
    let text = fields.required("text", text);
    fields.close(|| {
        Some(DocumentText {
            name: name?,
            text: text?,
        })
    })
}

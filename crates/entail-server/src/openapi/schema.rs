//! Schemas that every endpoint shares.
#![expect(
    dead_code,
    reason = "these types describe; values are written as exact json"
)]

use utoipa::ToSchema;

pub(crate) use super::parameters::{
    BeliefName, CallStates, ConstraintName, DocumentName, DryRun, IdempotencyKey, IfMatch,
    Included, Label, Limit, MinVersion, Page, ProofFormat, ReportFormat, RuleName, SessionId,
    SessionStates, SourceName, ToolName,
};
pub(crate) use crate::wire::DocumentTextBody as DocumentText;

/// Any JSON value, kept exactly.
#[derive(ToSchema)]
#[schema(value_type = Value)]
pub(crate) struct Any(pub(crate) ());

/// A state of the service.
#[derive(ToSchema)]
pub(crate) struct Status {
    /// `ok`
    status: String,
}

/// Why a request was not done (RFC 9457).
#[derive(ToSchema)]
#[schema(example = json!({
    "type": "urn:entail:problem:unknown_session", "title": "there is no such session",
    "status": 404, "code": "unknown_session", "detail": "there is no session `x`",
    "instance": "/sessions/x", "request_id": "01a22eac-75cc-7612-927a-34e494d9315f"
}))]
pub(crate) struct Problem {
    /// `urn:entail:problem:` and the code.
    r#type: String,
    /// One sentence, the same for every occurrence of the code.
    title: String,
    /// The HTTP status.
    status: u16,
    /// The stable code.
    code: String,
    /// What is wrong here, and what to do.
    detail: String,
    /// The path that was called.
    instance: String,
    /// The id under which the log speaks of this request.
    request_id: String,
    /// Where the request is at fault, place by place.
    #[schema(required = false)]
    errors: Option<Vec<ProblemFault>>,
}

/// One fault of a request.
#[derive(ToSchema)]
pub(crate) struct ProblemFault {
    /// A JSON pointer (RFC 6901) into the body.
    #[schema(required = false)]
    pointer: Option<String>,
    /// A query or path parameter.
    #[schema(required = false)]
    parameter: Option<String>,
    /// A header.
    #[schema(required = false)]
    header: Option<String>,
    /// What is wrong there.
    detail: String,
}

/// An event of a session, as it is sent.
#[derive(ToSchema)]
pub(crate) struct ServerEvent {
    /// The version that the commit made; what `last-event-id` goes on after.
    #[schema(required = false)]
    id: Option<String>,
    /// The kind of the commit; `lag` to a reader who is far behind, `gone` when the session is deleted.
    #[schema(required = false)]
    event: Option<String>,
    /// The commit: its entry in the journal, as JSON.
    #[schema(required = false)]
    data: Option<String>,
    /// How long to wait before connecting again, in milliseconds.
    #[schema(required = false)]
    retry: Option<u64>,
}

macro_rules! pages {
    ($($(#[doc = $about:literal])+ $name:ident of $item:ty;)*) => {
        $(
            $(#[doc = $about])+
            #[derive(ToSchema)]
            pub(crate) struct $name {
                /// The items.
                items: Vec<$item>,
                /// What to pass as `cursor` for the next page; `null` when this is the last.
                #[schema(required = true)]
                next_cursor: Option<String>,
            }
        )*
    };
}

pages! {
    /// A page of sessions.
    SessionPage of Session;
    /// A page of documents.
    DocumentPage of Document;
    /// A page of tools.
    ToolPage of Tool;
    /// A page of turns.
    TurnPage of TurnRecord;
    /// A page of calls.
    CallPage of Call;
    /// A page of beliefs.
    BeliefPage of Belief;
    /// A page of rules.
    RulePage of Rule;
    /// A page of constraints.
    ConstraintPage of Constraint;
    /// A page of the trust ledger.
    SourcePage of Source;
    /// A page of what waits to be derived again.
    RederivationPage of Rederivation;
    /// A page of conflicts.
    ConflictPage of Conflict;
}

/// A session.
#[derive(ToSchema)]
pub(crate) struct Session {
    /// Its id.
    #[schema(format = "uuid")]
    id: String,
    /// `open`, `answered`, `insufficient_evidence` or `abandoned`.
    state: String,
    /// How many commits it has.
    version: u64,
    /// The hash of the last commit, which holds for all before it.
    chain_head: String,
    /// How much it holds.
    counts: Counts,
    /// Its labels.
    labels: std::collections::BTreeMap<String, String>,
    /// The time of the last commit.
    #[schema(format = DateTime)]
    last_activity: String,
    /// When it is closed as abandoned.
    #[schema(required = true, format = DateTime)]
    expires_at: Option<String>,
}

/// How much a session holds.
#[derive(ToSchema)]
pub(crate) struct Counts {
    /// Turns.
    turns: u64,
    /// Beliefs, all revisions.
    beliefs: u64,
    /// Beliefs that are IN.
    believed: u64,
    /// Open conflicts.
    conflicts: u64,
    /// Calls whose result is awaited.
    open_calls: u64,
    /// Rejected actions.
    rejections: u64,
}

/// A document.
#[derive(ToSchema)]
pub(crate) struct Document {
    /// Its name.
    name: String,
    /// Which version of it, counted from 1.
    version: u32,
    /// The SHA-256 of its UTF-8 bytes.
    sha256: String,
    /// How many bytes there are.
    bytes: u64,
    /// The text, when the document is read alone.
    #[schema(required = false)]
    text: Option<String>,
}

/// A tool.
#[derive(ToSchema)]
pub(crate) struct Tool {
    /// Its name.
    name: String,
    /// What it does.
    description: String,
    /// Its arguments, a JSON Schema.
    #[schema(value_type = Object)]
    parameters: (),
    /// How far its results are trusted.
    trust: Any,
}

/// A context: what a model is to be shown.
#[derive(ToSchema)]
pub(crate) struct Context {
    /// Its id, for the turn that answers it.
    #[schema(format = "uuid")]
    id: String,
    /// The session's version when it was taken.
    version: u64,
    /// The time it was taken for.
    #[schema(format = DateTime)]
    as_of: String,
    /// The contract, in words.
    system_prompt: String,
    /// What the model is shown.
    prompt: String,
    /// The beliefs shown, best first.
    visible: Vec<Visible>,
    /// Keys that are disputed.
    conflicts: Vec<String>,
    /// What the model is told about its last turn.
    feedback: String,
}

/// A belief that a context shows.
#[derive(ToSchema)]
pub(crate) struct Visible {
    /// Its ref.
    r#ref: String,
    /// Its key.
    key: String,
    /// Its value.
    value: Any,
    /// Its confidence.
    confidence: f64,
}

/// What came of a turn.
#[derive(ToSchema)]
pub(crate) struct Turn {
    /// Its number: the version it made.
    turn: u64,
    /// The context it was checked against.
    context_id: String,
    /// What to do next: `unusable`, `conflicting_evidence`, `needs_repair`, `awaiting_tools`,
    /// `answered` or `accepted`.
    verdict: String,
    /// What was accepted, in order.
    accepted: Vec<AcceptedAction>,
    /// What was not, in order.
    rejected: Vec<Rejection>,
    /// Actions after an accepted answer.
    #[schema(value_type = Vec<Object>)]
    ignored: (),
    /// Calls this turn opened.
    pending_calls: Vec<PendingCall>,
    /// The answer, if one was accepted.
    #[schema(required = true)]
    answer: Option<Answer>,
    /// Beliefs whose status changed.
    changes: Vec<Change>,
    /// The text to show the model.
    feedback: String,
    /// The session's version now; `null` in a dry run.
    #[schema(required = true)]
    version: Option<u64>,
    /// The hash of the last commit; `null` in a dry run.
    #[schema(required = true)]
    chain_head: Option<String>,
    /// The next context, with `?include=context`.
    #[schema(required = false)]
    context: Option<Context>,
}

/// An action that was accepted.
#[derive(ToSchema)]
pub(crate) struct AcceptedAction {
    /// Which action, counted from 1.
    action: u64,
    /// `call_tool`, `cite`, `claim` or `answer`.
    r#type: String,
    /// The belief that carries it.
    #[schema(required = false)]
    r#ref: Option<String>,
    /// Its key.
    #[schema(required = false)]
    key: Option<String>,
    /// Its value.
    #[schema(required = false)]
    value: Option<Any>,
    /// The call's id; `null` in a dry run.
    #[schema(required = false)]
    call_id: Option<String>,
}

/// An action that was not accepted.
#[derive(ToSchema)]
pub(crate) struct Rejection {
    /// Which action, counted from 1; `null` when it is about the whole response.
    #[schema(required = true)]
    action: Option<u64>,
    /// What kind of action.
    #[schema(required = false)]
    r#type: Option<String>,
    /// Its key.
    #[schema(required = false)]
    key: Option<String>,
    /// The stable code.
    code: String,
    /// What is wrong and what to do, for the model.
    message: String,
}

/// A call that waits for its result.
#[derive(ToSchema)]
pub(crate) struct PendingCall {
    /// Its id; `null` in a dry run.
    #[schema(required = true)]
    call_id: Option<String>,
    /// The tool.
    tool: String,
    /// The arguments.
    #[schema(value_type = Object)]
    args: (),
    /// The key its result will stand under.
    key: String,
}

/// An accepted answer.
#[derive(ToSchema)]
pub(crate) struct Answer {
    /// Its ref.
    r#ref: String,
    /// Its text.
    text: String,
    /// Its confidence.
    confidence: f64,
    /// Whether everything it rests on ends in a tool, a document or a person.
    grounded: bool,
}

/// A belief whose status changed.
#[derive(ToSchema)]
pub(crate) struct Change {
    /// Its ref.
    r#ref: String,
    /// `IN` or `OUT`.
    status: String,
    /// Why.
    reason: String,
}

/// What a command changed.
#[derive(ToSchema)]
pub(crate) struct Changed {
    /// What it touched, in order.
    refs: Vec<String>,
    /// Beliefs whose status changed.
    changes: Vec<Change>,
    /// Results that were errors or could not be taken in.
    rejected: Vec<Rejection>,
    /// Keys that are disputed afterwards.
    conflicts: Vec<String>,
    /// The session's version now; `null` in a dry run.
    #[schema(required = true)]
    version: Option<u64>,
    /// The hash of the last commit; `null` in a dry run.
    #[schema(required = true)]
    chain_head: Option<String>,
}

/// A turn as it was.
#[derive(ToSchema)]
pub(crate) struct TurnRecord {
    /// Its number.
    turn: u64,
    /// When.
    #[schema(format = DateTime)]
    at: String,
    /// What the model said.
    response: String,
    /// The context it was checked against.
    #[schema(value_type = Object)]
    context: (),
    /// The model's name.
    model: String,
    /// What it came to.
    verdict: String,
    /// What was accepted.
    accepted: Vec<AcceptedAction>,
    /// What was not.
    rejected: Vec<Rejection>,
}

/// A tool's call.
#[derive(ToSchema)]
pub(crate) struct Call {
    /// Its id.
    call_id: String,
    /// The tool.
    tool: String,
    /// The arguments.
    #[schema(value_type = Object)]
    args: (),
    /// The key its result stands under.
    key: String,
    /// `pending`, `returned`, `failed` or `abandoned`.
    state: String,
    /// The turn that opened it.
    turn: u64,
    /// `client` or `http`.
    executor: String,
}

/// A belief: one revision of a key.
#[derive(ToSchema)]
pub(crate) struct Belief {
    /// `key@revision`.
    r#ref: String,
    /// The key.
    key: String,
    /// The revision, counted from 1.
    revision: u32,
    /// The value.
    value: Any,
    /// The statement in words.
    #[schema(required = true)]
    claim: Option<String>,
    /// `IN` or `OUT`.
    status: String,
    /// From 0 to 1, now.
    confidence: f64,
    /// Where it comes from, `kind:name`.
    #[schema(required = true)]
    source: Option<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// Its reasons.
    justifications: Vec<JustificationView>,
    /// Why it is OUT.
    #[schema(required = false, value_type = Option<Object>)]
    why_out: Option<()>,
}

/// A reason to believe.
#[derive(ToSchema)]
pub(crate) struct JustificationView {
    /// `premise`, `rule` or `model`.
    kind: String,
    /// Who says so.
    source: String,
    /// What it rests on; in lists the first few.
    antecedents: Vec<String>,
    /// How many beliefs it rests on.
    antecedents_total: u64,
    /// Whether it counts now.
    valid: bool,
    /// Whether the belief has its confidence from it.
    supporting: bool,
    /// When it was given, or last renewed.
    #[schema(format = DateTime)]
    created_at: String,
}

/// What cannot all stand.
#[derive(ToSchema)]
pub(crate) struct Conflict {
    /// Its id.
    id: String,
    /// `value` or `constraint`.
    kind: String,
    /// The beliefs that cannot all stand.
    sides: Vec<Belief>,
}

/// The claim contract.
#[derive(ToSchema)]
pub(crate) struct Contract {
    /// Its version.
    version: String,
    /// What to tell a model.
    system_prompt: String,
    /// The JSON Schema of a response, for structured output.
    #[schema(value_type = Object)]
    schema: (),
}

/// What to read.
#[derive(ToSchema)]
pub(crate) struct ParseBody {
    /// The response: the text as the model gave it, or its JSON.
    #[schema(schema_with = super::shapes::something)]
    response: (),
}

/// What could be read.
#[derive(ToSchema)]
pub(crate) struct Parsed {
    /// The actions whose shape is right, every field filled.
    #[schema(value_type = Vec<Object>)]
    actions: (),
    /// What is wrong.
    rejected: Vec<Rejection>,
    /// Whether nothing could be read at all.
    unusable: bool,
}

/// A rule.
#[derive(ToSchema)]
pub(crate) struct Rule {
    /// Its name.
    name: String,
    /// Its version, counted from 1.
    version: u32,
    /// What its inputs are called.
    parameters: Vec<String>,
    /// The expression.
    expression: String,
    /// How certain a step by it is.
    confidence: f64,
}

/// A constraint.
#[derive(ToSchema)]
pub(crate) struct Constraint {
    /// Its name.
    name: String,
    /// Its version, counted from 1.
    version: u32,
    /// What each key is called, and the key.
    inputs: std::collections::BTreeMap<String, String>,
    /// The expression.
    expression: String,
}

/// What the trust ledger holds on a source.
#[derive(ToSchema)]
pub(crate) struct Source {
    /// `kind:name`
    source: String,
    /// How often it was right.
    correct: u64,
    /// How often it was right or wrong.
    total: u64,
    /// The newest outcome's time.
    #[schema(format = DateTime)]
    last_at: String,
}

/// What was recorded.
#[derive(ToSchema)]
pub(crate) struct Recorded {
    /// `kind:name`
    source: String,
    /// How many outcomes.
    recorded: u64,
}

/// What waits to be derived again.
#[derive(ToSchema)]
pub(crate) struct Rederivation {
    /// Its latest revision.
    r#ref: String,
    /// Its key.
    key: String,
    /// Its inputs, each with the ref that is believed of it.
    #[schema(value_type = Object)]
    inputs: (),
    /// Whether only the model has to be asked.
    ready: bool,
    /// Why it waits.
    reason: String,
    /// What to ask the model with, where it is ready.
    #[schema(required = false)]
    context: Option<Context>,
}

/// What a propagation came to.
#[derive(ToSchema)]
pub(crate) struct Propagated {
    /// Refs that rules derived again.
    derived: Vec<String>,
    /// What still waits.
    #[schema(value_type = Vec<Object>)]
    pending: (),
    /// Beliefs whose status changed.
    changes: Vec<Change>,
    /// The session's version now.
    version: u64,
    /// The hash of the last commit.
    chain_head: String,
}

/// What a reverification opened.
#[derive(ToSchema)]
pub(crate) struct Reverified {
    /// The calls opened.
    pending_calls: Vec<PendingCall>,
    /// Premises that cannot be checked again, and why.
    notes: Vec<String>,
    /// The session's version now.
    version: u64,
    /// The hash of the last commit.
    chain_head: String,
}

/// A run to verify.
#[derive(ToSchema)]
pub(crate) struct VerifyBody {
    /// The text of `trace.jsonl`.
    trace: String,
    /// The plan, a record.
    #[schema(value_type = Object)]
    plan: (),
    /// The problem, a record.
    #[schema(required = false, value_type = Option<Object>)]
    spec: Option<()>,
    /// The evidence files' texts, by their paths.
    #[schema(required = false)]
    evidence: Option<std::collections::BTreeMap<String, String>>,
}

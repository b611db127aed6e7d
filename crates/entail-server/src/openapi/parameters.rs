//! Parameters that operations share, and the words that some take.
#![expect(
    dead_code,
    reason = "these types describe; values are read by `request`"
)]

use utoipa::{IntoParams, ToSchema};

macro_rules! parameters {
    ($($(#[doc = $about:literal])+ $name:ident in $place:ident { $(#[$attribute:meta])* $field:ident: $type:ty })*) => {
        $(
            $(#[doc = $about])+
            #[derive(IntoParams)]
            #[into_params(parameter_in = $place)]
            pub(crate) struct $name {
                $(#[doc = $about])+
                $(#[$attribute])*
                $field: $type,
            }
        )*
    };
}

parameters! {
    /// The session's id.
    SessionId in Path { #[param(format = "uuid")] id: String }
    /// The document's name, percent-encoded.
    DocumentName in Path { #[param(example = "10-Q")] name: String }
    /// The tool's name, percent-encoded.
    ToolName in Path { #[param(example = "get_revenue")] name: String }
    /// The rule's name, percent-encoded.
    RuleName in Path { #[param(example = "growth")] name: String }
    /// The constraint's name, percent-encoded.
    ConstraintName in Path { #[param(example = "parts")] name: String }
    /// The source, `kind:name`, percent-encoded.
    SourceName in Path { #[param(example = "tool%3Aget_revenue")] name: String }
    /// A key, or a ref (`key@revision`), percent-encoded.
    BeliefName in Path { #[param(example = "revenue%3AQ2")] name: String }
    /// Answer from a state at least as new as this version.
    MinVersion in Query { min_version: Option<u64> }
    /// Only tell what would happen; nothing is changed.
    DryRun in Query { dry_run: Option<bool> }
    /// Names this request: repeated with the same body, it is done once and answered alike.
    IdempotencyKey in Header {
        #[param(rename = "idempotency-key", min_length = 1, max_length = 255,
            pattern = "^[!-~]+$", example = "5f0c8e2a")]
        idempotency_key: Option<String>
    }
    /// Only if the session is at this version: its `etag`.
    IfMatch in Header {
        #[param(rename = "if-match", example = "\"7\"")]
        if_match: Option<String>
    }
}

/// How much of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Limit {
    /// How many items at most.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u32>,
}

/// Which part of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Page {
    /// How many items at most.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u32>,
    /// Where to go on: the `next_cursor` of the page before.
    #[param(pattern = "^[0-9]{1,18}$")]
    cursor: Option<String>,
}

macro_rules! words {
    ($($(#[doc = $about:literal])+ $name:ident as $case:literal { $($word:ident)* })*) => {
        $(
            $(#[doc = $about])+
            #[derive(ToSchema)]
            #[schema(rename_all = $case)]
            pub(crate) enum $name { $($word,)* }
        )*
    };
}

words! {
    /// The state of a session.
    SessionStates as "snake_case" { Open Answered InsufficientEvidence Abandoned }
    /// The state of a call.
    CallStates as "snake_case" { Pending Returned Failed Abandoned }
    /// Whether a belief is believed.
    Label as "UPPERCASE" { In Out }
    /// The form of a proof.
    ProofFormat as "lowercase" { Json Text Mermaid Dot }
    /// The form of a report.
    ReportFormat as "lowercase" { Json Markdown Html Junit Sarif Text }
    /// What a turn can answer besides.
    Included as "lowercase" { Context }
}

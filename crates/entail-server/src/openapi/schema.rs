//! Schemas that every endpoint shares.
#![expect(dead_code, reason = "these types describe; values are written as exact json")]

use utoipa::ToSchema;

/// Any JSON value, kept exactly.
#[derive(ToSchema)]
#[schema(value_type = Value)]
pub(crate) struct Any(pub(crate) ());

/// A state.
#[derive(ToSchema)]
pub(crate) struct Status {
    /// `ok`
    status: String,
}

/// Why a request was not done (RFC 9457).
#[derive(ToSchema)]
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

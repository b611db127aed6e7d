//! What operations can answer besides success.
#![expect(dead_code, reason = "these types describe; `problem` answers")]

use utoipa::IntoResponses;

use crate::openapi::schema::Problem;

macro_rules! sets {
    ($($(#[$doc:meta])* $set:ident { $($status:literal $variant:ident $about:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(IntoResponses)]
            pub(crate) enum $set {
                $(
                    #[response(status = $status, description = $about,
                        content_type = "application/problem+json")]
                    $variant(Problem),
                )*
            }
        )*
    };
}

sets! {
    /// Of an operation that needs no key.
    Open {
        401 Unauthorized "The API key that was sent is not in force.",
        403 Forbidden "The caller is foreign.",
        429 TooManyRequests "Too many requests; `retry-after` says when to come back.",
        500 Internal "The service failed.",
        503 Unavailable "Full, or the database is away; `retry-after` says when to come back.",
    }
    /// Of an operation that tells how the service is.
    Health {
        500 Internal "The service failed.",
        503 Unavailable "Not ready, or too slow; `detail` says why.",
    }
    /// Of an operation that concerns no session.
    Stateless {
        400 BadRequest "The request is malformed; `errors` says where.",
        401 Unauthorized "A valid API key is needed.",
        403 Forbidden "The key does not allow this, or the caller is foreign.",
        408 Timeout "The body took too long to arrive.",
        413 TooLarge "The body is too large.",
        415 UnsupportedMediaType "The body is in another format.",
        422 Unprocessable "What is asked for cannot be done.",
        429 TooManyRequests "Too many requests; `retry-after` says when to come back.",
        500 Internal "The service failed.",
        503 Unavailable "Full, or the database is away; `retry-after` says when to come back.",
    }
    /// Of an operation that looks at a session.
    Reading {
        400 BadRequest "The request is malformed; `errors` says where.",
        401 Unauthorized "A valid API key is needed.",
        403 Forbidden "The key does not allow this, or the caller is foreign.",
        404 NotFound "There is no such session, or no such thing in it.",
        406 NotAcceptable "None of the formats asked for can be given.",
        429 TooManyRequests "Too many requests; `retry-after` says when to come back.",
        500 Internal "The service failed.",
        503 Unavailable "Full, or the database is away; `retry-after` says when to come back.",
    }
    /// Of an operation that changes a session.
    Changing {
        400 BadRequest "The request is malformed; `errors` says where.",
        401 Unauthorized "A valid API key is needed.",
        403 Forbidden "The key does not allow this, or the caller is foreign.",
        404 NotFound "There is no such session, or no such thing in it.",
        408 Timeout "The body took too long to arrive.",
        409 Conflict "The state of the session does not allow it.",
        412 PreconditionFailed "The session has moved on.",
        413 TooLarge "The body is too large.",
        415 UnsupportedMediaType "The body is in another format.",
        422 Unprocessable "What is asked for cannot be done.",
        429 TooManyRequests "Too many requests; `retry-after` says when to come back.",
        500 Internal "The service failed.",
        503 Unavailable "Full, or the database is away; `retry-after` says when to come back.",
    }
}

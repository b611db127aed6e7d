//! The catalogue of problems: one row a code, with its status and its title.

use axum::http::StatusCode;

macro_rules! catalogue {
    ($($(#[$doc:meta])* $name:ident $code:literal $status:literal $title:literal;)*) => {
        /// What went wrong. The code is stable; the title is the same wherever it occurs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// Every code, in the order of the catalogue.
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable name.
            pub(crate) const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            const fn number(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }

            /// One sentence that is the same for every occurrence.
            pub(crate) const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

catalogue! {
    MalformedRequest "malformed_request" 400 "the request cannot be read";
    MalformedJson "malformed_json" 400 "the body is not valid json";
    MalformedText "malformed_text" 400 "the body is not valid text";
    InvalidBody "invalid_body" 400 "the body is not of the form this resource takes";
    InvalidPath "invalid_path" 400 "a part of the path is malformed";
    InvalidQuery "invalid_query" 400 "a query parameter is unknown or malformed";
    InvalidHeader "invalid_header" 400 "a header is malformed";
    Unauthenticated "unauthenticated" 401 "a valid api key is needed";
    Forbidden "forbidden" 403 "the api key does not allow this";
    ForeignHost "foreign_host" 403 "without api keys only loopback hosts are served";
    ForeignOrigin "foreign_origin" 403 "without api keys only pages from loopback are served";
    NoRoute "no_route" 404 "there is no such resource";
    UnknownSession "unknown_session" 404 "there is no such session";
    UnknownContext "unknown_context" 404 "there is no such context, or it has expired";
    UnknownDocument "unknown_document" 404 "there is no such document";
    UnknownTool "unknown_tool" 404 "there is no such tool";
    UnknownCall "unknown_call" 404 "there is no such call";
    UnknownBelief "unknown_belief" 404 "there is no such belief";
    UnknownTurn "unknown_turn" 404 "there is no such turn";
    UnknownConflict "unknown_conflict" 404 "there is no such conflict";
    UnknownRule "unknown_rule" 404 "there is no such rule";
    UnknownConstraint "unknown_constraint" 404 "there is no such constraint";
    UnknownSource "unknown_source" 404 "there is no such source";
    UnknownRederivation "unknown_rederivation" 404 "nothing waits to be re-derived there";
    UnknownKey "unknown_api_key" 404 "there is no such api key";
    UnknownVersion "unknown_version" 404 "there is no such version";
    MethodNotAllowed "method_not_allowed" 405 "the resource does not take this method";
    NotAcceptable "not_acceptable" 406 "none of the formats asked for can be given";
    BodyTimeout "body_timeout" 408 "the body took too long to arrive";
    HeadTimeout "head_timeout" 408 "the request took too long to arrive";
    SessionClosed "session_closed" 409 "the session is closed";
    SessionNotClosed "session_not_closed" 409 "the session is open";
    CallAlreadyAnswered "call_already_answered" 409 "the call has another result already";
    ContextChanged "context_changed" 409 "what the context showed has changed";
    NotBelieved "not_believed" 409 "the belief is not in the state this needs";
    UnresolvedConflict "unresolved_conflict" 409 "the key is disputed";
    NoConflict "no_conflict" 409 "the key is not disputed";
    IdempotencyKeyReused "idempotency_key_reused" 409 "the idempotency key was used for another request";
    IdempotencyKeyBusy "idempotency_key_busy" 409 "a request with this idempotency key is under way";
    VersionMismatch "version_mismatch" 412 "the session has moved on";
    BodyTooLarge "body_too_large" 413 "the body is too large";
    UriTooLong "uri_too_long" 414 "the address is too long";
    UnsupportedMediaType "unsupported_media_type" 415 "the body is in a format this resource does not take";
    InvalidKey "invalid_key" 422 "the key breaks the rules for keys";
    ReservedKey "reserved_key" 422 "the key is kept for answers";
    InvalidName "invalid_name" 422 "the name breaks the rules for names";
    InvalidArgument "invalid_argument" 422 "an argument cannot be used";
    InvalidSchema "invalid_schema" 422 "the parameters are no usable json schema";
    InvalidFormula "invalid_formula" 422 "the formula cannot be evaluated";
    InvalidRule "invalid_rule" 422 "the rule cannot be used";
    InvalidPlan "invalid_plan" 422 "the plan cannot be used";
    InvalidStep "invalid_step" 422 "the step of the plan cannot be worked on";
    CircularDefeat "circular_defeat" 422 "a belief would rest on the absence of what rests on it";
    UnsupportedValue "unsupported_value" 422 "the value cannot be stored";
    LimitExceeded "limit_exceeded" 422 "a limit of the session is reached";
    UnreadableRun "unreadable_run" 422 "what was sent is no run that can be verified";
    RateLimited "rate_limited" 429 "too many requests";
    HeadTooLarge "head_too_large" 431 "the headers are too large";
    Internal "internal" 500 "the service failed";
    BrokenJournal "broken_journal" 500 "the journal of the session is damaged";
    NotReady "not_ready" 503 "the service is not ready";
    Overloaded "overloaded" 503 "the service has too much to do";
    RequestTimeout "request_timeout" 503 "the request took too long";
    StoreUnavailable "store_unavailable" 503 "the database cannot be reached";
    StoreFull "store_full" 503 "the database has no room left";
}

impl Code {
    /// The status it is answered with.
    pub(crate) fn status(self) -> StatusCode {
        StatusCode::from_u16(self.number()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The code of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// The code for a status that came without one, from a library or a fallback.
    pub(crate) fn for_status(status: StatusCode) -> Self {
        match status.as_u16() {
            401 => Self::Unauthenticated,
            403 => Self::Forbidden,
            404 => Self::NoRoute,
            405 => Self::MethodNotAllowed,
            406 => Self::NotAcceptable,
            408 => Self::BodyTimeout,
            412 => Self::VersionMismatch,
            413 => Self::BodyTooLarge,
            414 => Self::UriTooLong,
            415 => Self::UnsupportedMediaType,
            429 => Self::RateLimited,
            431 => Self::HeadTooLarge,
            400..500 => Self::MalformedRequest,
            503 => Self::Overloaded,
            _ => Self::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_code_is_named_once_and_has_an_error_status() {
        let names: HashSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert_eq!(Code::named(code.as_str()), Some(*code));
            assert_eq!(code.status().as_u16(), code.number());
            assert!(code.status().is_client_error() || code.status().is_server_error());
            assert_eq!(code.title(), code.title().to_lowercase());
        }
    }

    #[test]
    fn every_error_status_has_a_code() {
        for number in 400..600 {
            let status = StatusCode::from_u16(number).unwrap();
            let code = Code::for_status(status);
            assert_eq!(code.status().is_client_error(), status.is_client_error());
        }
    }
}

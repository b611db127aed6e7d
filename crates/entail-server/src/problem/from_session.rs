//! What a refusal of the session engine means to a caller.

use entail_session::CommandError;

use crate::{
    problem::{Code, Fault, Place, Problem},
    wire::session_faults,
};

impl From<CommandError> for Problem {
    fn from(error: CommandError) -> Self {
        let Some(code) = Code::named(error.code()) else {
            return Self::internal(&error);
        };
        let faults = match &error {
            CommandError::InvalidBody(faults) => session_faults(faults),
            other if other.pointer().is_empty() => Vec::new(),
            other => vec![Fault {
                place: Place::Body(other.pointer().to_owned()),
                detail: other.to_string(),
            }],
        };
        Self::new(code, error.to_string()).with_faults(faults)
    }
}

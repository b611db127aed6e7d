//! Path parameters, percent-decoded.

use axum::{
    RequestPartsExt as _,
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};
use uuid::Uuid;

use crate::{
    app::App,
    caller::Caller,
    problem::{Code, Fault, Place, Problem, quoted},
    sessions::Target,
};

/// The session a path names. What is no id names none.
#[derive(Clone, Debug)]
pub(crate) struct SessionPath(pub(crate) Uuid);

impl SessionPath {
    /// The session as one of the caller's tenant.
    pub(crate) fn of(&self, caller: &Caller) -> Target {
        Target {
            tenant: caller.tenant.clone(),
            id: self.0,
        }
    }
}

/// What a path names within a session: a document, a tool, a belief, a call.
#[derive(Clone, Debug)]
pub(crate) struct Name(pub(crate) String);

impl FromRequestParts<App> for SessionPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let id = parameter(parts, "id").await?;
        id.parse().map(Self).map_err(|_| {
            Problem::new(
                Code::UnknownSession,
                format!("there is no session {}", quoted(&id)),
            )
        })
    }
}

impl FromRequestParts<App> for Name {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let name = parameter(parts, "name").await?;
        if name.contains('\0') {
            return Err(malformed(
                "name",
                "the name holds U+0000, which nothing is called",
            ));
        }
        Ok(Self(name))
    }
}

async fn parameter(parts: &mut Parts, name: &str) -> Result<String, Problem> {
    let parameters: RawPathParams = parts
        .extract()
        .await
        .map_err(|_| malformed(name, "the path has to be UTF-8, percent-encoded"))?;
    let found = parameters.iter().find(|(given, _)| *given == name);
    found.map(|(_, value)| value.to_owned()).ok_or_else(|| {
        Problem::new(
            Code::NoRoute,
            "`/openapi.json` lists the resources there are",
        )
    })
}

fn malformed(name: &str, detail: &'static str) -> Problem {
    Problem::new(Code::InvalidPath, detail).with_faults(vec![Fault {
        place: Place::Parameter(name.to_owned()),
        detail: detail.to_owned(),
    }])
}

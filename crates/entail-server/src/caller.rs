//! Who calls, and what they may do.

use axum::{extract::FromRequestParts, http::request::Parts};
use uuid::Uuid;

use crate::{
    app::App,
    problem::{Code, Problem},
};

/// What a caller may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub(crate) enum Scope {
    /// Look at everything of the tenant's.
    Read,
    /// What an untrusted agent needs: contexts and turns.
    Propose,
    /// Everything in sessions.
    Orchestrate,
    /// API keys.
    Admin,
}

impl Scope {
    /// Every scope.
    pub(crate) const ALL: [Self; 4] = [Self::Read, Self::Propose, Self::Orchestrate, Self::Admin];

    /// Its name.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Propose => "propose",
            Self::Orchestrate => "orchestrate",
            Self::Admin => "admin",
        }
    }

    /// The scope of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The tenant.
    pub(crate) tenant: String,
    /// What the caller may do.
    pub(crate) scopes: Vec<Scope>,
    /// The model's name, where the key fixes it.
    pub(crate) model: Option<String>,
    /// The key's public id.
    pub(crate) key: Option<Uuid>,
}

/// The tenant of a service without api keys.
pub(crate) const DEFAULT_TENANT: &str = "default";

impl Caller {
    /// The caller of a service without api keys, who may do everything.
    pub(crate) fn anyone() -> Self {
        Self {
            tenant: DEFAULT_TENANT.to_owned(),
            scopes: Scope::ALL.to_vec(),
            model: None,
            key: None,
        }
    }

    fn need(self, scope: Scope) -> Result<Self, Problem> {
        let may = self.scopes.contains(&scope)
            || (scope != Scope::Admin && self.scopes.contains(&Scope::Orchestrate));
        if may {
            return Ok(self);
        }
        Err(Problem::new(
            Code::Forbidden,
            format!("this needs an api key with the scope `{}`", scope.as_str()),
        ))
    }
}

macro_rules! scoped {
    ($($(#[$doc:meta])* $name:ident => $scope:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug)]
            pub(crate) struct $name(pub(crate) Caller);

            impl FromRequestParts<App> for $name {
                type Rejection = Problem;

                async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
                    caller(parts)?.need(Scope::$scope).map(Self)
                }
            }
        )*
    };
}

scoped! {
    /// A caller who may read.
    Reader => Read;
    /// A caller who may propose: take contexts and post what a model said.
    Proposer => Propose;
    /// A caller who may do everything in sessions.
    Orchestrator => Orchestrate;
}

fn caller(parts: &Parts) -> Result<Caller, Problem> {
    let caller = parts.extensions.get::<Caller>().cloned();
    caller.ok_or_else(|| Problem::new(Code::Unauthenticated, "send `authorization: Bearer KEY`"))
}

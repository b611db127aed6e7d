//! Who calls: the holder of an API key; where there are none, anyone on this machine.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Uri, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::loopback;
use crate::{
    app::App,
    auth::Token,
    caller::Caller,
    problem::{Code, Problem},
};

/// Notes who calls. A request without a key goes on: what needs a caller refuses it.
pub(crate) async fn authenticate(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Response {
    match caller(&app, request.uri(), request.headers()).await {
        Ok(Some(caller)) => {
            request.extensions_mut().insert(caller);
        }
        Ok(None) => {}
        Err(problem) => return problem.into_response(),
    }
    next.run(request).await
}

async fn caller(app: &App, uri: &Uri, headers: &HeaderMap) -> Result<Option<Caller>, Problem> {
    if matches!(uri.path(), "/livez" | "/readyz" | "/metrics") {
        return Ok(None);
    }
    if !app.keys().exist(app.store()).await? {
        if !app.settings().insecure {
            loopback::judge(headers, uri)?;
        }
        return Ok(Some(Caller::anyone()));
    }
    let Some(token) = bearer(headers)? else {
        return Ok(None);
    };
    let caller = app.keys().caller(app.store(), &token).await?;
    caller.map(Some).ok_or_else(|| {
        Problem::new(
            Code::Unauthenticated,
            "this api key is unknown or revoked; send one in force",
        )
    })
}

fn bearer(headers: &HeaderMap) -> Result<Option<Token>, Problem> {
    let Some(given) = headers.get(header::AUTHORIZATION) else {
        return Ok(None);
    };
    let given = given.to_str().unwrap_or_default();
    let token = given
        .split_once(' ')
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .filter(|token| !token.is_empty());
    token.map(|token| Some(Token::given(token))).ok_or_else(|| {
        Problem::new(
            Code::Unauthenticated,
            "send the key as `authorization: Bearer KEY`",
        )
    })
}

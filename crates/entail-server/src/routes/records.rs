//! Records of a session's run, as they stand in a bundle.

use axum::{
    http::header,
    response::{IntoResponse as _, Response},
};
use entail_session::Session;

use crate::{
    app::App,
    body::JSON,
    problem::Problem,
    request::Query,
    sessions::{Target, study},
};

/// One record in its canonical form.
pub(super) async fn record(
    app: &App,
    target: &Target,
    mut query: Query,
    render: impl FnOnce(&Session) -> String + Send + 'static,
) -> Result<Response, Problem> {
    let min_version = query.min_version();
    query.close()?;
    study(app, target, min_version, |session, _| {
        Ok(([(header::CONTENT_TYPE, JSON)], render(session)).into_response())
    })
    .await
}

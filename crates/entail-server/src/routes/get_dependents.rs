//! `GET /sessions/{id}/beliefs/{name}/dependents`

use axum::{extract::State, response::Response};

use super::{get_belief::find, listing::list_where};
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Name, Query, SessionPath},
    view::{self, Extent, weigh},
};

/// List what rests on a belief, directly or not, in the order of its making.
#[utoipa::path(
    get, path = "/sessions/{id}/beliefs/{name}/dependents", operation_id = "list_dependents",
    tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::BeliefName,
        crate::openapi::schema::Page, crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "A page of beliefs.", body = crate::openapi::schema::BeliefPage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_dependents(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    Name(name): Name,
    query: Query,
) -> Result<Response, Problem> {
    list_where(
        &app,
        &path.of(&caller),
        query,
        move |session, at, window| {
            let base = session.base();
            let mut dependents: Vec<_> = find(session, &name)?
                .into_iter()
                .flat_map(|id| base.dependents(id))
                .collect();
            dependents.sort_unstable();
            dependents.dedup();
            Ok(window.show(dependents, |id| {
                let belief = base.belief(id)?;
                Some(view::belief(
                    base,
                    &belief,
                    weigh(base, id, at),
                    Extent::Listed,
                ))
            }))
        },
    )
    .await
}

//! `GET /sessions/{id}/beliefs/{name}`

use axum::{extract::State, response::Response};
use entail_json::{Object, Value};
use entail_kernel::base::{BeliefId, split_ref};
use entail_session::Session;

use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::{Code, Problem, quoted},
    request::{Name, Query, SessionPath},
    sessions::read_now,
    view::{self, Extent, weigh_all},
};

/// Read one belief by its ref, or a key with all its revisions.
///
/// With every justification, and why it is OUT if it is.
#[utoipa::path(
    get, path = "/sessions/{id}/beliefs/{name}", operation_id = "get_belief", tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::BeliefName,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "The belief; for a key its current belief, with `revisions`.",
            body = crate::openapi::schema::Belief),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_belief(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    Name(name): Name,
    mut query: Query,
) -> Result<Response, Problem> {
    let min_version = query.min_version();
    query.close()?;
    read_now(&app, &path.of(&caller), min_version, |session, at| {
        let base = session.base();
        let found = find(session, &name)?;
        let weights = weigh_all(base, &found, at);
        let mut shown: Vec<Value> = found
            .iter()
            .zip(weights)
            .filter_map(|(id, weight)| {
                let one = base.belief(*id)?;
                Some(view::belief(base, &one, weight, Extent::Whole))
            })
            .collect();
        let mut body = match current(session, &found) {
            Some(at) if is_ref(&name) => into_object(shown.get_mut(at).map(std::mem::take)),
            at => {
                let mut body = into_object(at.and_then(|at| shown.get(at)).cloned());
                body.insert("revisions", shown.into());
                body
            }
        };
        body.insert("as_of", at.to_string().into());
        Ok(json(&body.into()))
    })
    .await
}

fn into_object(shown: Option<Value>) -> Object {
    match shown {
        Some(Value::Object(object)) => object,
        _ => Object::new(),
    }
}

/// Which of a key's revisions speaks for it: the latest believed one, else the latest.
fn current(session: &Session, revisions: &[BeliefId]) -> Option<usize> {
    let believed = revisions.iter().rposition(|id| session.base().is_in(*id));
    believed.or_else(|| revisions.len().checked_sub(1))
}

fn is_ref(name: &str) -> bool {
    matches!(split_ref(name), Some((_, Some(_))))
}

/// The belief of a ref, or all revisions of a key, the oldest first.
pub(super) fn find(session: &Session, name: &str) -> Result<Vec<BeliefId>, Problem> {
    let base = session.base();
    let found = if is_ref(name) {
        base.find(name).into_iter().collect()
    } else {
        base.revisions(name)
    };
    if found.is_empty() {
        let detail = format!("there is no belief {} here", quoted(name));
        return Err(Problem::new(Code::UnknownBelief, detail));
    }
    Ok(found)
}

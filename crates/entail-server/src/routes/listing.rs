//! Lists out of a session's state: their cursor counts items.

use axum::response::Response;
use entail_json::Value;
use entail_kernel::Time;
use entail_session::Session;

use crate::{
    app::App,
    body::json,
    problem::Problem,
    request::Query,
    sessions::{Target, read_now},
    view::page,
};

/// Which part of a list is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    start: usize,
    limit: usize,
}

/// A part of a list, and where the next begins.
pub(super) struct Shown {
    items: Vec<Value>,
    next: Option<usize>,
}

impl Window {
    /// The items in the window, rendered.
    pub(super) fn show<T>(self, items: Vec<T>, render: impl FnMut(T) -> Option<Value>) -> Shown {
        let end = self.start.saturating_add(self.limit);
        let next = (end < items.len()).then_some(end);
        let items = items.into_iter().skip(self.start).take(self.limit);
        Shown {
            items: items.filter_map(render).collect(),
            next,
        }
    }
}

/// A page of a list that is computed at a time.
pub(super) async fn list_where(
    app: &App,
    target: &Target,
    mut query: Query,
    items: impl FnOnce(&Session, Time, Window) -> Result<Shown, Problem>,
) -> Result<Response, Problem> {
    let limit = query.limit();
    let start = query.cursor();
    let min_version = query.min_version();
    query.close()?;
    read_now(app, target, min_version, |session, at| {
        let shown = items(session, at, Window { start, limit })?;
        let mut body = page(shown.items, shown.next.map(|next| next.to_string()));
        body.insert("as_of", at.to_string().into());
        body.insert("version", session.version().into());
        Ok(json(&body.into()))
    })
    .await
}

/// A page of a list.
pub(super) async fn list(
    app: &App,
    target: &Target,
    query: Query,
    items: impl FnOnce(&Session) -> Vec<Value>,
) -> Result<Response, Problem> {
    list_where(app, target, query, |session, _, window| {
        Ok(window.show(items(session), Some))
    })
    .await
}

//! `GET /sessions/{id}/events`

use std::{io, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response},
};
use tokio::{sync::mpsc, time::timeout};
use uuid::Uuid;

use crate::{
    app::App,
    body::stream,
    caller::Reader,
    limits::{EVENT_PATIENCE_MS, EVENTS_AT_ONCE, HEARTBEAT_MS},
    problem::{Code, Problem},
    request::{Query, SessionPath},
    sessions::unknown,
};

/// Follow a session: every commit as a server-sent event, live.
///
/// An event's `id` is the version, its type the kind of commit, its data the line of the journal.
/// `Last-Event-ID` (or `?after=`) resumes without a gap; without either, what comes from now on
/// is sent. A reader that falls far behind is told by an event of the type `lag`, and one that
/// does not read is let go.
#[utoipa::path(
    get, path = "/sessions/{id}/events", operation_id = "follow_session", tag = "records",
    params(crate::openapi::schema::SessionId,
        ("after" = Option<u64>, Query, description = "Send what came after this version."),
        ("last-event-id" = Option<u64>, Header, description = "The id of the last event seen.")),
    responses(
        (status = 200, description = "The events.", content((crate::openapi::schema::ServerEvent = "text/event-stream"))),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_events(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    headers: HeaderMap,
    mut query: Query,
) -> Result<Response, Problem> {
    let after = query.whole("after", "a version");
    query.close()?;
    let target = path.of(&caller);
    let row = app.store().session(&target.tenant, target.id).await?;
    let row = row.ok_or_else(|| unknown(&target))?;
    // Beyond the last there is nothing to have seen, unless the store was restored meanwhile.
    let seen = last_event_id(&headers)?.or(after).unwrap_or(row.version);
    let seen = seen.min(row.version);
    let (events, body) = mpsc::channel(1);
    tokio::spawn(follow(app, target.id, seen, events));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, Body::new(stream(body))).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(given) = headers.get("last-event-id") else {
        return Ok(None);
    };
    let seen = given
        .to_str()
        .ok()
        .and_then(|text| text.parse::<i64>().ok());
    let seen = seen.and_then(|seen| u64::try_from(seen).ok());
    seen.map(Some).ok_or_else(|| {
        Problem::new(
            Code::InvalidHeader,
            "`last-event-id` has to be the id of an event, a version",
        )
    })
}

type Events = mpsc::Sender<Result<Bytes, io::Error>>;

/// Sends every entry after `seen`, as it comes, until the reader or the session goes, or the
/// service stops.
async fn follow(app: App, id: Uuid, mut seen: u64, events: Events) {
    let mut newest = app.feed().follow(id, seen);
    if send(&events, "retry: 1000\n\n".to_owned()).await.is_none() {
        return;
    }
    loop {
        let entries = match app.store().entries(id, seen, None, EVENTS_AT_ONCE).await {
            Ok(entries) => entries,
            Err(error) => {
                tracing::warn!(%error, "cannot read what is to be sent");
                return;
            }
        };
        for entry in &entries {
            let line = entry.to_line();
            let text = format!("id: {}\nevent: {}\ndata: {line}\n\n", entry.seq, entry.kind);
            if send(&events, text).await.is_none() {
                return;
            }
            seen = entry.seq;
        }
        let known = *newest.borrow_and_update();
        let behind = match known {
            Some(version) => version.saturating_sub(seen),
            None => {
                let _ = send(&events, "event: gone\ndata: {}\n\n".to_owned()).await;
                return;
            }
        };
        if behind > u64::from(EVENTS_AT_ONCE) {
            let text = format!("event: lag\ndata: {{\"behind\":{behind}}}\n\n");
            if send(&events, text).await.is_none() {
                return;
            }
        }
        if behind > 0 || entries.len() >= EVENTS_AT_ONCE as usize {
            continue;
        }
        tokio::select! {
            () = app.drained() => return,
            () = events.closed() => return,
            changed = newest.changed() => if changed.is_err() { return; },
            () = tokio::time::sleep(Duration::from_millis(HEARTBEAT_MS)) => {
                if send(&events, ":\n\n".to_owned()).await.is_none() {
                    return;
                }
            }
        }
    }
}

async fn send(events: &Events, text: String) -> Option<()> {
    let sending = events.send(Ok(Bytes::from(text)));
    timeout(Duration::from_millis(EVENT_PATIENCE_MS), sending)
        .await
        .ok()?
        .ok()
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn commits_are_sent_as_they_come_and_from_where_a_reader_left_off() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let premise = |key: &str| format!(r#"{{"key": "{key}", "value": 1, "source": "human:h"}}"#);
        let path = format!("{session}/premises");
        service.post(&path, &premise("a")).await;
        let mut events = service.follow(&format!("{session}/events?after=1")).await;
        assert!(events.until("\n\n").await.starts_with("retry: "));
        let first = events.until("\n\n").await;
        assert!(
            first.starts_with("id: 2\nevent: premises\ndata: {"),
            "{first}"
        );
        service.post(&path, &premise("b")).await;
        let second = events.until("\n\n").await;
        assert!(second.starts_with("id: 3\n"), "{second}");
        service.call("DELETE", &session, None).await;
        assert!(events.until("\n\n").await.starts_with("event: gone\n"));
        assert_eq!(events.until("\n\n").await, "");
    }

    #[tokio::test]
    async fn a_reader_that_says_it_is_ahead_neither_misses_what_comes_nor_troubles_others() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let mut other = service.follow(&format!("{session}/events")).await;
        other.until("\n\n").await;
        let ahead = format!("{session}/events?after=9223372036854775807");
        let mut events = service.follow(&ahead).await;
        events.until("\n\n").await;
        let premise = r#"{"key": "a", "value": 1, "source": "human:h"}"#;
        service.post(&format!("{session}/premises"), premise).await;
        for reader in [&mut events, &mut other] {
            let next = reader.until("\n\n").await;
            assert!(next.starts_with("id: 2\n"), "{next}");
        }
    }

    #[tokio::test]
    async fn a_stream_ends_when_the_service_stops() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let mut events = service.follow(&format!("{session}/events")).await;
        events.until("\n\n").await;
        service.app().drain();
        assert_eq!(events.until("\n\n").await, "");
    }
}

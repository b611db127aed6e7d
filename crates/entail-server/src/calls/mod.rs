//! Calls of tools that the service itself makes.
//!
//! A call is due once the commit that accepted it is made. An attempt is leased by one replica,
//! under a number that no other gets, and the lease is renewed while it lasts; its result is
//! committed once. A replica that dies leaves its lease to run out, and another picks the call up.

mod guard;
mod request;
mod send;
#[cfg(test)]
mod tls;

use std::{convert::Infallible, sync::Arc, time::Duration};

use entail_json::Value;
use entail_session::{Call, CallState, Command, HttpCall, Session, ToolResult};
use entail_store::{CallJob, DueCall};
use tokio::{sync::Semaphore, task::JoinSet};

pub(crate) use guard::Guard;
use send::Failure;
pub(crate) use send::OUTCOMES;

use crate::{
    app::App,
    clock,
    limits::{CALL_BACKOFF_MS, CALL_LEASE_MS, CALL_RENEWAL_MS, CALLS_AT_ONCE, CALLS_POLL_MS},
    metrics,
    problem::{Code, Problem},
    sessions::{Lease, Reply, Target, Terms, read, unseal},
    telemetry::{Attribute, Kind, Span},
};

/// Makes the calls that are due, until the service stops; then waits for those under way.
pub(crate) async fn work(app: App) {
    let places = Arc::new(Semaphore::new(CALLS_AT_ONCE));
    let mut under_way = JoinSet::new();
    loop {
        tokio::select! {
            () = app.drained() => break,
            () = app.calls_wake().notified() => {}
            () = tokio::time::sleep(Duration::from_millis(CALLS_POLL_MS)) => {}
        }
        while under_way.try_join_next().is_some() {}
        if let Err(problem) = lease(&app, &places, &mut under_way).await {
            tracing::warn!(code = problem.code().as_str(), "calls are put off");
        }
    }
    while under_way.join_next().await.is_some() {}
}

/// Leases what is due, as far as there are places for it.
async fn lease(
    app: &App,
    places: &Arc<Semaphore>,
    under_way: &mut JoinSet<()>,
) -> Result<(), Problem> {
    let free = u32::try_from(places.available_permits()).unwrap_or(u32::MAX);
    if free == 0 {
        return Ok(());
    }
    let now = clock::now();
    let until = now.saturating_add_micros(micros(CALL_LEASE_MS));
    for due in app.store().lease_calls(now, until, free).await? {
        let Ok(place) = Arc::clone(places).try_acquire_owned() else {
            // Its lease runs out, and it is due again.
            return Ok(());
        };
        let app = app.clone();
        under_way.spawn(async move {
            if let Err(problem) = attempt(&app, &due).await {
                let code = problem.code().as_str();
                tracing::warn!(
                    call = due.call_id,
                    attempt = due.attempt,
                    code,
                    "attempt failed"
                );
            }
            drop(place);
        });
    }
    Ok(())
}

async fn attempt(app: &App, due: &DueCall) -> Result<(), Problem> {
    let target = Target {
        tenant: due.tenant.clone(),
        id: due.session_id,
    };
    let call = read(app, &target, None, |session, _| {
        let call = session
            .call(&due.call_id)
            .filter(|call| call.state() == CallState::Pending);
        Ok(call.and_then(Call::http))
    })
    .await?;
    // Answered or given up meanwhile: nothing is left to do, and the lease does not come back.
    let Some(mut call) = call else {
        return Ok(());
    };
    let unheld = unseal(app, due.session_id, &mut call.executor).await?;
    let trace = app.telemetry().attempt(&due.call_id);
    let started = clock::now_micros();
    let outcome = match unheld {
        Some(name) => Err(Failure::Invalid(format!(
            "the value of the tool's header `{name}` is not held here: register the tool again"
        ))),
        None => tokio::select! {
            outcome = send::send(app, &call, due.attempt, &trace) => outcome,
            never = renew(app, due) => match never {},
        },
    };
    let word = outcome.as_ref().map_or_else(Failure::word, |_| "returned");
    metrics::call(word);
    tracing::info!(
        call = due.call_id,
        attempt = due.attempt,
        outcome = word,
        trace_id = trace.trace_id(),
        span_id = trace.span_id(),
        "tool called"
    );
    app.telemetry().record(&trace, || Span {
        context: trace.clone(),
        name: "call tool".to_owned(),
        kind: Kind::Client,
        started,
        ended: clock::now_micros(),
        attributes: vec![
            ("entail.call.attempt", Attribute::Number(due.attempt.into())),
            ("entail.call.outcome", Attribute::Text(word.to_owned())),
        ],
        failed: outcome.is_err(),
    });
    match outcome {
        Ok(value) => match answer(app, target.clone(), &call, Ok(value)).await {
            // Another attempt would end like this one, so the model is told.
            Err(problem) if problem.code().status().is_client_error() => {
                let told = format!("the tool's answer cannot be taken: {}", problem.detail());
                answer(app, target, &call, Err(told)).await
            }
            answered => answered,
        },
        Err(failure) if failure.may_pass() && due.attempt < app.settings().tool_attempts => {
            let wait =
                CALL_BACKOFF_MS.saturating_mul(1_u64 << due.attempt.saturating_sub(1).min(16));
            let due_at = clock::now().saturating_add_micros(micros(wait));
            let job = CallJob {
                call_id: due.call_id.clone(),
                due_at,
            };
            app.store()
                .retry_call(due.session_id, &job, due.attempt)
                .await?;
            Ok(())
        }
        Err(failure) => answer(app, target, &call, Err(failure.to_string())).await,
    }
}

/// Keeps the lease of an attempt from running out.
async fn renew(app: &App, due: &DueCall) -> Infallible {
    loop {
        tokio::time::sleep(Duration::from_millis(CALL_RENEWAL_MS)).await;
        let job = CallJob {
            call_id: due.call_id.clone(),
            due_at: clock::now().saturating_add_micros(micros(CALL_LEASE_MS)),
        };
        let renewed = app.store().retry_call(due.session_id, &job, due.attempt);
        if let Err(error) = renewed.await {
            tracing::warn!(call = due.call_id, %error, "the lease of a call is not renewed");
        }
    }
}

/// Commits what came of a call.
async fn answer(
    app: &App,
    target: Target,
    call: &HttpCall,
    result: Result<Value, String>,
) -> Result<(), Problem> {
    let result = ToolResult {
        call_id: call.call_id.clone(),
        result,
    };
    let committed = Lease::work(app, target, async move |mut lease: Lease| {
        let build = |_: &Session, _| Ok(Command::ToolResults(vec![result.clone()]));
        let reply =
            |_: &Session, _: &entail_session::Executed| Reply::ok(entail_json::Object::new());
        lease.commit(&Terms::default(), build, reply).await
    })
    .await;
    if committed.is_ok() {
        app.telemetry().done(&call.call_id);
    }
    match committed {
        Ok(_) => Ok(()),
        // Another replica's attempt, or the orchestrator, was faster; or the session ended.
        Err(problem)
            if matches!(
                problem.code(),
                Code::CallAlreadyAnswered
                    | Code::SessionClosed
                    | Code::UnknownCall
                    | Code::UnknownSession
            ) =>
        {
            Ok(())
        }
        Err(problem) => Err(problem),
    }
}

fn micros(millis: u64) -> i64 {
    i64::try_from(millis.saturating_mul(1_000)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use entail_json::Value;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::*;
    use crate::{config::Settings, testing::Service};

    /// Answers one request after the other as listed; what each asked.
    async fn tool(answers: Vec<&'static str>) -> (u16, tokio::task::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let serving = tokio::spawn(async move {
            let mut asked = Vec::new();
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                while !request.ends_with(b"}") && stream.read_buf(&mut request).await.unwrap() > 0 {
                }
                asked.push(String::from_utf8(request).unwrap());
                stream.write_all(answer.as_bytes()).await.unwrap();
                let _ = stream.shutdown().await;
            }
            asked
        });
        (port, serving)
    }

    async fn call(service: &Service, port: u16) -> (String, DueCall) {
        let body = format!(
            r#"{{"task": "t", "tools": {{"f": {{"description": "d", "parameters":
                {{"type": "object", "properties": {{"q": {{"type": "string"}}}}}},
                "executor": {{"kind": "http", "url": "http://127.0.0.1:{port}/run",
                "headers": {{"x-secret": "s3cret", "host": "evil"}}}}}}}}}}"#
        );
        let session = service.open(&body).await;
        let turn = r#"{"response": {"actions": [{"type": "call_tool", "tool": "f",
            "args": {"q": "Q2"}, "key": "k"}]}}"#;
        let turn = service.post(&format!("{session}/turns"), turn).await.json();
        assert_eq!(
            turn.get("verdict").and_then(Value::as_str),
            Some("awaiting_tools")
        );
        let due = lease_one(service).await.unwrap();
        (session, due)
    }

    async fn lease_one(service: &Service) -> Option<DueCall> {
        let soon = clock::now().saturating_add_micros(micros(CALL_BACKOFF_MS * 4));
        let until = soon.saturating_add_micros(micros(60_000));
        service
            .app()
            .store()
            .lease_calls(soon, until, 1)
            .await
            .unwrap()
            .pop()
    }

    fn allowing() -> Settings {
        Settings {
            allow_tool_addresses: "127.0.0.1".to_owned(),
            ..Settings::default()
        }
    }

    async fn state(service: &Service, session: &str) -> String {
        let calls = service.get(&format!("{session}/calls")).await.json();
        let call = calls.get("items").and_then(Value::as_array).unwrap()[0].clone();
        call.get("state")
            .and_then(Value::as_str)
            .unwrap()
            .to_owned()
    }

    #[tokio::test]
    async fn a_call_that_fails_for_now_is_made_again_and_its_result_is_committed_once() {
        let (port, serving) = tool(vec![
            "HTTP/1.1 503 Away\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n4300000000",
        ])
        .await;
        let service = Service::with(allowing()).await;
        let (session, due) = call(&service, port).await;
        attempt(service.app(), &due).await.unwrap();
        assert_eq!(state(&service, &session).await, "pending");
        let again = lease_one(&service).await.unwrap();
        assert_eq!(again.attempt, due.attempt + 1);
        attempt(service.app(), &again).await.unwrap();
        assert_eq!(state(&service, &session).await, "returned");
        let belief = service.get(&format!("{session}/beliefs/k@1")).await.json();
        assert_eq!(belief.get("value"), Some(&Value::from(4_300_000_000_i64)));
        // A late attempt finds nothing to do.
        attempt(service.app(), &again).await.unwrap();
        assert!(lease_one(&service).await.is_none());
        let asked = serving.await.unwrap();
        for (number, request) in asked.iter().enumerate() {
            let lower = request.to_lowercase();
            assert!(lower.starts_with("post /run http/1.1\r\n"), "{request}");
            assert!(
                lower.contains(&format!("idempotency-key: {}", due.call_id)),
                "{request}"
            );
            assert!(
                lower.contains(&format!("x-entail-attempt: {}", number + 1)),
                "{request}"
            );
            assert!(
                lower.contains("x-secret: s3cret") && !lower.contains("evil"),
                "{request}"
            );
            assert!(request.ends_with(r#"{"q":"Q2"}"#), "{request}");
        }
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed() {
        let redirect =
            "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n";
        let (port, serving) = tool(vec![redirect]).await;
        let service = Service::with(allowing()).await;
        let (session, due) = call(&service, port).await;
        attempt(service.app(), &due).await.unwrap();
        assert_eq!(state(&service, &session).await, "failed");
        assert_eq!(serving.await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_value_that_no_session_takes_fails_the_call_instead_of_being_asked_for_again() {
        let nul = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\na\0b";
        let (port, serving) = tool(vec![nul]).await;
        let service = Service::with(allowing()).await;
        let (session, due) = call(&service, port).await;
        attempt(service.app(), &due).await.unwrap();
        assert_eq!(state(&service, &session).await, "failed");
        assert_eq!(serving.await.unwrap().len(), 1);
        assert!(lease_one(&service).await.is_none());
    }

    #[tokio::test]
    async fn an_address_within_is_not_called_unless_an_operator_allows_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let service = Service::start().await;
        let (session, due) = call(&service, listener.local_addr().unwrap().port()).await;
        attempt(service.app(), &due).await.unwrap();
        assert_eq!(state(&service, &session).await, "failed");
        let told = service.post(&format!("{session}/context"), "{}").await.text;
        assert!(told.contains("may not be called"), "{told}");
        let secret = service.get(&format!("{session}/tools/f")).await.text;
        assert!(!secret.contains("s3cret"), "{secret}");
    }
}

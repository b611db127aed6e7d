//! The edge of the service: traces, what is no request at all, and what is never logged.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test reports a failure by a panic, its helpers too"
)]

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    sync::mpsc::{Receiver, channel},
    thread::spawn,
};

use entail_json::{Value, read_str};
use entail_tests::{Answer, Client, Database, Scratch, Service, Start, wait};

/// A request that something of ours received.
#[derive(Debug)]
struct Received {
    head: String,
    body: String,
}

impl Received {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (given, value) = line.split_once(": ")?;
            given.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// A server that answers every request alike, and tells each.
fn server(answer: &'static str) -> (SocketAddr, Receiver<Received>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = channel();
    spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut bytes = Vec::new();
            let mut chunk = [0; 4096];
            let received = loop {
                let read = stream.read(&mut chunk).unwrap_or(0);
                bytes.extend_from_slice(&chunk[..read]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else {
                    if read == 0 {
                        break None;
                    }
                    continue;
                };
                let received = Received {
                    head: head.to_owned(),
                    body: body.to_owned(),
                };
                let length = received.header("content-length").unwrap_or("0");
                if read == 0 || body.len() >= length.parse().unwrap() {
                    break Some(received);
                }
            };
            let _ = stream.write_all(answer.as_bytes());
            if let Some(received) = received
                && tell.send(received).is_err()
            {
                return;
            }
        }
    });
    (address, told)
}

const FORTY_TWO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n42";
const TAKEN: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

/// A session with a tool that is at that address.
fn open(client: &Client, tool: SocketAddr) -> String {
    let body = format!(
        r#"{{"task": "planted-task", "documents": [{{"name": "d", "text": "planted-document 7"}}],
            "premises": [{{"key": "planted-key", "value": "planted-value", "source": "human:h"}}],
            "tools": {{"f": {{"description": "d", "parameters": {{"type": "object"}},
            "executor": {{"kind": "http", "url": "http://{tool}/run?planted-query=1",
            "headers": {{"x-private": "planted-header"}}}}}}}}}}"#
    );
    let opened = post(client, "/sessions", &body);
    assert_eq!(opened.status, 201, "{}", opened.text());
    opened.header("location").unwrap().to_owned()
}

fn post(client: &Client, path: &str, body: &str) -> Answer {
    client.call("POST", path, Some(("application/json", body.as_bytes())))
}

/// A turn that calls the tool, and the wait for its result.
fn call_tool(client: &Client, session: &str) {
    let turn = r#"{"response": {"actions": [{"type": "call_tool", "tool": "f", "args": {},
        "key": "called"}]}, "model": "m"}"#;
    let turn = post(client, &format!("{session}/turns"), turn);
    assert_eq!(turn.status, 200, "{}", turn.text());
    wait::until("the tool was called", || {
        client.get(&format!("{session}/beliefs/called@1")).status == 200
    });
}

/// The spans in what a collector received.
fn spans(received: &[Received]) -> Vec<Value> {
    let list = |value: &Value, name: &str| -> Vec<Value> {
        value.get(name).and_then(Value::as_array).unwrap().to_vec()
    };
    let mut found = Vec::new();
    for request in received {
        assert!(request.head.starts_with("POST /v1/traces HTTP/1.1"));
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("x-team"), Some("planted-team"));
        for resource in list(&read_str(&request.body).unwrap(), "resourceSpans") {
            for scope in list(&resource, "scopeSpans") {
                found.extend(list(&scope, "spans"));
            }
        }
    }
    found
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

#[test]
fn a_trace_goes_from_the_caller_through_the_service_to_the_tool_and_the_collector() {
    for variable in ["ENTAIL_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"] {
        let (collector, collected) = server(TAKEN);
        let (tool, called) = server(FORTY_TWO);
        let mut start = Start::default()
            .arg("--allow-tool-addresses=127.0.0.1")
            .arg("--otlp-headers=x-team=planted-team");
        start
            .variables
            .push((variable.to_owned(), format!("http://{collector}")));
        let service = start.start();
        let client = service.client();
        let session = open(&client, tool);
        let traced = client
            .clone()
            .with_header("traceparent", &format!("00-{TRACE}-{CALLER}-01"))
            .with_header("tracestate", "vendor=value");
        call_tool(&traced, &session);
        let unwanted = client
            .clone()
            .with_header("traceparent", &format!("00-{}-{CALLER}-00", "a".repeat(32)));
        assert_eq!(unwanted.get(&session).status, 200);
        let (status, log) = service.terminate();
        assert_eq!(status.code(), Some(0));

        let call = called.recv().unwrap();
        let parent = call.header("traceparent").unwrap();
        let parts: Vec<_> = parent.split('-').collect();
        assert_eq!((parts[0], parts[1], parts[3]), ("00", TRACE, "01"));
        assert_eq!(call.header("tracestate"), Some("vendor=value"));

        let spans = spans(&collected.try_iter().collect::<Vec<_>>());
        let turn = spans
            .iter()
            .find(|span| text(span, "name") == "POST /sessions/{id}/turns")
            .expect("the turn's span");
        assert_eq!(
            (text(turn, "traceId"), text(turn, "parentSpanId")),
            (TRACE, CALLER)
        );
        assert_eq!(text(turn, "traceState"), "vendor=value");
        let client_span = spans
            .iter()
            .find(|span| text(span, "name") == "call tool")
            .expect("the call's span");
        assert_eq!(text(client_span, "traceId"), TRACE);
        assert_eq!(text(client_span, "parentSpanId"), text(turn, "spanId"));
        assert_eq!(text(client_span, "spanId"), parts[2]);
        for span in &spans {
            let (start, end) = (
                text(span, "startTimeUnixNano"),
                text(span, "endTimeUnixNano"),
            );
            assert!(start.parse::<u64>().unwrap() <= end.parse::<u64>().unwrap());
            assert_ne!(text(span, "traceId"), "a".repeat(32), "it was not wanted");
            assert!(!span.to_string().contains("planted"), "{span}");
        }
        let line = log
            .lines()
            .find(|line| line.contains("/sessions/{id}/turns"))
            .unwrap();
        let logged = read_str(line).unwrap();
        assert_eq!(text(&logged, "trace_id"), TRACE);
        assert_eq!(text(&logged, "span_id"), text(turn, "spanId"));
    }
}

#[test]
fn a_collector_that_is_away_does_no_harm() {
    let (refusing, _told) = server("HTTP/1.1 503 Away\r\ncontent-length: 0\r\n\r\n");
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    for collector in [refusing, nobody] {
        let service = Start::default()
            .arg(&format!("--otlp-endpoint=http://{collector}"))
            .start();
        let client = service.client();
        for _ in 0..50 {
            assert_eq!(client.get("/sessions").status, 200);
        }
        wait::until("the failure was counted", || {
            client
                .get("/metrics")
                .text()
                .contains("entail_spans_total{outcome=\"failed\"}")
        });
        let (status, log) = service.terminate();
        assert_eq!(status.code(), Some(0));
        assert!(log.contains("the collector takes no spans"), "{log}");
    }
}

#[test]
fn what_cannot_be_read_as_a_request_is_answered_with_a_problem() {
    let service = Start::default().arg("--header-timeout-ms=1000").start();
    let client = service.client();
    let large = format!(
        "GET /livez HTTP/1.1\r\nhost: localhost\r\nx-large: {}\r\n\r\n",
        "x".repeat(100 << 10)
    );
    let long = format!(
        "GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "x".repeat(70_000)
    );
    let many = format!(
        "GET /livez HTTP/1.1\r\nhost: localhost\r\n{}\r\n",
        "x-more: 1\r\n".repeat(200)
    );
    for (sent, status, code) in [
        ("nonsense\r\n\r\n", 400, "malformed_request"),
        ("GET /livez HTTP/9.9\r\n\r\n", 400, "malformed_request"),
        (
            "GET /livez HTTP/1.1\r\nhost localhost\r\n\r\n",
            400,
            "malformed_request",
        ),
        (
            "POST /parse HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n",
            400,
            "malformed_request",
        ),
        (
            "POST /parse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             transfer-encoding: chunked\r\nconnection: close\r\n\r\nno size\r\n",
            400,
            "malformed_request",
        ),
        (large.as_str(), 431, "head_too_large"),
        (many.as_str(), 431, "head_too_large"),
        (long.as_str(), 431, "head_too_large"),
        ("GET /livez HTTP/1.1\r\nhost: local", 408, "head_timeout"),
    ] {
        let mut stream = client.connect();
        let _ = stream.write_all(sent.as_bytes());
        let answer = Answer::read(&mut stream).unwrap_or_else(|error| panic!("{status}: {error}"));
        assert_eq!(answer.status, status, "{}", answer.text());
        assert_eq!(answer.code(), code);
    }
    // What was well before is answered before the problem.
    let mut stream = client.connect();
    stream
        .write_all(b"GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\nnonsense\r\n\r\n")
        .unwrap();
    let mut all = String::new();
    let _ = stream.read_to_string(&mut all);
    assert!(all.starts_with("HTTP/1.1 200 OK"), "{all}");
    assert!(all.contains("HTTP/1.1 400 Bad Request"), "{all}");
    assert_eq!(client.get("/livez").status, 200);
}

/// A signing key of nobody's.
const SIGNING_KEY: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
    -----END PRIVATE KEY-----\n";

/// A url with a password where it has none.
fn with_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    match rest.split_once('@') {
        Some((user, host)) if !user.contains(':') => {
            format!("{scheme}://{user}:planted-password@{host}")
        }
        _ => url.to_owned(),
    }
}

/// Everything that a caller or an operator may do with secrets, on one service.
fn whole_run(service: &Service, key: &str, tool: SocketAddr) {
    let nobody = service.client();
    let wrong = nobody
        .clone()
        .with_header("authorization", "Bearer planted-wrong-key");
    assert_eq!(
        (
            nobody.get("/sessions").status,
            wrong.get("/sessions").status
        ),
        (401, 401)
    );
    let client = nobody.with_header("authorization", &format!("Bearer {key}"));
    let session = open(&client, tool);
    let path = |rest: &str| format!("{session}{rest}");
    call_tool(&client, &session);
    for (rest, body) in [
        ("/context", r#"{"task": "planted-context"}"#),
        (
            "/turns",
            r#"{"response": "planted-response that is no json"}"#,
        ),
        (
            "/turns",
            r#"{"response": {"actions": [{"type": "cite", "document": "d", "key": "planted-cited",
            "quote": "planted-document 7", "value": 7}, {"type": "claim", "key": "planted-claim",
            "value": "planted-claimed", "follows_from": ["planted-key"]},
            {"type": "answer", "text": "planted-answer", "follows_from": ["planted-claim"]}]}}"#,
        ),
        (
            "/premises",
            r#"{"key": "planted-key", "value": "planted-other", "source": "human:planted-person"}"#,
        ),
        (
            "/premises",
            r#"{"key": "planted bad key", "value": 1, "source": "human:h"}"#,
        ),
        ("/premises", r#"{"key": "planted-broken"#),
        (
            "/retractions",
            r#"{"target": "planted-key@2", "reason": "planted-reason"}"#,
        ),
        (
            "/conflicts/planted-conflict/resolution",
            r#"{"keep": ["planted-key"]}"#,
        ),
    ] {
        assert!(post(&client, &path(rest), body).status < 500, "{rest}");
    }
    let document = client.call(
        "PUT",
        &path("/documents/planted-name"),
        Some(("text/plain", b"planted-text")),
    );
    assert_eq!(document.status, 201, "{}", document.text());
    for rest in [
        "",
        "/beliefs?prefix=planted-key",
        "/beliefs/planted-key",
        "/beliefs/planted-nothing",
        "/beliefs/planted-claim/proof?format=text",
        "/trace",
        "/report",
        "/bundle",
        "/journal",
        "/documents/d",
        "/tools/f",
        "/nothing/planted-path",
    ] {
        let answer = client.get(&path(rest));
        assert!(answer.status < 500, "{rest}");
        // A bundle is packed: what is in it, a test of the service says.
        if rest != "/bundle" {
            assert!(!answer.text().contains("planted-header"), "{rest}");
        }
    }
    let plan = read_str(client.get(&path("/plan")).text()).unwrap();
    let run = Value::from([
        ("trace", client.get(&path("/trace")).text().into()),
        ("plan", plan),
    ]);
    assert_eq!(client.post("/verify", &run).status, 200);
    assert_eq!(client.get("/sources?cursor=planted-cursor").status, 200);
    assert_eq!(client.call("DELETE", &session, None).status, 204);
}

#[test]
fn nothing_secret_and_no_body_is_logged_in_a_whole_run_on_either_store() {
    const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 14\r\n\
        connection: close\r\n\r\nplanted-result";
    for (engine, database) in Database::each() {
        let scratch = Scratch::new();
        let file = |name: &str, text: &str| {
            let path = scratch.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let key = "planted-bearer-key-0123456789";
        let (tool, called) = server(ANSWER);
        let (collector, _collected) = server(TAKEN);
        let service = Start::on(&with_password(&database.url()))
            .arg("--log=trace")
            .arg("--allow-tool-addresses=127.0.0.1")
            .arg(&format!("--otlp-endpoint=http://{collector}"))
            .arg("--otlp-headers=authorization=Bearer%20planted-collector-key")
            .arg(&format!("--bootstrap-key-file={}", file("key", key)))
            .arg(&format!(
                "--signing-key-file={}",
                file("signing.pem", SIGNING_KEY)
            ))
            .start();
        whole_run(&service, key, tool);
        let request = called.recv().unwrap();
        assert_eq!(request.header("x-private"), Some("planted-header"));
        let (status, log) = service.terminate();
        assert_eq!(status.code(), Some(0));
        for expected in ["\"request\"", "\"tool called\"", "\"DEBUG\""] {
            assert!(log.contains(expected), "{engine}: {expected}");
        }
        for line in log.lines() {
            assert!(read_str(line).is_ok(), "{engine}: {line}");
            for secret in ["planted", "MC4CAQAwBQYDK2Vw", "J1hsZ3v"] {
                assert!(!line.contains(secret), "{engine}: `{secret}` in {line}");
            }
        }
    }
}

//! Hostile input stays harmless: a clear error, flat memory, and the next request answered.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test reports a failure by a panic, its helpers too"
)]

use std::{
    io::{Read as _, Write as _},
    net::Shutdown,
};

use entail_json::Value;
use entail_tests::{Answer, Client, Service, Start};

/// How far memory may rise while a body of 4 to 10 MB is read, in bytes.
const ROOM: u64 = 160 << 20;

fn alive(client: &Client) {
    assert_eq!(client.get("/livez").status, 200);
}

/// A turn's body whose response is that text.
fn turn(response: &str) -> Vec<u8> {
    Value::from([("response", response.into())])
        .to_string()
        .into_bytes()
}

fn open(client: &Client) -> String {
    let body = Value::from([("task", "t".into())]);
    let opened = client.post("/sessions", &body);
    assert_eq!(opened.status, 201, "{}", opened.text());
    opened.header("location").unwrap().to_owned()
}

fn post(client: &Client, path: &str, body: &[u8]) -> Answer {
    client.call("POST", path, Some(("application/json", body)))
}

fn stays_flat(service: &Service, work: impl FnOnce()) {
    let (before, _) = service.memory();
    work();
    let (_, highest) = service.memory();
    assert!(
        highest - before < ROOM,
        "memory rose from {before} to {highest}"
    );
}

#[test]
fn four_megabytes_of_brackets_are_read_by_the_parser_under_the_default_limit() {
    let service = Start::default().start();
    let client = service.client();
    let session = open(&client);
    let body = turn(&"[".repeat((4 << 20) - 64));
    stays_flat(&service, || {
        let answer = post(&client, &format!("{session}/turns"), &body);
        let turn = answer.ok();
        assert_eq!(
            turn.get("verdict").and_then(Value::as_str),
            Some("unusable")
        );
        let parsed = post(&client, "/parse", &body).ok();
        assert_eq!(parsed.get("unusable"), Some(&Value::Bool(true)));
    });
    // As the body itself they are JSON that is nested too deep, and the door says so.
    let answer = post(
        &client,
        &format!("{session}/turns"),
        "[".repeat(4 << 20).as_bytes(),
    );
    assert_eq!(
        (answer.status, answer.code()),
        (400, "malformed_json".to_owned())
    );
    alive(&client);
}

#[test]
fn ten_megabytes_of_brackets_are_read_by_the_parser_once_the_limit_is_raised() {
    let service = Start::default().arg("--max-body-bytes=20000000").start();
    let client = service.client();
    let session = open(&client);
    stays_flat(&service, || {
        for bracket in ["[", "{"] {
            let body = turn(&bracket.repeat(10_000_000));
            let turn = post(&client, &format!("{session}/turns"), &body).ok();
            assert_eq!(
                turn.get("verdict").and_then(Value::as_str),
                Some("unusable")
            );
            let rejected = turn.get("rejected").and_then(Value::as_array).unwrap();
            let code = rejected[0].get("code").and_then(Value::as_str);
            assert_eq!(code, Some("response_not_json"));
        }
    });
    alive(&client);
}

#[test]
fn a_body_of_a_hundred_megabytes_is_refused_and_not_kept() {
    let service = Start::default().start();
    let client = service.client();
    let body = vec![b' '; 100_000_000];
    stays_flat(&service, || {
        let answer = post(&client, "/parse", &body);
        assert_eq!(
            (answer.status, answer.code()),
            (413, "body_too_large".to_owned())
        );
        let chunked = send_chunks(&client, 100);
        assert_eq!(
            (chunked.status, chunked.code()),
            (413, "body_too_large".to_owned())
        );
    });
    let named = format!("{}/documents/d", open(&client));
    let answer = client.call("PUT", &named, Some(("text/plain", &body)));
    assert_eq!(answer.code(), "body_too_large");
    alive(&client);
}

/// A body of so many megabytes whose length is not told beforehand.
fn send_chunks(client: &Client, megabytes: usize) -> Answer {
    let mut stream = client.connect();
    let head = "POST /parse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                transfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut chunk = b"100000\r\n".to_vec();
    chunk.extend(std::iter::repeat_n(b' ', 1 << 20));
    chunk.extend(b"\r\n");
    for _ in 0..megabytes {
        if stream.write_all(&chunk).is_err() {
            break;
        }
    }
    let _ = stream.write_all(b"0\r\n\r\n");
    Answer::read(&mut stream).unwrap()
}

#[test]
fn what_is_no_utf8_is_refused_with_its_place() {
    let service = Start::default().start();
    let client = service.client();
    let answer = post(&client, "/parse", b"{\"response\": \"a\xff\"}");
    assert_eq!(
        (answer.status, answer.code()),
        (400, "malformed_json".to_owned())
    );
    assert!(answer.text().contains("utf-8"), "{}", answer.text());
    let text = format!("{}/documents/d", open(&client));
    let answer = client.call("PUT", &text, Some(("text/plain", b"caf\xe9")));
    assert_eq!(
        (answer.status, answer.code()),
        (400, "malformed_text".to_owned())
    );
    assert_eq!(client.get("/sessions/%ff%fe").code(), "invalid_path");
    alive(&client);
}

#[test]
fn a_client_that_never_ends_its_head_or_its_body_is_let_go() {
    let service = Start::default()
        .arg("--header-timeout-ms=200")
        .arg("--body-timeout-ms=200")
        .start();
    let client = service.client();
    let mut silent = client.connect();
    silent
        .write_all(b"GET /livez HTTP/1.1\r\nhost: local")
        .unwrap();
    let mut answer = Vec::new();
    let _ = silent.read_to_end(&mut answer);
    let told = String::from_utf8_lossy(&answer);
    assert!(told.starts_with("HTTP/1.1 408"), "{told}");
    assert!(told.contains("\"head_timeout\""), "{told}");

    let mut slow = client.connect();
    slow.write_all(
        b"POST /parse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
          content-length: 1000\r\n\r\n{\"response\"",
    )
    .unwrap();
    let answer = Answer::read(&mut slow).unwrap();
    assert_eq!(
        (answer.status, answer.code()),
        (408, "body_timeout".to_owned())
    );
    alive(&client);
}

#[test]
fn a_client_that_goes_away_in_the_middle_does_no_harm() {
    let service = Start::default().start();
    let client = service.client();
    for sent in [
        &b"POST /parse HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nab"[..],
        b"GET",
        b"\0\0\0\0\r\n\r\n",
    ] {
        let mut stream = client.connect();
        stream.write_all(sent).unwrap();
        let _ = stream.shutdown(Shutdown::Write);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        alive(&client);
    }
}

#[test]
fn a_formula_of_two_thousand_characters_is_evaluated_and_a_longer_one_refused() {
    let service = Start::default().start();
    let client = service.client();
    let session = open(&client);
    let premise = Value::from([
        ("key", "one".into()),
        ("value", Value::from(1_i64)),
        ("source", "human:h".into()),
    ]);
    let asserted = client.post(&format!("{session}/premises"), &premise);
    assert_eq!(asserted.status, 200, "{}", asserted.text());
    let claim = |formula: &str| {
        let action = Value::from([
            ("type", "claim".into()),
            ("key", format!("k{}", formula.len()).into()),
            ("formula", formula.into()),
        ]);
        let response = Value::from([("actions", Value::Array(vec![action]))]);
        let body = Value::from([("response", response)]);
        client.post(&format!("{session}/turns"), &body).ok()
    };
    let sum = format!("{{one}}{}", "+1".repeat(997));
    assert!(sum.len() <= 2_000);
    let turn = claim(&sum);
    assert_eq!(
        turn.get("verdict").and_then(Value::as_str),
        Some("accepted"),
        "{turn}"
    );
    for hostile in [
        format!("{{one}}{}", "+1".repeat(1_000)),
        format!("{}1{}", "(".repeat(900), ")".repeat(900)),
        format!("{}1", "-".repeat(1_999)),
        format!("1{}", "**9".repeat(600)),
    ] {
        let turn = claim(&hostile);
        let rejected = turn.get("rejected").and_then(Value::as_array).unwrap();
        let code = rejected[0].get("code").and_then(Value::as_str);
        assert_eq!(code, Some("invalid_formula"), "{turn}");
    }
    alive(&client);
}

#[test]
fn every_refusal_is_a_problem_with_a_code() {
    let service = Start::default().start();
    let client = service.client();
    let json = |body: &'static [u8]| Some(("application/json", body));
    for (method, path, body, status, code) in [
        ("GET", "/nothing", None, 404, "no_route"),
        ("DELETE", "/livez", None, 405, "method_not_allowed"),
        (
            "POST",
            "/parse",
            Some(("text/csv", &b"a"[..])),
            415,
            "unsupported_media_type",
        ),
        ("POST", "/parse", json(b"{"), 400, "malformed_json"),
        (
            "POST",
            "/parse",
            json(b"{\"a\":1,\"a\":2}"),
            400,
            "malformed_json",
        ),
        (
            "POST",
            "/parse",
            json(b"{\"a\":\"\\ud800\"}"),
            400,
            "malformed_json",
        ),
        (
            "POST",
            "/parse",
            json(b"{\"a\":\"\\u0000\"}"),
            400,
            "malformed_json",
        ),
        ("POST", "/parse", json(b"[]"), 400, "invalid_body"),
        ("POST", "/parse?x=1", json(b"{}"), 400, "invalid_query"),
        ("GET", "/sessions/x", None, 404, "unknown_session"),
    ] {
        let answer = client.call(method, path, body);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{method} {path}"
        );
    }
    let foreign = client.clone().with_header("origin", "https://evil.example");
    assert_eq!(foreign.get("/sessions").code(), "foreign_origin");
}

//! What the operations document says can be done, done: its three queries on the views for
//! dashboards, the backup of a running SQLite store, and TLS to Postgres.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test reports a failure by a panic, its helpers too"
)]

use std::process::Command;

use entail_json::Value;
use entail_test_postgres::{self as postgres, Durability, Server};
use entail_tests::{Client, Database, Scratch, Start, binary};

const OPERATIONS: &str = include_str!("../../docs/operations.md");

/// How often the views are asked before they count as empty; each time is a program started.
const LOOKS: usize = 3_000;

/// Prints the rows of a query, their columns divided by `|`.
const ASK_SQLITE: &str = "
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    for row in database.execute(sys.argv[2]):
        print('|'.join(str(column) for column in row))
";

/// The queries of the document, as printed.
fn queries() -> Vec<&'static str> {
    let blocks = OPERATIONS.split("```sql\n").skip(1);
    blocks
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect()
}

/// What a query answers, a line a row.
fn ask(database: &Database, sql: &str) -> String {
    let directory = match database {
        Database::Postgres(database) => return database.query(sql).unwrap(),
        Database::Sqlite(directory) => directory,
    };
    let output = Command::new("python3")
        .args(["-c", ASK_SQLITE])
        .arg(directory.path().join("entail.db"))
        .arg(sql)
        .output()
        .expect("python3 is installed");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{sql}: {complaints}");
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned()
}

fn post(client: &Client, path: &str, body: &str) -> Value {
    client
        .call("POST", path, Some(("application/json", body.as_bytes())))
        .ok()
}

/// A session in which one model is right twice and wrong once, another says nothing that can be
/// read, and the answer loses what it rests on.
fn play(client: &Client) -> String {
    let body = r#"{"task": "t", "policy": {"dependencies": "declared"},
        "premises": [{"key": "a", "value": 2, "source": "human:h"}]}"#;
    let opened = client.call(
        "POST",
        "/sessions",
        Some(("application/json", body.as_bytes())),
    );
    let session = opened.header("location").unwrap().to_owned();
    for (model, response) in [
        (
            "alpha",
            r#"{"actions": [{"type": "claim", "key": "b", "formula": "{a} + 1"}]}"#,
        ),
        (
            "alpha",
            r#"{"actions": [{"type": "claim", "key": "c", "formula": "{a} + 1", "value": 7}]}"#,
        ),
        ("beta", "\"nothing that can be read\""),
        (
            "alpha",
            r#"{"actions": [{"type": "answer", "text": "It is 3.", "follows_from": ["b"]}]}"#,
        ),
    ] {
        let turn = format!(r#"{{"model": "{model}", "response": {response}}}"#);
        post(client, &format!("{session}/turns"), &turn);
    }
    post(
        client,
        &format!("{session}/retractions"),
        r#"{"target": "a"}"#,
    );
    session
}

#[test]
fn the_three_queries_of_the_operations_document_answer_what_a_team_would_ask() {
    let queries = queries();
    assert_eq!(queries.len(), 3);
    for (engine, database) in Database::each() {
        let service = Start::on(&database.url()).start();
        let session = play(&service.client());
        let id = session.rsplit('/').next().unwrap();
        let id = match database {
            Database::Sqlite(_) => id.replace('-', ""),
            Database::Postgres(_) => id.to_owned(),
        };
        let answers = [
            "alpha|3|2|0\nbeta|1|0|1".to_owned(),
            "formula_mismatch|claim|alpha|1\nresponse_not_json||beta|1".to_owned(),
            format!("{id}|answer@1|\"It is 3.\"|6"),
        ];
        // The views are fed behind the commits, the retraction last.
        let is_fed = (0..LOOKS).any(|_| ask(&database, queries[2]) == answers[2]);
        assert!(is_fed, "{engine}: {}", ask(&database, queries[2]));
        for (sql, answer) in queries.iter().zip(&answers) {
            assert_eq!(ask(&database, sql), *answer, "{engine}: {sql}");
        }
    }
}

#[test]
fn a_service_told_to_leave_the_views_alone_does() {
    let database = Database::sqlite();
    let start = Start::on(&database.url()).arg("--no-views");
    let service = start.start();
    play(&service.client());
    let (status, _) = service.terminate();
    assert!(status.success());
    assert_eq!(ask(&database, "SELECT count(*) FROM entail_turns"), "0");
    // The next process that feeds them finds what is missing.
    let service = Start::on(&database.url()).start();
    let counted = "SELECT count(*) FROM entail_turns";
    assert!((0..LOOKS).any(|_| ask(&database, counted) == "4"));
    drop(service);
}

#[test]
fn a_copy_of_a_running_sqlite_store_shows_the_same_trace_bytes() {
    let database = Database::sqlite();
    let service = Start::on(&database.url()).start();
    let client = service.client();
    let session = play(&client);
    let before = client.get(&format!("{session}/trace")).text().to_owned();
    let chain = |client: &Client| {
        let about = client.get(&session).ok();
        about.get("chain_head").cloned().unwrap()
    };
    let (head, scratch) = (chain(&client), Scratch::new());
    let copy = scratch.path().join("backup.db");
    ask(&database, &format!("VACUUM INTO '{}'", copy.display()));
    // What comes later is not in the copy, and the service has not noticed that it was made.
    post(
        &client,
        &format!("{session}/restorations"),
        r#"{"target": "a"}"#,
    );
    assert_ne!(chain(&client), head);
    let restored = Start::on(&format!("sqlite://{}", copy.display())).start();
    let client = restored.client();
    assert_eq!(client.get(&format!("{session}/trace")).text(), before);
    assert_eq!(chain(&client), head);
    let goes_on = post(
        &client,
        &format!("{session}/restorations"),
        r#"{"target": "a"}"#,
    );
    assert_eq!(goes_on.get("version").and_then(Value::as_u64), Some(7));
}

/// Makes an authority and a certificate of it for `localhost`, in the server's own directory.
const CERTIFY: &str = r#"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority \
    -keyout ca.key -out ca.crt 2> openssl.log &&
openssl req -newkey rsa:2048 -nodes -subj /CN=localhost \
    -keyout server.key -out server.csr 2>> openssl.log &&
echo subjectAltName=DNS:localhost > server.ext &&
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \
    -extfile server.ext -out server.crt 2>> openssl.log &&
chmod 600 server.key
"#;

#[test]
fn postgres_is_spoken_to_by_tls_and_only_where_its_authority_is_trusted() {
    let server = Server::start(Durability::ProcessOnly).unwrap();
    let database = postgres::Database::create_in(server.url()).unwrap();
    let ask = |sql: &str| database.query(sql).unwrap().trim().to_owned();
    ask(&format!("COPY (SELECT 1) TO PROGRAM $${CERTIFY}$$"));
    ask("ALTER SYSTEM SET ssl = on");
    ask("SELECT pg_reload_conf()");
    // Connections made before the server has taken it in are still without.
    assert!((0..LOOKS).any(|_| ask("SHOW ssl") == "on"));
    let scratch = Scratch::new();
    let authority = scratch.path().join("ca.crt");
    std::fs::write(&authority, ask("SELECT pg_read_file('ca.crt')")).unwrap();
    let checked = database.url().replace("127.0.0.1", "localhost") + "?sslmode=verify-full";
    let trusted = format!("{checked}&sslrootcert={}", authority.display());

    let service = Start::on(&trusted).start();
    assert_eq!(service.client().get("/readyz").status, 200);
    let others = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
        WHERE application_name = 'entail' AND NOT ssl";
    assert_eq!(ask(others), "0");
    let own = others.replace("NOT ssl", "ssl");
    assert_ne!(ask(&own), "0");
    drop(service);

    let refused = Command::new(binary())
        .args(["migrate", "--database-url", &checked])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
}

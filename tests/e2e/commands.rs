//! The commands of the binary, and how the service starts and stops.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test reports a failure by a panic, its helpers too"
)]

use std::process::{Command, Output};

use entail_json::Value;
use entail_tests::{Answer, Client, Database, Scratch, Start, binary};

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let directory = Scratch::new();
    let mut command = Command::new(binary());
    command
        .args(arguments)
        .current_dir(directory.path())
        .env_remove("DATABASE_URL");
    command.envs(variables.iter().copied());
    command.output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

#[test]
fn the_settings_in_force_are_told_with_where_they_come_from_and_secrets_masked() {
    let variables = [
        ("DATABASE_URL", "postgres://me:secret-word@db/entail"),
        ("ENTAIL_MAX_IN_FLIGHT", "7"),
        ("ENTAIL_PORT", "tcp://10.0.0.1:80"),
    ];
    let output = run(&["config", "--listen", "127.0.0.1:9"], &variables);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.contains("listen = \"127.0.0.1:9\"  # --listen\n"),
        "{text}"
    );
    assert!(
        text.contains("database_url = \"postgres://me:***@db/entail\"  # environment"),
        "{text}"
    );
    assert!(
        text.contains("max_in_flight = 7  # environment ENTAIL_MAX_IN_FLIGHT\n"),
        "{text}"
    );
    assert!(
        text.contains("# unknown variable, ignored: ENTAIL_PORT\n"),
        "{text}"
    );
    assert!(!text.contains("secret-word"), "{text}");
}

#[test]
fn a_wrong_flag_or_setting_ends_with_code_2_and_names_it() {
    for (arguments, named) in [
        (&["serve", "--lisen", "x"][..], "--lisen"),
        (&["serve", "--listen", "here"][..], "listen"),
        (&["serve", "--config", "none.toml"][..], "none.toml"),
        (&["serve", "--max-in-flight", "many"][..], "many"),
    ] {
        let output = run(arguments, &[]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            stderr(&output).contains(named),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn without_api_keys_the_service_listens_on_loopback_only() {
    let output = run(&["serve", "--listen", "0.0.0.0:0"], &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("--insecure"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_healthcheck_tells_a_running_service_from_none() {
    let service = Start::default().start();
    let address = service.client().address().to_string();
    assert_eq!(
        run(&["healthcheck", "--listen", &address], &[])
            .status
            .code(),
        Some(0)
    );
    service.kill();
    assert_eq!(
        run(&["healthcheck", "--listen", &address], &[])
            .status
            .code(),
        Some(1)
    );
}

#[test]
fn sigterm_ends_the_service_with_code_0() {
    for (engine, database) in Database::each() {
        let service = Start::on(&database.url()).start();
        assert_eq!(service.client().get("/readyz").status, 200, "{engine}");
        let (status, log) = service.terminate();
        assert_eq!(status.code(), Some(0), "{engine}: {log}");
        assert!(log.contains("\"stopped\""), "{engine}: {log}");
    }
}

#[test]
fn the_schema_is_brought_up_to_date_by_hand_where_the_service_is_told_not_to() {
    for (engine, database) in Database::each() {
        let url = database.url();
        let service = Start::on(&url).arg("--no-migrate").start();
        let answer = service.client().get("/readyz");
        assert_eq!(
            (answer.status, answer.code()),
            (503, "not_ready".to_owned()),
            "{engine}"
        );
        let output = run(&["migrate", "--database-url", &url], &[]);
        assert!(output.status.success(), "{engine}: {}", stderr(&output));
        assert_eq!(service.client().get("/readyz").status, 200, "{engine}");
    }
}

#[test]
fn the_openapi_document_is_printed_as_it_is_served() {
    let output = run(&["openapi"], &[]);
    assert!(output.status.success());
    let service = Start::default().start();
    assert_eq!(
        service.client().get("/openapi.json").text(),
        stdout(&output)
    );
}

fn post(client: &Client, path: &str, body: &str) -> Answer {
    client.call("POST", path, Some(("application/json", body.as_bytes())))
}

#[test]
fn a_bundle_verifies_and_replays_without_a_service_and_an_edited_one_does_not() {
    let service = Start::default().start();
    let client = service.client();
    let opened = post(
        &client,
        "/sessions",
        r#"{"task": "t", "documents": [{"name": "d", "text": "Revenue was $4.3 billion."}]}"#,
    );
    let session = opened.header("location").unwrap().to_owned();
    for turn in [
        r#"{"response": {"actions": [{"type": "cite", "document": "d", "key": "r",
            "value": 4300000000, "quote": "revenue was $4.3 billion"}]}}"#,
        r#"{"response": {"actions": [{"type": "answer", "text": "$4.3 billion",
            "follows_from": ["r"]}]}}"#,
    ] {
        let taken = post(&client, &format!("{session}/turns?include=context"), turn).ok();
        assert_eq!(
            taken.get("rejected"),
            Some(&Value::Array(Vec::new())),
            "{taken}"
        );
    }
    let bundle = client.get(&format!("{session}/bundle"));
    service.kill();

    let scratch = Scratch::new();
    let packed = scratch.path().join("run.tar.gz");
    std::fs::write(&packed, &bundle.body).unwrap();
    let packed = packed.to_str().unwrap();
    let verified = run(&["verify", packed], &[]);
    assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
    let told = stdout(&verified);
    for check in ["manifest", "citation", "replay"] {
        assert!(told.contains(&format!("ok   {check}")), "{told}");
    }
    let json = run(&["verify", "--json", packed], &[]);
    assert!(
        stdout(&json).starts_with("{\"checks\":["),
        "{}",
        stdout(&json)
    );
    let replayed = run(&["replay", packed], &[]);
    assert_eq!(replayed.status.code(), Some(0), "{}", stderr(&replayed));

    let unpacked = scratch.path().join("unpacked");
    std::fs::create_dir(&unpacked).unwrap();
    let tar = Command::new("tar")
        .args(["-xzf", packed, "-C"])
        .arg(&unpacked)
        .status();
    assert!(tar.unwrap().success());
    let directory = unpacked.to_str().unwrap();
    assert_eq!(run(&["verify", directory], &[]).status.code(), Some(0));
    let trace = unpacked.join("trace.jsonl");
    let original = std::fs::read_to_string(&trace).unwrap();
    let edited = original.replacen("4300000000", "4400000000", 1);
    std::fs::write(&trace, edited).unwrap();
    let refused = run(&["verify", directory], &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stdout(&refused).contains("FAIL content_ids"),
        "{}",
        stdout(&refused)
    );
    let differs = run(&["replay", directory], &[]);
    assert_eq!(differs.status.code(), Some(1));
    assert!(stdout(&differs).contains("differs"), "{}", stdout(&differs));

    // The same records, other bytes.
    std::fs::write(&trace, original.replacen('\n', "\r\n", 3)).unwrap();
    let differs = run(&["replay", directory], &[]);
    assert_eq!(differs.status.code(), Some(1));
    assert!(
        stdout(&differs).starts_with("line 1 differs\n"),
        "{}",
        stdout(&differs)
    );
    let refused = run(&["verify", directory], &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stdout(&refused).contains("FAIL replay"),
        "{}",
        stdout(&refused)
    );
    // Without a document that the journal names there is nothing to compare with.
    std::fs::write(&trace, original).unwrap();
    assert_eq!(run(&["verify", directory], &[]).status.code(), Some(0));
    for entry in std::fs::read_dir(unpacked.join("evidence")).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let refused = run(&["verify", directory], &[]);
    assert!(
        stdout(&refused).contains("FAIL replay") && stdout(&refused).contains("document `d`"),
        "{}",
        stdout(&refused)
    );
}

#[test]
fn a_key_made_by_command_opens_the_service_and_a_revoked_one_does_not() {
    for (engine, database) in Database::each() {
        let url = database.url();
        let keys = |arguments: &[&str]| {
            let all = [&["keys"], arguments, &["--database-url", &url]].concat();
            run(&all, &[])
        };
        let made = keys(&["create", "--name", "ci", "--scope", "orchestrate"]);
        assert!(made.status.success(), "{engine}: {}", stderr(&made));
        let (id, token) = stdout(&made).trim().split_once('\n').unwrap();
        let service = Start::on(&url).start();
        let client = service.client();
        assert_eq!(
            client.get("/sessions").code(),
            "unauthenticated",
            "{engine}"
        );
        let holder = client
            .clone()
            .with_header("authorization", &format!("Bearer {token}"));
        assert_eq!(holder.get("/sessions").status, 200, "{engine}");
        let listed = keys(&["list"]);
        assert!(
            stdout(&listed).contains(id),
            "{engine}: {}",
            stdout(&listed)
        );
        assert!(!stdout(&listed).contains(token), "{engine}");
        assert!(keys(&["revoke", id]).status.success(), "{engine}");
        drop(service);
        let service = Start::on(&url).start();
        let holder = service
            .client()
            .with_header("authorization", &format!("Bearer {token}"));
        // No key is in force any more: anyone on this machine may call, but not as another.
        assert_eq!(holder.get("/sessions").status, 200, "{engine}");
    }
}

#[test]
fn a_token_in_a_file_becomes_a_key_once_and_allows_no_more_than_its_scope() {
    let scratch = Scratch::new();
    let file = scratch.path().join("agent");
    let path = file.to_str().unwrap();
    for (engine, database) in Database::each() {
        let url = database.url();
        let create = |scope: &str| {
            let all = ["keys", "create", "--name", "agent", "--scope", scope];
            let file = ["--token-file", path, "--database-url", &url];
            run(&[&all[..], &file].concat(), &[])
        };
        // Made into the file at first, read from it ever after.
        let made = create("propose");
        assert!(made.status.success(), "{engine}: {}", stderr(&made));
        let token = std::fs::read_to_string(&file).unwrap();
        assert!(!stdout(&made).contains(token.trim()), "{engine}");
        let again = create("propose");
        assert_eq!(stdout(&again), stdout(&made), "{engine}");
        let other = create("orchestrate");
        assert_eq!(other.status.code(), Some(1), "{engine}");
        assert!(stderr(&other).contains("other scopes"), "{engine}");
        let service = Start::on(&url).start();
        let bearer = format!("Bearer {}", token.trim());
        let agent = service.client().with_header("authorization", &bearer);
        assert_eq!(agent.get("/sessions").code(), "forbidden", "{engine}");
        let opening = post(&agent, "/sessions", r#"{"task": "t"}"#);
        assert_eq!(opening.code(), "forbidden", "{engine}");
        let id = stdout(&made).trim();
        let revoked = run(&["keys", "revoke", id, "--database-url", &url], &[]);
        assert!(revoked.status.success(), "{engine}: {}", stderr(&revoked));
        assert!(
            stderr(&create("propose")).contains("was revoked"),
            "{engine}"
        );
        std::fs::remove_file(&file).unwrap();
    }
    let nowhere = scratch.path().join("nowhere/agent");
    let all = ["keys", "create", "--name=agent", "--scope=propose"];
    let file = format!("--token-file={}", nowhere.display());
    let refused = run(&[&all[..], &[file.as_str()]].concat(), &[]);
    let said = format!("cannot write `{}`", nowhere.display());
    assert!(stderr(&refused).contains(&said), "{}", stderr(&refused));
}

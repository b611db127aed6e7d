//! The commands of the binary, and how the service starts and stops.

use std::process::{Command, Output};

use entail_tests::{Database, Scratch, Start, binary};

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

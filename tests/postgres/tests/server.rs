//! The private server itself.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Stdio};

use entail_test_postgres::{Database, Durability, Programs, Server};

fn ask(url: &str, sql: &str) -> String {
    let psql = Programs::find().unwrap().path("psql");
    let output = Command::new(psql)
        .args(["-X", "-A", "-t", "-d", url, "-c", sql])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn alive(pid: u32) -> bool {
    let kill = Command::new("kill")
        .args(["-0", &pid.to_string()])
        .stderr(Stdio::null())
        .status();
    kill.unwrap().success()
}

#[test]
fn a_server_crashes_and_comes_back_with_its_data_and_is_gone_when_dropped() {
    let mut server = Server::start(Durability::Full).unwrap();
    let database = Database::create_in(server.url()).unwrap();
    assert_eq!(ask(database.url(), "SHOW fsync"), "on");
    ask(database.url(), "CREATE TABLE kept AS SELECT 42 AS answer");
    let before = server.pid();
    server.crash_and_restart().unwrap();
    assert_ne!(server.pid(), before);
    assert_eq!(ask(database.url(), "SELECT answer FROM kept"), "42");
    let directory = ask(server.url(), "SHOW unix_socket_directories");
    drop(database);
    let pid = server.pid();
    drop(server);
    assert!(!alive(pid));
    assert!(!std::path::Path::new(&directory).exists());
}

#[test]
fn databases_are_apart_from_each_other_and_dropped() {
    let (one, two) = (Database::create().unwrap(), Database::create().unwrap());
    assert_ne!(one.url(), two.url());
    ask(one.url(), "CREATE TABLE here ()");
    assert_eq!(ask(two.url(), "SELECT to_regclass('here') IS NULL"), "t");
    let name = one.url().rsplit('/').next().unwrap().to_owned();
    drop(one);
    let count = format!("SELECT count(*) FROM pg_database WHERE datname = '{name}'");
    assert_eq!(ask(two.url(), &count), "0");
}

#[test]
fn a_database_is_dumped_to_a_file_and_restored_into_another() {
    let (one, two) = (Database::create().unwrap(), Database::create().unwrap());
    one.query("CREATE TABLE kept AS SELECT 42 AS answer, 'a' AS letter")
        .unwrap();
    let file = std::env::temp_dir().join(format!("entail-dump-{}", std::process::id()));
    one.dump(&file).unwrap();
    two.restore(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(two.query("SELECT * FROM kept").unwrap(), "42|a");
}

//! The way to Postgres, encrypted, with the server's certificate checked.
#![allow(
    clippy::unwrap_used,
    reason = "a test reports a failure by a panic, its helpers too"
)]

use std::process::{Command, Output};

use entail_test_postgres::{Database, Durability, Server};
use entail_tests::{Scratch, Start, binary};

fn migrate(database_url: &str) -> Output {
    let directory = Scratch::new();
    let mut command = Command::new(binary());
    command
        .args(["migrate", "--database-url", database_url])
        .current_dir(directory.path())
        .env_remove("DATABASE_URL");
    command.output().unwrap()
}

#[test]
fn a_servers_certificate_is_checked_where_the_address_asks_for_it() {
    let server = Server::start(Durability::ProcessOnly).unwrap();
    let database = Database::create_in(server.url()).unwrap();
    let checked = format!("{}?sslmode=verify-full", database.url());
    let refused = migrate(&checked);
    assert!(
        !refused.status.success(),
        "a server that does not encrypt is refused"
    );
    let authority = server.encrypt().unwrap();
    let refused = migrate(&checked);
    assert!(
        !refused.status.success(),
        "a certificate of an unknown authority is refused"
    );
    let trusted = format!("{checked}&sslrootcert={}", authority.display());
    let migrated = migrate(&trusted);
    let said = String::from_utf8_lossy(&migrated.stderr).into_owned();
    assert!(migrated.status.success(), "{said}");
    // The certificate is for the address, not for the name.
    let other = trusted.replace("127.0.0.1", "localhost");
    assert!(
        !migrate(&other).status.success(),
        "a certificate for another name is refused"
    );
    let service = Start::on(&trusted).start();
    assert_eq!(service.client().get("/readyz").status, 200);
    let encrypted = "SELECT count(*) > 0 AND bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity \
        USING (pid) WHERE application_name = 'entail'";
    assert_eq!(database.query(encrypted).unwrap(), "t");
    service.terminate();
}

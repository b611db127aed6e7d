//! A service on a store, with a tenant for every case.

use std::process::Command;

use entail_tests::{Client, Database, Scratch, Service, Start, binary};

/// A running service; its store outlives it.
pub(crate) struct Running {
    service: Service,
    database: Database,
}

impl Running {
    /// On an SQLite file.
    pub(crate) fn on_sqlite() -> Self {
        Self::on(Database::sqlite())
    }

    /// On a Postgres database.
    pub(crate) fn on_postgres() -> Self {
        Self::on(Database::postgres())
    }

    fn on(database: Database) -> Self {
        Self {
            service: Start::on(&database.url()).start(),
            database,
        }
    }

    /// A client of a new tenant. Sessions of one tenant learn from each other whom to trust, and a
    /// case knows of no other.
    pub(crate) fn tenant(&self, name: &str) -> Client {
        let directory = Scratch::new();
        let made = Command::new(binary())
            .args(["keys", "create", "--scope", "orchestrate"])
            .args(["--name", name, "--tenant", name])
            .args(["--database-url", &self.database.url()])
            .current_dir(directory.path())
            .env_remove("DATABASE_URL")
            .output()
            .expect("the binary starts");
        let told = String::from_utf8_lossy(&made.stdout);
        let token = told
            .lines()
            .nth(1)
            .unwrap_or_else(|| panic!("no key: {}", String::from_utf8_lossy(&made.stderr)));
        self.service
            .client()
            .with_header("authorization", &format!("Bearer {token}"))
    }
}

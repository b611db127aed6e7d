//! A database of a test's own.

use std::path::Path;
use std::process::{self, Command};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, mem};

use crate::error::Error;
use crate::programs::{Programs, run};
use crate::server::{Durability, Server};

/// An empty database, dropped with this value.
#[derive(Debug)]
pub struct Database {
    server_url: String,
    name: String,
    url: String,
}

impl Database {
    /// Makes one in the server that `DATABASE_URL` names, else in the private server of this
    /// process.
    ///
    /// # Errors
    /// [`Error`] when there is no server to be had.
    pub fn create() -> Result<Self, Error> {
        match env::var("DATABASE_URL") {
            Ok(url) if url.starts_with("postgres") => Self::create_in(&url),
            _ => Self::create_in(own_server()?),
        }
    }

    /// Makes one in the server that has this url, which must name a database its user can
    /// connect to, and a user that may make databases.
    ///
    /// # Errors
    /// [`Error::Failed`] with what `psql` said.
    pub fn create_in(server_url: &str) -> Result<Self, Error> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("entail_test_{}_{number}", process::id());
        let server_url = server_url.to_owned();
        let url = with_database(&server_url, &name);
        let database = Self {
            server_url,
            name,
            url,
        };
        // A process of the same number may have been killed before it could drop its own.
        database.drop_database()?;
        database.ask(&format!("CREATE DATABASE {}", database.name))?;
        Ok(database)
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What a query in this database prints: a line a row, its columns apart by `|`.
    ///
    /// # Errors
    /// [`Error::Failed`] with what `psql` said.
    pub fn query(&self, sql: &str) -> Result<String, Error> {
        let mut psql = Command::new(Programs::psql());
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d"]);
        run(psql.args([&self.url, "-c", sql])).map(|said| said.trim_end().to_owned())
    }

    /// Writes everything in it to a file, as `pg_dump --format=custom` does.
    ///
    /// # Errors
    /// [`Error::Failed`] with what `pg_dump` said.
    pub fn dump(&self, file: &Path) -> Result<(), Error> {
        let mut dump = Command::new(Programs::find()?.path("pg_dump"));
        dump.args(["--format=custom", "--dbname", &self.url, "--file"]);
        run(dump.arg(file)).map(|_| ())
    }

    /// Fills it, which has to be empty, with what [`dump`](Self::dump) wrote.
    ///
    /// # Errors
    /// [`Error::Failed`] with what `pg_restore` said.
    pub fn restore(&self, file: &Path) -> Result<(), Error> {
        let mut restore = Command::new(Programs::find()?.path("pg_restore"));
        restore.args(["--exit-on-error", "--no-owner", "--dbname", &self.url]);
        run(restore.arg(file)).map(|_| ())
    }

    fn ask(&self, sql: &str) -> Result<(), Error> {
        let mut psql = Command::new(Programs::psql());
        psql.args([
            "-X",
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            &self.server_url,
            "-c",
            sql,
        ]);
        run(psql.env("PGOPTIONS", "-c client_min_messages=error")).map(|_| ())
    }

    fn drop_database(&self) -> Result<(), Error> {
        self.ask(&format!(
            "DROP DATABASE IF EXISTS {} WITH (FORCE)",
            self.name
        ))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A server that is gone has taken the database with it.
        let _ = self.drop_database();
    }
}

fn own_server() -> Result<&'static str, Error> {
    static URL: OnceLock<String> = OnceLock::new();
    static STARTING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one_at_a_time = STARTING.lock();
    if let Some(url) = URL.get() {
        return Ok(url);
    }
    // What a test's process can observe of durability needs no fsync; the machine stays up.
    let server = Server::start(Durability::ProcessOnly)?;
    let url = URL.get_or_init(|| server.url().to_owned());
    // It ends with the process: the keeper sees to that.
    mem::forget(server);
    Ok(url)
}

/// The url with another database in place of its own.
fn with_database(url: &str, name: &str) -> String {
    let (address, query) = url
        .split_once('?')
        .map_or((url, ""), |(address, query)| (address, query));
    let (scheme, rest) = address.split_once("://").unwrap_or(("postgres", address));
    let host = rest.split_once('/').map_or(rest, |(host, _)| host);
    let question = if query.is_empty() { "" } else { "?" };
    format!("{scheme}://{host}/{name}{question}{query}")
}

#[cfg(test)]
mod tests {
    use super::with_database;

    #[test]
    fn only_the_database_of_a_url_is_replaced() {
        for (url, replaced) in [
            (
                "postgres://u:p@h:1/a?sslmode=require",
                "postgres://u:p@h:1/b?sslmode=require",
            ),
            ("postgresql://h/a", "postgresql://h/b"),
            ("postgres://h", "postgres://h/b"),
            ("postgres:///a?host=/tmp", "postgres:///b?host=/tmp"),
        ] {
            assert_eq!(with_database(url, "b"), replaced);
        }
    }
}

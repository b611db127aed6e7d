//! The stores a test runs on.

use entail_test_postgres as postgres;

use crate::Scratch;

/// A database of a test's own, in either engine.
#[derive(Debug)]
pub enum Database {
    /// An SQLite file.
    Sqlite(Scratch),
    /// A Postgres database.
    Postgres(postgres::Database),
}

impl Database {
    /// A new SQLite file.
    #[must_use]
    pub fn sqlite() -> Self {
        Self::Sqlite(Scratch::new())
    }

    /// A new Postgres database.
    ///
    /// # Panics
    /// When there is no Postgres to be had.
    #[must_use]
    pub fn postgres() -> Self {
        Self::Postgres(postgres::Database::create().unwrap_or_else(|error| panic!("{error}")))
    }

    /// One of each, by name.
    #[must_use]
    pub fn each() -> [(&'static str, Self); 2] {
        [("sqlite", Self::sqlite()), ("postgres", Self::postgres())]
    }

    /// Its url, as `--database-url` takes it.
    #[must_use]
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite(directory) => {
                format!("sqlite://{}", directory.path().join("entail.db").display())
            }
            Self::Postgres(database) => database.url().to_owned(),
        }
    }
}

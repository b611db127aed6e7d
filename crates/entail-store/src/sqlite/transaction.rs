//! The writing transaction.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqliteConnection, SqlitePool};

/// A transaction that holds SQLite's write lock from its start.
///
/// sqlx's own would count as open for ever once SQLite has ended it by itself, as it does when it
/// runs out of room. Here a connection whose transaction did not come to its end, be it by an
/// error or because nobody waits for it any more, is closed and another one opened.
pub(super) struct Transaction {
    connection: PoolConnection<Sqlite>,
    ended: bool,
}

impl Transaction {
    pub(super) async fn begin(pool: &SqlitePool) -> Result<Self, sqlx::Error> {
        let mut transaction = Self {
            connection: pool.acquire().await?,
            ended: false,
        };
        sqlx::query("BEGIN IMMEDIATE")
            .execute(&mut *transaction)
            .await?;
        Ok(transaction)
    }

    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        self.end("COMMIT").await
    }

    pub(super) async fn roll_back(self) -> Result<(), sqlx::Error> {
        self.end("ROLLBACK").await
    }

    async fn end(mut self, how: &'static str) -> Result<(), sqlx::Error> {
        sqlx::query(how).execute(&mut *self.connection).await?;
        self.ended = true;
        Ok(())
    }
}

impl Deref for Transaction {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.ended {
            self.connection.close_on_drop();
        }
    }
}

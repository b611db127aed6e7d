//! The embedded engine: one SQLite file, one writing connection, several reading ones.

mod address;
mod commit;
mod context;
mod ledger;
mod lists;
mod project;
mod transaction;

use std::sync::{Arc, OnceLock};

use entail_json::{Digest, sha256};
use entail_trace::journal::{Entry, Timestamp};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, SqlitePool};
use uuid::Uuid;

use crate::error::{StoreError, check_text};
use crate::group::Committer;
use crate::limits;
use crate::migrations::{all_applied, migrator};
use crate::options::Options;
use crate::rows::{self, ApiKeyRecord, EntryRecord, SessionRecord, SourceRecord, session_columns};
use crate::shared::{
    beside_operations, call_operations, key_operations, own_operations, secret_operations,
    session_operations,
};
use crate::store::Engine;
use crate::types::{
    Activity, ApiKey, Appended, CallJob, Commit, Context, Created, Creation, DueCall,
    IdempotencyKey, LedgerOutcome, Projection, Purged, Reservation, SessionFilter, SessionPage,
    SessionRow, Snapshot, SourceTotals, StoredAnswer, ToldOutcomes,
};

static MIGRATIONS: &[(&str, &str)] = &[
    (
        "journal",
        include_str!("../../../migrations/sqlite/0001_journal.sql"),
    ),
    (
        "views",
        include_str!("../../../migrations/sqlite/0002_views.sql"),
    ),
    (
        "tool_secrets",
        include_str!("../../../migrations/sqlite/0003_tool_secrets.sql"),
    ),
];

fn migrations() -> &'static Migrator {
    static MIGRATOR: OnceLock<Migrator> = OnceLock::new();
    MIGRATOR.get_or_init(|| migrator(MIGRATIONS))
}

/// Reading connections at most; each is a thread.
const READERS: u32 = 4;

/// A store in one SQLite file.
#[derive(Clone, Debug)]
pub(crate) struct Sqlite {
    writer: SqlitePool,
    reader: SqlitePool,
    committer: Arc<Committer<commit::SqliteSink>>,
    contexts: Arc<Committer<context::ContextSink>>,
}

impl Sqlite {
    pub(crate) async fn open(options: &Options) -> Result<Self, StoreError> {
        let connect = address::parse(&options.url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(false)
            .busy_timeout(options.acquire_timeout);
        let pool = || {
            SqlitePoolOptions::new()
                .acquire_timeout(options.acquire_timeout)
                .idle_timeout(None)
                .max_lifetime(None)
                .test_before_acquire(false)
        };
        // One connection, so that writers of this process queue here and not in SQLite's lock,
        // where a waiter polls.
        let writer = pool()
            .max_connections(1)
            .connect_with(connect.clone())
            .await?;
        let readers = options.connections.clamp(1, READERS);
        let reader = pool()
            .min_connections(0)
            .max_connections(readers)
            .connect_lazy_with(connect.read_only(true).create_if_missing(false));
        let sink = commit::SqliteSink {
            pool: writer.clone(),
        };
        let contexts = context::ContextSink {
            pool: writer.clone(),
        };
        let writers = u32::from(options.batching);
        Ok(Self {
            writer,
            reader,
            committer: Arc::new(Committer::new(sink, writers)),
            contexts: Arc::new(Committer::new(contexts, writers)),
        })
    }

    pub(crate) fn activity(&self) -> Activity {
        let (statements, commits) = self.committer.sent();
        let activity = Activity {
            statements,
            commits,
            ..Activity::default()
        };
        let pools = [&self.writer, &self.reader];
        pools.into_iter().fold(activity, |activity, pool| {
            let most = pool.options().get_max_connections();
            activity.with_pool(pool.size(), pool.num_idle(), most)
        })
    }

    const fn reader(&self) -> &SqlitePool {
        &self.reader
    }

    const fn writer(&self) -> &SqlitePool {
        &self.writer
    }
}

impl Engine for Sqlite {
    own_operations!();
    session_operations!();
    beside_operations!();
    secret_operations!();
    key_operations!();
    call_operations!("");

    async fn migrate(&self) -> Result<(), StoreError> {
        // A newer build may have gone on from here: its migrations are left as they are.
        if self.migrations_current().await? {
            return Ok(());
        }
        // One transaction holds the write lock over all of it, so that processes that start
        // together take turns. The migrator nests its own, which sqlx has to know of.
        let mut connection = self.writer.acquire().await?;
        let migrated = async {
            let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
            migrations()
                .run_direct(None, &mut *transaction, false)
                .await?;
            Ok(transaction.commit().await?)
        };
        let migrated: Result<(), MigrateError> = migrated.await;
        if migrated.is_err() {
            connection.close_on_drop();
        }
        Ok(migrated?)
    }

    async fn migrations_current(&self) -> Result<bool, StoreError> {
        const THERE: &str = "SELECT count(*) FROM sqlite_master WHERE name = '_sqlx_migrations'";
        const APPLIED: &str = "SELECT version, checksum, success FROM _sqlx_migrations";
        let there: i64 = sqlx::query_scalar(THERE).fetch_one(&self.writer).await?;
        if there == 0 {
            return Ok(false);
        }
        let applied: Vec<(i64, Vec<u8>, bool)> =
            sqlx::query_as(APPLIED).fetch_all(&self.writer).await?;
        Ok(all_applied(migrations(), &applied))
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.committer.close().await;
        self.contexts.close().await;
        self.reader.close().await;
        self.writer.close().await;
        Ok(())
    }
}

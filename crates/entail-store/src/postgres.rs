//! The production engine: Postgres, or one that speaks its protocol.

mod commit;
mod context;
mod ledger;
mod lists;
mod project;

use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use entail_json::{Digest, sha256};
use entail_trace::journal::{Entry, Timestamp};
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, Executor, PgPool};
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
        include_str!("../../../migrations/postgres/0001_journal.sql"),
    ),
    (
        "views",
        include_str!("../../../migrations/postgres/0002_views.sql"),
    ),
    (
        "tool_secrets",
        include_str!("../../../migrations/postgres/0003_tool_secrets.sql"),
    ),
];

fn migrations() -> &'static Migrator {
    static MIGRATOR: OnceLock<Migrator> = OnceLock::new();
    MIGRATOR.get_or_init(|| migrator(MIGRATIONS))
}

/// A connection idle for longer is asked for a sign of life before it is used again.
const IDLE_UNTESTED: Duration = Duration::from_secs(1);

/// A store in a Postgres database.
#[derive(Clone, Debug)]
pub(crate) struct Postgres {
    pool: PgPool,
    writers: PgPool,
    /// Whether the writers' pool is one of its own.
    batching: bool,
    committer: Arc<Committer<commit::PostgresSink>>,
    contexts: Arc<Committer<context::ContextSink>>,
}

impl Postgres {
    pub(crate) async fn open(options: &Options) -> Result<Self, StoreError> {
        let connect = PgConnectOptions::from_str(&options.url)?.application_name("entail");
        let pool = pool_options(options)
            .max_connections(options.connections.max(1))
            .connect_with(connect.clone())
            .await?;
        let writers = if options.batching {
            options.writers.max(1)
        } else {
            0
        };
        let writer_pool = match writers {
            0 => pool.clone(),
            writers => pool_options(options)
                .max_connections(writers)
                .connect_lazy_with(connect),
        };
        let sink = commit::PostgresSink {
            pool: writer_pool.clone(),
            waits: writers == 0,
        };
        let contexts = context::ContextSink { pool: pool.clone() };
        Ok(Self {
            pool,
            writers: writer_pool,
            batching: writers > 0,
            committer: Arc::new(Committer::new(sink, writers)),
            contexts: Arc::new(Committer::new(contexts, writers.min(1))),
        })
    }

    pub(crate) fn activity(&self) -> Activity {
        let (statements, commits) = self.committer.sent();
        let activity = Activity {
            statements,
            commits,
            ..Activity::default()
        };
        let add = |activity: Activity, pool: &PgPool| {
            let most = pool.options().get_max_connections();
            activity.with_pool(pool.size(), pool.num_idle(), most)
        };
        let activity = add(activity, &self.pool);
        if self.batching {
            add(activity, &self.writers)
        } else {
            activity
        }
    }

    const fn reader(&self) -> &PgPool {
        &self.pool
    }

    const fn writer(&self) -> &PgPool {
        &self.pool
    }
}

fn pool_options(options: &Options) -> PgPoolOptions {
    // Settings come by statement, since a pooler between may refuse them at connecting. A database
    // told to acknowledge before it is durable would break what the service promises; any
    // stronger setting (`remote_apply`) stays.
    const SETTINGS: &str = "SELECT set_config('statement_timeout', $1, false), \
        CASE WHEN current_setting('synchronous_commit') = 'off' \
        THEN set_config('synchronous_commit', 'on', false) END";
    let millis = options.statement_timeout.as_millis().to_string();
    PgPoolOptions::new()
        .acquire_timeout(options.acquire_timeout)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > IDLE_UNTESTED {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .after_connect(move |connection, _| {
            let settings = sqlx::query(SETTINGS).bind(millis.clone()).persistent(false);
            Box::pin(async move { settings.execute(connection).await.map(|_| ()) })
        })
}

impl Engine for Postgres {
    own_operations!();
    session_operations!();
    beside_operations!();
    secret_operations!();
    key_operations!();
    call_operations!(" FOR UPDATE SKIP LOCKED");

    async fn migrate(&self) -> Result<(), StoreError> {
        // A newer build may have gone on from here: its migrations are left as they are.
        if self.migrations_current().await? {
            return Ok(());
        }
        // The migrator's lock is the connection's: it goes when the connection is closed, also
        // when a migration fails.
        let mut connection = self.pool.acquire().await?.detach();
        let migrated = async {
            connection.execute("SET statement_timeout = 0").await?;
            migrations().run_direct(None, &mut connection, false).await
        };
        let migrated = migrated.await;
        let closed = connection.close().await;
        migrated?;
        Ok(closed?)
    }

    async fn migrations_current(&self) -> Result<bool, StoreError> {
        const THERE: &str = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
        const APPLIED: &str = "SELECT version, checksum, success FROM _sqlx_migrations";
        let there: bool = sqlx::query_scalar(THERE).fetch_one(&self.pool).await?;
        if !there {
            return Ok(false);
        }
        let applied: Vec<(i64, Vec<u8>, bool)> =
            sqlx::query_as(APPLIED).fetch_all(&self.pool).await?;
        Ok(all_applied(migrations(), &applied))
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.committer.close().await;
        self.contexts.close().await;
        self.writers.close().await;
        self.pool.close().await;
        Ok(())
    }
}

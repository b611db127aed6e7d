//! The store's operations, said once: the trait both engines implement and the [`Store`] that
//! hands each call to the one in use.

use std::future::Future;

use entail_json::Digest;
use entail_trace::journal::{Entry, Timestamp};
use uuid::Uuid;

use crate::error::StoreError;
use crate::options::Options;
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::types::{
    Activity, ApiKey, Appended, CallJob, Commit, Context, Created, Creation, DueCall,
    IdempotencyKey, LedgerOutcome, Projection, Purged, Reservation, SessionFilter, SessionPage,
    SessionRow, Snapshot, SourceTotals, StoredAnswer, ToldOutcomes,
};

/// The journal and all that lies beside it, in SQLite or Postgres.
///
/// Cheap to clone; clones share their connections. Operations take the time as an argument; the
/// store reads no clock.
#[derive(Clone, Debug)]
pub struct Store(Engines);

#[derive(Clone, Debug)]
enum Engines {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Store {
    /// Opens the database that `options` names, without touching its schema: see
    /// [`migrate`](Self::migrate). An SQLite file that does not exist is made.
    ///
    /// # Errors
    /// [`StoreError::Configuration`] for a url of another kind or form,
    /// [`StoreError::Unavailable`] when the database cannot be reached.
    pub async fn open(options: &Options) -> Result<Self, StoreError> {
        match options.url.split_once(':') {
            Some(("sqlite", _)) => Ok(Self(Engines::Sqlite(Sqlite::open(options).await?))),
            Some(("postgres" | "postgresql", _)) => {
                Ok(Self(Engines::Postgres(Postgres::open(options).await?)))
            }
            _ => Err(StoreError::Configuration { source: None }),
        }
    }

    /// What the store is doing, without asking the database.
    #[must_use]
    pub fn activity(&self) -> Activity {
        match &self.0 {
            Engines::Sqlite(engine) => engine.activity(),
            Engines::Postgres(engine) => engine.activity(),
        }
    }

    /// `sqlite` or `postgres`.
    #[must_use]
    pub const fn engine(&self) -> &'static str {
        match self.0 {
            Engines::Sqlite(_) => "sqlite",
            Engines::Postgres(_) => "postgres",
        }
    }
}

/// Writes the trait, and the methods of [`Store`] that dispatch to it, from one list.
macro_rules! operations {
    ($( $(#[$doc:meta])* fn $name:ident(&self $(, $arg:ident: $ty:ty)*) -> $ret:ty; )*) => {
        /// What an engine does; each operation is described at [`Store`].
        pub(crate) trait Engine {
            $( fn $name(&self $(, $arg: $ty)*)
                -> impl Future<Output = Result<$ret, StoreError>> + Send; )*
        }

        impl Store {
            $( $(#[$doc])*
            ///
            /// # Errors
            /// [`StoreError`]; nothing is half done.
            pub async fn $name(&self $(, $arg: $ty)*) -> Result<$ret, StoreError> {
                match &self.0 {
                    Engines::Sqlite(engine) => engine.$name($($arg),*).await,
                    Engines::Postgres(engine) => engine.$name($($arg),*).await,
                }
            } )*
        }
    };
}

operations! {
    /// Brings the schema up to date. Replicas that start together take turns.
    fn migrate(&self) -> ();

    /// Whether the schema is the one this build was made for.
    fn migrations_current(&self) -> bool;

    /// Writes a row durably, so that the write path is known to work.
    fn probe(&self, now: Timestamp) -> ();

    /// Finishes the commits under way and closes all connections.
    fn close(&self) -> ();

    /// Reserves a session's id under a tenant's idempotency key, or finds what the key already
    /// stands for. A retry after a crash so comes to the same id, and finishes that session.
    fn reserve_session(
        &self, tenant: &str, key: &IdempotencyKey, proposed: Uuid, now: Timestamp
    ) -> Reservation;

    /// Opens a session: its row and its first entry, one commit.
    fn create(&self, creation: Creation) -> Created;

    /// Appends an entry if the session is at the version before it.
    ///
    /// The same commit sent again is found to be `Done`, so after
    /// [`StoreError::Unavailable`], which leaves open what became of it, sending it again tells.
    /// When this is cancelled, the commit may still be made.
    fn append(&self, commit: Commit) -> Appended;

    /// One session of a tenant.
    fn session(&self, tenant: &str, id: Uuid) -> Option<SessionRow>;

    /// A page of a tenant's sessions, the newest first, after the one given. At most 1,000.
    fn sessions(
        &self, tenant: &str, filter: &SessionFilter, after: Option<Uuid>, limit: u32
    ) -> SessionPage;

    /// The versions of those of the sessions that exist, in no order.
    fn versions(&self, ids: &[Uuid]) -> Vec<(Uuid, u64)>;

    /// Deletes a session and everything of its own; whether there was one. What it taught the
    /// tenant's trust ledger stays, and contents it named go with the next purge.
    fn delete_session(&self, tenant: &str, id: Uuid) -> bool;

    /// Like [`delete_session`](Store::delete_session), if the session is at that version; whether
    /// it was.
    fn delete_session_at(&self, tenant: &str, id: Uuid, version: u64) -> bool;

    /// Open sessions whose time has come, the longest expired first: tenant and id. They are to
    /// be closed by a commit each.
    fn expired_sessions(&self, now: Timestamp, limit: u32) -> Vec<(String, Uuid)>;

    /// Closed sessions that expired before a time, the longest expired first: tenant and id.
    /// They are to be deleted, if that is the retention wanted.
    fn retired_sessions(&self, before: Timestamp, limit: u32) -> Vec<(String, Uuid)>;

    /// Journal entries as they are stored, their chain not checked: those after `after`, of one
    /// kind if given, in order, at most `limit`. See [`Store::journal`] for a checked reading.
    fn entries(
        &self, session_id: Uuid, after: u64, kind: Option<&str>, limit: u32
    ) -> Vec<Entry>;

    /// Writes a content, durably, before the commit that names it. Writing it again only
    /// renews its time.
    fn put_document(&self, tenant: &str, content: &[u8], now: Timestamp) -> Digest;

    /// A content by its hash, which is checked.
    fn document(&self, tenant: &str, sha256: &Digest) -> Option<Vec<u8>>;

    /// Writes the value of a tool's header, durably, before the commit that names it: under the
    /// id proposed, or under the one that the same value has in this session already, which
    /// renews its time.
    fn put_secret(
        &self, session_id: Uuid, proposed: Uuid, value: &str, now: Timestamp
    ) -> Uuid;

    /// The value of a tool's header by the id that the session's journal names.
    fn secret(&self, session_id: Uuid, id: Uuid) -> Option<String>;

    /// Keeps what a context showed, durably, if the session is at the context's version: `Done`,
    /// `Conflict` or `Gone`. Like commits, contexts that wait together go out in one statement.
    fn put_context(&self, context: Context) -> Appended;

    /// A context that has not expired at `now`.
    fn context(&self, session_id: Uuid, id: Uuid, now: Timestamp) -> Option<Context>;

    /// The context handed out last that has not expired at `now`: the one with the greatest id,
    /// since ids are in order of time. One that is scoped to a key (`"scope":"KEY"}` ends its
    /// refs) does not count.
    fn latest_context(&self, session_id: Uuid, now: Timestamp) -> Option<Context>;

    /// Keeps a snapshot, in the place of the one before, unless a later one is there. It may be
    /// lost without harm.
    fn put_snapshot(&self, snapshot: &Snapshot) -> ();

    /// The latest snapshot of a session, as it is stored: it is not checked.
    fn snapshot(&self, session_id: Uuid) -> Option<Snapshot>;

    /// Removes the snapshot that was taken after that entry, since it proved to be of no use;
    /// whether it was still there.
    fn delete_snapshot(&self, session_id: Uuid, seq: u64) -> bool;

    /// What was answered in this session under a key.
    fn answer(&self, session_id: Uuid, key: &IdempotencyKey) -> Option<StoredAnswer>;

    /// What was answered to this tenant under a key.
    fn tenant_answer(&self, tenant: &str, key: &IdempotencyKey) -> Option<StoredAnswer>;

    /// Leases the attempts that are due, the longest due first: each is given to one replica,
    /// which has until `until` to report or to [`retry_call`](Self::retry_call); after that the
    /// call is due again under the next attempt number.
    fn lease_calls(&self, now: Timestamp, until: Timestamp, limit: u32) -> Vec<DueCall>;

    /// Makes a call due again at a time, if `attempt` is still its latest; whether it was.
    fn retry_call(&self, session_id: Uuid, job: &CallJob, attempt: u32) -> bool;

    /// Folds what sessions have learned since into their tenants' trust ledgers, each outcome
    /// exactly once; how many were folded, at most `limit` and 0 when there is nothing left.
    fn fold_outcomes(&self, limit: u32) -> u32;

    /// Folds outcomes told from outside into a tenant's ledger, exactly once.
    ///
    /// `Done` or `KeyPresent`; there is no version to conflict with.
    fn tell_outcomes(&self, told: &ToldOutcomes) -> Appended;

    /// A tenant's ledger, in order of the sources' names, after the one given.
    fn sources(&self, tenant: &str, after: Option<&str>, limit: u32) -> Vec<SourceTotals>;

    /// What the ledger holds on one source.
    fn source(&self, tenant: &str, source: &str) -> Option<SourceTotals>;

    /// A source's outcomes, the newest first.
    fn source_outcomes(&self, tenant: &str, source: &str, limit: u32) -> Vec<LedgerOutcome>;

    /// Keeps an API key; whether the id was new.
    fn put_api_key(&self, key: &ApiKey) -> bool;

    /// An API key by its public id, revoked or not.
    fn api_key(&self, id: Uuid) -> Option<ApiKey>;

    /// All API keys, of one tenant if given, in order of making.
    fn api_keys(&self, tenant: Option<&str>) -> Vec<ApiKey>;

    /// Revokes an API key for good; whether it was in force.
    fn revoke_api_key(&self, tenant: &str, id: Uuid, now: Timestamp) -> bool;

    /// Adds to the views for dashboards what a session's journal brought since, if they stand at
    /// the version it starts from; whether they did.
    fn project(&self, projection: &Projection) -> bool;

    /// The version that the views for dashboards stand at for a session; 0 where it is not in them.
    fn projected(&self, session_id: Uuid) -> u64;

    /// Sessions whose views lag behind their journal, in order of id after the one given: tenant,
    /// id, and the version the views stand at.
    fn unprojected(&self, after: Option<Uuid>, limit: u32) -> Vec<(String, Uuid, u64)>;

    /// Removes at most `limit` of each: contexts past their time, idempotency keys past 24
    /// hours, contents that no session names and nobody wrote for an hour, and likewise the
    /// values of tools' headers whose session was not opened.
    fn purge(&self, now: Timestamp, limit: u32) -> Purged;
}

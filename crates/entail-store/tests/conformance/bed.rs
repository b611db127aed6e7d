//! What a case stands on: a fresh, migrated store, and sessions to fill it with.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use entail_json::{Digest, Value, read_str};
use entail_store::{
    Appended, Commit, Created, Creation, IdempotencyKey, KeyedAnswer, Options, RowUpdate,
    SessionRow, Store,
};
use entail_test_postgres::Database;
use entail_trace::journal::{Draft, Entry, Timestamp};
use uuid::Uuid;

/// Whose sessions they are, unless a case says otherwise.
pub(crate) const TENANT: &str = "acme";

/// An engine and whether its commits go out in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    SqliteAlone,
    Postgres,
    PostgresAlone,
}

/// One of each engine.
pub(crate) const ENGINES: &[Kind] = &[Kind::Sqlite, Kind::Postgres];
/// Both engines, with and without group commit.
pub(crate) const WAYS: &[Kind] = &[
    Kind::Sqlite,
    Kind::SqliteAlone,
    Kind::Postgres,
    Kind::PostgresAlone,
];

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::SqliteAlone => "sqlite_alone",
            Self::Postgres => "postgres",
            Self::PostgresAlone => "postgres_alone",
        }
    }

    pub(crate) const fn is_sqlite(self) -> bool {
        matches!(self, Self::Sqlite | Self::SqliteAlone)
    }

    pub(crate) fn options(self, url: &str) -> Options {
        let mut options = Options::new(url);
        options.connections = 8;
        options.batching = matches!(self, Self::Sqlite | Self::Postgres);
        options
    }
}

/// Where the store's data is; gone when dropped.
enum Place {
    Directory(PathBuf),
    Database(Database),
}

impl Place {
    fn url(&self) -> String {
        match self {
            Self::Directory(path) => format!("sqlite://{}", path.join("entail.db").display()),
            Self::Database(database) => database.url().to_owned(),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Self::Directory(path) = self {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

/// A store of a case's own.
pub(crate) struct Bed {
    pub(crate) store: Store,
    pub(crate) kind: Kind,
    place: Place,
}

impl Bed {
    pub(crate) async fn new(kind: Kind) -> Self {
        let bed = Self::unmigrated(kind).await;
        bed.store.migrate().await.unwrap();
        bed
    }

    pub(crate) async fn unmigrated(kind: Kind) -> Self {
        let place = if kind.is_sqlite() {
            let name = format!("entail-store-{}-{}", std::process::id(), number());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir(&path).unwrap();
            Place::Directory(path)
        } else {
            Place::Database(Database::create().unwrap())
        };
        let store = Store::open(&kind.options(&place.url())).await.unwrap();
        Self { store, kind, place }
    }

    pub(crate) fn url(&self) -> String {
        self.place.url()
    }

    /// Another store on the same data, as another process would have it.
    pub(crate) async fn replica(&self) -> Store {
        Store::open(&self.kind.options(&self.url())).await.unwrap()
    }

    /// Runs SQL behind the store's back; how many rows it touched.
    pub(crate) async fn meddle(&self, sql: &str) -> u64 {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        if self.kind.is_sqlite() {
            let pool = sqlx::SqlitePool::connect(&self.url()).await.unwrap();
            let done = sqlx::query(sql)
                .execute(&pool)
                .await
                .unwrap()
                .rows_affected();
            pool.close().await;
            done
        } else {
            let pool = sqlx::PgPool::connect(&self.url()).await.unwrap();
            let done = sqlx::query(sql)
                .execute(&pool)
                .await
                .unwrap()
                .rows_affected();
            pool.close().await;
            done
        }
    }

    /// Asks for a number behind the store's back.
    pub(crate) async fn ask(&self, sql: &str) -> i64 {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        if self.kind.is_sqlite() {
            let pool = sqlx::SqlitePool::connect(&self.url()).await.unwrap();
            let number = sqlx::query_scalar(sql).fetch_one(&pool).await.unwrap();
            pool.close().await;
            number
        } else {
            let pool = sqlx::PgPool::connect(&self.url()).await.unwrap();
            let number = sqlx::query_scalar(sql).fetch_one(&pool).await.unwrap();
            pool.close().await;
            number
        }
    }

    /// An id as the engine's SQL writes it.
    pub(crate) fn literal(&self, id: Uuid) -> String {
        if self.kind.is_sqlite() {
            format!("x'{}'", id.simple())
        } else {
            format!("'{id}'")
        }
    }

    /// A session with one entry.
    pub(crate) async fn open_session(&self) -> Line {
        self.session_of(TENANT).await
    }

    pub(crate) async fn session_of(&self, tenant: &str) -> Line {
        let mut line = Line::new();
        let creation = line.creation(tenant);
        assert_eq!(self.store.create(creation).await.unwrap(), Created::Done);
        line.step();
        line
    }

    /// A session with so many entries.
    pub(crate) async fn session_with(&self, entries: u64) -> Line {
        let mut line = self.open_session().await;
        for _ in 1..entries {
            self.append(&mut line).await;
        }
        line
    }

    /// Appends one entry that must go in.
    pub(crate) async fn append(&self, line: &mut Line) {
        self.append_to(&self.store, line).await;
    }

    pub(crate) async fn append_to(&self, store: &Store, line: &mut Line) {
        let commit = line.commit();
        assert_eq!(store.append(commit).await.unwrap(), Appended::Done);
        line.step();
    }

    pub(crate) async fn row(&self, id: Uuid) -> SessionRow {
        self.store.session(TENANT, id).await.unwrap().unwrap()
    }

    /// The whole journal, checked.
    pub(crate) async fn journal(&self, id: Uuid) -> Vec<Entry> {
        journal(&self.store, id).await
    }
}

pub(crate) async fn journal(store: &Store, id: Uuid) -> Vec<Entry> {
    let row = store.session(TENANT, id).await.unwrap().unwrap();
    store.journal(&row).read_all().await.unwrap()
}

/// Where a session stands, as a writer that follows it knows.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) id: Uuid,
    pub(crate) seq: u64,
    pub(crate) head: Digest,
    pub(crate) last: Option<Entry>,
}

impl Line {
    /// A session not yet opened; ids count up, as those of UUIDv7 do.
    pub(crate) fn new() -> Self {
        let id = Uuid::from_u64_pair(0x0190_a6f0_0000_7000, 1 << 63 | number());
        Self::of(id)
    }

    pub(crate) const fn of(id: Uuid) -> Self {
        Self {
            id,
            seq: 0,
            head: Digest::ZERO,
            last: None,
        }
    }

    /// Where a session stands by its row.
    pub(crate) const fn at(row: &SessionRow) -> Self {
        Self {
            id: row.id,
            seq: row.version,
            head: row.chain_head,
            last: None,
        }
    }

    pub(crate) fn creation(&mut self, tenant: &str) -> Creation {
        Creation {
            tenant: tenant.to_owned(),
            commit: self.commit(),
            key: None,
        }
    }

    /// The next commit.
    pub(crate) fn commit(&mut self) -> Commit {
        let payload = format!(r#"{{"said":"entry {}"}}"#, self.seq + 1);
        self.saying(&payload)
    }

    /// The next commit, with this payload.
    pub(crate) fn saying(&mut self, payload: &str) -> Commit {
        let payload = read_str(payload).unwrap();
        let draft = Draft {
            session_id: &self.id.to_string(),
            seq: self.seq + 1,
            kind: if self.seq == 0 { "create" } else { "turn" },
            payload: &payload,
            events: &Value::Array(vec![payload.clone()]),
            created_at: at(self.seq + 1),
        };
        let entry = Entry::seal(&self.head, &draft);
        self.last = Some(entry.clone());
        Commit::new(self.id, entry, RowUpdate::default())
    }

    /// Takes the last commit made as written.
    pub(crate) fn step(&mut self) {
        let entry = self.last.take().unwrap();
        self.seq = entry.seq;
        self.head = entry.hash;
    }
}

/// So many seconds into the test.
pub(crate) fn at(seconds: u64) -> Timestamp {
    let seconds = i64::try_from(seconds).unwrap();
    Timestamp::from_micros(1_767_225_600_000_000 + seconds * 1_000_000).unwrap()
}

pub(crate) fn key(scope: &str, key: &str) -> IdempotencyKey {
    IdempotencyKey {
        scope: scope.into(),
        key: key.into(),
        body: entail_json::sha256(b"body"),
    }
}

pub(crate) fn keyed(scope: &str, name: &str, answer: &str) -> Option<KeyedAnswer> {
    Some(KeyedAnswer {
        key: key(scope, name),
        answer: answer.into(),
    })
}

/// Another number each time.
pub(crate) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

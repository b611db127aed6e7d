//! Commits in Postgres: one statement for all that wait.

use std::collections::{HashMap, HashSet};

use entail_json::Digest;
use entail_trace::journal::{Broken, Fault, Timestamp};
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{PgPool, Postgres};
use uuid::Uuid;

use crate::error::{StoreError, may_repeat};
use crate::group::Sink;
use crate::limits;
use crate::rows;
use crate::types::{Appended, Commit, Created, Creation, labels_to_json};

/// What a commit writes beside session and journal, for the sessions in the query `ready`.
macro_rules! beside {
    () => {
        ", named AS (
            INSERT INTO session_documents (session_id, sha256, tenant)
            SELECT DISTINCT r.session_id, n.sha256, r.tenant
            FROM unnest($27::uuid[], $28::bytea[]) AS n (session_id, sha256)
            JOIN ready r USING (session_id)
            ON CONFLICT DO NOTHING),
        learned AS (
            INSERT INTO outcome_queue (session_id, seq, idx, tenant, source, correct, at_us)
            SELECT r.session_id, r.seq, l.idx, r.tenant, l.source, l.correct, r.at_us
            FROM unnest($29::uuid[], $30::int[], $31::text[], $32::bool[])
                AS l (session_id, idx, source, correct)
            JOIN ready r USING (session_id)),
        done AS (
            DELETE FROM calls c
            USING unnest($33::uuid[], $34::text[]) AS d (session_id, call_id), ready r
            WHERE r.session_id = d.session_id
            AND c.session_id = d.session_id AND c.call_id = d.call_id),
        due AS (
            INSERT INTO calls (session_id, call_id, tenant, due_us, attempt)
            SELECT r.session_id, d.call_id, r.tenant, d.due_us, 0
            FROM unnest($35::uuid[], $36::text[], $37::bigint[])
                AS d (session_id, call_id, due_us)
            JOIN ready r USING (session_id)
            ON CONFLICT (session_id, call_id) DO UPDATE SET due_us = excluded.due_us)"
    };
}

/// The commits as they come: one row each, of 26 arrays.
macro_rules! given {
    () => {
        "given AS (
            SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::text[],
                $6::text[], $7::bytea[], $8::bytea[], $9::text[], $10::bigint[], $11::text[],
                $12::text[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[],
                $17::bigint[], $18::bigint[], $19::text[], $20::text[], $21::bool[],
                $22::bigint[], $23::bytea[], $24::bytea[], $25::text[], $26::uuid[])
            AS g (session_id, seq, v, kind, payload, events, prev_hash, hash, created_at, at_us,
                state, answer, beliefs, believed, turns, rejections, open_calls, conflicts,
                labels, summary, expires, expires_us, key, key_body, key_answer, latest_context))"
    };
}

/// One commit a session, of many sessions: rows locked in id order; then keys inserted, sessions
/// updated, journal rows inserted, each only for those that passed the step before.
///
/// A row that another transaction changed since the statement began is locked, compared and
/// updated at its newest version (read committed); once it is locked, its update cannot miss.
macro_rules! append {
    ($lock:literal, $beside:expr) => {
        concat!(
            "WITH ",
            given!(),
            ", held AS (
                SELECT session_id, tenant, version, chain_head FROM sessions
                WHERE session_id = ANY ($1) ORDER BY session_id FOR UPDATE",
            $lock,
            "),
            passed AS (
                SELECT g.*, h.tenant FROM given g JOIN held h USING (session_id)
                WHERE h.version = g.seq - 1 AND h.chain_head = g.prev_hash
                AND (g.latest_context IS NULL OR NOT EXISTS (
                    SELECT 1 FROM contexts c WHERE c.session_id = g.session_id
                    AND c.context_id > g.latest_context AND c.expires_us > g.at_us
                    AND c.refs NOT LIKE '%\"}'))),
            keyed AS (
                INSERT INTO session_keys (session_id, key, body, answer, created_us)
                SELECT session_id, key, key_body, key_answer, at_us FROM passed
                WHERE key IS NOT NULL
                ON CONFLICT (session_id, key) DO NOTHING RETURNING session_id),
            ready AS (
                SELECT * FROM passed
                WHERE key IS NULL OR session_id IN (SELECT session_id FROM keyed)),
            updated AS (
                UPDATE sessions s SET version = r.seq, chain_head = r.hash, active_us = r.at_us,
                    state = r.state, answer = r.answer, beliefs = r.beliefs,
                    believed = r.believed, turns = r.turns, rejections = r.rejections,
                    open_calls = r.open_calls, conflicts = r.conflicts,
                    labels = coalesce(r.labels::jsonb, s.labels),
                    summary = coalesce(r.summary, s.summary),
                    expires_us = CASE WHEN r.expires THEN r.expires_us ELSE s.expires_us END
                FROM ready r WHERE s.session_id = r.session_id),
            written AS (
                INSERT INTO journal (session_id, seq, v, kind, payload, events, prev_hash, hash,
                    created_at)
                SELECT session_id, seq, v, kind, payload, events, prev_hash, hash, created_at
                FROM ready RETURNING session_id)",
            $beside,
            " SELECT h.session_id, h.version, h.chain_head, p.session_id IS NOT NULL,
                w.session_id IS NOT NULL
            FROM held h LEFT JOIN passed p USING (session_id)
            LEFT JOIN written w USING (session_id)"
        )
    };
}

/// By whether it waits for locked sessions, then by whether a commit writes beside the journal.
const APPEND: [[&str; 2]; 2] = [
    [
        append!(" SKIP LOCKED", ""),
        append!(" SKIP LOCKED", beside!()),
    ],
    [append!("", ""), append!("", beside!())],
];

const CREATE: &str = concat!(
    "WITH ",
    given!(),
    ", keyed AS (
        INSERT INTO tenant_keys (tenant, key, body, session_id, answer, created_us)
        SELECT $38, key, key_body, session_id, key_answer, at_us FROM given
        WHERE key IS NOT NULL
        ON CONFLICT (tenant, key) DO UPDATE SET answer = excluded.answer
        WHERE tenant_keys.session_id = excluded.session_id AND tenant_keys.answer IS NULL
        RETURNING session_id),
    opened AS (
        INSERT INTO sessions (session_id, tenant, state, version, chain_head, answer, beliefs,
            believed, turns, rejections, open_calls, conflicts, labels, summary, created_us,
            active_us, expires_us)
        SELECT session_id, $38, state, seq, hash, answer, beliefs, believed, turns, rejections,
            open_calls, conflicts, coalesce(labels, '{}')::jsonb, coalesce(summary, '{}'), at_us,
            at_us, expires_us
        FROM given WHERE key IS NULL OR session_id IN (SELECT session_id FROM keyed)
        ON CONFLICT (session_id) DO NOTHING RETURNING session_id, tenant),
    ready AS (SELECT g.*, o.tenant FROM given g JOIN opened o USING (session_id)),
    written AS (
        INSERT INTO journal (session_id, seq, v, kind, payload, events, prev_hash, hash,
            created_at)
        SELECT session_id, seq, v, kind, payload, events, prev_hash, hash, created_at
        FROM ready)",
    beside!(),
    " SELECT count(*) FROM opened"
);

/// Writes batches, each over one connection.
#[derive(Clone, Debug)]
pub(super) struct PostgresSink {
    pub(super) pool: PgPool,
    /// Whether to wait for a session locked elsewhere rather than pass it over: right for one
    /// session at a time, a source of deadlocks for many.
    pub(super) waits: bool,
}

/// What the statement answers for each session it locked: its id, the version and head found,
/// whether the commit passed but for its key, and whether it was written.
type Found = (Uuid, i64, Vec<u8>, bool, bool);

impl PostgresSink {
    /// Those of the sessions that exist, locked or not.
    async fn existing(&self, ids: &[Uuid]) -> Result<HashSet<Uuid>, StoreError> {
        const SQL: &str = "SELECT session_id FROM sessions WHERE session_id = ANY ($1)";
        let found = sqlx::query_scalar(SQL)
            .bind(ids)
            .fetch_all(&self.pool)
            .await?;
        Ok(found.into_iter().collect())
    }
}

impl Sink for PostgresSink {
    type Item = Commit;

    async fn write(&self, batch: &[&Commit]) -> Result<Vec<Option<Appended>>, StoreError> {
        let beside = batch.iter().any(|commit| commit.writes_beside());
        let [plain, full] = if self.waits { APPEND[1] } else { APPEND[0] };
        let sql = if beside { full } else { plain };
        let mut attempt = 1;
        let found: Vec<Found> = loop {
            let mut query = bind_given(sqlx::query(sql), batch);
            if beside {
                query = bind_beside(query, batch);
            }
            match query.try_map(found).fetch_all(&self.pool).await {
                Err(error) if may_repeat(&error) && attempt < limits::STATEMENT_ATTEMPTS => {
                    attempt += 1;
                }
                found => break found?,
            }
        };
        let mut found: HashMap<Uuid, Found> =
            found.into_iter().map(|found| (found.0, found)).collect();
        let ids = batch.iter().map(|commit| commit.session_id);
        let missing: Vec<Uuid> = ids.filter(|id| !found.contains_key(id)).collect();
        let locked = match missing[..] {
            [] => HashSet::new(),
            _ => self.existing(&missing).await?,
        };
        let settle = |commit: &&Commit| match found.remove(&commit.session_id) {
            Some(found) => judge(commit, &found).map(Some),
            None if locked.contains(&commit.session_id) => Ok(None),
            None => Ok(Some(Appended::Gone)),
        };
        batch.iter().map(settle).collect()
    }

    async fn holds(&self, commit: &Commit, version: u64) -> Result<bool, StoreError> {
        const SQL: &str = "SELECT 1 FROM journal WHERE session_id = $1 AND seq = $2 \
            AND hash = $3 AND ($4::bytea IS NULL OR EXISTS (SELECT 1 FROM session_keys k \
            WHERE k.session_id = $1 AND k.key = $4))";
        if version < commit.entry.seq {
            return Ok(false);
        }
        let key = commit.key.as_ref().map(|keyed| keyed.key.digest());
        let query = sqlx::query(SQL)
            .bind(commit.session_id)
            .bind(rows::signed(commit.entry.seq))
            .bind(bytes(&commit.entry.hash))
            .bind(key.as_ref().map(bytes));
        Ok(query.fetch_optional(&self.pool).await?.is_some())
    }
}

fn found(row: sqlx::postgres::PgRow) -> Result<Found, sqlx::Error> {
    sqlx::FromRow::from_row(&row)
}

fn judge(commit: &Commit, found: &Found) -> Result<Appended, StoreError> {
    let (_, version, chain_head, passed, written) = found;
    let version = rows::unsigned(*version, "sessions.version")?;
    if *written {
        Ok(Appended::Done)
    } else if version.checked_add(1) != Some(commit.entry.seq) {
        Ok(Appended::Conflict { version })
    } else if *passed {
        Ok(Appended::KeyPresent)
    } else if chain_head == commit.entry.prev_hash.as_bytes() {
        Ok(Appended::ContextChanged)
    } else {
        let broken = Broken {
            seq: commit.entry.seq,
            fault: Fault::Unlinked,
        };
        Err(StoreError::Corrupt {
            session_id: commit.session_id,
            broken,
        })
    }
}

pub(super) async fn create(pool: &PgPool, creation: &Creation) -> Result<Created, StoreError> {
    let mut commit = creation.commit.clone();
    commit.key.clone_from(&creation.key);
    let query = bind_beside(bind_given(sqlx::query(CREATE), &[&commit]), &[&commit])
        .bind(creation.tenant.as_str());
    let row = query.fetch_one(pool).await?;
    let (opened,): (i64,) = sqlx::FromRow::from_row(&row)?;
    Ok(if opened > 0 {
        Created::Done
    } else {
        Created::Exists
    })
}

type PgQuery<'q> = Query<'q, Postgres, PgArguments>;

/// Binds the arrays of `given!`.
fn bind_given<'q>(query: PgQuery<'q>, batch: &[&Commit]) -> PgQuery<'q> {
    /// One value of each commit.
    fn each<'a, T>(batch: &[&'a Commit], value: impl Fn(&'a Commit) -> T) -> Vec<T> {
        batch.iter().map(|commit| value(commit)).collect()
    }
    let digests: Vec<Option<Digest>> = each(batch, |commit| {
        commit.key.as_ref().map(|keyed| keyed.key.digest())
    });
    query
        .bind(each(batch, |commit| commit.session_id))
        .bind(each(batch, |commit| rows::signed(commit.entry.seq)))
        .bind(each(batch, |commit| {
            i32::try_from(commit.entry.v).unwrap_or(i32::MAX)
        }))
        .bind(each(batch, |commit| commit.entry.kind.as_str()))
        .bind(each(batch, |commit| commit.entry.payload.as_str()))
        .bind(each(batch, |commit| commit.entry.events.as_str()))
        .bind(each(batch, |commit| bytes(&commit.entry.prev_hash)))
        .bind(each(batch, |commit| bytes(&commit.entry.hash)))
        .bind(each(batch, |commit| commit.entry.created_at.to_string()))
        .bind(each(batch, |commit| commit.entry.created_at.as_micros()))
        .bind(each(batch, |commit| commit.row.state.as_str()))
        .bind(each(batch, |commit| commit.row.answer.as_str()))
        .bind(each(batch, |commit| {
            rows::signed(commit.row.counts.beliefs)
        }))
        .bind(each(batch, |commit| {
            rows::signed(commit.row.counts.believed)
        }))
        .bind(each(batch, |commit| rows::signed(commit.row.counts.turns)))
        .bind(each(batch, |commit| {
            rows::signed(commit.row.counts.rejections)
        }))
        .bind(each(batch, |commit| {
            rows::signed(commit.row.counts.open_calls)
        }))
        .bind(each(batch, |commit| {
            rows::signed(commit.row.counts.conflicts)
        }))
        .bind(each(batch, |commit| {
            commit.row.labels.as_ref().map(labels_to_json)
        }))
        .bind(each(batch, |commit| commit.row.summary.as_deref()))
        .bind(each(batch, |commit| commit.row.expires_at.is_some()))
        .bind(each(batch, |commit| {
            commit.row.expires_at.flatten().map(Timestamp::as_micros)
        }))
        .bind(
            digests
                .iter()
                .map(|digest| digest.as_ref().map(bytes))
                .collect::<Vec<_>>(),
        )
        .bind(each(batch, |commit| {
            commit.key.as_ref().map(|keyed| bytes(&keyed.key.body))
        }))
        .bind(each(batch, |commit| {
            commit.key.as_ref().map(|keyed| keyed.answer.as_str())
        }))
        .bind(each(batch, |commit| commit.latest_context))
}

/// Binds the arrays of `beside!`.
fn bind_beside<'q>(query: PgQuery<'q>, batch: &[&Commit]) -> PgQuery<'q> {
    let (mut named, mut contents) = (Vec::new(), Vec::new());
    let (mut learned, mut indexes, mut sources, mut correct) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut done, mut done_calls) = (Vec::new(), Vec::new());
    let (mut due, mut due_calls, mut due_us) = (Vec::new(), Vec::new(), Vec::new());
    for commit in batch {
        let id = commit.session_id;
        for sha256 in &commit.documents {
            named.push(id);
            contents.push(bytes(sha256));
        }
        for (index, outcome) in (0_i32..).zip(&commit.outcomes) {
            learned.push(id);
            indexes.push(index);
            sources.push(outcome.source.as_str());
            correct.push(outcome.correct);
        }
        for call_id in &commit.calls_done {
            done.push(id);
            done_calls.push(call_id.as_str());
        }
        for call in &commit.calls_due {
            due.push(id);
            due_calls.push(call.call_id.as_str());
            due_us.push(call.due_at.as_micros());
        }
    }
    query
        .bind(named)
        .bind(contents)
        .bind(learned)
        .bind(indexes)
        .bind(sources)
        .bind(correct)
        .bind(done)
        .bind(done_calls)
        .bind(due)
        .bind(due_calls)
        .bind(due_us)
}

pub(super) fn bytes(digest: &Digest) -> &[u8] {
    digest.as_bytes()
}

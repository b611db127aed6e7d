//! Rows as they come from either engine, and what they are made into.

use entail_json::Digest;
use entail_trace::journal::{Entry, Timestamp};
use sqlx::{ColumnIndex, Database, Decode, FromRow, Row, Type};
use uuid::Uuid;

use crate::error::StoreError;
use crate::types::{
    AnswerState, ApiKey, Counts, SessionRow, SessionState, SourceTotals, labels_from_json,
};

/// Writes the columns of a session's row in the order [`SessionRecord`] reads them.
macro_rules! session_columns {
    () => {
        "session_id, tenant, state, version, chain_head, answer, beliefs, believed, turns, \
         rejections, open_calls, conflicts, CAST(labels AS text), summary, created_us, \
         active_us, expires_us"
    };
}
pub(crate) use session_columns;

/// A row of `sessions`, as read.
pub(crate) struct SessionRecord {
    id: Uuid,
    tenant: String,
    state: String,
    version: i64,
    chain_head: Vec<u8>,
    answer: String,
    counts: [i64; 6],
    labels: String,
    summary: String,
    created_us: i64,
    active_us: i64,
    expires_us: Option<i64>,
}

impl<'r, R: Row> FromRow<'r, R> for SessionRecord
where
    usize: ColumnIndex<R>,
    Uuid: Field<'r, R::Database>,
    String: Field<'r, R::Database>,
    i64: Field<'r, R::Database>,
    Option<i64>: Field<'r, R::Database>,
    Vec<u8>: Field<'r, R::Database>,
{
    fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
        let mut counts = [0; 6];
        for (index, count) in (6_usize..).zip(&mut counts) {
            *count = row.try_get(index)?;
        }
        Ok(Self {
            id: row.try_get(0)?,
            tenant: row.try_get(1)?,
            state: row.try_get(2)?,
            version: row.try_get(3)?,
            chain_head: row.try_get(4)?,
            answer: row.try_get(5)?,
            counts,
            labels: row.try_get(12)?,
            summary: row.try_get(13)?,
            created_us: row.try_get(14)?,
            active_us: row.try_get(15)?,
            expires_us: row.try_get(16)?,
        })
    }
}

/// A type that a column of an engine can be read as.
pub(crate) trait Field<'r, DB: Database>: Decode<'r, DB> + Type<DB> {}
impl<'r, DB: Database, T: Decode<'r, DB> + Type<DB>> Field<'r, DB> for T {}

impl SessionRecord {
    pub(crate) fn read(self) -> Result<SessionRow, StoreError> {
        let [beliefs, believed, turns, rejections, open_calls, conflicts] = self.counts;
        let count = |value| unsigned(value, "sessions.beliefs");
        Ok(SessionRow {
            id: self.id,
            tenant: self.tenant,
            state: SessionState::from_name(&self.state).ok_or(unreadable("sessions.state"))?,
            version: unsigned(self.version, "sessions.version")?,
            chain_head: digest(&self.chain_head, "sessions.chain_head")?,
            answer: AnswerState::from_name(&self.answer).ok_or(unreadable("sessions.answer"))?,
            counts: Counts {
                beliefs: count(beliefs)?,
                believed: count(believed)?,
                turns: count(turns)?,
                rejections: count(rejections)?,
                open_calls: count(open_calls)?,
                conflicts: count(conflicts)?,
            },
            labels: labels_from_json(&self.labels)?,
            summary: self.summary,
            created_at: time(self.created_us, "sessions.created_us")?,
            last_activity: time(self.active_us, "sessions.active_us")?,
            expires_at: optional_time(self.expires_us, "sessions.expires_us")?,
        })
    }
}

/// A row of `journal` without its session: seq, v, kind, payload, events, `prev_hash`, hash,
/// `created_at`.
pub(crate) type EntryRecord = (i64, i32, String, String, String, Vec<u8>, Vec<u8>, String);

pub(crate) fn entry(session_id: &str, record: EntryRecord) -> Result<Entry, StoreError> {
    let (seq, v, kind, payload, events, prev_hash, hash, created_at) = record;
    Ok(Entry {
        v: u32::try_from(v).map_err(|_| unreadable("journal.v"))?,
        session_id: session_id.to_owned(),
        seq: unsigned(seq, "journal.seq")?,
        kind,
        payload,
        events,
        prev_hash: digest(&prev_hash, "journal.prev_hash")?,
        hash: digest(&hash, "journal.hash")?,
        created_at: Timestamp::parse_exact(&created_at)
            .map_err(|_| unreadable("journal.created_at"))?,
    })
}

/// A row of `sources` without its tenant.
pub(crate) type SourceRecord = (String, i64, i64, i64);

pub(crate) fn source(record: SourceRecord) -> Result<SourceTotals, StoreError> {
    let (source, correct, total, last_us) = record;
    Ok(SourceTotals {
        source,
        correct: unsigned(correct, "sources.correct")?,
        total: unsigned(total, "sources.total")?,
        last_at: time(last_us, "sources.last_us")?,
    })
}

pub(crate) const fn unreadable(column: &'static str) -> StoreError {
    StoreError::Unreadable { column }
}

pub(crate) fn digest(bytes: &[u8], column: &'static str) -> Result<Digest, StoreError> {
    bytes
        .try_into()
        .map(Digest::from_bytes)
        .map_err(|_| unreadable(column))
}

pub(crate) fn unsigned(value: i64, column: &'static str) -> Result<u64, StoreError> {
    u64::try_from(value).map_err(|_| unreadable(column))
}

pub(crate) fn time(micros: i64, column: &'static str) -> Result<Timestamp, StoreError> {
    Timestamp::from_micros(micros).map_err(|_| unreadable(column))
}

pub(crate) fn optional_time(
    micros: Option<i64>,
    column: &'static str,
) -> Result<Option<Timestamp>, StoreError> {
    micros.map(|micros| time(micros, column)).transpose()
}

/// A seq or count as the databases keep it; what does not fit is past every row.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A row of `api_keys`.
pub(crate) type ApiKeyRecord = (
    String,
    Uuid,
    String,
    Vec<u8>,
    String,
    Option<String>,
    i64,
    Option<i64>,
);

pub(crate) fn api_key(record: ApiKeyRecord) -> Result<ApiKey, StoreError> {
    let (tenant, id, name, secret, scopes, model, created_us, revoked_us) = record;
    Ok(ApiKey {
        tenant,
        id,
        name,
        secret: digest(&secret, "api_keys.secret")?,
        scopes,
        model,
        created_at: time(created_us, "api_keys.created_us")?,
        revoked_at: optional_time(revoked_us, "api_keys.revoked_us")?,
    })
}

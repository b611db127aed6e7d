//! The only clock and the only source of ids.

use std::time::SystemTime;

use entail_trace::journal::Timestamp;
use uuid::Uuid;

/// Now, in microseconds since 1970.
pub(crate) fn now_micros() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    })
}

/// Now.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_micros(now_micros()).unwrap_or(Timestamp::EPOCH)
}

/// A new id, a UUID of version 7.
pub(crate) fn new_id() -> Uuid {
    Uuid::now_v7()
}

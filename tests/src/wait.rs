//! Waiting for what tells nobody that it happens: a process that comes back, work behind the
//! scenes.

use std::{thread::sleep, time::Duration};

/// This many looks, one every so often, before the test fails.
const LOOKS: u32 = 12_000;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Looks until it holds.
///
/// # Panics
/// When it does not within two minutes.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..LOOKS {
        if holds() {
            return;
        }
        sleep(BETWEEN_LOOKS);
    }
    panic!("waited in vain until {what}");
}

/// Waits as long as a service said to (`retry-after`).
pub fn obey(seconds: u64) {
    sleep(Duration::from_secs(seconds));
}

//! How much is tried: in every run, and in a full one (`ENTAIL_PROOF=full`).

/// A number of each.
fn scale(usual: usize, full: usize) -> usize {
    match std::env::var("ENTAIL_PROOF").as_deref() {
        Ok("full") => full,
        Ok(other) => panic!("`ENTAIL_PROOF` is `full` or not set, found `{other}`"),
        Err(_) => usual,
    }
}

/// Sessions that two replicas serve at once.
pub(crate) const SESSIONS: usize = 200;

/// Writers that send to them through both.
pub(crate) const WRITERS: usize = 16;

/// Turns each of them sends.
pub(crate) fn turns_of_a_writer() -> usize {
    scale(60, 1_000)
}

/// Of how many sessions the bundle is replayed by `entail replay`.
pub(crate) fn replayed_bundles() -> usize {
    scale(20, SESSIONS)
}

/// How often a claim on a premise races its retraction.
pub(crate) const RACES: usize = 200;

/// How often the service is killed, on each engine.
pub(crate) fn kills() -> usize {
    scale(5, 50)
}

/// How often a replica is replaced by another.
pub(crate) fn replacements() -> usize {
    scale(2, 20)
}

/// Writers while something is killed, restarted or filled.
pub(crate) const LOAD: usize = 8;

/// Requests sent between two blows, at least; at most twice as many.
pub(crate) const REQUESTS_BETWEEN: usize = 100;

/// How often the database is restarted.
pub(crate) fn restarts() -> usize {
    scale(1, 10)
}

/// Pages of 4 KiB that a file may have which is filled.
pub(crate) const PAGES: usize = 600;

/// Pages it may have afterwards.
pub(crate) const MORE_PAGES: usize = 60_000;

/// Commits that a follower sees, at least, before, between and after the ends of its replica.
pub(crate) const FOLLOWED: usize = 40;

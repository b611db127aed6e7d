//! What a store is doing.

/// Connections and commits of one process, for its metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Connections that are open and idle.
    pub idle: u64,
    /// Connections that are at work.
    pub in_use: u64,
    /// Connections there may be.
    pub most: u64,
    /// Statements sent to write commits.
    pub statements: u64,
    /// Commits in them: together with the statements, how many go out together.
    pub commits: u64,
}

impl Activity {
    /// Adds a pool: how many connections it has, how many of them idle, and how many at most.
    pub(crate) fn with_pool(mut self, size: u32, idle: usize, most: u32) -> Self {
        let (size, idle) = (u64::from(size), u64::try_from(idle).unwrap_or(u64::MAX));
        self.idle = self.idle.saturating_add(idle);
        self.in_use = self.in_use.saturating_add(size.saturating_sub(idle));
        self.most = self.most.saturating_add(u64::from(most));
        self
    }
}

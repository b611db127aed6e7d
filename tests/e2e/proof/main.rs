//! What the service promises, proved on whole processes: two replicas at once, processes and
//! databases that die under load, disks that fill, dumps that are restored.
//!
//! Every client keeps a log of what it sent and what it was answered; in the end the logs are
//! held against the journals. How much is tried stands in `scale.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test reports a failure by a panic, its helpers too"
)]

mod audit;
mod calls;
mod door;
mod dump;
mod following;
mod full;
mod kills;
mod load;
mod log;
mod replicas;
mod restarts;
mod says;
mod scale;
mod served;
mod tool;
mod twice;

//! The binary `entail`: configuration, HTTP and commands around the pure session engine.
//!
//! Only this crate reads arguments, the environment, a clock or randomness; everything below it
//! takes them as parameters.

mod app;
mod auth;
mod body;
mod caller;
mod calls;
mod cli;
mod clock;
mod commands;
mod config;
mod housekeeping;
mod kit;
mod limits;
mod logging;
mod metrics;
mod middleware;
mod offline;
mod openapi;
mod outgoing;
mod pages;
mod problem;
mod projection;
mod request;
mod routes;
mod serve;
mod sessions;
mod signing;
mod telemetry;
#[cfg(test)]
mod testing;
mod view;
mod wire;

use std::process::ExitCode;

/// Every request makes and drops thousands of small pieces, often on two threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::run(cli::parse())
}

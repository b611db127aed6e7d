//! A private Postgres for tests, with nothing but the standard library and Postgres' own
//! programs.
//!
//! [`Database::create`] gives a test an empty database of its own. It lives in the server that
//! `DATABASE_URL` names, else in a private [`Server`] that starts with the first database of the
//! process and ends with the process, however that ends.
//!
//! ```no_run
//! use entail_test_postgres::{Database, Durability, Server};
//!
//! let server = Server::start(Durability::Full)?;
//! let database = Database::create_in(server.url())?;
//! println!("{}", database.url());
//! # Ok::<(), entail_test_postgres::Error>(())
//! ```

mod database;
mod error;
mod programs;
mod server;

pub use database::Database;
pub use error::Error;
pub use programs::{Programs, install};
pub use server::{Durability, Server};

//! The suite `service`: the binary as a process, called over real connections, on both stores,
//! beside what Postgres itself does with the least that a turn has to write.
//!
//! The callers run on the same machine and take their share of it.

mod connection;
mod floor;
mod growth;
pub(crate) mod jobs;
mod load;
mod process;
mod report;
mod start;

use std::time::Duration;

use entail_test_postgres::{Database, Durability, Server};
use entail_tests::{Service, Start};

use self::{
    floor::Floor,
    jobs::{Jobs, Read},
    load::Load,
    process::{Family, Watch},
    report::{print, print_floor},
};
use crate::{Measured, Outcome, table::Table};

/// Sessions that are written in turn.
const SESSIONS: usize = 1_000;

/// Connections held open, a caller each.
const CONNECTIONS: usize = 64;

/// How long turns are posted in a phase.
const TURNS_LAST: Duration = Duration::from_secs(5);

/// How long one kind of read is asked for.
const READS_LAST: Duration = Duration::from_secs(3);

/// How a claim's dependencies are found.
const POLICIES: [&str; 2] = ["declared", "conservative"];

pub(crate) fn measure(table: &mut Table, full: bool) -> Outcome {
    start::measure(table)?;

    let server = Server::start(Durability::Full)?;
    let postgres = Family::of(server.pid());
    let floor = floor::measure(&server, postgres)?;
    print_floor(table, &floor);
    let database = Database::create_in(server.url())?;
    on_postgres(table, database.url(), postgres, &floor, full)?;
    drop(database);
    drop(server);

    let service = Start::default().start();
    let watch = Watch {
        service: Family::alone(service.pid()),
        database: None,
    };
    for policy in POLICIES {
        let heading = format!("(c) turns over HTTP on SQLite, {policy}");
        turns(table, &service, watch, heading, policy, Some(&floor))?;
    }
    Ok(())
}

fn on_postgres(
    table: &mut Table,
    url: &str,
    postgres: Family,
    floor: &Floor,
    full: bool,
) -> Outcome {
    let service = growth::room(Start::on(url)).start();
    let watch = Watch {
        service: Family::alone(service.pid()),
        database: Some(postgres),
    };
    let mut declared = None;
    for policy in POLICIES {
        let heading = format!("(b) turns over HTTP on Postgres, {policy}");
        let (jobs, rate) = turns(table, &service, watch, heading, policy, Some(floor))?;
        declared.get_or_insert((jobs, rate));
    }
    let (jobs, rate) = declared.ok_or("no policy was measured")?;
    let half = Load::paced(CONNECTIONS, TURNS_LAST, rate / 2.0);
    let phase = watch.during(|| half.run(&service.client(), |caller| jobs.turns(caller)))?;
    let heading = "(b) … declared, at half of that load: times from when a turn was due";
    print(table, heading, "turns", &phase, None);

    for read in Read::ALL {
        let load = Load::full(CONNECTIONS, READS_LAST);
        let phase =
            watch.during(|| load.run(&service.client(), |caller| jobs.reads(caller, read)))?;
        let heading = format!("(d) reads on Postgres: {}", read.words());
        print(table, heading, "reads", &phase, None);
    }
    growth::measure(table, &service.client(), full)
}

/// Opens sessions, posts turns to them for a while, and says how many a second went through.
fn turns(
    table: &mut Table,
    service: &Service,
    watch: Watch,
    heading: String,
    policy: &str,
    floor: Option<&Floor>,
) -> Measured<(Jobs, f64)> {
    let client = service.client();
    let jobs = Jobs::open(&client, SESSIONS, CONNECTIONS, policy)?;
    let load = Load::full(CONNECTIONS, TURNS_LAST);
    let phase = watch.during(|| load.run(&client, |caller| jobs.turns(caller)))?;
    print(table, heading, "turns", &phase, floor);
    let rate = phase.load.rate();
    Ok((jobs, rate))
}

//! The conformance suite: every case on every engine, each a test named `engine::subject::case`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod bed;
mod beside;
mod calls;
mod chain;
mod commits;
mod crash;
mod keys;
mod ledger;
mod lists;
mod project;
mod race;
mod schema;

use std::pin::Pin;

use bed::{Bed, Kind};
use libtest_mimic::{Arguments, Trial};

/// A case, and the engines it runs on.
pub(crate) struct Case {
    name: &'static str,
    kinds: &'static [Kind],
    run: fn(Bed) -> Pin<Box<dyn Future<Output = ()>>>,
}

/// Lists functions as cases.
macro_rules! cases {
    ($kinds:expr; $($name:ident),* $(,)?) => {
        /// The cases of this subject.
        pub(crate) const CASES: &[crate::Case] = &[$(crate::Case {
            name: concat!(module_path!(), "::", stringify!($name)),
            kinds: $kinds,
            run: |bed| Box::pin($name(bed)),
        }),*];
    };
}
pub(crate) use cases;

fn main() {
    if crash::is_child() {
        return block_on(crash::append_until_killed());
    }
    let subjects = [
        beside::CASES,
        calls::CASES,
        chain::CASES,
        commits::CASES,
        crash::CASES,
        crash::postgres::CASES,
        crash::sqlite::CASES,
        keys::CASES,
        ledger::CASES,
        lists::CASES,
        project::CASES,
        race::CASES,
        schema::CASES,
    ];
    let trial = |case: &'static Case, kind: Kind| {
        let name = case
            .name
            .split_once("::")
            .map_or(case.name, |(_, name)| name);
        Trial::test(format!("{}::{name}", kind.name()), move || {
            block_on(async move { (case.run)(Bed::new(kind).await).await });
            Ok(())
        })
    };
    let cases = subjects.into_iter().flatten();
    let trials = cases.flat_map(|case| case.kinds.iter().map(move |kind| trial(case, *kind)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn block_on(future: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future);
}

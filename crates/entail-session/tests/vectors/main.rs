//! The scripted sessions, one trial a case.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod library;
mod script;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let cases = script::cases();
    let count = cases.len();
    let mut trials = vec![Trial::test("turns::no_case_is_left_out", move || {
        if count == script::CASES {
            return Ok(());
        }
        Err(format!("the file has {count} cases, {} are known", script::CASES).into())
    })];
    trials.extend(cases.into_iter().map(|case| {
        Trial::test(format!("turns::{}", case.id), move || {
            let mut library = library::Library::open(&case);
            script::play(&case, &mut library)?;
            library.check_replay();
            Ok(())
        })
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

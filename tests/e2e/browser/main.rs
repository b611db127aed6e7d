//! What a person sees: the dashboard, the report and the description of the interface, in a
//! browser.
//!
//! It takes a browser that is installed. Where there is none the tests do not run: they are
//! listed as ignored with the reason, and it is printed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking, its helpers too, and says on standard error that it did not run"
)]

mod hostile;
mod keys;
mod looks;
mod others;
mod reading;
mod revenue;

use std::process::ExitCode;

use entail_tests::Browser;
use libtest_mimic::{Arguments, Trial};

type Case = (&'static str, fn());

const CASES: [Case; 8] = [
    (
        "the_list_shows_every_session_and_its_filters_leave_what_they_say",
        reading::list,
    ),
    (
        "an_answer_stands_with_its_proof_and_falls_before_its_readers_eyes",
        reading::answer,
    ),
    ("every_part_of_a_session_can_be_read", reading::parts),
    (
        "hostile_text_is_shown_and_nothing_of_it_runs",
        hostile::text,
    ),
    (
        "a_reader_enters_a_key_that_stays_in_the_tab_and_only_reads",
        keys::reader,
    ),
    (
        "every_text_can_be_read_at_any_width_in_light_and_in_dark",
        looks::readable,
    ),
    (
        "the_interface_is_described_and_tried_out_from_the_binary",
        others::docs,
    ),
    (
        "the_report_is_a_page_that_says_its_verdict_first",
        others::report,
    ),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = Browser::find().err();
    if let Some(reason) = &missing {
        eprintln!("browser: DID NOT RUN: {reason}");
    }
    let trial = |(name, case): Case| match &missing {
        None => Trial::test(format!("browser::{name}"), move || {
            case();
            Ok(())
        }),
        Some(reason) => Trial::test(format!("browser::{name}"), || Ok(()))
            .with_kind(format!("did not run: {reason}"))
            .with_ignored_flag(true),
    };
    libtest_mimic::run(&arguments, CASES.into_iter().map(trial).collect()).exit_code()
}

//! Makes a trace of a given size, checks it, and says what it took.
//!
//! `cargo run --release -p entail-trace --example large_trace -- 1000 trace.jsonl` makes one of
//! about 1,000 MB.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a tool"
)]
#![expect(clippy::disallowed_methods, reason = "it measures")]

#[path = "../tests/large/mod.rs"]
mod large;

use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use entail_trace::{PlanIndex, Seekable, Subject, verify_trace};
use large::Large;

const BYTES_A_ROUND: u64 = 2_797;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let megabytes: u64 = arguments
        .get(1)
        .map_or(10, |text| text.parse().expect("a number"));
    let path = arguments.get(2).map_or("trace.jsonl", String::as_str);
    let large = Large::new(megabytes * 1_000_000 / BYTES_A_ROUND, 500);
    let file = File::create(path).expect("the file can be made");
    let bytes = large.write(BufWriter::new(file)).expect("written");
    println!(
        "{bytes} bytes written to {path}; {} resident at most",
        resident()
    );

    let file = Seekable::new(File::open(path).expect("opened"));
    let start = Instant::now();
    let subject = Subject {
        trace: &file,
        files: Some(&large),
        spec: Some(&large.spec),
    };
    let verified = verify_trace(subject, PlanIndex::new(&large.plan)).expect("readable");
    let seconds = start.elapsed().as_secs_f64();
    let work = verified.work;
    println!(
        "{} events, {} ids in {seconds:.2} s; {} bytes held, {} an id; {} read again; passed: {}; \
         {} resident at most",
        verified.end.events,
        work.ids,
        work.bytes_held,
        work.bytes_held / work.ids,
        work.bytes_cited,
        verified.results.passed(),
        resident()
    );
}

/// The most memory this process ever had, as Linux says.
fn resident() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or("unknown", str::trim).to_owned()
}

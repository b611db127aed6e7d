//! The work of checking a trace, counted: it grows with the trace and nothing is held of it but
//! a few bytes an id.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "the trace is known"
)]

mod large;

use std::cell::Cell;
use std::io;

use entail_trace::{Bytes, CheckName, PlanIndex, Subject, Verification, verify_trace};
use large::Large;

/// Bytes that count how many of them are read.
struct Counted {
    bytes: Vec<u8>,
    read: Cell<u64>,
    largest: Cell<usize>,
}

impl Bytes for Counted {
    fn length(&self) -> io::Result<u64> {
        self.bytes.length()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read_at(offset, into)?;
        self.read.set(self.read.get() + read as u64);
        self.largest.set(self.largest.get().max(into.len()));
        Ok(read)
    }
}

fn check(large: &Large) -> (Verification, Counted) {
    let mut bytes = Vec::new();
    large.write(&mut bytes).expect("written");
    let trace = Counted {
        bytes,
        read: Cell::new(0),
        largest: Cell::new(0),
    };
    let subject = Subject {
        trace: &trace,
        files: Some(large),
        spec: Some(&large.spec),
    };
    let verified = verify_trace(subject, PlanIndex::new(&large.plan)).expect("readable");
    let failed: Vec<_> = verified
        .results
        .all()
        .iter()
        .filter(|result| !result.passed())
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
    (verified, trace)
}

#[test]
fn at_most_150_bytes_an_id_are_held_and_every_file_is_read_once() {
    let large = Large::new(2_000, 200);
    let (verified, trace) = check(&large);
    assert_eq!(verified.work.ids, 5 + 3 * 2_000);
    assert_eq!(verified.work.files_digested, 2_000);
    let held = verified.work.bytes_held / verified.work.ids;
    assert!(held <= 150, "{held} bytes an id");
    assert!(
        trace.largest.get() <= 256 * 1024,
        "no read is larger than the buffer"
    );
}

#[test]
fn the_bytes_read_grow_with_the_trace_and_not_faster() {
    let read = |evidence| {
        let (verified, trace) = check(&Large::new(evidence, 200));
        let length = trace.bytes.len() as u64;
        (
            trace.read.get() * 100 / length,
            verified.work.bytes_cited * 100 / length,
        )
    };
    let (small, large) = (read(100), read(1_600));
    assert!(
        large.0 <= small.0 + 5 && large.1 <= small.1 + 5,
        "{small:?}, then {large:?}"
    );
    // Once from end to end, and once more the lines that something cites.
    assert!(
        large.0 <= 300,
        "{} hundredths of the trace were read",
        large.0
    );
}

#[test]
fn citing_one_long_statement_over_and_over_does_not_multiply_the_work() {
    use entail_trace::{
        Claim, ClaimContent, Payload, Span, SupportKind, SupportRef, Trace, TraceEvent,
    };
    let large = Large::new(1, 200_000);
    let mut events: Vec<TraceEvent> = large.events().collect();
    let Payload::ClaimEmitted(cited) = &events[6].payload else {
        panic!("a claim is there")
    };
    let statement = cited.statement.clone();
    let mut citing = ClaimContent::new("hostile");
    citing.claim_type = entail_trace::ClaimType::Observed;
    citing.supports = (1..1_000_u64)
        .map(|start| SupportRef {
            kind: SupportKind::Claim,
            ref_id: cited.id().clone(),
            span: Span::new(start, statement.len() as u64).expect("a span"),
            snippet_sha256: entail_json::Digest::ZERO,
        })
        .collect();
    events[7].payload = Payload::ClaimEmitted(Claim::new(citing));
    let mut header =
        entail_trace::TraceHeaderContent::new(large.spec.id().clone(), large.plan.id().clone());
    header.metadata = entail_json::Object::new();
    let trace = Trace::new(header, events).to_jsonl().into_bytes();
    let subject = Subject {
        trace: &trace,
        files: Some(&large),
        spec: None,
    };
    let verified = verify_trace(subject, PlanIndex::new(&large.plan)).expect("readable");
    assert!(
        !verified
            .results
            .get(CheckName::ClaimSpans)
            .expect("run")
            .passed()
    );
    let allowed = 64 * 1024 * 1024 + 64 * (trace.len() as u64 + 1_000);
    assert!(
        verified.work.bytes_cited <= allowed,
        "{} bytes",
        verified.work.bytes_cited
    );
}

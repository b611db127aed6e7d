//! The trace reader on any bytes, and every check on what it read.

#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use entail_trace::{
    Answer, Expectations, Plan, PlanIndex, Record, Subject, TraceReader, TraceWriter, verify_bundle,
    verify_trace,
};
use libfuzzer_sys::fuzz_target;

static PLAN: LazyLock<Plan> =
    LazyLock::new(|| Plan::from_json(br#"{"spec_id": "s", "nodes": [{"kind": "gather"}]}"#).expect("a plan"));

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = TraceReader::new(bytes) else { return };
    let mut out = Vec::new();
    let mut writer = TraceWriter::new(&mut out, reader.header()).expect("memory is written");
    loop {
        match reader.next_event() {
            Ok(Some((place, event))) => {
                let end = place.offset + u64::from(place.length);
                assert!(end <= bytes.len() as u64);
                writer.write(&event).expect("memory is written");
            }
            Ok(None) => break,
            Err(error) => return assert!(!error.to_string().is_empty()),
        }
    }
    let end = reader.finish().expect("all of it was read");
    writer.finish().expect("memory is written");
    assert_eq!(end.first_uncanonical_line.is_none(), out == bytes);

    let again = TraceReader::new(&out[..]).expect("a header").finish().expect("what was written is read");
    assert_eq!(again.trace_id, end.trace_id);
    assert_eq!(again.first_uncanonical_line, None);

    let mut files = BTreeMap::from([
        ("plan.json".to_owned(), PLAN.to_canonical().into_bytes()),
        ("trace.jsonl".to_owned(), bytes.to_vec()),
    ]);
    let subject = Subject { trace: &bytes, files: Some(&files), spec: None };
    let verified = verify_trace(subject, PlanIndex::new(&PLAN)).expect("it was read before");
    assert!(!verified.results.report("t").id().is_empty());
    let _ = Answer::of(&bytes, Some(&files)).expect("it was read before");
    files.insert("journal.jsonl".to_owned(), bytes.to_vec());
    assert!(!verify_bundle(&files, &Expectations::default()).passed());
});

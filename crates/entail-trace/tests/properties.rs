//! Properties over generated records, traces and bytes.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod fixture;

use entail_json::{Object, Value, sha256};
use entail_trace::{
    Answer, Bytes, Claim, ClaimContent, ClaimStatus, ClaimType, Confidence, ContentPath, Derived,
    EvidenceRef, EvidenceRefContent, Expectations, Files, Finalized, Gathered, Id,
    InsufficientEvidence, Payload, PlanIndex, Record, Span, StepOutput, Subject, SupportKind,
    SupportRef, Tar, ToolCall, ToolCallContent, ToolResult, Trace, TraceEvent, TraceHeaderContent,
    TraceReader, Understood, Verified, gunzip, verify_bundle, verify_trace,
};
use proptest::prelude::*;
use proptest::sample::Index;

fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        6 => proptest::char::range(' ', '~'),
        1 => proptest::char::range('\u{1}', '\u{1f}'),
        2 => any::<char>().prop_filter("no database keeps it", |c| *c != '\0'),
    ];
    proptest::collection::vec(character, 0..16).prop_map(|all| all.into_iter().collect())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter_map("finite", entail_json::Number::from_f64)
            .prop_map(Value::Number),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 16, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            object_of(inner).prop_map(Value::Object),
        ]
    })
}

fn object_of(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Object> {
    proptest::collection::vec((text(), value), 0..4).prop_map(|all| all.into_iter().collect())
}

fn id() -> impl Strategy<Value = Id> {
    prop_oneof![
        "[a-z]{1,8}".prop_map(|text| Id::new(text).expect("an id")),
        text().prop_filter_map("not empty", |text| Id::new(text).ok()),
        any::<[u8; 4]>().prop_map(|b| entail_trace::IdKind::Claim.id(sha256(&b))),
    ]
}

fn ids() -> impl Strategy<Value = Vec<Id>> {
    proptest::collection::vec(id(), 0..4)
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(text(), 0..4)
}

fn span() -> impl Strategy<Value = Span> {
    (0..1_000_u64, 1..1_000_u64)
        .prop_map(|(start, length)| Span::new(start, start + length).expect("a span"))
}

fn path() -> impl Strategy<Value = ContentPath> {
    "[a-zé .]{0,6}(/[a-z.]{1,6}){0,3}"
        .prop_filter_map("a safe path", |path| ContentPath::new(&path).ok())
}

fn support() -> impl Strategy<Value = SupportRef> {
    let kind = proptest::sample::select(SupportKind::ALL);
    (kind, id(), span(), any::<[u8; 4]>()).prop_map(|(kind, ref_id, span, b)| SupportRef {
        kind,
        ref_id,
        span,
        snippet_sha256: sha256(&b),
    })
}

fn claim() -> impl Strategy<Value = Claim> {
    (
        text(),
        proptest::sample::select(ClaimStatus::ALL),
        0.0..=1.0_f64,
        proptest::collection::vec(support(), 0..4),
        proptest::sample::select(ClaimType::ALL),
        proptest::option::of(object_of(value())),
    )
        .prop_map(
            |(statement, status, confidence, supports, claim_type, structured)| {
                Claim::new(ClaimContent {
                    statement,
                    status,
                    confidence: Confidence::new(confidence).expect("in range"),
                    supports,
                    claim_type,
                    structured,
                })
            },
        )
}

fn evidence() -> impl Strategy<Value = EvidenceRef> {
    (text(), text(), span(), any::<[u8; 4]>(), path()).prop_map(
        |(uri, sha, span, chunk, content_path)| {
            EvidenceRef::new(EvidenceRefContent {
                uri,
                sha256: sha,
                span,
                chunk_id: sha256(&chunk),
                content_path,
            })
        },
    )
}

fn output() -> impl Strategy<Value = StepOutput> {
    prop_oneof![
        (text(), texts(), text()).prop_map(|(normalized_question, assumptions, task_type)| {
            StepOutput::Understand(Understood {
                normalized_question,
                assumptions,
                task_type,
            })
        }),
        (ids(), texts(), object_of(value())).prop_map(
            |(evidence_ids, retrieval_queries, retrieval_provenance)| {
                StepOutput::Gather(Gathered {
                    evidence_ids,
                    retrieval_queries,
                    retrieval_provenance,
                })
            }
        ),
        ids().prop_map(|claim_ids| StepOutput::Derive(Derived { claim_ids })),
        (ids(), ids(), ids()).prop_map(
            |(validated_claim_ids, rejected_claim_ids, missing_support_claim_ids)| {
                StepOutput::Verify(Verified {
                    validated_claim_ids,
                    rejected_claim_ids,
                    missing_support_claim_ids,
                })
            }
        ),
        (ids(), proptest::option::of(text()), value()).prop_map(
            |(final_claim_ids, final_answer, uncertainty)| {
                StepOutput::Finalize(Finalized {
                    final_claim_ids,
                    final_answer,
                    uncertainty,
                })
            }
        ),
        (text(), 0..9_u64, 0..9_u64).prop_map(|(reason, retrieved, required)| {
            StepOutput::InsufficientEvidence(InsufficientEvidence {
                reason,
                retrieved,
                required,
            })
        }),
    ]
}

fn event() -> impl Strategy<Value = TraceEvent> {
    let payload = prop_oneof![
        Just(Payload::StepStarted),
        output().prop_map(Payload::StepFinished),
        (text(), object_of(value()), id(), 0..9_u64).prop_map(
            |(tool_name, arguments, step_id, call_idx)| {
                Payload::ToolCalled(ToolCall::new(ToolCallContent {
                    tool_name,
                    arguments,
                    step_id,
                    call_idx,
                }))
            }
        ),
        (id(), any::<bool>(), value(), proptest::option::of(text())).prop_map(
            |(call_id, success, result, error)| {
                Payload::ToolReturned(ToolResult {
                    call_id,
                    success,
                    result,
                    error,
                })
            }
        ),
        evidence().prop_map(Payload::EvidenceRegistered),
        claim().prop_map(Payload::ClaimEmitted),
    ];
    (id(), proptest::option::of(0..9_u64), payload).prop_map(|(step_id, idx, payload)| TraceEvent {
        step_id,
        idx,
        payload,
    })
}

fn trace() -> impl Strategy<Value = Trace> {
    (
        id(),
        id(),
        object_of(value()),
        proptest::collection::vec(event(), 0..8),
    )
        .prop_map(|(spec_id, plan_id, metadata, events)| {
            let mut header = TraceHeaderContent::new(spec_id, plan_id);
            header.metadata = metadata;
            Trace::new(header, events)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_trace_that_was_written_reads_back_and_writes_the_same_bytes(trace in trace()) {
        let bytes = trace.to_jsonl();
        let mut reader = TraceReader::new(bytes.as_bytes()).expect("a header");
        let mut events = Vec::new();
        while let Some((_, event)) = reader.next_event().expect("an event") {
            events.push(event);
        }
        prop_assert_eq!(reader.header(), trace.header());
        let end = reader.finish().expect("the end");
        prop_assert_eq!(&end.trace_id, trace.header().id());
        prop_assert_eq!(end.first_uncanonical_line, None);
        prop_assert_eq!(end.fingerprint, sha256(bytes.as_bytes()));
        let again = Trace::new(trace.header().content().clone(), events);
        prop_assert_eq!(again.to_jsonl(), bytes);
    }

    #[test]
    fn an_event_is_the_same_as_a_value_and_as_text(event in event()) {
        let value = event.to_value();
        prop_assert_eq!(entail_json::to_canonical(&value), event.to_canonical());
        let read = TraceEvent::read(value).expect("what was written is read");
        prop_assert_eq!(read, event);
    }

    #[test]
    fn checking_any_trace_ends_and_its_answer_can_be_drawn(trace in trace()) {
        let session = fixture::session();
        let bytes = trace.to_jsonl().into_bytes();
        let subject = Subject {
            trace: &bytes as &dyn Bytes,
            files: Some(&session.evidence),
            spec: None,
        };
        let verified = verify_trace(subject, PlanIndex::new(&session.plan)).expect("readable");
        prop_assert!(!verified.results.passed(), "it is no trace of this plan");
        let report = verified.results.report(verified.end.trace_id.as_str());
        let again = entail_trace::VerificationReport::read(report.to_value());
        prop_assert_eq!(again.as_ref(), Ok(&report));
        let answer = Answer::of(&bytes, Some(&session.evidence)).expect("readable");
        prop_assert!(answer.unwrap_or_default().nodes().len() <= 40);
    }

    #[test]
    fn any_change_of_a_line_is_read_or_refused_and_never_panics(
        at in any::<Index>(), bytes in proptest::collection::vec(any::<u8>(), 0..4),
    ) {
        let session = fixture::session();
        let mut trace = session.trace.to_jsonl().into_bytes();
        let at = at.index(trace.len());
        let end = (at + bytes.len()).min(trace.len());
        trace.splice(at..end, bytes);
        if let Ok(reader) = TraceReader::new(&trace[..]) {
            let _ = reader.finish();
        }
        let subject = Subject {
            trace: &trace as &dyn Bytes,
            files: Some(&session.evidence),
            spec: None,
        };
        let _ = verify_trace(subject, PlanIndex::new(&session.plan));
    }

    #[test]
    fn any_bytes_are_an_archive_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let mut out = Vec::new();
        let _ = gunzip(&bytes[..], &mut out, 10_000);
        prop_assert!(out.len() <= 10_000);
        if let Ok(tar) = Tar::open(bytes, 10_000) {
            tar.visit_paths(&mut |path| assert!(!path.contains(".."))).expect("listed");
        }
    }

    #[test]
    fn any_change_of_a_file_of_a_bundle_is_checked_to_the_end(
        file in any::<Index>(), at in any::<Index>(), byte in any::<u8>(),
    ) {
        let mut files = fixture::session().files(None);
        let path = file.get(&files.keys().cloned().collect::<Vec<_>>()).clone();
        let bytes = files.get_mut(&path).expect("there");
        let at = at.index(bytes.len());
        let changed = bytes[at] != byte;
        bytes[at] = byte;
        let outcome = verify_bundle(&files, &Expectations::default());
        prop_assert_eq!(outcome.passed(), !changed);
    }
}

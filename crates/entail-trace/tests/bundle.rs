//! Bundles: the same bytes every time, read back and checked.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "the fixture is known"
)]

mod fixture;

use entail_trace::{
    BundleVerification, CheckName, CheckpointKey, Expectations, LayerStatus, Tar, Trust, gunzip,
    verify_bundle,
};
use fixture::{copy, session, verify};

#[test]
fn a_bundle_of_a_good_session_passes_every_check_that_can_be_run() {
    let files = session().files(None);
    let outcome = verify(&files);
    let failed: Vec<_> = outcome
        .results
        .all()
        .iter()
        .filter(|result| !result.passed())
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let not_run = [
        "replay",
        "structure",
        "grounding",
        "arithmetic",
        "citation",
        "temporal",
        "provenance",
        "signature",
    ];
    for check in CheckName::ALL {
        let was_run = outcome.results.get(*check).is_some();
        assert_eq!(was_run, !not_run.contains(&check.as_str()), "{check}");
    }
    assert_eq!(outcome.trust, Some(Trust::Unsigned));
    let statuses = outcome
        .results
        .layers()
        .iter()
        .map(|layer| layer.status)
        .collect::<Vec<_>>();
    let [vouched, partly] = [LayerStatus::Vouched, LayerStatus::Partly];
    assert_eq!(statuses, [vouched, vouched, vouched, partly, partly]);
}

#[test]
fn the_same_session_gives_the_same_archive_byte_for_byte() {
    let archive = |session: &fixture::Session| {
        session.with_bundle(None, |bundle| bundle.write_tar_gz(Vec::new()).unwrap())
    };
    let first = archive(&session());
    assert_eq!(first, archive(&session()));

    let mut tar = Vec::new();
    gunzip(&first[..], &mut tar, 10_000_000).unwrap();
    let tar = Tar::open(tar, 10_000_000).unwrap();
    assert_eq!(copy(&tar), session().files(None));
    assert!(verify_bundle(&tar, &Expectations::default()).passed());
}

#[test]
fn a_trace_with_its_plan_is_enough_and_what_was_not_run_is_said() {
    let mut files = session().files(None);
    files.retain(|path, _| {
        ["plan.json", "trace.jsonl"].contains(&path.as_str()) || path.starts_with("evidence/")
    });
    let outcome = verify(&files);
    assert!(outcome.passed());
    let manifest = outcome.results.layers().pop().unwrap();
    assert_eq!(manifest.status, LayerStatus::NotRun);
    let report = outcome.report();
    let layers = report
        .summary_metrics
        .get("layers")
        .and_then(|layers| layers.get("manifest"));
    assert_eq!(
        layers
            .and_then(|layer| layer.get("status"))
            .and_then(|s| s.as_str()),
        Some("not_run")
    );
}

#[test]
fn evidence_that_is_not_given_is_not_vouched_for() {
    let mut files = session().files(None);
    files.retain(|path, _| ["plan.json", "trace.jsonl"].contains(&path.as_str()));
    let outcome = verify(&files);
    for check in [
        CheckName::EvidenceHashes,
        CheckName::SupportSpans,
        CheckName::ClaimSpans,
    ] {
        assert!(!outcome.results.get(check).unwrap().passed(), "{check}");
    }
    assert!(
        outcome
            .results
            .get(CheckName::CoreInvariants)
            .unwrap()
            .passed()
    );
}

#[test]
fn a_signed_bundle_is_trusted_by_its_key_and_by_no_other() {
    let key = CheckpointKey::from_seed([5; 32]);
    let files = session().files(Some(&key));
    let check = |public_key| {
        verify_bundle(
            &files,
            &Expectations {
                public_key,
                ..Expectations::default()
            },
        )
    };
    let signature = |outcome: &BundleVerification| {
        let found = outcome.results.get(CheckName::Signature);
        found.map(|result| result.passed())
    };
    let manifest = |outcome: &BundleVerification| outcome.results.layers()[4].status;
    let outcome = check(Some(key.public_key()));
    assert!(outcome.passed());
    assert_eq!(outcome.trust, Some(Trust::Signed));
    assert_eq!(signature(&outcome), Some(true));
    let not_run = &outcome.results.layers()[4].not_run;
    assert_eq!(
        not_run,
        &[CheckName::Replay],
        "which is for whoever can replay"
    );
    let outcome = check(None);
    assert!(outcome.passed());
    assert_eq!(outcome.trust, Some(Trust::SelfSigned));
    assert_eq!(
        signature(&outcome),
        None,
        "it was not checked, and the report says so"
    );
    assert_eq!(manifest(&outcome), LayerStatus::Partly);
    let other = check(Some(CheckpointKey::from_seed([6; 32]).public_key()));
    assert_eq!(signature(&other), Some(false));
    assert_eq!(manifest(&other), LayerStatus::Failed);

    let unsigned = session().files(None);
    let expected = Expectations {
        public_key: Some(key.public_key()),
        ..Expectations::default()
    };
    assert_eq!(signature(&verify_bundle(&unsigned, &expected)), Some(false));
    let mut run = unsigned;
    run.retain(|path, _| {
        ["plan.json", "trace.jsonl"].contains(&path.as_str()) || path.starts_with("evidence/")
    });
    assert_eq!(signature(&verify_bundle(&run, &expected)), Some(false));
}

#[test]
fn a_broken_journal_and_a_stray_evidence_path_make_no_bundle() {
    let mut broken = session();
    broken.journal = broken.journal.replace("tool_results", "tool_resultz");
    let trace = broken.trace.to_jsonl().into_bytes();
    let journal = broken.journal.clone().into_bytes();
    let parts = entail_trace::Parts {
        spec: &broken.spec,
        plan: &broken.plan,
        trace: &trace,
        journal: &journal,
        report: &broken.report,
        evidence: &broken.evidence,
        key: None,
    };
    let error = entail_trace::Bundle::assemble(parts).unwrap_err();
    assert!(error.to_string().contains("entry 3"), "{error}");
    let stray = fixture::FileMap::from([("spec.json".to_owned(), vec![])]);
    let good = session().journal.into_bytes();
    let parts = entail_trace::Parts {
        evidence: &stray,
        journal: &good,
        ..parts
    };
    let error = entail_trace::Bundle::assemble(parts).unwrap_err();
    assert!(error.to_string().contains("`spec.json`"), "{error}");
}

#[test]
fn a_record_past_the_callers_limit_is_not_read() {
    let files = session().files(None);
    let expected = Expectations {
        max_record_bytes: 1_000,
        ..Expectations::default()
    };
    let outcome = verify_bundle(&files, &expected);
    let records = outcome.results.get(CheckName::Records).unwrap();
    assert!(!records.passed());
    assert!(
        records.failures()[0].message.contains("`plan.json`"),
        "{records:?}"
    );
}

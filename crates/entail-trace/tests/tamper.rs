//! Every field of every record of a bundle changed, dropped and doubled; lines reordered; bytes
//! flipped; ends cut: how many were tried and how many were caught.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "the fixture is known"
)]

mod fixture;
mod mutate;

use std::collections::BTreeMap;

use entail_json::sha256;
use entail_trace::{
    BundleVerification, CheckResult, Checkpoint, CheckpointContent, CheckpointKey, Expectations,
    Record, Results, RunMeta, RunMetaContent, TraceReader, VerificationReport, check_journal,
    paths, verify_bundle,
};
use fixture::{FileMap, session, verify};
use mutate::{Mutation, mutations};

/// The checks, by name, that caught a mutation.
fn caught_by(outcome: &BundleVerification) -> Vec<&'static str> {
    let failed = outcome
        .results
        .all()
        .iter()
        .filter(|result| !result.passed());
    failed.map(|result| result.name().as_str()).collect()
}

#[test]
fn every_mutation_of_a_bundle_is_caught_and_the_layer_is_named() {
    let good = session().files(None);
    assert!(verify(&good).passed());
    let (mut tried, mut caught) = (0, 0);
    let mut by_check: BTreeMap<&str, u32> = BTreeMap::new();
    for Mutation { name, files } in mutations(&good) {
        tried += 1;
        let outcome = verify(&files);
        let checks = caught_by(&outcome);
        let layers = outcome.results.layers();
        let layer = layers.iter().find(|layer| !layer.failed.is_empty());
        caught += u32::from(!checks.is_empty() && layer.is_some());
        assert!(!checks.is_empty(), "{name} was not caught");
        for check in checks {
            *by_check.entry(check).or_default() += 1;
        }
    }
    println!("{tried} mutations tried, {caught} caught: {by_check:?}");
    assert_eq!(tried, caught);
    assert!(tried > 1_500, "{tried} mutations are too few to be all");
}

/// What an attacker does who cannot sign: everything that follows from the changed files is
/// computed again.
fn forge(files: &mut FileMap, recorded: &VerificationReport) {
    let trace = files
        .get(paths::TRACE)
        .map(|bytes| TraceReader::new(&bytes[..])?.finish());
    let trace = trace.and_then(Result::ok);
    let journal = files
        .get(paths::JOURNAL)
        .and_then(|bytes| check_journal(&bytes[..]).1);
    if let Some(trace) = &trace {
        let fingerprint = format!("{}\n", trace.fingerprint);
        files.insert(paths::FINGERPRINT.to_owned(), fingerprint.into_bytes());
    }
    if let (Some(trace), Some(journal)) = (&trace, &journal) {
        let run = RunMeta::new(RunMetaContent::new(journal, trace));
        files.insert(
            paths::RUN.to_owned(),
            (run.to_canonical() + "\n").into_bytes(),
        );
    }
    let outcome = verify(files);
    let mut results = Results::default();
    let is_recorded = |result: &&CheckResult| recorded.check(result.name().as_str()).is_some();
    results.extend(outcome.results.all().iter().filter(is_recorded).cloned());
    let report = results.report(&outcome.trace_id);
    files.insert(
        paths::REPORT.to_owned(),
        (report.to_canonical() + "\n").into_bytes(),
    );
    let listed = files
        .iter()
        .filter(|(path, _)| ![paths::MANIFEST, paths::CHECKPOINT].contains(&path.as_str()));
    let members: Vec<String> = listed
        .map(|(path, bytes)| format!("\"{path}\":\"{}\"", sha256(bytes)))
        .collect();
    let manifest = format!("{{{}}}\n", members.join(","));
    if let Some(journal) = journal {
        let checkpoint = Checkpoint::unsigned(CheckpointContent {
            session_id: journal.session_id,
            seq: journal.seq,
            chain_head: journal.chain_head,
            created_at: journal.last_commit_at,
            manifest_sha256: Some(sha256(manifest.as_bytes())),
        });
        let text = checkpoint.to_canonical() + "\n";
        files.insert(paths::CHECKPOINT.to_owned(), text.into_bytes());
    }
    files.insert(paths::MANIFEST.to_owned(), manifest.into_bytes());
}

/// What ids, links, spans and the chain cannot show, and only a signature (or, for the journal,
/// a replay) does: the journal cut at the end of an entry, and a file of evidence taken away that
/// nothing in the trace names.
const NOT_CAUGHT: [&str; 3] = [
    "evidence: file dropped",
    "journal.jsonl: line dropped",
    "journal.jsonl: tail cut",
];

#[test]
fn an_attacker_who_computes_everything_again_is_caught_and_always_if_the_checkpoint_is_signed() {
    let session = session();
    let key = CheckpointKey::from_seed([9; 32]);
    let expected = Expectations {
        public_key: Some(key.public_key()),
        ..Expectations::default()
    };
    let signed = session.files(Some(&key));
    assert!(verify_bundle(&signed, &expected).passed());
    let good = session.files(None);
    let mut again = good.clone();
    forge(&mut again, &session.report);
    assert_eq!(again, good, "forging an untouched bundle changes nothing");

    let (mut tried, mut undone, mut caught, mut caught_signed) = (0, 0, 0, 0);
    let mut rest: BTreeMap<String, u32> = BTreeMap::new();
    let mut by_check: BTreeMap<&str, u32> = BTreeMap::new();
    for Mutation { name, mut files } in mutations(&good) {
        tried += 1;
        forge(&mut files, &session.report);
        if files == good {
            undone += 1;
            continue;
        }
        let checks = caught_by(&verify(&files));
        if checks.is_empty() {
            let kind = name.split(" at ").next().unwrap_or_default().to_owned();
            *rest.entry(kind).or_default() += 1;
        } else {
            caught += 1;
        }
        for check in checks {
            *by_check.entry(check).or_default() += 1;
        }
        files.insert(
            paths::CHECKPOINT.to_owned(),
            signed[paths::CHECKPOINT].clone(),
        );
        let with = verify_bundle(&files, &expected);
        assert!(!with.passed(), "{name} was not caught by the signature");
        caught_signed += 1;
    }
    println!("{tried} mutations forged: {undone} undone by it, {caught} caught by {by_check:?}");
    println!("not caught without a signature: {rest:?}");
    println!("with a signed checkpoint {caught_signed} caught");
    assert_eq!(tried, undone + caught + rest.values().sum::<u32>());
    assert_eq!(
        rest.keys().map(String::as_str).collect::<Vec<_>>(),
        NOT_CAUGHT
    );
    assert_eq!(tried, undone + caught_signed);
}

#[test]
fn every_mutation_of_a_signed_checkpoint_is_caught() {
    let key = CheckpointKey::from_seed([9; 32]);
    let expected = Expectations {
        public_key: Some(key.public_key()),
        ..Expectations::default()
    };
    let good = session().files(Some(&key));
    let of_checkpoint = |mutation: &Mutation| mutation.name.starts_with(paths::CHECKPOINT);
    let mut tried = 0;
    for Mutation { name, files } in mutations(&good).filter(of_checkpoint) {
        tried += 1;
        assert!(
            !verify_bundle(&files, &expected).passed(),
            "{name} was not caught"
        );
    }
    assert!(tried > 20, "{tried} mutations of a checkpoint are too few");
}

//! The tenant's trust ledger.

use entail_store::{Appended, LedgerOutcome, Outcome, SourceTotals, ToldOutcomes};

use crate::bed::{Bed, ENGINES, Line, TENANT, at, key, keyed};
use crate::cases;

cases![ENGINES;
    what_commits_teach_is_folded_once,
    replicas_that_fold_together_count_each_outcome_once,
    a_commit_that_was_not_made_teaches_nothing,
    what_was_learned_outlives_the_session,
    outcomes_told_from_outside_count_at_once_and_once,
    sources_are_listed_by_name_in_pages,
    only_the_newest_ten_thousand_outcomes_of_a_source_count,
];

fn outcome(source: &str, correct: bool) -> Outcome {
    Outcome {
        source: source.into(),
        correct,
    }
}

fn totals(source: &str, correct: u64, total: u64, seconds: u64) -> SourceTotals {
    SourceTotals {
        source: source.into(),
        correct,
        total,
        last_at: at(seconds),
    }
}

async fn teach(bed: &Bed, line: &mut Line, outcomes: Vec<Outcome>) {
    let mut commit = line.commit();
    commit.outcomes = outcomes;
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    line.step();
}

fn told(outcomes: Vec<Outcome>, seconds: u64) -> ToldOutcomes {
    ToldOutcomes {
        tenant: TENANT.into(),
        id: Line::new().id,
        at: at(seconds),
        outcomes,
        key: None,
    }
}

async fn all(bed: &Bed) -> Vec<SourceTotals> {
    bed.store.sources(TENANT, None, 100).await.unwrap()
}

async fn what_commits_teach_is_folded_once(bed: Bed) {
    let mut line = bed.open_session().await;
    teach(
        &bed,
        &mut line,
        vec![outcome("tool:a", true), outcome("tool:a", false)],
    )
    .await;
    teach(
        &bed,
        &mut line,
        vec![outcome("tool:a", true), outcome("model:m", false)],
    )
    .await;
    assert_eq!(all(&bed).await, []);
    assert_eq!(bed.store.fold_outcomes(3).await.unwrap(), 3);
    assert_eq!(bed.store.fold_outcomes(3).await.unwrap(), 1);
    assert_eq!(bed.store.fold_outcomes(3).await.unwrap(), 0);
    assert_eq!(
        all(&bed).await,
        [totals("model:m", 0, 1, 3), totals("tool:a", 2, 3, 3)]
    );
    let source = bed.store.source(TENANT, "tool:a").await.unwrap();
    assert_eq!(source, Some(totals("tool:a", 2, 3, 3)));
    assert_eq!(bed.store.source("other", "tool:a").await.unwrap(), None);
    let outcomes = bed
        .store
        .source_outcomes(TENANT, "tool:a", 10)
        .await
        .unwrap();
    let mut expected = [(true, 3), (true, 2), (false, 2)].map(|(correct, seconds)| LedgerOutcome {
        correct,
        at: at(seconds),
    });
    assert_eq!(outcomes, expected);
    expected.reverse();
    // The queue comes back as a restored backup would bring it: what is known stays counted once.
    let columns = "session_id, seq, idx, tenant, source, correct, at_us";
    bed.meddle(&format!(
        "INSERT INTO outcome_queue ({columns}) SELECT {columns} FROM outcomes"
    ))
    .await;
    assert_eq!(bed.store.fold_outcomes(10).await.unwrap(), 4);
    assert_eq!(
        all(&bed).await,
        [totals("model:m", 0, 1, 3), totals("tool:a", 2, 3, 3)]
    );
}

async fn replicas_that_fold_together_count_each_outcome_once(bed: Bed) {
    for _ in 0..8 {
        let mut line = bed.open_session().await;
        let sources = ["human:a", "human:b", "human:c"];
        let outcomes = sources
            .iter()
            .cycle()
            .take(24)
            .map(|source| outcome(source, true));
        teach(&bed, &mut line, outcomes.collect()).await;
    }
    let mut tasks = Vec::new();
    for index in 0..6 {
        let store = if index % 2 == 0 {
            bed.store.clone()
        } else {
            bed.replica().await
        };
        tasks.push(tokio::spawn(async move {
            while store.fold_outcomes(5).await.unwrap() > 0 {}
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    while bed.store.fold_outcomes(100).await.unwrap() > 0 {}
    let counted: Vec<(u64, u64)> = all(&bed)
        .await
        .iter()
        .map(|totals| (totals.correct, totals.total))
        .collect();
    assert_eq!(counted, [(64, 64); 3]);
}

async fn a_commit_that_was_not_made_teaches_nothing(bed: Bed) {
    let line = bed.session_with(2).await;
    let mut behind = Line { seq: 1, ..line };
    let mut commit = behind.commit();
    commit.outcomes = vec![outcome("tool:a", true)];
    assert_eq!(
        bed.store.append(commit).await.unwrap(),
        Appended::Conflict { version: 2 }
    );
    assert_eq!(bed.store.fold_outcomes(10).await.unwrap(), 0);
}

async fn what_was_learned_outlives_the_session(bed: Bed) {
    let mut line = bed.open_session().await;
    teach(&bed, &mut line, vec![outcome("tool:a", true)]).await;
    assert!(bed.store.delete_session(TENANT, line.id).await.unwrap());
    assert_eq!(bed.store.fold_outcomes(10).await.unwrap(), 1);
    assert_eq!(all(&bed).await, [totals("tool:a", 1, 1, 2)]);
}

async fn outcomes_told_from_outside_count_at_once_and_once(bed: Bed) {
    let scope = "POST /sources/human:ada/outcomes";
    let mut report = told(
        vec![outcome("human:ada", true), outcome("human:ada", false)],
        5,
    );
    report.key = keyed(scope, "k", "counted");
    assert_eq!(
        bed.store.tell_outcomes(&report).await.unwrap(),
        Appended::Done
    );
    assert_eq!(all(&bed).await, [totals("human:ada", 1, 2, 5)]);
    report.id = Line::new().id;
    assert_eq!(
        bed.store.tell_outcomes(&report).await.unwrap(),
        Appended::KeyPresent
    );
    assert_eq!(all(&bed).await, [totals("human:ada", 1, 2, 5)]);
    let stored = bed
        .store
        .tenant_answer(TENANT, &key(scope, "k"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.answer, "counted");
}

async fn sources_are_listed_by_name_in_pages(bed: Bed) {
    let names = ["human:é", "human:B", "tool:a", "human:a", "human:Z"];
    let outcomes = names.iter().map(|name| outcome(name, true)).collect();
    assert_eq!(
        bed.store.tell_outcomes(&told(outcomes, 1)).await.unwrap(),
        Appended::Done
    );
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = bed
            .store
            .sources(TENANT, after.as_deref(), 2)
            .await
            .unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.source.clone());
        seen.extend(page.into_iter().map(|totals| totals.source));
    }
    let mut expected = names;
    expected.sort_unstable();
    assert_eq!(seen, expected, "by code point on either engine");
}

async fn only_the_newest_ten_thousand_outcomes_of_a_source_count(bed: Bed) {
    let wrong = told(vec![outcome("tool:a", false); 10], 1);
    let right = told(vec![outcome("tool:a", true); 9_995], 2);
    let older = told(vec![outcome("tool:a", false); 3], 0);
    for told in [wrong, right] {
        assert_eq!(
            bed.store.tell_outcomes(&told).await.unwrap(),
            Appended::Done
        );
    }
    assert_eq!(all(&bed).await, [totals("tool:a", 9_995, 10_000, 2)]);
    assert_eq!(
        bed.store.tell_outcomes(&older).await.unwrap(),
        Appended::Done
    );
    assert_eq!(all(&bed).await, [totals("tool:a", 9_995, 10_000, 2)]);
    assert_eq!(
        bed.ask("SELECT count(*) FROM outcomes WHERE correct").await,
        9_995
    );
    assert_eq!(bed.ask("SELECT count(*) FROM outcomes").await, 10_000);
}

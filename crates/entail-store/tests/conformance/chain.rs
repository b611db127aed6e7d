//! Reading journals: what was edited, dropped, doubled or reordered is found.

use entail_json::Digest;
use entail_store::StoreError;
use entail_trace::journal::{Broken, Fault};

use crate::bed::{Bed, ENGINES, TENANT};
use crate::cases;

cases![ENGINES;
    a_journal_reads_back_in_order_and_in_batches,
    a_reading_resumes_behind_an_entry_known_to_be_good,
    entries_of_one_kind_are_read_alone,
    an_edited_row_is_found,
    a_dropped_row_is_found_wherever_it_was,
    a_doubled_row_is_found,
    rows_in_another_order_are_found,
    a_row_of_another_session_is_found,
    a_tail_cut_off_together_with_the_row_behind_it_is_found_by_the_head,
    a_session_deleted_while_it_is_read_ends_there,
];

/// What reading the journal of a session finds.
async fn found(bed: &Bed, id: uuid::Uuid) -> Option<Broken> {
    let row = bed.row(id).await;
    match bed.store.journal(&row).read_all().await {
        Ok(_) => None,
        Err(StoreError::Corrupt { session_id, broken }) => {
            assert_eq!(session_id, id);
            Some(broken)
        }
        Err(error) => panic!("{error:?}"),
    }
}

async fn a_journal_reads_back_in_order_and_in_batches(bed: Bed) {
    let line = bed.session_with(100).await;
    let row = bed.row(line.id).await;
    let mut journal = bed.store.journal(&row);
    let (mut seqs, mut batches) = (Vec::new(), 0);
    while let Some(batch) = journal.next_batch().await.unwrap() {
        seqs.extend(batch.iter().map(|entry| entry.seq));
        batches += 1;
    }
    assert!(seqs.into_iter().eq(1..=100));
    assert_eq!(batches, 2, "32 and then the rest");
    assert!(journal.next_batch().await.unwrap().is_none());
}

async fn a_reading_resumes_behind_an_entry_known_to_be_good(bed: Bed) {
    let line = bed.session_with(5).await;
    let entries = bed.journal(line.id).await;
    let row = bed.row(line.id).await;
    let rest = bed
        .store
        .journal_after(&row, 3, entries[2].hash)
        .read_all()
        .await
        .unwrap();
    assert_eq!(rest, entries[3..]);
    let rest = bed
        .store
        .journal_after(&row, 5, entries[4].hash)
        .read_all()
        .await
        .unwrap();
    assert!(rest.is_empty());
    for (seq, head) in [(3, Digest::ZERO), (5, Digest::ZERO), (6, entries[4].hash)] {
        let reading = bed.store.journal_after(&row, seq, head).read_all().await;
        assert!(
            matches!(reading, Err(StoreError::Corrupt { .. })),
            "after {seq}"
        );
    }
}

async fn entries_of_one_kind_are_read_alone(bed: Bed) {
    let line = bed.session_with(4).await;
    let turns = bed
        .store
        .entries(line.id, 0, Some("turn"), 10)
        .await
        .unwrap();
    assert!(turns.iter().map(|entry| entry.seq).eq([2, 3, 4]));
    let turns = bed
        .store
        .entries(line.id, 2, Some("turn"), 1)
        .await
        .unwrap();
    assert!(turns.iter().map(|entry| entry.seq).eq([3]));
    let created = bed
        .store
        .entries(line.id, 0, Some("create"), 10)
        .await
        .unwrap();
    assert!(created.iter().map(|entry| entry.seq).eq([1]));
}

async fn an_edited_row_is_found(bed: Bed) {
    for edit in [
        "payload = '{\"said\":\"entry 4\"}'",
        "payload = payload || ' '",
        "events = '[]'",
        "kind = 'outcome'",
        "created_at = '2026-01-01T00:00:09.000000Z'",
        "prev_hash = hash",
        "hash = prev_hash",
        "v = 2",
    ] {
        let line = bed.session_with(5).await;
        let id = bed.literal(line.id);
        let touched = bed
            .meddle(&format!(
                "UPDATE journal SET {edit} WHERE session_id = {id} AND seq = 3"
            ))
            .await;
        assert_eq!(touched, 1);
        assert_eq!(
            found(&bed, line.id).await.map(|broken| broken.seq),
            Some(3),
            "{edit}"
        );
    }
}

async fn a_dropped_row_is_found_wherever_it_was(bed: Bed) {
    for seq in 1..=5 {
        let line = bed.session_with(5).await;
        let id = bed.literal(line.id);
        bed.meddle(&format!(
            "DELETE FROM journal WHERE session_id = {id} AND seq = {seq}"
        ))
        .await;
        assert_eq!(
            found(&bed, line.id).await,
            Some(Broken {
                seq,
                fault: Fault::Missing
            })
        );
    }
}

async fn a_doubled_row_is_found(bed: Bed) {
    // Two rows of one seq the key refuses; as the next one, a doubled row does not fit.
    let line = bed.session_with(3).await;
    let id = bed.literal(line.id);
    let columns = "v, kind, payload, events, prev_hash, hash, created_at";
    bed.meddle(&format!(
        "INSERT INTO journal (session_id, seq, {columns}) \
         SELECT session_id, 4, {columns} FROM journal WHERE session_id = {id} AND seq = 3"
    ))
    .await;
    bed.meddle(&format!(
        "UPDATE sessions SET version = 4 WHERE session_id = {id}"
    ))
    .await;
    assert_eq!(
        found(&bed, line.id).await,
        Some(Broken {
            seq: 4,
            fault: Fault::Unlinked
        })
    );
}

async fn rows_in_another_order_are_found(bed: Bed) {
    let line = bed.session_with(5).await;
    let id = bed.literal(line.id);
    for (from, to) in [(2, 100), (4, 2), (100, 4)] {
        bed.meddle(&format!(
            "UPDATE journal SET seq = {to} WHERE session_id = {id} AND seq = {from}"
        ))
        .await;
    }
    assert_eq!(
        found(&bed, line.id).await,
        Some(Broken {
            seq: 2,
            fault: Fault::Unlinked
        })
    );
}

async fn a_row_of_another_session_is_found(bed: Bed) {
    let (line, other) = (bed.session_with(3).await, bed.session_with(3).await);
    let (id, other) = (bed.literal(line.id), bed.literal(other.id));
    bed.meddle(&format!(
        "DELETE FROM journal WHERE session_id = {id} AND seq = 1"
    ))
    .await;
    bed.meddle(&format!(
        "UPDATE journal SET session_id = {id} WHERE session_id = {other} AND seq = 1"
    ))
    .await;
    assert_eq!(
        found(&bed, line.id).await,
        Some(Broken {
            seq: 1,
            fault: Fault::Edited
        })
    );
}

async fn a_tail_cut_off_together_with_the_row_behind_it_is_found_by_the_head(bed: Bed) {
    let line = bed.session_with(5).await;
    let id = bed.literal(line.id);
    bed.meddle(&format!(
        "DELETE FROM journal WHERE session_id = {id} AND seq = 5"
    ))
    .await;
    bed.meddle(&format!(
        "UPDATE sessions SET version = 4 WHERE session_id = {id}"
    ))
    .await;
    assert_eq!(
        found(&bed, line.id).await,
        Some(Broken {
            seq: 4,
            fault: Fault::OtherHead
        })
    );
}

async fn a_session_deleted_while_it_is_read_ends_there(bed: Bed) {
    let line = bed.session_with(40).await;
    let row = bed.row(line.id).await;
    let mut journal = bed.store.journal(&row);
    assert_eq!(journal.next_batch().await.unwrap().unwrap().len(), 32);
    assert!(bed.store.delete_session(TENANT, line.id).await.unwrap());
    assert!(journal.next_batch().await.unwrap().is_none());
    assert!(journal.next_batch().await.unwrap().is_none());
}

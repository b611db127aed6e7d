//! SQLite without room.

use entail_json::sha256;
use entail_store::{Appended, Store, StoreError};

use crate::bed::{Bed, Kind, Line, TENANT, at, journal, key, keyed};
use crate::cases;

cases![&[Kind::Sqlite, Kind::SqliteAlone];
    at_the_page_limit_commits_fail_cleanly_and_go_on_when_there_is_room,
    at_the_page_limit_nothing_is_half_written_and_a_greater_one_goes_on,
    a_page_limit_that_is_no_number_is_refused,
];

/// The same data, in a file that may have so many pages.
async fn within(bed: &Bed, pages: u32) -> Store {
    let url = format!("{}?max_page_count={pages}", bed.url());
    Store::open(&bed.kind.options(&url)).await.unwrap()
}

async fn at_the_page_limit_commits_fail_cleanly_and_go_on_when_there_is_room(bed: Bed) {
    let mut line = bed.open_session().await;
    let mut other = bed.open_session().await;
    let large = other.saying(&format!("\"{}\"", "y".repeat(100_000)));
    assert_eq!(bed.store.append(large).await.unwrap(), Appended::Done);
    let limited = within(&bed, 160).await;
    let payload = format!("\"{}\"", "x".repeat(20_000));
    let mut acknowledged = 0;
    let error = loop {
        match limited.append(line.saying(&payload)).await {
            Ok(answer) => assert_eq!(answer, Appended::Done),
            Err(error) => break error,
        }
        line.step();
        acknowledged += 1;
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert!(acknowledged >= 5, "{acknowledged}");
    // Reads go on, and a commit that was refused left nothing behind.
    assert_eq!(journal(&limited, line.id).await.len() as u64, line.seq);
    // The same store goes on as soon as there is room.
    assert!(limited.delete_session(TENANT, other.id).await.unwrap());
    bed.append_to(&limited, &mut line).await;
    limited.close().await.unwrap();
    let row = bed.row(line.id).await;
    assert_eq!((row.version, row.chain_head), (line.seq, line.head));
    let mut line = Line::at(&row);
    bed.append(&mut line).await;
    assert_eq!(bed.journal(line.id).await.len() as u64, line.seq);
}

async fn at_the_page_limit_nothing_is_half_written_and_a_greater_one_goes_on(bed: Bed) {
    let mut line = bed.open_session().await;
    let limited = within(&bed, 160).await;
    let payload = format!("\"{}\"", "x".repeat(20_000));
    let refused = loop {
        let mut commit = line.saying(&payload);
        commit.key = keyed("POST /turns", &format!("key {}", line.seq), "{}");
        match limited.append(commit.clone()).await {
            Ok(answer) => assert_eq!(answer, Appended::Done),
            Err(StoreError::Full { .. }) => break commit,
            Err(error) => panic!("{error:?}"),
        }
        line.step();
    };
    // Everything that writes as much says the same, and none of it leaves a trace.
    let payload = format!("\"{}\"", "y".repeat(40_000));
    let mut creation = Line::new();
    let id = creation.id;
    let mut opening = creation.creation(TENANT);
    opening.commit = creation.saying(&payload);
    let full = [
        limited.create(opening).await.map(|_| ()),
        limited.append(refused.clone()).await.map(|_| ()),
        limited
            .put_document(TENANT, payload.as_bytes(), at(1))
            .await
            .map(|_| ()),
    ];
    for outcome in full {
        assert!(
            matches!(outcome, Err(StoreError::Full { .. })),
            "{outcome:?}"
        );
    }
    assert_eq!(limited.session(TENANT, id).await.unwrap(), None);
    let content = sha256(payload.as_bytes());
    assert_eq!(limited.document(TENANT, &content).await.unwrap(), None);
    let unkept = key("POST /turns", &format!("key {}", line.seq));
    assert_eq!(limited.answer(line.id, &unkept).await.unwrap(), None);
    let row = limited.session(TENANT, line.id).await.unwrap().unwrap();
    assert_eq!((row.version, row.chain_head), (line.seq, line.head));
    assert_eq!(journal(&limited, line.id).await.len() as u64, line.seq);
    limited.close().await.unwrap();

    let raised = within(&bed, 320).await;
    assert_eq!(raised.append(refused).await.unwrap(), Appended::Done);
    assert!(raised.answer(line.id, &unkept).await.unwrap().is_some());
    line.step();
    bed.append_to(&raised, &mut line).await;
    assert_eq!(bed.journal(line.id).await.len() as u64, line.seq);
}

async fn a_page_limit_that_is_no_number_is_refused(bed: Bed) {
    for wrong in ["0", "-1", "many", ""] {
        let url = format!("{}?max_page_count={wrong}", bed.url());
        let error = Store::open(&bed.kind.options(&url)).await.unwrap_err();
        assert!(
            matches!(error, StoreError::Configuration { .. }),
            "{wrong}: {error:?}"
        );
    }
    let url = format!("{}?mode=rw&max_page_count=4000", bed.url());
    let store = Store::open(&bed.kind.options(&url)).await.unwrap();
    store.probe(at(1)).await.unwrap();
}

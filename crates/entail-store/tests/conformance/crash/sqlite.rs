//! SQLite without room.

use entail_store::{Appended, Store, StoreError};

use crate::bed::{Bed, Kind, Line, TENANT, journal};
use crate::cases;

cases![&[Kind::Sqlite, Kind::SqliteAlone];
    at_the_page_limit_commits_fail_cleanly_and_go_on_when_there_is_room,
];

async fn at_the_page_limit_commits_fail_cleanly_and_go_on_when_there_is_room(bed: Bed) {
    let mut line = bed.open_session().await;
    let mut other = bed.open_session().await;
    let large = other.saying(&format!("\"{}\"", "y".repeat(100_000)));
    assert_eq!(bed.store.append(large).await.unwrap(), Appended::Done);
    let mut options = bed.kind.options(&bed.url());
    options.sqlite_max_pages = Some(160);
    let limited = Store::open(&options).await.unwrap();
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

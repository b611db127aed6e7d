//! Postgres that goes away and comes back.

use entail_store::{Appended, Store, StoreError};
use entail_test_postgres::{Database, Durability, Server};

use crate::bed::{Bed, Kind, Line, TENANT, journal, number};
use crate::cases;

cases![&[Kind::Postgres, Kind::PostgresAlone];
    commits_under_way_while_the_database_crashes_are_made_once_or_not_at_all,
];

async fn commits_under_way_while_the_database_crashes_are_made_once_or_not_at_all(bed: Bed) {
    const WRITERS: usize = 8;
    let mut server = Server::start(Durability::Full).unwrap();
    let database = Database::create_in(server.url()).unwrap();
    let store = Store::open(&bed.kind.options(database.url()))
        .await
        .unwrap();
    store.migrate().await.unwrap();
    let mut writers = Vec::new();
    let (acknowledged, mut heard) = tokio::sync::mpsc::unbounded_channel();
    for _ in 0..WRITERS {
        let (mut line, store) = (Line::new(), store.clone());
        assert_eq!(
            store.create(line.creation(TENANT)).await.unwrap(),
            entail_store::Created::Done
        );
        line.step();
        let acknowledged = acknowledged.clone();
        writers.push(tokio::spawn(async move {
            let (mut said, mut refused) = (Vec::new(), 0);
            while !acknowledged.is_closed() {
                let payload = format!("\"said {}\"", number());
                match store.append(line.saying(&payload)).await {
                    Ok(answer) => {
                        // Nobody else writes here: a conflict would be with oneself.
                        assert_eq!(answer, Appended::Done);
                        line.step();
                        said.push(payload);
                        let _ = acknowledged.send(());
                    }
                    Err(StoreError::Unavailable { .. }) => {
                        refused += 1;
                        if let Ok(Some(row)) = store.session(TENANT, line.id).await {
                            if row.version > line.seq {
                                said.push(payload);
                            }
                            line = Line::at(&row);
                        }
                    }
                    Err(error) => panic!("{error:?}"),
                }
            }
            (line.id, said, refused)
        }));
    }
    for round in 0..3 {
        for _ in 0..100 {
            heard.recv().await.unwrap();
        }
        if round < 2 {
            server = tokio::task::spawn_blocking(move || {
                server.crash_and_restart().unwrap();
                server
            })
            .await
            .unwrap();
        }
    }
    drop(heard);
    for writer in writers {
        let (id, said, _) = writer.await.unwrap();
        let entries = journal(&store, id).await;
        let payloads: Vec<&str> = entries[1..]
            .iter()
            .map(|entry| entry.payload.as_str())
            .collect();
        assert_eq!(payloads, said);
    }
    store.close().await.unwrap();
}

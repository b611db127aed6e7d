//! Postgres that goes away and comes back.

use entail_store::{Appended, Store, StoreError};
use entail_test_postgres::{Database, Durability, Server};

use crate::bed::{Bed, Kind, Line, TENANT, at, number};
use crate::cases;

cases![&[Kind::Postgres, Kind::PostgresAlone];
    a_database_that_acknowledges_too_early_is_told_not_to,
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
            let mut said = Vec::new();
            while !acknowledged.is_closed() {
                let payload = format!("\"said {}\"", number());
                let commit = line.saying(&payload);
                // Nobody else writes here: a conflict would be with oneself.
                loop {
                    match store.append(commit.clone()).await {
                        Ok(answer) => break assert_eq!(answer, Appended::Done),
                        Err(StoreError::Unavailable { .. }) => {}
                        Err(error) => panic!("{error:?}"),
                    }
                }
                line.step();
                said.push(payload);
                let _ = acknowledged.send(());
            }
            (line.id, said)
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
        let (id, said) = writer.await.unwrap();
        // A connection that was idle while the database crashed is found dead when it is next used.
        let entries = loop {
            let whole = async {
                let row = store.session(TENANT, id).await?.unwrap();
                store.journal(&row).read_all().await
            };
            match whole.await {
                Ok(entries) => break entries,
                Err(StoreError::Unavailable { .. }) => {}
                Err(error) => panic!("{error:?}"),
            }
        };
        let payloads: Vec<&str> = entries[1..]
            .iter()
            .map(|entry| entry.payload.as_str())
            .collect();
        assert_eq!(payloads, said);
    }
    store.close().await.unwrap();
}

async fn a_database_that_acknowledges_too_early_is_told_not_to(bed: Bed) {
    let mut line = bed.open_session().await;
    let name = bed.url().rsplit('/').next().unwrap().to_owned();
    bed.meddle(&format!(
        "ALTER DATABASE {name} SET synchronous_commit = off"
    ))
    .await;
    bed.meddle(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF current_setting('synchronous_commit') = 'off' THEN RAISE 'not durable'; END IF; \
         RETURN NEW; END $$",
    )
    .await;
    for table in ["journal", "probes"] {
        bed.meddle(&format!(
            "CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()"
        ))
        .await;
    }
    let store = bed.replica().await;
    store.probe(at(1)).await.unwrap();
    assert_eq!(store.append(line.commit()).await.unwrap(), Appended::Done);
}

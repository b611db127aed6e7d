//! The schema, its migrations, and the health of the database.

use entail_store::{Options, Store, StoreError};

use crate::bed::{Bed, ENGINES, Line, at};
use crate::cases;

cases![ENGINES;
    migrations_are_current_once_they_ran_and_may_run_again,
    replicas_that_start_together_migrate_once,
    a_schema_of_a_newer_build_is_not_touched,
    a_build_starts_on_what_a_newer_one_added_to,
    every_key_begins_with_the_session_or_the_tenant,
    the_probe_writes_and_a_closed_store_is_unavailable,
    a_fault_of_the_database_is_told_without_sql,
];

async fn migrations_are_current_once_they_ran_and_may_run_again(bed: Bed) {
    let fresh = Bed::unmigrated(bed.kind).await;
    assert!(!fresh.store.migrations_current().await.unwrap());
    for _ in 0..2 {
        fresh.store.migrate().await.unwrap();
        assert!(fresh.store.migrations_current().await.unwrap());
    }
}

async fn replicas_that_start_together_migrate_once(bed: Bed) {
    let fresh = Bed::unmigrated(bed.kind).await;
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let store = fresh.replica().await;
        tasks.push(tokio::spawn(async move { store.migrate().await }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    fresh.open_session().await;
}

async fn a_schema_of_a_newer_build_is_not_touched(bed: Bed) {
    bed.meddle("UPDATE _sqlx_migrations SET version = 9999 WHERE version = 1")
        .await;
    assert!(!bed.store.migrations_current().await.unwrap());
    let error = bed.store.migrate().await.unwrap_err();
    assert!(matches!(error, StoreError::Migration { .. }), "{error:?}");
}

async fn a_build_starts_on_what_a_newer_one_added_to(bed: Bed) {
    bed.meddle(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         SELECT 9999, 'newer', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1",
    )
    .await;
    bed.store.migrate().await.unwrap();
    assert!(bed.store.migrations_current().await.unwrap());
    bed.open_session().await;
}

async fn every_key_begins_with_the_session_or_the_tenant(bed: Bed) {
    let (tables, keyed) = if bed.kind.is_sqlite() {
        (
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' \
             AND name NOT LIKE '\\_sqlx%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
            "SELECT count(*) FROM sqlite_master t, pragma_table_info(t.name) c \
             WHERE t.type = 'table' AND c.pk = 1 AND c.name IN ('session_id', 'tenant')",
        )
    } else {
        (
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public' \
             AND tablename NOT LIKE '\\_sqlx%'",
            "SELECT count(*) FROM pg_index i JOIN pg_attribute a \
             ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] \
             WHERE i.indisprimary AND a.attname IN ('session_id', 'tenant')",
        )
    };
    let tables = bed.ask(tables).await;
    assert!(tables >= 19, "{tables} tables");
    assert_eq!(bed.ask(keyed).await, tables);
}

async fn the_probe_writes_and_a_closed_store_is_unavailable(bed: Bed) {
    bed.store.probe(at(1)).await.unwrap();
    bed.store.probe(at(2)).await.unwrap();
    assert_eq!(bed.ask("SELECT at_us FROM probes").await, at(2).as_micros());
    bed.store.close().await.unwrap();
    for error in [
        bed.store.probe(at(3)).await.unwrap_err(),
        bed.store
            .append(
                Line {
                    seq: 1,
                    ..Line::new()
                }
                .commit(),
            )
            .await
            .unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::Unavailable { .. }), "{error:?}");
    }
}

async fn a_fault_of_the_database_is_told_without_sql(bed: Bed) {
    let mut line = bed.open_session().await;
    bed.meddle("ALTER TABLE journal RENAME COLUMN events TO happenings")
        .await;
    let error = bed.store.append(line.commit()).await.unwrap_err();
    assert!(matches!(error, StoreError::Internal { .. }), "{error:?}");
    assert_eq!(error.to_string(), "the database refused a statement");
    for url in [
        "mysql://h/d",
        "entail.db",
        "",
        "postgres://u:secret@[/d",
        "sqlite::memory:",
    ] {
        let error = Store::open(&Options::new(url)).await.unwrap_err();
        assert!(
            matches!(error, StoreError::Configuration { .. }),
            "{url}: {error:?}"
        );
        assert!(!error.to_string().contains("secret"));
    }
    assert!(!format!("{:?}", Options::new("postgres://u:secret@h/d")).contains("secret"));
}

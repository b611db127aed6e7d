use std::sync::PoisonError;

use entail_json::sha256;
use entail_store::Snapshot;
use uuid::Uuid;

use super::{account, write_one};
use crate::{
    config::Settings,
    sessions::{Target, load},
    testing::Service,
};

async fn service(snapshot_every: u64) -> Service {
    Service::with(Settings {
        snapshot_every,
        ..Settings::default()
    })
    .await
}

/// A session with so many entries: its id and its path.
async fn session(service: &Service, entries: usize) -> (Uuid, String) {
    let body = r#"{"task": "t", "documents": [{"name": "d", "text": "Revenue was 5."}]}"#;
    let path = service.open(body).await;
    for entry in 1..entries {
        premise(service, &path, &format!("k{entry}")).await;
    }
    let id = path.rsplit('/').next().unwrap().parse().unwrap();
    (id, path)
}

async fn premise(service: &Service, path: &str, key: &str) {
    let body = format!(r#"{{"key": "{key}", "value": 1, "source": "tool:t"}}"#);
    let answer = service.post(&format!("{path}/premises"), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// Writes what waits to be written; how many there were.
async fn write_waiting(service: &Service) -> usize {
    let mut written = 0;
    loop {
        let job = {
            let jobs = service.app().snapshots().jobs.lock();
            let mut jobs = jobs.unwrap_or_else(PoisonError::into_inner);
            jobs.as_mut().unwrap().try_recv()
        };
        let Ok(job) = job else { return written };
        assert!(write_one(service.app(), job.id, job.slot).await.unwrap());
        written += 1;
    }
}

async fn snapshot(service: &Service, id: Uuid) -> Option<Snapshot> {
    service.app().store().snapshot(id).await.unwrap()
}

/// Loads the session anew: what it is, and the version of the snapshot it was loaded from.
async fn load_anew(service: &Service, id: Uuid) -> (entail_json::Value, u64) {
    let store = service.app().store();
    let tenant = service_tenant(service, id).await;
    let row = store.session(&tenant, id).await.unwrap().unwrap();
    let (session, from) = load::load(service.app(), &row, row.version).await.unwrap();
    (session.dump(), from)
}

async fn service_tenant(service: &Service, id: Uuid) -> String {
    let slot = service.app().sessions().peek(id).unwrap();
    let held = slot.read().await;
    held.as_ref().unwrap().tenant.clone()
}

/// What is held of the session in memory.
async fn held(service: &Service, id: Uuid) -> entail_json::Value {
    let slot = service.app().sessions().peek(id).unwrap();
    let held = slot.read().await;
    held.as_ref().unwrap().session.dump()
}

#[tokio::test]
async fn a_snapshot_is_written_every_so_many_commits_and_loaded_with_what_came_after() {
    let service = service(4).await;
    let (id, path) = session(&service, 3).await;
    assert_eq!(write_waiting(&service).await, 0);
    premise(&service, &path, "fourth").await;
    assert_eq!(write_waiting(&service).await, 1);
    assert_eq!(snapshot(&service, id).await.unwrap().seq, 4);
    for (key, waits, seq) in [
        ("a", 0, 4),
        ("b", 0, 4),
        ("c", 0, 4),
        ("d", 1, 8),
        ("e", 0, 8),
    ] {
        premise(&service, &path, key).await;
        assert_eq!(write_waiting(&service).await, waits, "{key}");
        assert_eq!(
            load_anew(&service, id).await,
            (held(&service, id).await, seq)
        );
    }
}

#[tokio::test]
async fn with_snapshots_switched_off_none_is_written() {
    let service = service(0).await;
    let (id, _) = session(&service, 30).await;
    assert_eq!(write_waiting(&service).await, 0);
    assert_eq!(load_anew(&service, id).await, (held(&service, id).await, 0));
}

#[tokio::test]
async fn an_evicted_session_leaves_a_snapshot_if_it_has_enough_commits_since_the_last() {
    let service = Service::with(Settings {
        cache_bytes: 1,
        ..Settings::default()
    })
    .await;
    let (long, _) = session(&service, 20).await;
    let (short, _) = session(&service, 3).await;
    assert_eq!(write_waiting(&service).await, 1);
    assert_eq!(snapshot(&service, long).await.unwrap().seq, 20);
    session(&service, 1).await;
    assert_eq!(write_waiting(&service).await, 0);
    assert_eq!(snapshot(&service, short).await, None);
    assert_eq!(service.app().sessions().size().sessions, 1);
}

#[tokio::test]
async fn a_snapshot_that_is_not_what_it_says_is_passed_over_and_removed() {
    let service = service(4).await;
    let (id, path) = session(&service, 4).await;
    write_waiting(&service).await;
    premise(&service, &path, "fifth").await;
    premise(&service, &path, "sixth").await;
    let good = snapshot(&service, id).await.unwrap();
    let (other, _) = session(&service, 4).await;
    write_waiting(&service).await;
    let foreign = snapshot(&service, other).await.unwrap();
    let mut damaged = good.clone();
    damaged.state[20] ^= 1;
    let mut cut = good.clone();
    cut.state.truncate(50);
    cut.sha256 = sha256(&cut.state);
    let mut of_another_head = good.clone();
    of_another_head.head = sha256(b"another");
    let mut ahead = good.clone();
    ahead.seq = 1_000;
    let of_another_session = Snapshot {
        session_id: id,
        head: good.head,
        ..foreign
    };
    let expected = held(&service, id).await;
    for (what, bad) in [
        ("damaged", damaged),
        ("cut", cut),
        ("of another head", of_another_head),
        ("ahead", ahead),
        ("of another session", of_another_session),
    ] {
        service.app().store().put_snapshot(&bad).await.unwrap();
        assert_eq!(
            load_anew(&service, id).await,
            (expected.clone(), 0),
            "{what}"
        );
        assert_eq!(snapshot(&service, id).await, None, "{what}");
    }
    // One of a newer build is left to it.
    let mut newer = good.clone();
    newer.format += 1;
    service.app().store().put_snapshot(&newer).await.unwrap();
    assert_eq!(load_anew(&service, id).await, (expected.clone(), 0));
    assert!(snapshot(&service, id).await.is_some());
    service.app().store().put_snapshot(&good).await.unwrap();
    assert_eq!(load_anew(&service, id).await, (expected, 4));
    assert_eq!(service.get(&path).await.status, 200);
}

#[tokio::test]
async fn the_past_is_loaded_from_a_snapshot_that_is_not_beyond_it() {
    let service = service(4).await;
    let (id, path) = session(&service, 4).await;
    write_waiting(&service).await;
    premise(&service, &path, "fifth").await;
    premise(&service, &path, "sixth").await;
    let tenant = service_tenant(&service, id).await;
    let target = Target { tenant, id };
    for version in 1..=6 {
        let past = load::past(service.app(), &target, version).await.unwrap();
        assert_eq!(past.version(), version);
        let row = service.app().store().session(&target.tenant, id).await;
        let (_, from) = load::load(service.app(), &row.unwrap().unwrap(), version)
            .await
            .unwrap();
        assert_eq!(from, if version >= 4 { 4 } else { 0 });
    }
}

#[tokio::test]
async fn a_deleted_sessions_snapshot_is_deleted_and_not_written_again() {
    let service = service(4).await;
    let (id, path) = session(&service, 4).await;
    write_waiting(&service).await;
    let slot = service.app().sessions().peek(id).unwrap();
    assert_eq!(service.call("DELETE", &path, None).await.status, 204);
    assert_eq!(snapshot(&service, id).await, None);
    write_one(service.app(), id, slot).await.unwrap();
    assert_eq!(snapshot(&service, id).await, None);
}

#[tokio::test]
async fn what_a_session_weighs_follows_it_without_a_measurement_for_every_commit() {
    let service = service(0).await;
    let (id, path) = session(&service, 2).await;
    let before = service.app().sessions().size();
    assert!(
        before.bytes > 5_000 && before.document_bytes > 0,
        "{before:?}"
    );
    assert_eq!(before.documents, 1);
    for n in 0..40 {
        premise(&service, &path, &format!("more:{n}")).await;
    }
    let after = service.app().sessions().size();
    assert!(
        after.bytes > before.bytes + 40 * 300,
        "{before:?} {after:?}"
    );
    let slot = service.app().sessions().peek(id).unwrap();
    let mut held = slot.write().await;
    let exact = held.as_ref().unwrap().session.heap_bytes();
    assert!(
        after.bytes > exact / 2 && after.bytes < exact * 2,
        "{exact} {after:?}"
    );
    account(service.app(), id, held.as_mut());
}

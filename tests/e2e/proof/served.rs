//! The state that is served against the journal.

use std::{collections::BTreeMap, process::Command};

use entail_json::Value;
use entail_tests::{Client, Scratch, binary};

use crate::audit::{Found, pages};

/// The beliefs of a session as they are served, at that version or a newer one.
pub(crate) fn beliefs(client: &Client, found: &Found) -> Vec<Value> {
    let query = format!("&min_version={}", found.version());
    pages(client, &format!("{}/beliefs", found.session), &query)
}

/// Checks that every replica serves the same beliefs, version, chain and trace, and that the
/// beliefs are those of the journal alone, taken from its start.
pub(crate) fn agrees(clients: &[&Client], found: &Found) {
    let version = found.version();
    let session = &found.session;
    let replayed = pages(
        clients[0],
        &format!("{session}/beliefs"),
        &format!("&at_version={version}"),
    );
    is_sound(session, &replayed);
    let mut trace = None;
    for client in clients {
        assert_eq!(beliefs(client, found), replayed, "{session}");
        let about = client.get(&format!("{session}?min_version={version}")).ok();
        let head = found.lines.last().map(|line| line.hash.as_str());
        assert_eq!(about.get("chain_head").and_then(Value::as_str), head);
        assert_eq!(
            about.get("version").and_then(Value::as_u64),
            Some(version),
            "{session}"
        );
        let text = client.get(&format!("{session}/trace?min_version={version}"));
        let text = text.text().to_owned();
        assert_eq!(
            *trace.get_or_insert_with(|| text.clone()),
            text,
            "{session}"
        );
    }
}

/// Checks that what is concluded is IN exactly if one of its justifications has every antecedent
/// IN, and that what is retracted is OUT.
pub(crate) fn is_sound(session: &str, beliefs: &[Value]) {
    let text = |value: &Value, name: &str| {
        let member = value.get(name).and_then(Value::as_str);
        member.expect("a text").to_owned()
    };
    let is_in: BTreeMap<String, bool> = beliefs
        .iter()
        .map(|belief| (text(belief, "ref"), text(belief, "status") == "IN"))
        .collect();
    for belief in beliefs {
        let justifications = belief.get("justifications").and_then(Value::as_array);
        let holds = justifications.expect("a list").iter().any(|justification| {
            let on = justification.get("antecedents").and_then(Value::as_array);
            on.expect("a list").iter().all(|one| {
                let name = one.as_str().expect("a ref");
                is_in[name]
            })
        });
        let why_out = belief.get("why_out");
        let retracted = why_out.and_then(|why| why.get("retracted")).is_some();
        assert_eq!(
            is_in[&text(belief, "ref")],
            holds && !retracted,
            "{session}: {belief}"
        );
    }
}

/// Checks with `entail replay` that the journal in a session's bundle gives the trace in it.
pub(crate) fn replays(client: &Client, found: &Found) {
    let directory = Scratch::new();
    let path = directory.path().join("bundle.tar.gz");
    let bundle = client.get(&format!(
        "{}/bundle?min_version={}",
        found.session,
        found.version()
    ));
    assert_eq!(bundle.status, 200, "{}", found.session);
    std::fs::write(&path, &bundle.body).expect("a bundle can be written");
    let replay = Command::new(binary())
        .arg("replay")
        .arg(&path)
        .output()
        .expect("the binary starts");
    let said = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(
        replay.status.success() && said.starts_with("the journal gives the same trace"),
        "{}: {said}",
        found.session
    );
}

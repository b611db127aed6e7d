//! A follower of a session whose replica is stopped and killed while others write.

use std::thread;

use entail_json::Value;
use entail_tests::{Database, Event, Follower, Service, Start, journal};

use crate::{
    door::Door,
    log::{Request, Writer},
    says, scale,
};

#[test]
fn a_follower_sees_every_commit_once_and_in_order_through_the_ends_of_its_replica() {
    let database = Database::postgres();
    let start = Start::on(&database.url());
    let mut followed = start.start();
    let other = start.start();
    let door = Door::new(&[followed.client(), other.client()]);
    let mut writer = Writer::new(&door, "f");
    let opening = says::opening(&writer.mark(), None);
    writer.done(1, Request::OPEN, &opening);
    let session = writer.log[0].located().to_owned();
    let (events, _followed) = thread::scope(|scope| {
        let follower = scope.spawn(|| follow(&door, &session));
        write(&mut writer, &session);
        // Stopped in order, then killed; both times others go on writing.
        let (status, log) = followed.terminate();
        assert!(status.success(), "{log}");
        write(&mut writer, &session);
        followed = start.start();
        door.take(0, &followed.client());
        write(&mut writer, &session);
        followed.kill();
        write(&mut writer, &session);
        followed = start.start();
        door.take(0, &followed.client());
        write(&mut writer, &session);
        close(&other, &session);
        (follower.join().unwrap(), followed)
    });
    let text = other.client().get(&format!("{session}/journal"));
    let lines: Vec<&str> = text.text().lines().collect();
    assert_eq!(lines.len(), journal(&other.client(), &session).len());
    // The first was there before anybody followed.
    assert_eq!(events.len() + 1, lines.len());
    for ((place, line), event) in (2..).zip(&lines[1..]).zip(&events) {
        assert_eq!(event.id, format!("{place}"));
        assert_eq!(event.data, **line);
    }
}

/// Some commits, through whoever is there.
fn write(writer: &mut Writer<'_>, session: &str) {
    for turn in 0..scale::FOLLOWED {
        let request = Request::to(session, "turn", "turns");
        let body = says::claim(&writer.mark(), &writer.mark(), "p0");
        let place = turn % 2;
        writer.done(place, request, &body);
    }
}

fn close(service: &Service, session: &str) {
    let body = Value::from([("state", "abandoned".into())]);
    let closed = service.client().post(&format!("{session}/close"), &body);
    assert_eq!(closed.status, 200, "{}", closed.text());
}

/// Follows a session at the first place, through whoever comes to it, up to its close.
fn follow(door: &Door, session: &str) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let met = door.at(0);
        let last = events.last().map_or("1", |event| event.id.as_str());
        let Ok(mut follower) = Follower::follow(&met.client(), session, last) else {
            door.renewed(met);
            continue;
        };
        while let Some(event) = follower.next_event() {
            if event.kind == "lag" {
                continue;
            }
            let is_last = event.kind == "close";
            events.push(event);
            if is_last {
                return events;
            }
        }
    }
}

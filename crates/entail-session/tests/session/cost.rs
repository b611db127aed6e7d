//! What commands cost, in work and not in time.

use entail_session::{Command, Limits, Opening};

use super::play::{Play, policy, premise};

fn of_claims(range: std::ops::Range<usize>) -> String {
    let claims = range.map(|n| format!(r#"{{"type":"claim","key":"c{n}","value":{n}}}"#));
    format!("[{}]", claims.collect::<Vec<_>>().join(","))
}

#[test]
fn a_conservative_turn_costs_an_edge_for_each_belief_shown_and_each_claim() {
    const SHOWN: usize = 400;
    const CLAIMS: usize = 150;
    let mut play = Play::open(Opening::new("t"));
    let premises = (0..SHOWN).map(|n| premise(&format!("k{n}"), n, "tool:t"));
    play.assert(premises.collect());
    play.context();
    let before = play.session.base().edges();
    play.turn(&of_claims(0..CLAIMS));
    assert_eq!(play.session.base().edges() - before, SHOWN + CLAIMS);
}

#[test]
fn a_turn_after_a_turn_only_costs_what_is_new() {
    let mut opening = Opening::new("t");
    opening.policy = policy(r#"{"max_beliefs":10000}"#);
    let mut play = Play::open(opening);
    let premises = (0..300_usize).map(|n| premise(&format!("k{n}"), n, "tool:t"));
    play.assert(premises.collect());
    play.context();
    play.turn(&of_claims(0..10));
    let before = play.session.base().edges();
    play.turn(&of_claims(10..20));
    assert_eq!(play.session.base().edges() - before, 10);
    // Once something is gone, the context is a set of its own again.
    play.retract("k7");
    play.context();
    let before = play.session.base().edges();
    play.turn(&of_claims(20..21));
    assert_eq!(play.session.base().edges() - before, 299 + 1);
    play.check_replay();
}

#[test]
fn a_journal_entry_of_a_turn_is_as_long_as_what_is_new() {
    let mut opening = Opening::new("t");
    opening.policy = policy(r#"{"max_beliefs":10000}"#);
    let mut play = Play::open_with(opening, Limits::default());
    let premises = (0..1_000_usize).map(|n| premise(&format!("k{n}"), n, "tool:t"));
    play.assert(premises.collect());
    play.context();
    play.turn(&of_claims(0..1));
    play.turn(&of_claims(1..2));
    let entry = play.journal.last().unwrap();
    assert!(entry.events.len() < 3_000, "{}", entry.events);
    let view = play.session.turn_view(entry).unwrap();
    let refs = view
        .get("context")
        .unwrap()
        .get("refs")
        .unwrap()
        .as_array()
        .unwrap()
        .len();
    assert_eq!(refs, 1_001, "and still tells everything that was shown");
}

#[test]
fn retracting_one_fact_touches_what_rests_on_it_and_nothing_else() {
    let mut opening = Opening::new("t");
    opening.policy = policy(r#"{"dependencies":"declared","max_beliefs":10000}"#);
    let mut play = Play::open(opening);
    let premises = (0..2_000_usize).map(|n| premise(&format!("k{n}"), n, "tool:t"));
    play.assert(premises.collect());
    play.context();
    play.turn(
        r#"[{"type":"claim","key":"x","value":1,"follows_from":["k5"]},
            {"type":"claim","key":"y","value":1,"follows_from":["x"]}]"#,
    );
    play.exec(Command::Retract(entail_session::Retraction {
        target: "k5".to_owned(),
        reason: None,
        fault: entail_session::Blame::None,
    }));
    assert!(
        play.session.base().work().beliefs <= 3,
        "{:?}",
        play.session.base().work()
    );
}

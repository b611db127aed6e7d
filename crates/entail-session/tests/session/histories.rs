//! Generated histories: what is executed, what is undone and made again, and what is replayed are
//! the same, whatever the commands.

use entail_json::Value;
use entail_kernel::Span;
use entail_kernel::base::{Derivation, Expiry, Step};
use entail_session::{
    Blame, Closing, Command, Compared, Outcome, Patch, Retraction, Reverification, RuleDefinition,
    Settlement, Told,
};
use entail_trace::{Plan, ProblemSpec, Record, TraceEnd, TraceEvent, TraceReader, write_trace};
use proptest::prelude::*;

use super::play::{Play, opening, policy, premise, result, tool};

/// One thing to do; what it means depends on what is there.
#[derive(Clone, Debug)]
enum Move {
    Premise {
        key: u8,
        value: i64,
        source: u8,
        supersede: bool,
        ttl: bool,
    },
    Retract(u8, bool),
    Restore(u8),
    Claims(Vec<(u8, i64, Vec<u8>, bool)>),
    Cite(u8, bool),
    Call(u8, u8),
    Result(u8, Option<i64>),
    GiveUp(u8),
    Answer(Vec<u8>),
    Nonsense,
    Document(u8, u8),
    Tool(bool),
    Policy(u8),
    Wait(u16),
    Context,
    Close(u8),
    Reopen,
    Justify(u8, u8, u8),
    Rule(u8),
    Derive(u8, u8, u8),
    Resolve(u8),
    Told(u8, bool),
    Propagate,
    Reverify,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let key = 0_u8..6;
    let claims = proptest::collection::vec(
        (
            key.clone(),
            0_i64..3,
            proptest::collection::vec(0_u8..8, 0..3),
            any::<bool>(),
        ),
        1..4,
    );
    let one = prop_oneof![
        4 => (key.clone(), 0_i64..3, 0_u8..4, any::<bool>(), any::<bool>())
            .prop_map(|(key, value, source, supersede, ttl)| Move::Premise { key, value, source, supersede, ttl }),
        2 => (key.clone(), any::<bool>()).prop_map(|(key, blame)| Move::Retract(key, blame)),
        1 => key.clone().prop_map(Move::Restore),
        6 => claims.prop_map(Move::Claims),
        2 => (key.clone(), any::<bool>()).prop_map(|(key, right)| Move::Cite(key, right)),
        3 => (key.clone(), 0_u8..3).prop_map(|(key, quarter)| Move::Call(key, quarter)),
        3 => (any::<u8>(), proptest::option::of(0_i64..3)).prop_map(|(at, value)| Move::Result(at, value)),
        1 => any::<u8>().prop_map(Move::GiveUp),
        2 => proptest::collection::vec(key.clone(), 0..3).prop_map(Move::Answer),
        1 => Just(Move::Nonsense),
        1 => (0_u8..3, 0_u8..3).prop_map(|(name, text)| Move::Document(name, text)),
        1 => any::<bool>().prop_map(Move::Tool),
        1 => (0_u8..4).prop_map(Move::Policy),
        2 => (0_u16..100).prop_map(Move::Wait),
        4 => Just(Move::Context),
        1 => (0_u8..3).prop_map(Move::Close),
        1 => Just(Move::Reopen),
        1 => (key.clone(), key.clone(), key.clone()).prop_map(|(a, b, c)| Move::Justify(a, b, c)),
        1 => (0_u8..3).prop_map(Move::Rule),
        1 => (key.clone(), key.clone(), key.clone()).prop_map(|(a, b, c)| Move::Derive(a, b, c)),
        1 => key.prop_map(Move::Resolve),
        1 => (0_u8..4, any::<bool>()).prop_map(|(source, right)| Move::Told(source, right)),
        1 => Just(Move::Propagate),
        1 => Just(Move::Reverify),
    ];
    proptest::collection::vec(one, 1..25)
}

const SOURCES: [&str; 4] = ["tool:a", "human:h", "document:d", "assumption:x"];

fn key(key: u8) -> String {
    format!("k{key}")
}

fn command(play: &Play, done: &Move) -> Option<Command> {
    Some(match done {
        Move::Premise { key: at, value, source, supersede, ttl } => {
            let mut premise = premise(&key(*at), *value, SOURCES[usize::from(*source)]);
            premise.supersede = *supersede;
            premise.expiry = ttl.then(|| Expiry::After(Span::from_seconds(30.0).unwrap()));
            Command::Premises(vec![premise])
        }
        Move::Retract(at, blame) => Command::Retract(Retraction {
            target: key(*at),
            reason: Some("why not".to_owned()),
            fault: if *blame { Blame::Source } else { Blame::None },
        }),
        Move::Restore(at) => Command::Restore { target: key(*at) },
        Move::Claims(claims) => {
            let one = |(at, value, rests_on, formula): &(u8, i64, Vec<u8>, bool)| {
                let rests_on: Value = rests_on.iter().map(|at| key(*at)).collect();
                let formula = match (formula, rests_on.as_array().unwrap_or_default().first()) {
                    (true, Some(first)) => Value::from(format!("{{{}}} + 0", first.as_str().unwrap())),
                    _ => Value::Null,
                };
                Value::from([
                    ("type", "claim".into()),
                    ("key", format!("c{at}").into()),
                    ("value", (*value).into()),
                    ("follows_from", rests_on),
                    ("formula", formula),
                ])
            };
            Command::Turn(play.turn_command(&claims.iter().map(one).collect::<Value>().to_string()))
        }
        Move::Cite(at, right) => Command::Turn(play.turn_command(&format!(
            r#"{{"type":"cite","document":"10-K","key":"k{at}","quote":"Q2 was $4.3 billion","value":{}}}"#,
            if *right { 4_300_000_000_i64 } else { 1 }
        ))),
        Move::Call(at, quarter) => Command::Turn(play.turn_command(&format!(
            r#"[{{"type":"call_tool","tool":"get_revenue","args":{{"quarter":"Q{quarter}"}},"key":"k{at}"}},
                {{"type":"call_tool","tool":"get_revenue","args":{{"quarter":"Q{at}"}}}}]"#
        ))),
        Move::Result(at, value) => {
            let calls: Vec<_> = play.session.calls().map(|call| call.id().to_owned()).collect();
            let id = calls.get(usize::from(*at) % calls.len().max(1))?;
            let outcome = value.map(Value::from).ok_or("backend down");
            Command::ToolResults(vec![result(id, outcome)])
        }
        Move::GiveUp(at) => {
            let calls: Vec<_> = play.session.calls().map(|call| call.id().to_owned()).collect();
            let call_id = calls.get(usize::from(*at) % calls.len().max(1))?.clone();
            Command::GiveUpCall { call_id }
        }
        Move::Answer(rests_on) => {
            let rests_on: Value = rests_on.iter().map(|at| key(*at)).collect();
            let answer = Value::from([
                ("type", "answer".into()),
                ("text", "So it is.".into()),
                ("follows_from", rests_on),
            ]);
            Command::Turn(play.turn_command(&answer.to_string()))
        }
        Move::Nonsense => Command::Turn(play.turn_command("{\"actions\": [{]")),
        Move::Document(..) | Move::Wait(_) | Move::Context => return None,
        Move::Tool(there) => {
            let name = "get_revenue".to_owned();
            if *there {
                let definition = r#"{"description":"Again.","parameters":{"type":"object"},"ttl_s":30}"#;
                Command::PutTool { name, definition: Box::new(tool(definition)) }
            } else {
                Command::DeleteTool { name }
            }
        }
        Move::Policy(at) => {
            let json = [
                r#"{"dependencies":"declared"}"#,
                r#"{"dependencies":"conservative","max_beliefs":2}"#,
                r#"{"conflict":"newest"}"#,
                r#"{"min_confidence":0.8,"learn":false}"#,
            ][usize::from(*at)];
            Command::Patch(Patch { policy: Some(policy(json)), ..Patch::default() })
        }
        Move::Close(how) => Command::Close(match how {
            0 => Closing::Answered,
            1 => Closing::InsufficientEvidence { reason: "not enough".to_owned() },
            _ => Closing::Abandoned { reason: None },
        }),
        Move::Reopen => Command::Reopen,
        Move::Justify(at, from, unless) => {
            let mut step = Step::new(key(*at), 1_i64, "human:h".parse().unwrap(), [key(*from)]);
            step.unless = vec![key(*unless)];
            Command::Justify(Box::new(step))
        }
        Move::Rule(at) => Command::PutRule {
            name: "sum".to_owned(),
            rule: RuleDefinition {
                parameters: vec!["a".to_owned(), "b".to_owned()],
                expression: ["a + b", "a - b", "a / (b - 1.0)"][usize::from(*at)].to_owned(),
                confidence: None,
            },
        },
        Move::Derive(at, a, b) => {
            Command::Derive(Derivation::new(format!("r{at}"), "sum", [key(*a), key(*b)]))
        }
        Move::Resolve(at) => {
            let latest = play.session.base().believed(&key(*at)).into_iter().next_back()?;
            let keep = vec![play.session.base().ref_of(latest)?.to_string()];
            let settlement = Settlement { keep, learn: true, ..Settlement::default() };
            Command::Resolve { conflict: key(*at), settlement }
        }
        Move::Told(source, correct) => Command::Outcomes(vec![Told {
            source: SOURCES[usize::from(*source)].to_owned(),
            correct: *correct,
        }]),
        Move::Propagate => Command::Propagate,
        Move::Reverify => Command::Reverify(Reverification::default()),
    })
}

fn perform(play: &mut Play, done: &Move) {
    match done {
        Move::Context => {
            if play.session.closed().is_none() {
                play.context();
            }
        }
        Move::Wait(seconds) => play.wait(f64::from(*seconds)),
        Move::Document(name, text) => {
            if play.session.closed().is_none() {
                let text = ["Q2 was $4.3 billion.", "Nothing.", ""][usize::from(*text)];
                let name = ["10-K", "memo", "note"][usize::from(*name)];
                play.put_document(name, text);
            }
        }
        other => {
            if let Some(command) = command(play, other) {
                // Undoing and making again is checked inside, refused or not.
                let _ = play.try_exec(command);
            }
        }
    }
}

/// The events of a trace, read to its end, and what is known of it as a whole.
fn read_back(trace: &str) -> (Vec<TraceEvent>, TraceEnd) {
    let mut reader = TraceReader::new(trace.as_bytes()).unwrap();
    let mut events = Vec::new();
    while let Some((_, event)) = reader.next_event().unwrap() {
        events.push(event);
    }
    (events, reader.finish().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_was_executed_undone_and_replayed_is_the_same(
        conservative in any::<bool>(),
        moves in moves(),
    ) {
        let mut play = Play::open(opening(if conservative { "conservative" } else { "declared" }));
        for done in &moves {
            perform(&mut play, done);
        }
        play.check_replay();
        let base = play.session.base();
        prop_assert_eq!(base.believed_count(), base.all_in().len());
        prop_assert_eq!(play.session.summary().counts.believed, base.believed_count());
    }

    #[test]
    fn an_image_and_the_rest_of_the_journal_are_the_whole_journal(
        conservative in any::<bool>(),
        moves in moves(),
        later in moves(),
        at in any::<prop::sample::Index>(),
    ) {
        let mut play = Play::open(opening(if conservative { "conservative" } else { "declared" }));
        for done in moves.iter().chain(&later) {
            perform(&mut play, done);
        }
        play.check_image_at(1 + at.index(play.journal.len()));
    }

    #[test]
    fn whatever_happens_the_trace_breaks_no_rule_of_its_format(moves in moves()) {
        let mut play = Play::open(opening("conservative"));
        for done in &moves {
            perform(&mut play, done);
        }
        // An open call, an unanswered task and a claim without evidence are no faults of form.
        let allowed = ["tool_linkage", "derived_claim_grounding", "insufficient_reasoning", "finalize_present", "required_steps"];
        for (name, failures) in play.failing_checks() {
            prop_assert!(allowed.contains(&name), "{name}: {failures}");
        }
    }

    #[test]
    fn the_trace_of_any_journal_is_written_as_it_was_read(
        conservative in any::<bool>(),
        moves in moves(),
    ) {
        let mut play = Play::open(opening(if conservative { "conservative" } else { "declared" }));
        for done in &moves {
            perform(&mut play, done);
        }
        // Out of the journal, not out of the session that wrote it.
        let session = play.replayed();
        let whole = session.trace();
        let trace = whole.to_jsonl();
        prop_assert_eq!(&play.session.trace().to_jsonl(), &trace);
        let (events, end) = read_back(&trace);
        prop_assert_eq!(&events, &session.trace_events());
        prop_assert_eq!(end.first_uncanonical_line, None);
        prop_assert_eq!(&end.trace_id, whole.header().id());
        let mut written = Vec::new();
        let header = session.trace_header();
        let told = write_trace(&mut written, header, || events.iter().cloned()).unwrap().1;
        prop_assert_eq!(std::str::from_utf8(&written).unwrap(), &trace);
        prop_assert_eq!(told.fingerprint, end.fingerprint);
        let lines = end.events + 1;
        let compared = session.compare_trace(&trace.as_bytes()).unwrap();
        prop_assert_eq!(compared, Compared::Same { lines });
        let plan = session.plan().to_canonical();
        prop_assert_eq!(&Plan::from_json(plan.as_bytes()).unwrap().to_canonical(), &plan);
        let spec = session.spec().to_canonical();
        prop_assert_eq!(&ProblemSpec::from_json(spec.as_bytes()).unwrap().to_canonical(), &spec);
    }

    #[test]
    fn a_dry_run_tells_what_the_command_then_does(moves in moves()) {
        let mut play = Play::open(opening("declared"));
        for done in &moves {
            let Some(command) = command(&play, done) else {
                perform(&mut play, done);
                continue;
            };
            let told = play.session.execute(command.clone(), play.clock).map(|done| done.outcome);
            play.session.undo();
            let version = |outcome: Result<Outcome, _>| outcome.map(|outcome| outcome.to_value());
            let done = play.session.execute(command, play.clock);
            play.journal.extend(done.as_ref().ok().and_then(|done| done.entry.clone()));
            play.session.confirm();
            prop_assert_eq!(version(told), version(done.map(|done| done.outcome)));
        }
    }
}

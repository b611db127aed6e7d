//! Sessions of any history, written and read again.

use entail_kernel::base::{Citation, Expiry, Premise, Source, Step};
use entail_kernel::{Span, Time};
use entail_session::{Blame, Command, Limits, Opening, Retraction, Session, Told, write_snapshot};
use entail_trace::journal::Entry;
use proptest::prelude::*;

use crate::support::{ID, Imported, State};

/// Something to do; what is refused changes nothing.
#[derive(Clone, Debug)]
enum Move {
    Assert {
        key: u8,
        value: u8,
        source: u8,
        confidence: Option<u8>,
        seconds: Option<u16>,
        half_life: Option<u16>,
        origin: bool,
        supersede: bool,
    },
    Justify {
        key: u8,
        value: u8,
        antecedents: Vec<u8>,
        unless: Vec<u8>,
        certainty: Option<u8>,
    },
    Retract {
        key: u8,
        blames: bool,
        reason: bool,
    },
    Restore(u8),
    Tell(u8, bool),
    Wait(u16),
}

const SOURCES: [&str; 6] = [
    "tool:a",
    "tool:b",
    "human:h",
    "document:d",
    "assumption:u",
    "model:m",
];

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let seconds = || prop::option::weighted(0.3, 1_u16..200);
    let share = || prop::option::of(0_u8..=20);
    let one = prop_oneof![
        4 => (0_u8..9, 0_u8..4, 0_u8..6, share(), seconds(), seconds(), any::<bool>(), any::<bool>())
            .prop_map(|(key, value, source, confidence, seconds, half_life, origin, supersede)| {
                Move::Assert { key, value, source, confidence, seconds, half_life, origin, supersede }
            }),
        4 => (
            0_u8..9,
            0_u8..4,
            prop::collection::vec(0_u8..9, 0..4),
            prop::collection::vec(0_u8..9, 0..2),
            share(),
        )
            .prop_map(|(key, value, antecedents, unless, certainty)| {
                Move::Justify { key, value, antecedents, unless, certainty }
            }),
        1 => (0_u8..9, any::<bool>(), any::<bool>())
            .prop_map(|(key, blames, reason)| Move::Retract { key, blames, reason }),
        1 => (0_u8..9).prop_map(Move::Restore),
        1 => (0_u8..6, any::<bool>()).prop_map(|(source, correct)| Move::Tell(source, correct)),
        1 => (1_u16..120).prop_map(Move::Wait),
    ];
    prop::collection::vec(one, 1..40)
}

fn key(key: u8) -> String {
    format!("k{key}")
}

fn share(twentieths: Option<u8>) -> Option<f64> {
    twentieths.map(|share| f64::from(share) / 20.0)
}

fn span(seconds: u16) -> Span {
    Span::from_micros(i64::from(seconds) * 1_000_000)
}

fn command(step: Move) -> Option<Command> {
    Some(match step {
        Move::Assert {
            key: k,
            value,
            source,
            confidence,
            seconds,
            half_life,
            origin,
            supersede,
        } => {
            let mut source: Source = SOURCES[usize::from(source)].parse().unwrap();
            if origin {
                source = source.with_origin("wire");
            }
            let mut premise = Premise::new(key(k), i64::from(value), source);
            premise.confidence = share(confidence);
            premise.expiry = seconds.map(|seconds| Expiry::After(span(seconds)));
            premise.half_life = half_life.map(span);
            premise.supersede = supersede;
            premise.citation = None::<Citation>;
            Command::Premises(vec![premise])
        }
        Move::Justify {
            key: k,
            value,
            antecedents,
            unless,
            certainty,
        } => {
            let antecedents = antecedents.into_iter().map(key);
            let source = "model:m".parse().unwrap();
            let mut step = Step::new(key(k), i64::from(value), source, antecedents);
            step.unless = unless.into_iter().map(key).collect();
            step.confidence = share(certainty);
            Command::Justify(Box::new(step))
        }
        Move::Retract {
            key: k,
            blames,
            reason,
        } => Command::Retract(Retraction {
            target: key(k),
            reason: reason.then(|| "wrong".to_owned()),
            fault: if blames { Blame::Source } else { Blame::None },
        }),
        Move::Restore(k) => Command::Restore { target: key(k) },
        Move::Tell(source, correct) => Command::Outcomes(vec![Told {
            source: SOURCES[usize::from(source)].to_owned(),
            correct,
        }]),
        Move::Wait(_) => return None,
    })
}

fn play(moves: Vec<Move>) -> (Session, Vec<Entry>, Time) {
    let mut clock = Time::from_micros(1_700_000_000_000_000).unwrap();
    let opening = Opening::new("Find out.");
    let (mut session, opened) = Session::open(ID, opening, Limits::default(), clock).unwrap();
    session.confirm();
    let mut journal: Vec<Entry> = opened.entry.into_iter().collect();
    for step in moves {
        clock = clock.saturating_add(Span::from_micros(250_000));
        if let Move::Wait(seconds) = step {
            clock = clock.saturating_add(span(seconds));
        }
        let refresh = session.needs_refresh(clock).then_some(Command::Refresh);
        for command in refresh.into_iter().chain(command(step)) {
            let at = session.commit_time(clock);
            if let Ok(done) = session.execute(command, at) {
                session.confirm();
                journal.extend(done.entry);
            }
        }
    }
    let end = session.commit_time(clock);
    (session, journal, end)
}

proptest! {
    #[test]
    fn a_session_comes_back_from_its_snapshot(moves in moves()) {
        let (session, journal, at) = play(moves);
        let written = write_snapshot(&session, &journal).unwrap();
        prop_assert_eq!(&written.apart, &Vec::<String>::new());
        let text = entail_json::to_canonical(&written.snapshot);
        let imported = Imported::from(&entail_json::read_str(&text).unwrap(), at);
        let (there, here) = (imported.session.base(), session.base());
        prop_assert_eq!(State::of(there, at), State::of(here, at));
        prop_assert_eq!(imported.write().snapshot, written.snapshot);
        prop_assert_eq!(imported.replayed().base().dump(), there.dump());
    }
}

//! Operations as data: generated, and performed on a base.

use entail_json::{Number, Value};
use entail_kernel::base::{
    BaseError, BeliefId, Disputed, Expiry, Fault, Lesson, Premise, Settlement, Source, Step,
};
use entail_kernel::{Base, Span, Time};
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Assert {
        key: String,
        value: Value,
        source: String,
        origin: Option<String>,
        confidence: Option<f64>,
        supersede: bool,
        ttl: Option<i64>,
        half_life: Option<i64>,
    },
    Justify {
        key: String,
        value: Value,
        antecedents: Vec<String>,
        unless: Vec<String>,
        confidence: Option<f64>,
    },
    Retract {
        target: String,
        blames: bool,
    },
    Restore {
        target: String,
    },
    Outcome {
        source: String,
        correct: bool,
    },
    Resolve {
        key: String,
        keep: usize,
        learn: bool,
    },
    Advance {
        seconds: i64,
    },
}

fn key() -> impl Strategy<Value = String> {
    (0..7_u8).prop_map(|n| char::from(b'a' + n).to_string())
}

/// Mostly keys, sometimes refs.
fn target() -> impl Strategy<Value = String> {
    (key(), weighted(0.3, 1..4_u8)).prop_map(|(key, revision)| match revision {
        Some(revision) => format!("{key}@{revision}"),
        None => key,
    })
}

/// Few values, some of them equal but written apart.
fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => Just(Value::from(1_i64)),
        2 => Just(Value::from(2_i64)),
        1 => Just(Value::from(Number::from_f64(1.0))),
        1 => Just(Value::from("x")),
    ]
}

fn source() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("tool:a"),
        Just("tool:b"),
        Just("human:h"),
        Just("document:d"),
        Just("assumption:u"),
        Just("model:m"),
    ]
    .prop_map(str::to_owned)
}

fn share() -> impl Strategy<Value = Option<f64>> {
    of(prop_oneof![Just(0.0), Just(0.5), Just(0.8), Just(1.0)])
}

pub(crate) fn operation() -> impl Strategy<Value = Operation> {
    let assert = (
        (key(), value(), source()),
        weighted(0.2, Just("db".to_owned())),
        share(),
        weighted(0.15, Just(true)),
        weighted(0.25, 1..30_i64),
        weighted(0.2, 1..30_i64),
    );
    let assert = assert.prop_map(
        |((key, value, source), origin, confidence, supersede, ttl, half_life)| Operation::Assert {
            key,
            value,
            source,
            origin,
            confidence,
            supersede: supersede.is_some(),
            ttl,
            half_life,
        },
    );
    let justify = (
        key(),
        value(),
        vec(target(), 0..4),
        prop_oneof![3 => Just(Vec::new()), 1 => vec(key(), 1..3)],
        share(),
    );
    let justify =
        justify.prop_map(
            |(key, value, antecedents, unless, confidence)| Operation::Justify {
                key,
                value,
                antecedents,
                unless,
                confidence,
            },
        );
    prop_oneof![
        8 => assert,
        10 => justify,
        3 => (target(), any::<bool>())
            .prop_map(|(target, blames)| Operation::Retract { target, blames }),
        2 => target().prop_map(|target| Operation::Restore { target }),
        1 => (source(), any::<bool>())
            .prop_map(|(source, correct)| Operation::Outcome { source, correct }),
        1 => (key(), 0..4_usize, any::<bool>())
            .prop_map(|(key, keep, learn)| Operation::Resolve { key, keep, learn }),
        1 => (1..25_i64).prop_map(|seconds| Operation::Advance { seconds }),
    ]
}

pub(crate) fn history(longest: usize) -> impl Strategy<Value = Vec<Operation>> {
    vec(operation(), 1..longest)
}

/// A base with a clock.
#[derive(Clone, Debug)]
pub(crate) struct Clocked {
    pub(crate) base: Base,
    pub(crate) now: Time,
}

impl Default for Clocked {
    fn default() -> Self {
        Self {
            base: Base::default(),
            now: Time::EPOCH,
        }
    }
}

fn seconds(seconds: i64) -> Span {
    Span::from_micros(seconds * 1_000_000)
}

impl Clocked {
    /// Performs an operation; gives the beliefs that it speaks of.
    pub(crate) fn perform(&mut self, operation: &Operation) -> Result<Vec<BeliefId>, BaseError> {
        let (base, now) = (&mut self.base, self.now);
        match operation {
            Operation::Assert {
                key,
                value,
                source,
                origin,
                confidence,
                supersede,
                ttl,
                half_life,
            } => {
                let mut source: Source = source.parse().unwrap();
                source.origin.clone_from(origin);
                let mut premise = Premise::new(key, value.clone(), source);
                premise.confidence = *confidence;
                premise.supersede = *supersede;
                premise.expiry = ttl.map(|ttl| Expiry::After(seconds(ttl)));
                premise.half_life = half_life.map(seconds);
                base.assert(premise, now)
                    .map(|asserted| vec![asserted.belief])
            }
            Operation::Justify {
                key,
                value,
                antecedents,
                unless,
                confidence,
            } => {
                let source = "model:m".parse().unwrap();
                let mut step = Step::new(key, value.clone(), source, antecedents);
                step.unless.clone_from(unless);
                step.confidence = *confidence;
                base.justify(step, now).map(|belief| vec![belief])
            }
            Operation::Retract { target, blames } => {
                let fault = if *blames { Fault::Source } else { Fault::None };
                base.retract(target, None, fault, now)
            }
            Operation::Restore { target } => base.restore(target, now).map(|belief| vec![belief]),
            Operation::Outcome { source, correct } => base
                .outcome(source, *correct, Lesson::Told, now)
                .map(|()| Vec::new()),
            Operation::Resolve { key, keep, learn } => {
                let conflict = base.conflict(Disputed::Key(key));
                let keep = conflict.iter().map(|conflict| {
                    let side = conflict.sides[keep % conflict.sides.len()];
                    base.ref_of(side).unwrap().to_string()
                });
                let settlement = Settlement {
                    keep: keep.collect(),
                    learn: *learn,
                    ..Settlement::default()
                };
                base.resolve(Disputed::Key(key), &settlement, now)
                    .map(|resolved| resolved.retracted)
            }
            Operation::Advance { seconds: more } => {
                self.now = now.checked_add(seconds(*more)).unwrap();
                base.refresh(self.now);
                Ok(Vec::new())
            }
        }
    }
}

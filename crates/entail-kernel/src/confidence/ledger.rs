//! How often each source was right.

use std::collections::VecDeque;

use crate::base::{NameId, read_totals, write_totals};
use crate::image::{Malformed, Reader, Writer};
use crate::limits::LEDGER_OUTCOMES;
use crate::{Span, Time};

/// How the ledger weighs what it has seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedgerSettings {
    /// How many outcomes the prior is worth; positive.
    pub prior_weight: f64,
    /// After how long an outcome counts half; for ever when absent.
    pub memory_half_life: Option<Span>,
}

impl Default for LedgerSettings {
    fn default() -> Self {
        Self {
            prior_weight: 10.0,
            memory_half_life: None,
        }
    }
}

impl LedgerSettings {
    /// What an outcome of that time weighs later: 0.5^(age / half-life).
    pub(crate) fn weight(&self, then: Time, at: Time) -> f64 {
        self.memory_half_life
            .map_or(1.0, |half_life| fading(then, at, half_life))
    }

    /// The reliability of a source: (prior × w + correct) / (w + total).
    pub(crate) fn reliability(&self, prior: f64, tally: Tally) -> f64 {
        (prior * self.prior_weight + tally.correct) / (self.prior_weight + tally.total)
    }
}

/// What is left of something after a time, when half of it goes in every half-life.
pub(crate) fn fading(then: Time, at: Time, half_life: Span) -> f64 {
    let age = at.since(then).max(Span::ZERO);
    0.5_f64.powf(age.ratio(half_life))
}

/// What is known of a source as of a time: weighted counts of outcomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// How many were right.
    pub correct: f64,
    /// How many there were.
    pub total: f64,
    /// The time at which they weigh that much.
    pub as_of: Time,
}

/// Weighted counts of outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) correct: f64,
    pub(crate) total: f64,
}

/// How often each source was right, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    records: Vec<Option<Box<Record>>>,
}

#[derive(Clone, Debug, Default)]
struct Record {
    /// What was known from elsewhere.
    seed: Option<Totals>,
    /// A prior of its own.
    prior: Option<f64>,
    /// How many of the outcomes were right.
    correct: u32,
    /// Time and whether it was right, oldest first.
    outcomes: VecDeque<(Time, bool)>,
}

/// How to take an outcome back: what went to make room for it.
#[derive(Clone, Debug)]
pub(crate) struct OutcomeUndo(Option<Box<(Time, bool)>>);

impl Ledger {
    pub(crate) fn tell(&mut self, source: NameId, correct: bool, at: Time) -> OutcomeUndo {
        let record = self.record_mut(source);
        record.outcomes.push_back((at, correct));
        record.correct += u32::from(correct);
        let mut gone = None;
        if record.outcomes.len() > LEDGER_OUTCOMES {
            gone = record.outcomes.pop_front();
        }
        record.correct -= u32::from(gone.is_some_and(|(_, correct)| correct));
        OutcomeUndo(gone.map(Box::new))
    }

    pub(crate) fn untell(&mut self, source: NameId, undo: OutcomeUndo) {
        let record = self.record_mut(source);
        if let Some((at, correct)) = undo.0.map(|gone| *gone) {
            record.outcomes.push_front((at, correct));
            record.correct += u32::from(correct);
        }
        if let Some((_, correct)) = record.outcomes.pop_back() {
            record.correct -= u32::from(correct);
        }
    }

    /// Sets what is known from elsewhere; returns what was.
    pub(crate) fn seed(&mut self, source: NameId, totals: Option<Totals>) -> Option<Totals> {
        std::mem::replace(&mut self.record_mut(source).seed, totals)
    }

    /// Sets a prior of its own; returns what it was.
    pub(crate) fn rate(&mut self, source: NameId, prior: Option<f64>) -> Option<f64> {
        std::mem::replace(&mut self.record_mut(source).prior, prior)
    }

    pub(crate) fn prior(&self, source: NameId) -> Option<f64> {
        self.record(source).and_then(|record| record.prior)
    }

    pub(crate) fn seeded(&self, source: NameId) -> Option<Totals> {
        self.record(source).and_then(|record| record.seed)
    }

    /// The outcomes of this base, oldest first.
    pub(crate) fn outcomes(&self, source: NameId) -> impl Iterator<Item = (Time, bool)> + '_ {
        self.record(source)
            .into_iter()
            .flat_map(|record| record.outcomes.iter().copied())
    }

    /// Whether anything is known of a source by itself.
    pub(crate) fn knows(&self, source: NameId) -> bool {
        self.record(source)
            .is_some_and(|record| record.seed.is_some() || !record.outcomes.is_empty())
    }

    /// What the outcomes of a source weigh at a time. Without a memory half-life this costs the
    /// same however many there are.
    pub(crate) fn tally(&self, source: NameId, settings: &LedgerSettings, at: Time) -> Tally {
        let Some(record) = self.record(source) else {
            return Tally::default();
        };
        let mut tally = record.seed.map_or_else(Tally::default, |seed| {
            let weight = settings.weight(seed.as_of, at);
            Tally {
                correct: seed.correct * weight,
                total: seed.total * weight,
            }
        });
        if settings.memory_half_life.is_none() {
            tally.correct += f64::from(record.correct);
            tally.total += record.outcomes.iter().len() as f64;
        } else {
            for (then, correct) in &record.outcomes {
                let weight = settings.weight(*then, at);
                tally.total += weight;
                tally.correct += if *correct { weight } else { 0.0 };
            }
        }
        tally
    }

    /// Forgets the names from here on.
    pub(crate) fn forget(&mut self, names: usize) {
        self.records.truncate(names);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let records: usize = self
            .records
            .iter()
            .flatten()
            .map(|record| {
                size_of::<Record>() + record.outcomes.capacity() * size_of::<(Time, bool)>()
            })
            .sum();
        self.records.capacity() * size_of::<Option<Box<Record>>>() + records
    }

    pub(crate) fn write_image(&self, out: &mut Writer) {
        let known = (0_u32..).zip(&self.records);
        let known: Vec<_> = known
            .filter_map(|(name, record)| Some((name, record.as_deref()?)))
            .collect();
        out.list(known.into_iter(), |out, (name, record)| {
            out.number(name.into());
            out.maybe(record.seed.as_ref(), write_totals);
            out.maybe(record.prior, Writer::float);
            let mut before = 0;
            out.list(record.outcomes.iter(), |out, (at, correct)| {
                out.signed(at.micros().saturating_sub(before));
                before = at.micros();
                out.flag(*correct);
            });
        });
    }

    /// Reads what is known of so many names.
    pub(crate) fn read_image(from: &mut Reader<'_>, names: usize) -> Result<Self, Malformed> {
        let mut ledger = Self::default();
        for _ in 0..from.count(4)? {
            let name = NameId(from.below(names)?);
            let seed = from.maybe(read_totals)?;
            let prior = from.maybe(Reader::float)?;
            let mut before = 0_i64;
            let outcomes = from.list(2, |from| {
                before = before.saturating_add(from.signed()?);
                let at = Time::from_micros(before).ok_or(from.fault("a time out of range"))?;
                Ok((at, from.flag()?))
            })?;
            if outcomes.len() > LEDGER_OUTCOMES {
                return Err(from.fault("more outcomes than are kept"));
            }
            let correct = outcomes.iter().filter(|(_, correct)| *correct).count();
            *ledger.record_mut(name) = Record {
                seed,
                prior,
                correct: u32::try_from(correct).unwrap_or(u32::MAX),
                outcomes: outcomes.into(),
            };
        }
        Ok(ledger)
    }

    fn record(&self, source: NameId) -> Option<&Record> {
        self.records.get(usize::from(source))?.as_deref()
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the list was made long enough on the line before"
    )]
    fn record_mut(&mut self, source: NameId) -> &mut Record {
        let at = usize::from(source);
        if self.records.len() <= at {
            self.records.resize_with(at + 1, || None);
        }
        self.records[at].get_or_insert_default()
    }
}

//! Reading the trust ledger of a snapshot.
//!
//! Its outcomes become totals, as a session has them of its tenant: they are not the session's
//! own, and teach the tenant's ledger nothing. One by one they are kept with the entry.

use entail_json::{Object, Value};
use entail_kernel::Time;
use entail_kernel::base::Source;
use entail_kernel::confidence::{LedgerSettings, Totals};
use entail_kernel::limits::LEDGER_OUTCOMES;

use super::read::is_full;
use super::{LEDGER_FORMAT, LEDGER_VERSION, time};
use crate::fields::{Faults, Fields, member};

/// The ledger read.
#[derive(Default)]
pub(super) struct ReadLedger {
    pub settings: LedgerSettings,
    pub seeds: Vec<(String, Totals)>,
    /// The outcomes as they stand there, by source.
    pub kept: Option<Object>,
    pub max_history: Option<u64>,
    pub latest: Option<Time>,
}

pub(super) fn read(value: &Value, pointer: &str, faults: &mut Faults) -> ReadLedger {
    let mut ledger = ReadLedger::default();
    let Some(mut fields) = Fields::open(value, pointer, faults) else {
        return ledger;
    };
    for (name, is_known) in [
        (
            "format",
            fields.text("format", faults) == Some(LEDGER_FORMAT),
        ),
        (
            "version",
            fields.count("version", faults) == Some(LEDGER_VERSION),
        ),
    ] {
        if !is_known {
            let known = format!("must be of `{LEDGER_FORMAT}`, version {LEDGER_VERSION}");
            faults.push(fields.at(name), known);
        }
    }
    if let Some(weight) = fields.number("prior_weight", faults) {
        if weight > 0.0 && weight.is_finite() {
            ledger.settings.prior_weight = weight;
        } else {
            faults.push(
                fields.at("prior_weight"),
                format!("is {weight}: it must be positive"),
            );
        }
    }
    ledger.settings.memory_half_life = fields.seconds("memory_half_life", faults);
    ledger.max_history = fields.count("max_history", faults);
    if let Some(most) = ledger
        .max_history
        .filter(|most| *most < LEDGER_OUTCOMES as u64)
    {
        let reason = format!("is {most}: a session keeps {LEDGER_OUTCOMES} outcomes of a source");
        faults.push(fields.at("max_history"), reason);
    }
    let outcomes = fields.object("outcomes", faults);
    let at = fields.at("outcomes");
    fields.close(faults);
    for (source, list) in outcomes.into_iter().flatten() {
        if is_full(faults) {
            break;
        }
        ledger.source(source, list, &member(&at, source), faults);
    }
    ledger.kept = outcomes.cloned();
    ledger
}

impl ReadLedger {
    fn source(&mut self, source: &str, list: &Value, pointer: &str, faults: &mut Faults) {
        if let Err(error) = source.parse::<Source>() {
            faults.push(pointer, error.to_string());
        }
        let Some(list) = list.as_array() else {
            faults.push(pointer, "must be a list of outcomes");
            return;
        };
        let mut outcomes = Vec::with_capacity(list.len());
        for (index, outcome) in list.iter().enumerate() {
            let place = format!("{pointer}/{index}");
            match outcome.as_array() {
                Some([Value::String(at), Value::Bool(correct), Value::String(_)]) => {
                    let at = time::parse(at, &place, faults);
                    outcomes.extend(at.map(|at| (at, *correct)));
                }
                _ => faults.push(
                    place,
                    "must be a list of a time, true or false, and a reason",
                ),
            }
        }
        let Some(as_of) = outcomes.iter().map(|(at, _)| *at).max() else {
            return;
        };
        self.latest = self.latest.max(Some(as_of));
        let mut totals = Totals {
            correct: 0.0,
            total: 0.0,
            as_of,
        };
        for (at, correct) in outcomes {
            let weight = self.weight(as_of, at);
            totals.total += weight;
            totals.correct += if correct { weight } else { 0.0 };
        }
        self.seeds.push((source.to_owned(), totals));
    }

    /// 0.5^(age / half-life), or 1 where nothing is forgotten.
    fn weight(&self, as_of: Time, at: Time) -> f64 {
        let half_life = self.settings.memory_half_life;
        half_life.map_or(1.0, |half_life| {
            0.5_f64.powf(as_of.since(at).ratio(half_life))
        })
    }
}

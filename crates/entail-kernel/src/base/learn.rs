//! What the base is told about sources, and how far it trusts them.

use std::sync::Arc;

use super::assert::valid_share;
use super::{Base, BaseError, Lesson, NameId, Settings, Source, SourceKind};
use crate::Time;
use crate::confidence::Totals;

impl Base {
    /// Sets trust policy and ledger settings.
    ///
    /// # Errors
    /// `invalid_argument` for a prior outside 0 to 1 or a weight that is not positive.
    pub fn configure(&mut self, settings: Settings) -> Result<(), BaseError> {
        self.operate(|base| {
            check_settings(&settings)?;
            base.configure_now(settings);
            Ok(())
        })
    }

    /// Copies in what is known of a source (`kind:name`) from elsewhere, in the place of what was
    /// copied in before.
    ///
    /// # Errors
    /// `invalid_argument` for a text that names no source, or counts that make no sense.
    pub fn seed(&mut self, source: &str, totals: Totals) -> Result<(), BaseError> {
        self.operate(|base| {
            let fits =
                totals.correct >= 0.0 && totals.correct <= totals.total && totals.total.is_finite();
            if !fits {
                return Err(BaseError::argument(
                    source,
                    format!(
                        "cannot have been right {} times of {}",
                        totals.correct, totals.total
                    ),
                ));
            }
            let name = base.source_name(source)?;
            base.seed_now(name, totals);
            Ok(())
        })
    }

    /// Gives a source (`kind:name`) a prior of its own, such as a tool's trust level, or takes it
    /// away. An override of the trust policy comes before it.
    ///
    /// # Errors
    /// `invalid_argument` for a text that names no source, or a prior outside 0 to 1.
    pub fn rate(&mut self, source: &str, prior: Option<f64>) -> Result<(), BaseError> {
        self.operate(|base| {
            valid_share(source, prior)?;
            let name = base.source_name(source)?;
            base.rate_now(name, prior);
            Ok(())
        })
    }

    /// Tells the ledger that a source (`kind:name`) was right or wrong.
    ///
    /// # Errors
    /// `invalid_argument` for a text that names no source.
    pub fn outcome(
        &mut self,
        source: &str,
        correct: bool,
        lesson: Lesson,
        now: Time,
    ) -> Result<(), BaseError> {
        self.operate(|base| {
            let name = base.source_name(source)?;
            base.tell_now(name, correct, lesson, now);
            Ok(())
        })
    }

    /// The handle of a name that has the form of a source.
    pub(super) fn source_name(&mut self, source: &str) -> Result<NameId, BaseError> {
        let parsed: Source = source.parse().map_err(|error: super::InvalidSource| {
            BaseError::argument("source", error.to_string())
        })?;
        self.check_room()?;
        Ok(self.intern_name(&parsed.label()))
    }

    /// The reliability of a source (`kind:name`) at a time: its prior and the outcomes known of
    /// it, weighed together. A text that names no source has none: 0.
    #[must_use]
    pub fn reliability(&self, source: &str, at: Time) -> f64 {
        let Ok(parsed) = source.parse::<Source>() else {
            return 0.0;
        };
        let ledger = &self.settings.ledger;
        let name = self.graph.name(source);
        let tally = name
            .map(|name| self.ledger.tally(name, ledger, at))
            .unwrap_or_default();
        ledger.reliability(self.prior(parsed.kind, source, name), tally)
    }

    /// What a premise of that source counts before anything is known of the source, unless it has
    /// a confidence of its own.
    #[must_use]
    pub fn prior_of(&self, source: &Source) -> f64 {
        let label = source.label();
        self.prior(source.kind, &label, self.graph.name(&label))
    }

    /// The prior of a source by its label.
    pub(crate) fn prior(&self, kind: SourceKind, label: &str, name: Option<NameId>) -> f64 {
        let trust = &self.settings.trust;
        if let Some(prior) = trust.overrides.get(label) {
            return *prior;
        }
        name.and_then(|name| self.ledger.prior(name))
            .unwrap_or_else(|| trust.prior(kind))
    }

    /// Every source (`kind:name`) that justified something or of which something is known, with
    /// what is known of it as of a time, in order of appearance.
    #[must_use]
    pub fn sources(&self, at: Time) -> Vec<(Arc<str>, Totals)> {
        let mut is_source = vec![false; self.graph.names.len()];
        for source in self.graph.sources.iter() {
            if let Some(is_source) = is_source.get_mut(usize::from(source.label)) {
                *is_source = true;
            }
        }
        (0..self.graph.names.len())
            .map(NameId::next)
            .zip(is_source)
            .filter(|(name, is_source)| *is_source || self.ledger.knows(*name))
            .map(|(name, _)| {
                let tally = self.ledger.tally(name, &self.settings.ledger, at);
                let totals = Totals {
                    correct: tally.correct,
                    total: tally.total,
                    as_of: at,
                };
                (Arc::clone(self.graph.names.at(name)), totals)
            })
            .collect()
    }
}

pub(super) fn check_totals(source: &str, totals: Totals) -> Result<(), BaseError> {
    let fits = totals.correct >= 0.0 && totals.correct <= totals.total && totals.total.is_finite();
    if fits {
        return Ok(());
    }
    Err(BaseError::argument(
        source,
        format!(
            "cannot have been right {} times of {}",
            totals.correct, totals.total
        ),
    ))
}

pub(super) fn check_settings(settings: &Settings) -> Result<(), BaseError> {
    let trust = &settings.trust;
    for kind in SourceKind::ALL {
        valid_share(kind.word(), Some(trust.prior(kind)))?;
    }
    for (source, prior) in &trust.overrides {
        valid_share(source, Some(*prior))?;
    }
    valid_share("min_confidence", Some(trust.min_confidence))?;
    let ledger = &settings.ledger;
    if !(ledger.prior_weight > 0.0 && ledger.prior_weight.is_finite()) {
        return Err(BaseError::argument(
            "prior_weight",
            format!("is {}, which is not positive", ledger.prior_weight),
        ));
    }
    if ledger
        .memory_half_life
        .is_some_and(|half_life| half_life.micros() <= 0)
    {
        return Err(BaseError::argument(
            "memory_half_life",
            "is not positive: leave it out to remember for ever",
        ));
    }
    Ok(())
}

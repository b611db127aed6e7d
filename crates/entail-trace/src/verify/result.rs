//! What a check found, and the report that many of them make.

use std::collections::BTreeMap;

use entail_json::{Object, Value};

use super::catalog::{CheckName, Layer};
use crate::limits::{MAX_FAILURES, MAX_SHOWN, MAX_SHOWN_TEXT};
use crate::record::{Check, Failure, VerificationReport};
use crate::words::Severity;

/// The outcome of one check.
///
/// ```
/// use entail_trace::{CheckName, CheckResult};
///
/// let mut result = CheckResult::new(CheckName::Arithmetic);
/// result.count("formulas", 3);
/// assert!(result.passed());
/// result.warning("`growth@1`: the denominator is close to 0");
/// assert!(result.passed());
/// result.error("`growth@2`: the formula gives 5.0, the claim says 4.0");
/// assert!(!result.passed());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    name: CheckName,
    failures: Vec<Failure>,
    errors: u64,
    warnings: u64,
    metrics: Vec<(&'static str, u64)>,
}

impl CheckResult {
    /// A check that was run and found nothing so far.
    #[must_use]
    pub fn new(name: CheckName) -> Self {
        Self {
            name,
            failures: Vec::new(),
            errors: 0,
            warnings: 0,
            metrics: Vec::new(),
        }
    }

    /// Which check.
    #[must_use]
    pub fn name(&self) -> CheckName {
        self.name
    }

    /// Whether it holds: warnings do not break it.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.errors == 0
    }

    /// What it found, at most [`MAX_FAILURES`].
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// How many errors it found, listed or not.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// How many errors and warnings it found, listed or not.
    #[must_use]
    pub fn findings(&self) -> u64 {
        self.errors.saturating_add(self.warnings)
    }

    /// What it counted, in the order in which it did.
    #[must_use]
    pub fn metrics(&self) -> &[(&'static str, u64)] {
        &self.metrics
    }

    /// Records an error under the check's own invariant.
    pub fn error(&mut self, message: impl Into<String>) {
        self.record(Severity::Error, self.name.invariant(), message.into());
    }

    /// Records an error under another invariant.
    pub fn broken(&mut self, invariant: &'static str, message: impl Into<String>) {
        self.record(Severity::Error, invariant, message.into());
    }

    /// Records something worth knowing that does not break the check.
    pub fn warning(&mut self, message: impl Into<String>) {
        self.record(Severity::Warning, self.name.invariant(), message.into());
    }

    /// Sets a count of what was looked at.
    pub fn count(&mut self, name: &'static str, count: u64) {
        match self.metrics.iter_mut().find(|(there, _)| *there == name) {
            Some((_, value)) => *value = count,
            None => self.metrics.push((name, count)),
        }
    }

    fn record(&mut self, severity: Severity, invariant: &'static str, message: String) {
        let counter = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning | Severity::Info => &mut self.warnings,
        };
        *counter = counter.saturating_add(1);
        if self.failures.len() < MAX_FAILURES {
            let invariant_id = Some(invariant.to_owned());
            self.failures.push(Failure {
                severity,
                message,
                invariant_id,
            });
        }
    }

    fn to_check(&self) -> Check {
        let mut metrics = Object::new();
        for (name, count) in &self.metrics {
            metrics.insert(*name, Value::from(*count));
        }
        metrics.insert("errors", Value::from(self.errors));
        metrics.insert("warnings", Value::from(self.warnings));
        let details = match (self.errors, self.warnings) {
            (0, 0) => self.name.title().to_owned(),
            (0, 1) => "1 warning".to_owned(),
            (0, warnings) => format!("{warnings} warnings"),
            (1, _) => "1 error".to_owned(),
            (errors, _) => format!("{errors} errors"),
        };
        Check {
            name: self.name.to_string(),
            passed: self.passed(),
            details: Some(details),
            metrics,
        }
    }
}

/// The outcomes of all checks that were run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    results: Vec<CheckResult>,
}

/// Whether a layer can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerStatus {
    /// All its checks were run and hold.
    Vouched,
    /// Those of its checks that were run hold; others were not run.
    Partly,
    /// A check failed.
    Failed,
    /// None of its checks was run.
    NotRun,
}

impl LayerStatus {
    /// The word for it in a report.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Vouched => "vouched",
            Self::Partly => "partly",
            Self::Failed => "failed",
            Self::NotRun => "not_run",
        }
    }
}

/// What is known of one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerOutcome {
    /// Which layer.
    pub layer: Layer,
    /// Whether it can be relied on.
    pub status: LayerStatus,
    /// The checks that were run and hold.
    pub held: Vec<CheckName>,
    /// The checks that failed.
    pub failed: Vec<CheckName>,
    /// The checks that were not run.
    pub not_run: Vec<CheckName>,
}

impl Results {
    /// Adds the outcome of a check, in place of an earlier one of the same check.
    pub fn put(&mut self, result: CheckResult) {
        self.results.retain(|there| there.name != result.name);
        let at = self
            .results
            .partition_point(|there| there.name < result.name);
        self.results.insert(at, result);
    }

    /// Adds the outcomes of several checks.
    pub fn extend(&mut self, results: impl IntoIterator<Item = CheckResult>) {
        results.into_iter().for_each(|result| self.put(result));
    }

    /// The outcome of a check, if it was run.
    #[must_use]
    pub fn get(&self, name: CheckName) -> Option<&CheckResult> {
        self.results.iter().find(|result| result.name == name)
    }

    /// The outcomes in the order of a report.
    #[must_use]
    pub fn all(&self) -> &[CheckResult] {
        &self.results
    }

    /// Whether every check that was run holds.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.results.iter().all(CheckResult::passed)
    }

    /// What is known of each layer.
    #[must_use]
    pub fn layers(&self) -> Vec<LayerOutcome> {
        let verdict = |result: &CheckResult| (result.name, result.passed());
        layers_of(&self.results.iter().map(verdict).collect())
    }

    /// The report. Its summary says which layers it vouches for and what was not run.
    #[must_use]
    pub fn report(&self, trace_id: &str) -> VerificationReport {
        let checks: Vec<Check> = self.results.iter().map(CheckResult::to_check).collect();
        let failures = self
            .results
            .iter()
            .flat_map(|result| result.failures.clone())
            .collect();
        let summary = summary_of(&checks).unwrap_or_default();
        VerificationReport::new(checks, failures, summary, trace_id)
    }
}

/// The summary that follows from checks; `None` if they are not of this catalog.
pub(crate) fn summary_of(checks: &[Check]) -> Option<Object> {
    let verdicts = checks
        .iter()
        .map(|check| Some((CheckName::from_name(&check.name)?, check.passed)))
        .collect::<Option<BTreeMap<_, _>>>()?;
    let sum = |metric: &str| {
        let count = |check: &Check| check.metrics.get(metric).and_then(Value::as_u64);
        checks
            .iter()
            .map(count)
            .try_fold(0_u64, |sum, count| sum.checked_add(count?))
    };
    let count = |n: usize| Value::from(u64::try_from(n).unwrap_or(u64::MAX));
    let names = |names: &[CheckName]| {
        Value::Array(
            names
                .iter()
                .map(|name| Value::String(name.to_string()))
                .collect(),
        )
    };
    let layers = layers_of(&verdicts).into_iter().map(|outcome| {
        let entry = Object::from([
            ("status", Value::String(outcome.status.as_str().to_owned())),
            ("held", names(&outcome.held)),
            ("failed", names(&outcome.failed)),
            ("not_run", names(&outcome.not_run)),
        ]);
        (outcome.layer.to_string(), Value::Object(entry))
    });
    let passed = checks.iter().filter(|check| check.passed).count();
    Some(Object::from([
        ("passed", Value::Bool(passed == checks.len())),
        ("checks_run", count(checks.len())),
        ("checks_passed", count(passed)),
        ("errors", Value::from(sum("errors")?)),
        ("warnings", Value::from(sum("warnings")?)),
        ("layers", Value::Object(layers.collect())),
    ]))
}

fn layers_of(verdicts: &BTreeMap<CheckName, bool>) -> Vec<LayerOutcome> {
    let outcome = |layer| {
        let of_layer = CheckName::ALL
            .iter()
            .copied()
            .filter(|name| name.layer() == layer);
        let (run, not_run): (Vec<_>, Vec<_>) = of_layer.partition(|n| verdicts.contains_key(n));
        let (held, failed): (Vec<_>, Vec<_>) = run
            .into_iter()
            .partition(|name| verdicts.get(name) == Some(&true));
        let status = match (held.is_empty(), failed.is_empty(), not_run.is_empty()) {
            (_, false, _) => LayerStatus::Failed,
            (true, true, _) => LayerStatus::NotRun,
            (false, true, false) => LayerStatus::Partly,
            (false, true, true) => LayerStatus::Vouched,
        };
        LayerOutcome {
            layer,
            status,
            held,
            failed,
            not_run,
        }
    };
    Layer::ALL.into_iter().map(outcome).collect()
}

/// An id from outside, cut to what a message can hold.
pub(crate) fn shown(text: &str) -> String {
    cut(text, MAX_SHOWN)
}

/// A message that may quote what is from outside, cut to what a failure can hold.
pub(crate) fn shown_message(text: &str) -> String {
    cut(text, MAX_SHOWN_TEXT)
}

fn cut(text: &str, most: usize) -> String {
    let mut cut: String = text.chars().take(most).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut.retain(|c| !c.is_control());
    cut
}

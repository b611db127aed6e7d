//! Verification reports.

use entail_json::{Object, Value, sha256};

use super::{Record, sealed::Plumbing};
use crate::fault::{At, Faults};
use crate::fields::{Fields, list, object, text, truth};
use crate::id::Id;
use crate::sink::{Sink, TextSink};
use crate::words::Severity;

/// The outcome of checking a trace. Its id is the fingerprint of its checks and failures, so two
/// reports with one id say the same.
#[derive(Clone, Debug, PartialEq)]
pub struct VerificationReport {
    id: Id,
    checks: Vec<Check>,
    failures: Vec<Failure>,
    /// Counts and the layers vouched for: what the id does not cover.
    pub summary_metrics: Object,
    /// The trace that was checked; other tools may leave it out.
    pub trace_id: Option<String>,
}

/// One check and its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Which check.
    pub name: String,
    /// Whether it holds.
    pub passed: bool,
    /// What it found, in words; other tools may say nothing.
    pub details: Option<String>,
    /// What it counted.
    pub metrics: Object,
}

/// One thing that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong and where.
    pub message: String,
    /// The invariant that is broken, such as `INV-LNK-001`, if it is known.
    pub invariant_id: Option<String>,
}

impl VerificationReport {
    /// A report of these checks and failures.
    #[must_use]
    pub fn new(
        checks: Vec<Check>,
        failures: Vec<Failure>,
        summary_metrics: Object,
        trace_id: impl Into<String>,
    ) -> Self {
        let id = report_id(&checks, &failures);
        Self {
            id,
            checks,
            failures,
            summary_metrics,
            trace_id: Some(trace_id.into()),
        }
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The checks in the order in which they are always given.
    #[must_use]
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// The failures, by check.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// The check of that name.
    #[must_use]
    pub fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// Whether every check that was run holds.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }

    /// The id that follows from the checks and failures, computed anew.
    #[must_use]
    pub fn content_id(&self) -> Id {
        report_id(&self.checks, &self.failures)
    }
}

fn report_id(checks: &[Check], failures: &[Failure]) -> Id {
    let mut content = String::new();
    let mut sink = TextSink::new(&mut content);
    sink.open();
    write_findings(checks, failures, &mut sink);
    sink.close();
    Id::from_digest(sha256(content.as_bytes()))
}

fn write_findings<S: Sink>(checks: &[Check], failures: &[Failure], sink: &mut S) {
    sink.name("checks");
    sink.open_list();
    for check in checks {
        check.emit(sink);
    }
    sink.close_list();
    sink.name("failures");
    sink.open_list();
    for failure in failures {
        failure.emit(sink);
    }
    sink.close_list();
}

impl Plumbing for VerificationReport {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let id = fields.own_id();
        let checks = fields.defaulted(&["checks"], checks, Vec::new);
        let failures = fields.defaulted(&["failures"], failures, Vec::new);
        let summary_metrics = fields.defaulted(&["summary_metrics"], object, Object::new);
        let trace_id = fields.nullable("trace_id", text);
        fields.close();
        let (checks, failures) = (checks?, failures?);
        Some(Self {
            id: id?.unwrap_or_else(|| report_id(&checks, &failures)),
            checks,
            failures,
            summary_metrics: summary_metrics?,
            trace_id: trace_id?,
        })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        write_findings(&self.checks, &self.failures, sink);
        sink.text_member("id", &self.id);
        sink.name("summary_metrics");
        sink.object(&self.summary_metrics);
        sink.name("trace_id");
        sink.optional_text(self.trace_id.as_deref());
        sink.close();
    }
}

impl Record for VerificationReport {
    const NAME: &'static str = "VerificationReport";
}

fn checks(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Vec<Check>> {
    list(value, at, faults, Check::parse)
}

fn failures(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Vec<Failure>> {
    list(value, at, faults, Failure::parse)
}

impl Plumbing for Check {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let name = fields.required(&["name"], text);
        let passed = fields.required(&["passed"], truth);
        let details = fields.nullable("details", text);
        let metrics = fields.defaulted(&["metrics"], object, Object::new);
        fields.close();
        Some(Self {
            name: name?,
            passed: passed?,
            details: details?,
            metrics: metrics?,
        })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        sink.name("details");
        sink.optional_text(self.details.as_deref());
        sink.name("metrics");
        sink.object(&self.metrics);
        sink.text_member("name", &self.name);
        sink.name("passed");
        sink.truth(self.passed);
        sink.close();
    }
}

impl Record for Check {
    const NAME: &'static str = "Check";
}

impl Plumbing for Failure {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let severity = fields.required(&["severity"], Severity::parse);
        let message = fields.required(&["message"], text);
        let invariant_id = fields.nullable("invariant_id", text);
        fields.close();
        Some(Self {
            severity: severity?,
            message: message?,
            invariant_id: invariant_id?,
        })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        sink.name("invariant_id");
        sink.optional_text(self.invariant_id.as_deref());
        sink.text_member("message", &self.message);
        sink.text_member("severity", self.severity.as_str());
        sink.close();
    }
}

impl Record for Failure {
    const NAME: &'static str = "Failure";
}

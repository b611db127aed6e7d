//! Whether a proof holds: six deterministic checks.
//!
//! | check | an error when | a warning when |
//! |---|---|---|
//! | [`Structure`](Check::Structure) | a step is not believed, or an antecedent is not in the proof | |
//! | [`Grounding`](Check::Grounding) | a leaf is a model's say-so | a leaf is an assumption, or a rule without inputs |
//! | [`Arithmetic`](Check::Arithmetic) | a formula or rule, run again, gives another value | |
//! | [`Citation`](Check::Citation) | the document version cited does not hold the quote, the quote does not state the value, or the call cited did not return it | a newer version no longer does, or there is no quote to check |
//! | [`Temporal`](Check::Temporal) | evidence has expired, or a step was taken before its antecedents existed | |
//! | [`Provenance`](Check::Provenance) | | a number that a model wrote is stated by no antecedent |

mod arithmetic;
mod citation;
mod grounding;
mod provenance;
mod structure;
mod temporal;

use std::fmt;

use entail_json::Value;

use super::{Proof, ProofStep};
use crate::base::nodes::NONE;
use crate::base::{BeliefId, Ref, SetId, Source};
use crate::text::Document;

/// One of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Everything rests on what is there and believed.
    Structure,
    /// Every leaf is something that a tool, a document or a person said.
    Grounding,
    /// Formulas and rules give the values that stand there.
    Arithmetic,
    /// Quotes stand in the documents and state the values; calls returned them.
    Citation,
    /// Nothing rests on what had expired or was not there yet.
    Temporal,
    /// Numbers in what a model wrote come from somewhere.
    Provenance,
}

impl Check {
    /// Every check, in the order in which they run.
    pub const ALL: [Self; 6] = [
        Self::Structure,
        Self::Grounding,
        Self::Arithmetic,
        Self::Citation,
        Self::Temporal,
        Self::Provenance,
    ];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Grounding => "grounding",
            Self::Arithmetic => "arithmetic",
            Self::Citation => "citation",
            Self::Temporal => "temporal",
            Self::Provenance => "provenance",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The proof may hold, but somebody should look.
    Warning,
    /// The proof does not hold.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Something that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which check.
    pub check: Check,
    /// How much it matters.
    pub severity: Severity,
    /// The step it is about.
    pub belief: BeliefId,
    /// Its ref.
    pub reference: Ref,
    /// What is wrong, in words that follow the ref.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (check, severity) = (self.check, self.severity);
        write!(
            f,
            "{severity} [{check}] `{}` {}",
            self.reference, self.message
        )
    }
}

/// What the checks of a proof found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// How many steps were checked.
    pub steps: usize,
    /// Everything found, check by check, and within each in the order of the steps.
    pub findings: Vec<Finding>,
}

impl Verification {
    /// Whether no check found an error.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity < Severity::Error)
    }

    /// Whether a check found no error.
    #[must_use]
    pub fn passes(&self, check: Check) -> bool {
        self.of(check)
            .all(|finding| finding.severity < Severity::Error)
    }

    /// What a check found.
    pub fn of(&self, check: Check) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(move |finding| finding.check == check)
    }

    /// As JSON: `holds`, `steps`, and `checks` with what each found.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let checks = Check::ALL.into_iter().map(|check| {
            let findings = self.of(check).map(|finding| {
                Value::from([
                    ("severity", Value::from(finding.severity.to_string())),
                    ("ref", Value::from(finding.reference.to_string())),
                    ("message", Value::from(finding.message.as_str())),
                ])
            });
            Value::from([
                ("check", Value::from(check.word())),
                ("passes", Value::from(self.passes(check))),
                ("findings", findings.collect()),
            ])
        });
        Value::from([
            ("holds", Value::from(self.holds())),
            ("steps", Value::from(self.steps)),
            ("checks", checks.collect()),
        ])
    }
}

/// Where the checks find documents, and what calls returned.
pub trait Library {
    /// A version of a document.
    fn document(&self, name: &str, version: u32) -> Option<&Document>;

    /// The newest version of a document, and its number.
    fn newest(&self, name: &str) -> Option<(u32, &Document)>;

    /// Whether a call of this source that fills this key returned this value; `None` if no such
    /// call has a result on record. Values are compared by
    /// [`values_equal`](crate::equality::values_equal).
    fn returned(&self, key: &str, source: &Source, value: &Value) -> Option<bool> {
        let _ = (key, source, value);
        None
    }
}

/// No documents at all.
impl Library for () {
    fn document(&self, _: &str, _: u32) -> Option<&Document> {
        None
    }

    fn newest(&self, _: &str) -> Option<(u32, &Document)> {
        None
    }
}

impl Proof<'_> {
    /// Runs all checks.
    ///
    /// ```
    /// use entail_kernel::base::Step;
    /// use entail_kernel::proof::check::Check;
    /// use entail_kernel::{Base, Time};
    ///
    /// let mut base = Base::default();
    /// let step = Step::new("k", 1_i64, "model:m".parse()?, [""; 0]);
    /// let said = base.justify(step, Time::EPOCH)?;
    /// let found = base.proof(&[said], Time::EPOCH).check(&());
    /// assert!(!found.passes(Check::Grounding) && found.passes(Check::Structure));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn check(&self, library: &impl Library) -> Verification {
        let mut findings = Vec::new();
        for check in Check::ALL {
            let mut report = Report {
                check,
                findings: &mut findings,
            };
            match check {
                Check::Structure => structure::check(self, &mut report),
                Check::Grounding => grounding::check(self, &mut report),
                Check::Arithmetic => arithmetic::check(self, &mut report),
                Check::Citation => citation::check(self, library, &mut report),
                Check::Temporal => temporal::check(self, &mut report),
                Check::Provenance => provenance::check(self, &mut report),
            }
        }
        Verification {
            steps: self.len(),
            findings,
        }
    }

    /// The antecedent of a key that a step rests on: the nearest one, if there are several.
    fn antecedent_of(&self, step: &ProofStep<'_>, key: &str) -> Option<BeliefId> {
        let graph = &self.base.graph;
        let key = graph.key(key)?;
        let mut set = step.justification.as_ref()?.antecedents?;
        loop {
            let own = graph.own_edges(set).iter().rev();
            let mut of_key = own.filter(|edge| graph.labels.at(edge.belief).key == key);
            if let Some(edge) = of_key.next() {
                return Some(edge.belief);
            }
            let parent = graph.sets.at(set).parent;
            if parent == NONE {
                return None;
            }
            set = SetId(parent);
        }
    }
}

/// Where a check puts what it finds.
struct Report<'a> {
    check: Check,
    findings: &'a mut Vec<Finding>,
}

impl Report<'_> {
    fn add(&mut self, severity: Severity, step: &ProofStep<'_>, message: impl Into<String>) {
        self.findings.push(Finding {
            check: self.check,
            severity,
            belief: step.belief.id,
            reference: step.belief.reference(),
            message: message.into(),
        });
    }

    fn error(&mut self, step: &ProofStep<'_>, message: impl Into<String>) {
        self.add(Severity::Error, step, message);
    }

    fn warn(&mut self, step: &ProofStep<'_>, message: impl Into<String>) {
        self.add(Severity::Warning, step, message);
    }
}

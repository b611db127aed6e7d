//! A report for whoever reads it: a program, a build, an editor, a person.

mod answer;
mod html;
mod junit;
mod markdown;
mod picture;
mod sarif;
mod text;

pub use answer::{Answer, Node, NodeKind};

use entail_json::Value;

use crate::record::Record;
use crate::verify::{CheckName, CheckResult, Results};

/// A report with what a person needs to read it.
///
/// ```
/// use entail_trace::{CheckName, CheckResult, ReportView, Results};
///
/// let mut results = Results::default();
/// let mut chain = CheckResult::new(CheckName::Chain);
/// chain.error("entry 3: its contents do not give its hash");
/// results.put(chain);
///
/// let view = ReportView::new(&results, "trace_v1_x").task("How did revenue grow?");
/// assert!(view.to_lines().starts_with("FAIL chain"));
/// assert!(view.to_html().contains("Does not hold"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReportView<'v> {
    results: &'v Results,
    trace_id: &'v str,
    task: Option<&'v str>,
    answer: Option<&'v Answer>,
    as_of: Option<&'v str>,
}

impl<'v> ReportView<'v> {
    /// A view of these results for a trace.
    #[must_use]
    pub fn new(results: &'v Results, trace_id: &'v str) -> Self {
        Self {
            results,
            trace_id,
            task: None,
            answer: None,
            as_of: None,
        }
    }

    /// Shows the task, too.
    #[must_use]
    pub fn task(mut self, task: &'v str) -> Self {
        self.task = Some(task);
        self
    }

    /// Shows the answer and what it rests on, too.
    #[must_use]
    pub fn answer(mut self, answer: &'v Answer) -> Self {
        self.answer = Some(answer);
        self
    }

    /// Says of which time the report speaks.
    #[must_use]
    pub fn as_of(mut self, time: &'v str) -> Self {
        self.as_of = Some(time);
        self
    }

    /// The report as canonical JSON: the record itself.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.results.report(self.trace_id).to_canonical()
    }

    /// A line a check, for a terminal.
    #[must_use]
    pub fn to_lines(&self) -> String {
        text::lines(self)
    }

    /// Markdown, for a pull request or a ticket.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
    }

    /// JUnit XML, for a build: a test suite a layer, a test case a check.
    #[must_use]
    pub fn to_junit(&self) -> String {
        junit::render(self)
    }

    /// SARIF 2.1.0 (OASIS), for code scanning: a rule a check, a result a finding.
    #[must_use]
    pub fn to_sarif(&self) -> String {
        sarif::render(self)
    }

    /// A page to read and print, without scripts and without anything from elsewhere: the
    /// verdict, the answer with its proof as a picture, then every check with what it found.
    #[must_use]
    pub fn to_html(&self) -> String {
        html::render(self)
    }

    fn held(&self) -> usize {
        self.results
            .all()
            .iter()
            .filter(|result| result.passed())
            .count()
    }

    fn not_run(&self) -> impl Iterator<Item = CheckName> {
        CheckName::ALL
            .iter()
            .copied()
            .filter(|name| self.results.get(*name).is_none())
    }

    fn verdict(&self) -> &'static str {
        if self.results.passed() {
            "Holds"
        } else {
            "Does not hold"
        }
    }
}

/// What a check counted, such as `18 events, 5 steps`.
fn counted(result: &CheckResult) -> String {
    let metrics = result.metrics().iter();
    let parts: Vec<String> = metrics
        .map(|(name, count)| format!("{count} {}", name.replace('_', " ")))
        .collect();
    parts.join(", ")
}

fn string(text: impl Into<String>) -> Value {
    Value::String(text.into())
}

//! Markdown.

use std::fmt::Write as _;

use super::text::clipped;
use super::{ReportView, counted};

pub(super) fn render(view: &ReportView<'_>) -> String {
    let mut out = String::new();
    let (held, run) = (view.held(), view.results.all().len());
    let _ = writeln!(
        out,
        "# {}\n\n{held} of {run} checks hold.\n",
        view.verdict()
    );
    if let Some(task) = view.task {
        let _ = writeln!(out, "- Task: {}", plain(task));
    }
    let _ = writeln!(out, "- Trace: `{}`", view.trace_id.replace('`', "'"));
    if let Some(time) = view.as_of {
        let _ = writeln!(out, "- As of: {}", plain(time));
    }
    if let Some(answer) = view.answer {
        let _ = writeln!(out, "\n## Answer\n\n{}\n", plain(&answer.summary()));
        for node in answer.nodes() {
            let _ = writeln!(out, "- {}: {}", node.kind.as_str(), plain(&node.line()));
        }
    }
    out.push_str("\n## Layers\n\n| layer | status | not run | establishes | leaves open |\n");
    out.push_str("|---|---|---|---|---|\n");
    for outcome in view.results.layers() {
        let not_run: Vec<&str> = outcome.not_run.iter().map(|name| name.as_str()).collect();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            outcome.layer,
            outcome.status.as_str(),
            not_run.join(", "),
            outcome.layer.establishes(),
            outcome.layer.leaves_open()
        );
    }
    out.push_str("\n## Checks\n\n| check | verdict | what | counted |\n|---|---|---|---|\n");
    for result in view.results.all() {
        let verdict = if result.passed() {
            "holds"
        } else {
            "**fails**"
        };
        let (name, counted) = (result.name(), counted(result));
        let _ = writeln!(out, "| {name} | {verdict} | {} | {counted} |", name.title());
    }
    for result in view
        .results
        .all()
        .iter()
        .filter(|result| !result.failures().is_empty())
    {
        let _ = writeln!(out, "\n### {}\n", result.name());
        for failure in result.failures() {
            let invariant = failure.invariant_id.as_deref().unwrap_or("");
            let _ = writeln!(
                out,
                "- {} {invariant}: {}",
                failure.severity,
                plain(&failure.message)
            );
        }
    }
    out
}

/// Text from outside as text: one line, with what Markdown reads as markup written out.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in clipped(text).chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '!' | '&'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

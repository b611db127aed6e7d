//! A page to read and print.

use std::fmt::Write as _;

use super::picture::draw;
use super::text::escape;
use super::{ReportView, counted};
use crate::verify::{CheckResult, LayerStatus};
use crate::words::Severity;

const STYLE: &str = include_str!("page.css");

/// Findings that stand under the verdict; the checks below have all of them.
const FIRST_FINDINGS: usize = 6;

/// What a browser lets the page do, also when it is opened from a disk.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

pub(super) fn render(view: &ReportView<'_>) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
    );
    escape(
        &format!(
            "{}: {}",
            view.verdict(),
            view.task.unwrap_or("verification report")
        ),
        &mut out,
    );
    let _ = write!(out, "</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n");
    verdict(view, &mut out);
    out.push_str("<main>\n");
    answer(view, &mut out);
    checks(view, &mut out);
    layers(view, &mut out);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn verdict(view: &ReportView<'_>, out: &mut String) {
    let class = if view.results.passed() {
        "held"
    } else {
        "failed"
    };
    let (held, run) = (view.held(), view.results.all().len());
    let not_run = view.not_run().count();
    let _ = writeln!(
        out,
        "<header class=\"{class}\">\n<h1>{}</h1>",
        view.verdict()
    );
    let _ = write!(out, "<p>{held} of {run} checks hold");
    if not_run > 0 {
        let _ = write!(out, "; {not_run} were not run");
    }
    out.push_str(".</p>\n");
    first_findings(view, out);
    out.push_str("<dl>\n");
    let mut entry = |name: &str, value: &str| {
        let _ = write!(out, "<dt>{name}</dt><dd>");
        escape(value, out);
        out.push_str("</dd>\n");
    };
    if let Some(task) = view.task {
        entry("Task", task);
    }
    entry("Trace", view.trace_id);
    entry("Report", view.results.report(view.trace_id).id());
    if let Some(time) = view.as_of {
        entry("As of", time);
    }
    out.push_str("</dl>\n</header>\n");
}

/// What made it fail, so that nobody has to look for it.
fn first_findings(view: &ReportView<'_>, out: &mut String) {
    let failed = view.results.all().iter().filter(|result| !result.passed());
    let errors = |result: &CheckResult| {
        let errors = result.failures().iter();
        errors
            .filter(|failure| failure.severity == Severity::Error)
            .map(|failure| failure.message.clone())
            .collect::<Vec<_>>()
    };
    let total: u64 = failed.clone().map(CheckResult::errors).sum();
    let messages: Vec<String> = failed.flat_map(errors).take(FIRST_FINDINGS).collect();
    if messages.is_empty() {
        return;
    }
    out.push_str("<ul class=\"why\">\n");
    for message in &messages {
        out.push_str("<li>");
        ticked(message, out);
        out.push_str("</li>\n");
    }
    let listed = u64::try_from(messages.len()).unwrap_or(u64::MAX);
    let more = total.saturating_sub(listed);
    if more > 0 {
        let _ = writeln!(out, "<li>and {more} more</li>");
    }
    out.push_str("</ul>\n");
}

/// Text with what stands in backticks set apart.
fn ticked(text: &str, out: &mut String) {
    for (at, part) in text.split('`').enumerate() {
        let name = at % 2 == 1;
        out.push_str(if name { "<code>" } else { "" });
        escape(part, out);
        out.push_str(if name { "</code>" } else { "" });
    }
}

fn answer(view: &ReportView<'_>, out: &mut String) {
    out.push_str("<section>\n<h2>Answer</h2>\n");
    match view.answer {
        None => out.push_str("<p class=\"none\">The reasoning was not brought to an end.</p>\n"),
        Some(answer) => {
            out.push_str("<blockquote>");
            escape(&answer.summary(), out);
            out.push_str("</blockquote>\n");
            out.push_str(
                "<div class=\"picture\" tabindex=\"0\" role=\"group\" aria-label=\"Proof\">\n",
            );
            draw(answer, out);
            out.push_str("</div>\n");
            if answer.left_out() > 0 {
                let left = answer.left_out();
                let _ = writeln!(
                    out,
                    "<p class=\"none\">{left} more references are not drawn.</p>"
                );
            }
        }
    }
    out.push_str("</section>\n");
}

fn layers(view: &ReportView<'_>, out: &mut String) {
    out.push_str(
        "<section>\n<h2>Layers</h2>\n<table class=\"layers\">\n<thead><tr><th>Layer<th>Status<th>Establishes\
         <th>Leaves open<th>Not run</tr></thead>\n<tbody>\n",
    );
    for outcome in view.results.layers() {
        let (status, class) = match outcome.status {
            LayerStatus::Vouched => ("vouched for", "held"),
            LayerStatus::Partly => ("as far as it was run", "partly"),
            LayerStatus::Failed => ("fails", "failed"),
            LayerStatus::NotRun => ("not run", "none"),
        };
        let not_run: Vec<&str> = outcome.not_run.iter().map(|name| name.as_str()).collect();
        let layer = outcome.layer;
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{layer}</th><td class=\"{class}\">{status}</td>\
             <td data-name=\"Establishes\">{}</td><td data-name=\"Leaves open\">{}</td>\
             <td data-name=\"Not run\">{}</td></tr>",
            layer.establishes(),
            layer.leaves_open(),
            not_run.join(", ")
        );
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
}

fn checks(view: &ReportView<'_>, out: &mut String) {
    out.push_str("<section>\n<h2>Checks</h2>\n");
    let (held, failed): (Vec<_>, Vec<_>) = view
        .results
        .all()
        .iter()
        .partition(|result| result.passed());
    for result in failed.into_iter().chain(held) {
        check(result, out);
    }
    for name in view.not_run() {
        let _ = writeln!(
            out,
            "<article class=\"none\"><h3>{name} <span>not run</span></h3><p>{}; \
             it needs {}</p></article>",
            name.title(),
            name.needs()
        );
    }
    out.push_str("</section>\n");
}

fn check(result: &CheckResult, out: &mut String) {
    let (class, verdict) = if result.passed() {
        ("held", "holds")
    } else {
        ("failed", "fails")
    };
    let name = result.name();
    let _ = write!(
        out,
        "<article class=\"{class}\"><h3>{name} <span>{verdict}</span></h3><p>{}",
        name.title()
    );
    let counted = counted(result);
    if !counted.is_empty() {
        let _ = write!(out, " <small>({counted})</small>");
    }
    out.push_str("</p>\n");
    if !result.failures().is_empty() {
        out.push_str("<ul>\n");
        for failure in result.failures() {
            let class = if failure.severity == Severity::Error {
                "error"
            } else {
                "warning"
            };
            let _ = write!(out, "<li class=\"{class}\"><code>");
            escape(failure.invariant_id.as_deref().unwrap_or_default(), out);
            out.push_str("</code> ");
            ticked(&failure.message, out);
            out.push_str("</li>\n");
        }
        let listed = u64::try_from(result.failures().len()).unwrap_or(u64::MAX);
        let more = result.findings().saturating_sub(listed);
        if more > 0 {
            let _ = writeln!(out, "<li>and {more} more</li>");
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</article>\n");
}

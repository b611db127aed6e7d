//! JUnit XML.

use std::fmt::Write as _;

use super::ReportView;
use super::text::escaped;
use crate::verify::CheckResult;

pub(super) fn render(view: &ReportView<'_>) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let results = view.results.all();
    let failed = results.len().saturating_sub(view.held());
    let skipped = view.not_run().count();
    let tests = results.len().saturating_add(skipped);
    let _ = writeln!(
        out,
        "<testsuites name=\"entail\" tests=\"{tests}\" failures=\"{failed}\" skipped=\"{skipped}\">"
    );
    for outcome in view.results.layers() {
        let [held, failed, skipped] =
            [&outcome.held, &outcome.failed, &outcome.not_run].map(|names| names.len());
        let tests = held.saturating_add(failed).saturating_add(skipped);
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\" \
             skipped=\"{skipped}\">",
            outcome.layer
        );
        let of_layer = |result: &&CheckResult| result.name().layer() == outcome.layer;
        for result in results.iter().filter(of_layer) {
            case(result, &mut out);
        }
        for name in &outcome.not_run {
            let _ = writeln!(
                out,
                "    <testcase classname=\"entail.{}\" name=\"{name}\"><skipped \
                 message=\"it needs {}\"/></testcase>",
                outcome.layer,
                name.needs()
            );
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(result: &CheckResult, out: &mut String) {
    let (name, layer) = (result.name(), result.name().layer());
    let _ = write!(
        out,
        "    <testcase classname=\"entail.{layer}\" name=\"{name}\""
    );
    if result.failures().is_empty() {
        out.push_str("/>\n");
        return;
    }
    let lines: Vec<String> = result
        .failures()
        .iter()
        .map(|failure| format!("{}: {}", failure.severity, failure.message))
        .collect();
    let text = escaped(&lines.join("\n"));
    if result.passed() {
        let _ = writeln!(
            out,
            ">\n      <system-out>{text}</system-out>\n    </testcase>"
        );
    } else {
        let message = escaped(lines.first().map_or("", String::as_str));
        let invariant = name.invariant();
        let _ = writeln!(
            out,
            ">\n      <failure type=\"{invariant}\" message=\"{message}\">{text}</failure>\n    \
             </testcase>"
        );
    }
}

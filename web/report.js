// The verification report, as it is now.

import { get, key, text } from "./api.js";
import { h } from "./dom.js";
import { none, table, ticked } from "./words.js";

const LAYERS = {
  vouched: ["in", "vouched for"],
  partly: ["warn", "as far as it was run"],
  failed: ["out", "fails"],
  not_run: ["mute", "not run"],
};

/** Every check that was run, and what it found. */
export async function report(page) {
  const { at } = page;
  const found = await get(`${at.path}/report`, { format: "json" }, page.signal);
  const numbers = found.summary_metrics;
  const findings = found.failures ?? [];
  page.show(
    h("div", { class: `card verdict ${numbers.passed ? "in" : "out"}` },
      h("h2", {}, numbers.passed ? "Holds" : "Does not hold"),
      h("p", {}, `${numbers.checks_passed} of ${numbers.checks_run} checks hold.`),
      h("p", { class: "small" }, printed(page), " · ", h("a", { href: `${at.path}/report?format=markdown`, ...saved(page, "markdown", "md") }, "Markdown"))),
    findings.length > 0 && [
      h("h2", {}, "What was found"),
      h("ul", { class: "actions" }, findings.map((one) => h("li", { class: one.severity === "error" ? "refused" : "taken" },
        h("span", { class: one.severity === "error" ? "mark out" : "mark warn" }, one.severity), " ",
        ticked(one.message), one.invariant_id && [" ", h("span", { class: "badge mute" }, one.invariant_id)]))),
    ],
    h("h2", {}, "Layers"),
    table("Layers", ["Layer", "Status", "Failed", "Not run"], Object.entries(numbers.layers ?? {}).map(([name, layer]) => {
      const [kind, said] = LAYERS[layer.status] ?? ["mute", layer.status];
      return [name, h("span", { class: `badge ${kind}` }, said), layer.failed.join(", ") || "–", layer.not_run.join(", ") || "–"];
    })),
    h("h2", {}, "Checks"),
    found.checks.length === 0 ? none("No check was run.") : table("Checks", ["Result", "Check", "What it found", "Counted"], [...found.checks].sort((a, b) => a.passed - b.passed).map((check) => [
      h("span", { class: check.passed ? "badge in" : "badge out" }, check.passed ? "holds" : "fails"),
      h("code", { class: "whole" }, check.name),
      check.details,
      h("span", { class: "small" }, Object.entries(check.metrics).filter(([name, number]) => number || !["errors", "warnings"].includes(name)).map(([name, number]) => `${number} ${name.replaceAll("_", " ")}`).join(", ")),
    ])));
}

const printed = (page) =>
  h("a", { href: `${page.at.path}/report?format=html`, target: "_blank", rel: "noopener", ...saved(page, "html", "html") },
    key.get() ? "Save the report to read and print (HTML)" : "The report to read and print (HTML)");

// A link cannot carry the key: with one, the report is fetched and saved.
function saved(page, format, ending) {
  if (!key.get()) return {};
  return {
    target: null,
    click: (event) => {
      event.preventDefault();
      page.attempt(async () => {
        const body = await text(`${page.at.path}/report`, { format }, page.signal);
        const url = URL.createObjectURL(new Blob([body], { type: "application/octet-stream" }));
        h("a", { href: url, download: `report-${page.at.id}.${ending}` }).click();
        URL.revokeObjectURL(url);
      });
    },
  };
}

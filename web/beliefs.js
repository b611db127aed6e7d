// Beliefs: the list, and one with all that is known of it.

import { Digits, get, path } from "./api.js";
import { h, swap } from "./dom.js";
import { picture, steps } from "./proof.js";
import { link } from "./session.js";
import { confidence, count, cut, facts, none, percent, plain, pretty, shown, status, table, time } from "./words.js";

const PAGE = 100;
const MOST = 1000;
const LONG_VALUE = 160;
const grown = new Map();

/** The list, filtered. */
export async function beliefs(page) {
  const { at } = page;
  const filter = page.query;
  const kept = `${location.hash}`;
  const limit = grown.get(kept) ?? PAGE;
  const found = await get(`${at.path}/beliefs`, {
    status: filter.status,
    prefix: filter.prefix,
    source: filter.source,
    min_confidence: filter.least,
    stale: filter.evidence === "stale" ? "true" : undefined,
    faded: filter.evidence === "faded" ? "true" : undefined,
    limit,
  }, page.signal);
  const changed = (values) => page.go(`${at.href}/beliefs`, values);
  const typing = document.activeElement?.closest?.("form.filters") && document.activeElement.tagName === "INPUT";
  const form = typing ? document.querySelector("form.filters") : filters(filter, changed);
  const list = [
    found.items.length === 0
      ? none("No belief passes these filters.")
      : table("Beliefs, in the order in which they were made", ["Status", "Belief", "Value", "Confidence", "Source"], found.items.map((one) => row(at, one))),
    found.next_cursor && (limit < MOST
      ? h("button", { type: "button", click: () => page.attempt(() => {
        grown.set(kept, Math.min(limit * 2, MOST));
        return beliefs(page);
      }) }, "Show more")
      : none(`These are the first ${MOST}; a filter finds the others.`)),
  ];
  if (typing) swap(form.nextElementSibling, list);
  else page.show(form, h("div", {}, list));
}

function filters(filter, changed) {
  const read = () => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
  const choice = (name, text, options) => h("label", {}, `${text} `,
    h("select", { name, id: name, change: () => changed(read()) },
      options.map(([value, said]) => h("option", { value, selected: (filter[name] ?? "") === value }, said))));
  const field = (name, text, hint) => h("label", {}, `${text} `,
    h("input", { name, id: name, value: filter[name] ?? "", placeholder: hint, autocomplete: "off", spellcheck: "false" }));
  const form = h("form", { class: "filters", role: "search", "aria-label": "Filter beliefs", submit: (event) => {
    event.preventDefault();
    changed(read());
  } },
  choice("status", "Status", [["", "any"], ["IN", "IN"], ["OUT", "OUT"]]),
  choice("least", "Confidence", [["", "any"], ["0.5", "at least 50%"], ["0.8", "at least 80%"], ["0.95", "at least 95%"]]),
  choice("evidence", "Evidence", [["", "any"], ["stale", "expired"], ["faded", "faded"]]),
  field("prefix", "Key begins with", "revenue:"),
  field("source", "Source", "document:10-Q"),
  h("button", { type: "submit" }, "Filter"));
  return form;
}

function row(at, one) {
  return [
    status(one.status),
    [link(at, one.ref), one.claim && one.claim !== one.value && h("div", { class: "small" }, cut(one.claim, LONG_VALUE)),
      one.why_out && h("div", { class: "small why" }, why(at, one.why_out))],
    h("span", { class: "value" }, shown(one.value, LONG_VALUE)),
    confidence(one.confidence),
    h("span", { class: "small source" }, one.source ?? ""),
  ];
}

/** Why a belief is OUT, in words. */
export function why(at, out) {
  const said = [];
  if (out.retracted) said.push([`was retracted${out.reason ? ` (${out.reason})` : ""}`]);
  if (out.expired) said.push(["its evidence expired"]);
  if (out.lost?.length) said.push(["lost its support ", between(out.lost.slice(0, 5).map((one) => link(at, one))), out.lost.length > 5 && ` and ${out.lost.length - 5} more`]);
  if (out.defeated_by?.length) said.push([`stands back behind ${out.defeated_by.join(", ")}`]);
  return said.length ? between(said, "; ") : "has no support left";
}

const between = (parts, gap = ", ") => parts.flatMap((part, at) => (at ? [gap, part] : [part]));

/** One belief. */
export async function belief(page) {
  const { at } = page;
  const where = `${at.path}/beliefs/${path(at.name)}`;
  const [found, proof, above] = await Promise.all([
    get(where, {}, page.signal),
    get(`${where}/proof`, {}, page.signal),
    get(`${where}/dependents`, { limit: 50 }, page.signal),
  ]);
  page.show(
    h("nav", { class: "way", "aria-label": "Way to this belief" }, h("a", { href: `${at.href}/beliefs` }, "Beliefs")),
    h("div", { class: `card verdict ${found.status === "IN" ? "in" : "out"}` },
      h("h2", {}, status(found.status), " ", h("code", {}, found.ref)),
      found.claim && h("p", { class: "text" }, found.claim),
      found.value !== null && typeof found.value === "object" && !(found.value instanceof Digits)
        ? h("pre", { tabindex: "0", "aria-label": "Value" }, pretty(found.value))
        : found.value !== found.claim && h("blockquote", { class: "text value" }, shown(found.value)),
      found.why_out && h("p", { class: "why" }, "OUT: ", why(at, found.why_out)),
      facts([
        ["Confidence", confidence(found.confidence)],
        ["Source", found.source],
        ["Believed since", time(found.created_at)],
        found.revisions?.length > 1 && ["Revisions", between(found.revisions.map((one) => [link(at, one.ref), " ", status(one.status)]))],
      ])),
    h("h2", {}, "Why"),
    h("ol", { class: "cards" }, found.justifications.map((one) => h("li", { class: "card" }, justification(at, one)))),
    found.metadata && h("details", { "data-id": "metadata" }, h("summary", {}, "Metadata"), h("pre", {}, pretty(found.metadata))),
    picture(at, proof), steps(at, proof),
    h("h2", {}, "What rests on it"),
    above.items.length === 0
      ? none("Nothing.")
      : h("ul", { class: "rests" }, above.items.map((one) => h("li", {}, status(one.status), " ", link(at, one.ref), " ", h("span", { class: "small" }, cut(one.claim ?? plain(one.value), LONG_VALUE)))),
        above.next_cursor && h("li", { class: "none" }, "and more")));
}

const KINDS = { premise: "stated by", model: "claimed by", rule: "derived by", assumption: "assumed by" };

/** One reason for a belief. */
function justification(at, one) {
  const document = one.source?.startsWith("document:") ? one.source.slice("document:".length) : undefined;
  const rest = one.antecedents_total - one.antecedents.length;
  return [
    h("p", {},
      h("span", { class: one.valid ? "badge in" : "badge out" }, one.valid ? "valid" : "not valid"), " ",
      one.supporting && [h("span", { class: "badge info" }, "gives its confidence"), " "],
      `${KINDS[one.kind] ?? `${one.kind} of`} `, document === undefined ? one.source : h("a", { href: `${at.href}/documents/${path(document)}` }, one.source)),
    one.quote && h("blockquote", { class: "text quote" }, one.quote),
    one.formula && h("p", {}, h("code", { class: "formula" }, one.formula)),
    one.note && h("p", { class: "text" }, one.note),
    facts([
      one.antecedents.length > 0 && ["Rests on", between(one.antecedents.map((name) => link(at, name))), rest > 0 && ` and ${count(rest, "other")}`],
      one.unless?.length > 0 && ["Unless", one.unless.join(", ")],
      one.arguments && ["Called with", h("code", {}, plain(one.arguments))],
      one.origin && ["Origin", one.origin],
      one.confidence !== undefined && ["Stated confidence", percent(one.confidence)],
      one.valid_until && ["Valid until", time(one.valid_until), one.expired && " (expired)"],
      one.half_life_s !== undefined && ["Half-life", `${one.half_life_s} s`],
      one.citation && ["Cited", `version ${one.citation.version}, bytes ${one.citation.start} to ${one.citation.end}`],
      ["Given", time(one.created_at)],
    ]),
  ];
}

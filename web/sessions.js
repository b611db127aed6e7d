// The list of sessions.

import { get } from "./api.js";
import { h, swap } from "./dom.js";
import { badge, count, labels, none, status, time } from "./words.js";

const PAGE = 25;
const MOST = 1000;
const EVERY_MS = 15_000;
const ACTIVITY = { "": "any time", 3600: "the last hour", 86400: "the last day", 604800: "the last week" };
const STATES = ["open", "answered", "insufficient_evidence", "abandoned"];

/** The page: filters, and what they leave. */
export async function sessions(page) {
  const filter = page.query;
  const list = h("div", {});
  const form = filters(filter, (changed) => page.go("#/", changed));
  page.title("Sessions");
  page.show(h("h1", {}, "Sessions"), form, list);
  let most = PAGE;

  const load = async () => {
    const since = Number(filter.active);
    const found = await get("sessions", {
      label: filter.label,
      state: filter.state,
      active_since: since ? new Date(Date.now() - since * 1000).toISOString() : undefined,
      limit: most,
    }, page.signal);
    const more = async () => {
      most = Math.min(most + PAGE, MOST);
      await load();
    };
    const filtered = filter.label || filter.state || since;
    swap(list,
      found.items.length === 0
        ? none(filtered ? "No session passes these filters." : "There are no sessions yet. An orchestrator opens one with POST /sessions.")
        : h("ol", { class: "cards" }, found.items.map(card)),
      found.next_cursor && most < MOST && h("button", { type: "button", click: () => page.attempt(more) }, "Show more"));
  };
  await load();
  page.every(EVERY_MS, load);
}

function filters(filter, changed) {
  const read = () => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
  const option = (value, text, chosen) => h("option", { value, selected: chosen === value }, text);
  const form = h("form", { class: "filters", "aria-label": "Filter sessions", role: "search", submit: (event) => {
    event.preventDefault();
    changed(read());
  } },
  h("label", {}, "State ",
    h("select", { name: "state", id: "state", change: () => changed(read()) },
      option("", "any", filter.state ?? ""),
      STATES.map((state) => option(state, state.replaceAll("_", " "), filter.state)))),
  h("label", {}, "Active in ",
    h("select", { name: "active", id: "active", change: () => changed(read()) },
      Object.entries(ACTIVITY).sort(([a], [b]) => a - b).map(([value, text]) => option(value, text, filter.active ?? "")))),
  h("label", {}, "Label ",
    h("input", { name: "label", id: "label", placeholder: "team=finance", value: filter.label ?? "", autocomplete: "off", spellcheck: "false" })),
  h("button", { type: "submit" }, "Filter"));
  return form;
}

function card(one) {
  const counts = one.counts;
  return h("li", { class: "card session" },
    h("div", { class: "what" },
      h("h2", {}, h("a", { href: `#/sessions/${one.id}` }, one.task || "(no task)")),
      h("p", { class: "small" }, badge(one.state), labels(one.labels))),
    h("div", { class: "stands" },
      one.answer === "none" ? h("span", { class: "none" }, "no answer yet") : h("span", {}, "answer ", status(one.answer.toUpperCase())),
      counts.conflicts > 0 && h("span", { class: "badge warn" }, count(counts.conflicts, "conflict")),
      counts.open_calls > 0 && h("span", { class: "badge info" }, count(counts.open_calls, "open call"))),
    h("p", { class: "small counts" },
      `${count(counts.turns, "turn")}, ${counts.believed.toLocaleString("en")} of ${count(counts.beliefs, "belief")} held, `,
      time(one.last_activity)));
}

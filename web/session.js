// One session: its head, which stays, and the part that is looked at.

import { follow, get, path } from "./api.js";
import { h, swap } from "./dom.js";
import { badge, count, cut, facts, labels, time } from "./words.js";
import { answer } from "./answer.js";
import { belief, beliefs } from "./beliefs.js";
import { calls } from "./calls.js";
import { conflicts } from "./conflicts.js";
import { quoted, documents } from "./documents.js";
import { report } from "./report.js";
import { turns } from "./turns.js";

const LONG_TASK = 240;
// Commits come in bursts; a page need not be drawn for each.
const SETTLE_MS = 250;

const PARTS = {
  "": ["Answer", answer],
  beliefs: ["Beliefs", beliefs],
  turns: ["Turns", turns],
  conflicts: ["Conflicts", conflicts],
  calls: ["Calls", calls],
  documents: ["Documents", documents],
  report: ["Report", report],
};

/** The page of a session; `rest` names the part. */
export async function session(page, id, rest) {
  const [part = "", name] = rest;
  const [title, list] = PARTS[part] ?? PARTS[""];
  const draw = name === undefined ? list : { beliefs: belief, documents: quoted }[part] ?? list;
  const head = h("header", { class: "head" });
  const body = h("section", { "aria-label": title });
  const live = h("span", { class: "live" }, "connecting");
  const at = { id, name, path: `sessions/${path(id)}`, href: `#/sessions/${path(id)}` };
  let known;

  const load = async () => {
    const found = await get(at.path, {}, page.signal);
    const before = known?.answer?.status;
    known = found;
    page.title(`${name ?? title}: ${cut(found.task || "session", 60)}`);
    const first = head.childElementCount === 0;
    swap(head, heading(found, at, part, live));
    if (first) reveal(head.querySelector(".tabs"));
    if (before && found.answer && before !== found.answer.status)
      page.announce(`The answer is ${found.answer.status} now.`);
    await draw({ ...page, at, session: found, show: (...children) => swap(body, ...children) });
  };
  page.show(h("nav", { "aria-label": "Way here", class: "way" }, h("a", { href: "#/" }, "Sessions")), head, body);
  await load();

  let due;
  const again = () => {
    due ??= setTimeout(() => {
      due = undefined;
      page.attempt(load);
    }, SETTLE_MS);
  };
  const heard = (kind) => {
    if (kind === "gone") live.textContent = "deleted";
    else again();
  };
  const state = (connected) => {
    live.className = connected ? "live on" : "live";
    live.textContent = connected ? "live" : "reconnecting";
  };
  follow(id, known.version, heard, state, page.signal);
}

/** Scrolls a row of tabs so that the current one is seen. */
function reveal(tabs) {
  const current = tabs.querySelector("[aria-current]");
  if (current) tabs.scrollLeft = current.offsetLeft - tabs.offsetLeft - 48;
}

function heading(found, at, part, live) {
  const counts = found.counts;
  const numbers = {
    beliefs: counts.beliefs,
    turns: counts.turns,
    conflicts: counts.conflicts,
    calls: counts.open_calls,
    documents: counts.documents,
  };
  const tabs = Object.entries(PARTS).map(([name, [title]]) => {
    const number = numbers[name];
    const urgent = number > 0 && ["conflicts", "calls"].includes(name);
    return h("a", { href: name ? `${at.href}/${name}` : at.href, "aria-current": name === part ? "page" : null },
      title, number > 0 && h("span", { class: urgent ? "number urgent" : "number" }, number.toLocaleString("en")));
  });
  const long = found.task.length > LONG_TASK;
  return [
    h("h1", {}, long ? cut(found.task, LONG_TASK) : found.task || "(no task)"),
    long && h("details", { "data-id": "task" }, h("summary", {}, "The whole task"), h("p", { class: "text" }, found.task)),
    h("p", { class: "meta small" },
      badge(found.state), labels(found.labels),
      h("span", {}, "active ", time(found.last_activity)),
      h("span", {}, `version ${found.version}`), live),
    found.reason && h("p", { class: "small" }, found.reason),
    h("details", { "data-id": "about", class: "small about" }, h("summary", {}, "About this session"), facts([
      ["Id", h("code", {}, found.id)],
      ["Opened", time(found.created_at)],
      ["Expires", found.expires_at ? time(found.expires_at) : "never"],
      ["Dependencies", found.policy?.dependencies],
      ["Least confidence", String(found.policy?.min_confidence ?? 0)],
      ["Rejections", count(found.counts.rejections, "action")],
      ["Chain head", h("code", {}, found.chain_head)],
      found.instructions && ["Instructions", h("span", { class: "text" }, found.instructions)],
    ])),
    h("nav", { class: "tabs", "aria-label": "Parts of the session", "data-scroll": "tabs" }, tabs),
  ];
}

/** The link to a belief. */
export const link = (at, reference, ...children) =>
  h("a", { href: `${at.href}/beliefs/${path(reference)}`, class: "ref" }, children.length ? children : reference);

// The answer: whether it stands, what it rests on, and what took it out.

import { get, path } from "./api.js";
import { h } from "./dom.js";
import { picture, steps } from "./proof.js";
import { link } from "./session.js";
import { confidence, count, none, plain, status, ticked, time } from "./words.js";

/** The part of a session that is seen first. */
export async function answer(page) {
  const { at, session } = page;
  if (!session.answer) {
    page.show(h("div", { class: "card verdict open" },
      h("h2", {}, session.state === "open" ? "No answer yet" : "No answer"),
      h("p", {}, `${count(session.counts.turns, "turn")} so far; ${session.counts.believed.toLocaleString("en")} of ${count(session.counts.beliefs, "belief")} held.`),
      h("p", {}, h("a", { href: `${at.href}/turns` }, "See the turns"))));
    return;
  }
  const where = `${at.path}/beliefs/${path(session.answer.ref)}`;
  const [found, proof] = await Promise.all([
    get(where, {}, page.signal),
    get(`${where}/proof`, {}, page.signal),
  ]);
  const checked = h("p", { class: "small checked" }, h("span", { class: "none" }, "Checking the record…"));
  page.show(verdict(at, found, proof), checked, picture(at, proof), steps(at, proof));
  const result = await get(`${at.path}/report`, { format: "json" }, page.signal);
  const numbers = result.summary_metrics;
  checked.replaceChildren(
    h("span", { class: numbers.passed ? "badge in" : "badge out" }, numbers.passed ? "holds" : "does not hold"),
    ` ${numbers.checks_passed} of ${numbers.checks_run} checks of the record hold. `,
    h("a", { href: `${at.href}/report` }, "See the report"));
}

function verdict(at, found, proof) {
  const stands = found.status === "IN";
  return h("div", { class: `card verdict ${stands ? "in" : "out"}` },
    h("h2", {}, status(found.status), stands ? " The answer stands" : " The answer no longer holds"),
    h("blockquote", { class: "text" }, plain(found.value)),
    h("p", { class: "small" }, stands && ["Confidence ", confidence(found.confidence), " "],
      `by ${found.source ?? "nobody"}, `, time(found.created_at)),
    !stands && fall(at, proof));
}

/** What took it out, from the cause to the answer. */
function fall(at, proof) {
  const out = proof.steps.filter((step) => step.status === "OUT");
  if (out.length === 0) return none("Nothing says why.");
  return h("ol", { class: "fall", "aria-label": "What took it out" },
    out.slice(0, 20).map((step) => h("li", {}, link(at, step.ref), " ", ticked(step.why_out ?? ""))),
    out.length > 20 && h("li", { class: "none" }, `and ${out.length - 20} more`));
}

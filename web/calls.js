// Calls of tools: those that are open first.

import { all } from "./api.js";
import { h } from "./dom.js";
import { badge, none, plain, table } from "./words.js";

const MOST = 1000;

/** The calls of a session. */
export async function calls(page) {
  const { at } = page;
  const { items, more } = await all(`${at.path}/calls`, {}, page.signal, MOST);
  const open = items.filter((one) => one.state === "pending");
  const done = items.filter((one) => one.state !== "pending");
  const listed = (title, calls, empty) => [
    h("h2", {}, title),
    calls.length === 0 ? none(empty) : table(title, ["State", "Tool", "Arguments", "For", "Run by"], calls.map((one) => [
      badge(one.state),
      h("code", {}, one.tool),
      h("code", { class: "wrap" }, plain(one.args)),
      h("code", {}, one.key ?? ""),
      [one.executor === "http" ? "the service" : "the orchestrator", one.error && h("div", { class: "small why" }, plain(one.error))],
    ])),
  ];
  page.show(
    listed("Pending", open, "No call waits for its result."),
    done.length > 0 && listed("Done", done, ""),
    more && none(`These are the first ${MOST}.`));
}

// The tenant's trust ledger.

import { all } from "./api.js";
import { h } from "./dom.js";
import { confidence, none, table, time } from "./words.js";

const MOST = 5000;

/** How often each source was right. */
export async function sources(page) {
  const { items, more } = await all("sources", {}, page.signal, MOST);
  page.title("Sources");
  page.show(
    h("h1", {}, "Sources"),
    h("p", {}, "How often each source turned out right, over all sessions. A session opened from now on starts from these numbers."),
    items.length === 0 ? none("No outcome was recorded yet.") : table("Sources", ["Source", "Right", "Share", "Last outcome"], items.map((one) => [
      h("code", { class: "wrap" }, one.source),
      `${one.correct.toLocaleString("en")} of ${one.total.toLocaleString("en")}`,
      one.total > 0 ? confidence(one.correct / one.total) : "–",
      time(one.last_at),
    ])),
    more && none(`These are the first ${MOST}.`));
}

// Conflicts that somebody has to settle.

import { all } from "./api.js";
import { h } from "./dom.js";
import { link } from "./session.js";
import { confidence, none, shown, table, ticked } from "./words.js";

/** Every open conflict, with its sides. */
export async function conflicts(page) {
  const { at } = page;
  const { items } = await all(`${at.path}/conflicts`, {}, page.signal, 1000);
  page.show(
    items.length === 0 && none("Nothing is disputed."),
    h("ol", { class: "cards" }, items.map((one) => h("li", { class: "card" },
      h("h2", {}, one.kind === "constraint" ? ["Constraint ", h("code", {}, one.constraint), " is violated"] : ["Disputed: ", h("code", {}, one.key)]),
      one.reason && h("p", { class: "text" }, ticked(one.reason)),
      table("The sides of the conflict", ["Belief", "Value", "Confidence", "Source"], one.sides.map((side) => [
        [link(at, side.ref), side.claim && h("div", { class: "small" }, side.claim)],
        h("span", { class: "value" }, shown(side.value, 160)),
        confidence(side.confidence),
        h("span", { class: "small source" }, side.source ?? ""),
      ]))))));
}

// Turns: what the model said, and what came of it.

import { get } from "./api.js";
import { h } from "./dom.js";
import { link } from "./session.js";
import { badge, count, none, pretty, shown, ticked, time } from "./words.js";

const PAGE = 25;
const MOST = 1000;
const LONG_VALUE = 160;
const grown = new Map();

/** The turns, the first first. */
export async function turns(page) {
  const { at } = page;
  const limit = grown.get(at.id) ?? PAGE;
  const found = await get(`${at.path}/turns`, { limit }, page.signal);
  page.show(
    found.items.length === 0 && none("The model has said nothing yet."),
    h("ol", { class: "cards" }, found.items.map((one, index) => turn(at, one, index + 1))),
    found.next_cursor && limit < MOST && h("button", { type: "button", click: () => page.attempt(() => {
      grown.set(at.id, Math.min(limit * 2, MOST));
      return turns(page);
    }) }, "Show more"));
}

function turn(at, one, number) {
  const refused = one.rejected.length;
  return h("li", { class: "card turn" },
    h("h2", {}, `Turn ${number} `, badge(one.verdict)),
    h("p", { class: "small" },
      `${one.model ?? "a model"}, `, time(one.at),
      `, shown ${count(one.context.refs.length, "belief")} at version ${one.context.version}`),
    one.accepted.length > 0 && h("ul", { class: "actions" }, one.accepted.map((action) => accepted(at, action))),
    refused > 0 && h("ul", { class: "actions" }, one.rejected.map(rejected)),
    one.accepted.length + refused === 0 && none("It said nothing that could be taken."),
    one.ignored.length > 0 && h("p", { class: "small" }, `${count(one.ignored.length, "action")} ignored`),
    h("details", { "data-id": `turn-${one.turn}` }, h("summary", {}, "What it said"),
      h("pre", { tabindex: "0", "aria-label": `The response of turn ${number}` }, typeof one.response === "string" ? one.response : pretty(one.response))));
}

function accepted(at, action) {
  const value = action.value === undefined || action.value === null ? undefined : action.value;
  return h("li", { class: "taken" },
    h("span", { class: "mark in" }, "accepted"), ` ${action.type} `,
    action.ref ? link(at, action.ref) : h("code", {}, action.key ?? ""),
    value !== undefined && [" = ", h("span", { class: "value" }, shown(value, LONG_VALUE))]);
}

function rejected(action) {
  return h("li", { class: "refused" },
    h("span", { class: "mark out" }, "rejected"), ` ${action.type ?? "action"} `,
    action.key && [h("code", {}, action.key), " "],
    h("span", { class: "badge mute" }, action.code),
    h("p", { class: "text" }, ticked(action.message)));
}

// How things are said: times, values, shares, states.

import { Digits } from "./api.js";
import { h } from "./dom.js";

const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const SPANS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** A time, as how long ago it was; the exact time on demand. */
export function time(text) {
  if (!text) return "never";
  const seconds = (new Date(text) - Date.now()) / 1000;
  const [unit, length] = SPANS.find(([, length]) => Math.abs(seconds) >= length) ?? SPANS.at(-1);
  const said = Math.abs(seconds) < 10 ? "just now" : ago.format(Math.round(seconds / length), unit);
  return h("time", { datetime: text, title: text }, said);
}

/** A value of a belief, on one line, exact. */
export function plain(value) {
  if (typeof value === "string") return value;
  return exactly(value, 0);
}

/** A value as JSON, indented. */
export const pretty = (value) => exactly(value, 2);

// Numbers that a float cannot hold are put back where they stood, by a mark that no text holds.
function exactly(value, indent) {
  const digits = [];
  let mark;
  const text = JSON.stringify(value, (_, part) => {
    if (!(part instanceof Digits)) return part;
    mark ??= `${Date.now()}:${Math.random()}`;
    digits.push(part.text);
    return mark;
  }, indent) ?? "null";
  if (!mark) return text;
  return text.split(`"${mark}"`).map((part, at) => part + (digits[at] ?? "")).join("");
}

/** A value to read: whole numbers with their thousands apart, and no more than so much of a text. */
export function shown(value, most = Infinity) {
  const text = value instanceof Digits ? value.text : plain(value);
  if (typeof value !== "string" && /^-?\d{5,}$/.test(text))
    return h("span", { title: text }, text.replace(/\B(?=(\d{3})+$)/g, ","));
  return cut(text, most);
}

/** A text with what stands in backticks set apart. */
export const ticked = (text) =>
  text.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));

/** A share of one, as percent, never rounded up to certainty. */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const percent = share * 100;
  const rounded = percent >= 99.5 && percent < 100 ? Math.floor(percent * 10) / 10 : Math.round(percent);
  return `${rounded}%`;
}

/** A confidence, as a bar and a number. */
export function confidence(share) {
  const bar = h("span", { class: "meter", "aria-hidden": "true" }, h("span", {}));
  bar.firstChild.style.width = `${Math.round((share ?? 0) * 100)}%`;
  return h("span", { class: "confidence" }, bar, h("span", {}, percent(share)));
}

/** IN or OUT. */
export const status = (word) =>
  h("span", { class: `status ${word === "IN" ? "in" : "out"}` }, word === "IN" ? "IN" : "OUT");

const VERDICTS = {
  accepted: ["in", "accepted"],
  answered: ["in", "answered"],
  awaiting_tools: ["info", "awaiting tools"],
  needs_repair: ["warn", "needs repair"],
  conflicting_evidence: ["warn", "conflicting evidence"],
  unusable: ["out", "unusable"],
  open: ["info", "open"],
  insufficient_evidence: ["warn", "insufficient evidence"],
  abandoned: ["mute", "abandoned"],
  pending: ["warn", "pending"],
  returned: ["in", "returned"],
  failed: ["out", "failed"],
};

/** A verdict or a state. */
export function badge(word) {
  const [kind, said] = VERDICTS[word] ?? ["mute", String(word).replaceAll("_", " ")];
  return h("span", { class: `badge ${kind}` }, said);
}

/** So many of them. */
export const count = (number, one, many = `${one}s`) =>
  `${Number(number ?? 0).toLocaleString("en")} ${number === 1 ? one : many}`;

/** The first so many characters. */
export function cut(text, most) {
  if (text.length <= most) return text;
  const characters = [...text.slice(0, most * 2)];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

/** Labels, as `name=value`. */
export const labels = (given) =>
  Object.entries(given ?? {}).map(([name, value]) => h("span", { class: "label" }, `${name}=${value}`));

/** A table that stays one for those who hear it, also where it is laid out in blocks. */
export function table(caption, columns, rows) {
  const head = h("tr", { role: "row" }, columns.map((name) => h("th", { role: "columnheader", scope: "col" }, name)));
  const body = rows.map((cells) =>
    h("tr", { role: "row" }, cells.map((cell, at) => h("td", { role: "cell", "data-name": columns[at] }, cell))));
  return h("table", { role: "table" },
    h("caption", { class: "sr-only" }, caption),
    h("thead", { role: "rowgroup" }, head),
    h("tbody", { role: "rowgroup" }, body));
}

/** A name and what it is. */
export const facts = (entries) =>
  h("dl", { class: "facts" }, entries.filter(Boolean).map(([name, ...value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));

/** What there is none of. */
export const none = (text) => h("p", { class: "none" }, text);

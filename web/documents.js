// Documents, and what was quoted from them, where it stands.

import { all, get, path } from "./api.js";
import { h } from "./dom.js";
import { link } from "./session.js";
import { count, none, shown, status, table } from "./words.js";

// A longer document is shown around its quotes only.
const WHOLE_BYTES = 400_000;
const AROUND_BYTES = 600;

/** The documents of a session. */
export async function documents(page) {
  const { at } = page;
  const { items } = await all(`${at.path}/documents`, {}, page.signal, 1000);
  page.show(items.length === 0
    ? none("No document was registered.")
    : table("Documents", ["Name", "Version", "Size", "SHA-256"], items.map((one) => [
      h("a", { href: `${at.href}/documents/${path(one.name)}` }, one.name),
      String(one.version),
      count(one.bytes, "byte"),
      h("code", { class: "small wrap" }, one.sha256),
    ])));
}

/** One document with its quotes marked. */
export async function quoted(page) {
  const { at } = page;
  const [found, citing] = await Promise.all([
    get(`${at.path}/documents/${path(at.name)}`, { version: page.query.version }, page.signal),
    all(`${at.path}/beliefs`, { source: `document:${at.name}` }, page.signal),
  ]);
  const quotes = citing.items.flatMap((one) => one.justifications
    .filter((given) => given.citation && given.source === `document:${at.name}`)
    .map((given) => ({ belief: one, quote: given.quote ?? "", ...given.citation })));
  const here = quotes.filter((one) => one.version === found.version);
  const newest = Math.max(found.version, ...quotes.map((one) => one.version));
  const versions = [...new Set([...quotes.map((one) => one.version), found.version, newest])].sort((a, b) => a - b);
  page.show(
    h("nav", { class: "way", "aria-label": "Way to this document" }, h("a", { href: `${at.href}/documents` }, "Documents")),
    h("h2", {}, at.name),
    h("p", { class: "meta small" }, h("span", {}, `version ${found.version}`), h("span", {}, count(found.bytes, "byte")),
      versions.length > 1 && h("span", {}, "versions ", versions.map((one) => [
        h("a", { href: `${at.href}/documents/${path(at.name)}?version=${one}`, "aria-current": one === found.version ? "page" : null }, String(one)), " "]))),
    h("h3", {}, count(here.length, "quote")),
    here.length === 0 ? none("Nothing was cited from this version.") : h("ol", { class: "quotes" }, here.map((one) => h("li", {},
      status(one.belief.status), " ", link(at, one.belief.ref), " = ", h("span", { class: "value" }, shown(one.belief.value, 80)),
      h("blockquote", { class: "text quote" }, one.quote)))),
    h("h3", {}, "Text"),
    passages(at, found.text, here));
}

/** The text, cut where a quote begins or ends. Places are counted in bytes of UTF-8. */
function passages(at, text, quotes) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const inside = quotes.filter((one) => one.start < one.end && one.end <= bytes.length);
  const windows = bytes.length <= WHOLE_BYTES
    ? [[0, bytes.length]]
    : join(inside.map((one) => [boundary(bytes, one.start - AROUND_BYTES), boundary(bytes, one.end + AROUND_BYTES)]));
  if (windows.length === 0) windows.push([0, boundary(bytes, WHOLE_BYTES)]);
  const shown = windows.map(([from, to]) => {
    const ends = new Set([from, to]);
    for (const one of inside) if (one.start >= from && one.end <= to) ends.add(one.start).add(one.end);
    const cuts = [...ends].sort((a, b) => a - b);
    return h("pre", { class: "document", tabindex: "0", "aria-label": "Text of the document" }, cuts.slice(1).map((end, index) => {
      const part = decoder.decode(bytes.subarray(cuts[index], end));
      const over = inside.filter((one) => one.start <= cuts[index] && one.end >= end);
      if (over.length === 0) return part;
      const held = over.some((one) => one.belief.status === "IN");
      return h("mark", { class: held ? "in" : "out", title: over.map((one) => `${one.belief.ref} ${one.belief.status}`).join(", ") }, part);
    }));
  });
  const left = bytes.length > WHOLE_BYTES && none(`The document has ${count(bytes.length, "byte")}; only what surrounds its quotes is shown.`);
  return [left, shown];
}

/** The first byte of a character at or after a place. */
function boundary(bytes, at) {
  let place = Math.max(0, Math.min(at, bytes.length));
  while (place < bytes.length && (bytes[place] & 0xc0) === 0x80) place += 1;
  return place;
}

function join(windows) {
  const joined = [];
  for (const [from, to] of windows.sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

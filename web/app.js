// The dashboard: which page is shown, who reads it, and what went wrong. It only ever reads.

import { Problem, key } from "./api.js";
import { h, swap } from "./dom.js";
import { session } from "./session.js";
import { sessions } from "./sessions.js";
import { sources } from "./sources.js";

// A page that nobody looks at lets go of its connection after a while.
const UNSEEN_MS = 60_000;

const main = document.getElementById("main");
const said = document.getElementById("announce");
const forget = document.getElementById("forget");
let current = new AbortController();
let place;

/** What stands behind `#`: the names of the path and the query. */
function wanted() {
  const [where = "", query = ""] = location.hash.slice(1).split("?", 2);
  return {
    names: where.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function show() {
  current.abort();
  current = new AbortController();
  const { names, query } = wanted();
  const moved = names.join("/") !== place;
  const arrived = place === undefined;
  place = names.join("/");
  const { signal } = current;
  const page = pageOf(query, signal);
  forget.hidden = !key.get();
  for (const link of document.querySelectorAll(".bar nav a"))
    link.toggleAttribute("aria-current", link.getAttribute("href") === (names[0] === "sources" ? "#/sources" : "#/"));
  const [first, id, ...rest] = names;
  main.setAttribute("aria-busy", "true");
  page.attempt(async () => {
    if (moved) swap(main, h("p", { class: "none" }, "Loading…"));
    if (first === "sessions" && id) await session(page, id, rest);
    else if (first === "sources") await sources(page);
    else await sessions(page);
    if (moved && !arrived && document.activeElement === document.body) main.focus({ preventScroll: true });
  }).then(() => signal.aborted || main.setAttribute("aria-busy", "false"));
}

/** What a page is given: its query, and how it shows things, goes on and fails. */
function pageOf(query, signal) {
  const page = {
    query,
    signal,
    show: (...children) => signal.aborted || swap(main, ...children),
    title: (text) => {
      document.title = `${text} – Entail`;
    },
    announce: (text) => {
      said.textContent = text;
    },
    go: (where, values) => {
      const query = new URLSearchParams(values).toString();
      location.hash = where.slice(1) + (query ? `?${query}` : "");
    },
    attempt: async (work) => {
      try {
        await work();
        main.querySelector(".problem")?.remove();
      } catch (error) {
        if (signal.aborted || error.name === "AbortError") return;
        failed(error);
      }
    },
    every: (span, work) => {
      const timer = setInterval(() => document.hidden || page.attempt(work), span);
      signal.addEventListener("abort", () => clearInterval(timer));
    },
  };
  return page;
}

function failed(error) {
  if (error instanceof Problem && error.status === 401) {
    ask(key.get() ? error.message : undefined);
    return;
  }
  const heading = main.querySelector("h1") ? "h2" : "h1";
  const problem = error instanceof Problem
    ? h("div", { class: "problem", role: "alert" },
      h(heading, {}, error.title ?? "That did not work"),
      h("p", {}, error.message),
      error.errors.length > 0 && h("ul", {}, error.errors.map((one) => h("li", {}, h("code", {}, one.parameter ?? one.pointer ?? one.header ?? ""), ` ${one.detail}`))),
      h("p", { class: "small" }, error.code && h("code", {}, error.code), error.request && [" request ", h("code", {}, error.request)]),
      h("button", { type: "button", click: show }, "Try again"))
    : h("div", { class: "problem", role: "alert" }, h(heading, {}, "The dashboard failed"), h("p", {}, String(error)));
  main.querySelector(".problem")?.remove();
  if (main.querySelector(".none:only-child")) swap(main, problem);
  else main.prepend(problem);
}

/** Asks for a key. It stays in this tab, and goes to this service only. */
function ask(wrong) {
  const field = h("input", { type: "password", id: "key", name: "key", required: true, autocomplete: "off", spellcheck: "false" });
  document.title = "Key – Entail";
  swap(main, h("form", { class: "card key", submit: (event) => {
    event.preventDefault();
    key.set(field.value.trim());
    show();
  } },
  h("h1", {}, "This service asks for a key"),
  wrong && h("p", { class: "why", role: "alert" }, wrong),
  h("label", { for: "key" }, "API key with the scope ", h("code", {}, "read")), field,
  h("button", { type: "submit" }, "Go on"),
  h("p", { class: "small" }, "It is kept in this tab until you close it.")));
  field.focus();
}

forget.addEventListener("click", () => {
  key.forget();
  show();
});
document.getElementById("skip").addEventListener("click", () => main.focus());
addEventListener("hashchange", show);

let unseen;
document.addEventListener("visibilitychange", () => {
  clearTimeout(unseen);
  if (document.hidden) unseen = setTimeout(() => current.abort(), UNSEEN_MS);
  else if (current.signal.aborted) show();
});

show();

// The service: reading, the key, and following a session live.

const KEY = "entail.key";
const base = new URL(".", document.baseURI);

/** The key, kept for this tab only. */
export const key = {
  get: () => sessionStorage.getItem(KEY),
  set: (text) => sessionStorage.setItem(KEY, text),
  forget: () => sessionStorage.removeItem(KEY),
};

/** Why a request was not done, as the service says it (RFC 9457). */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `the service answered ${status}`);
    this.status = status;
    this.code = body.code;
    this.title = body.title;
    this.errors = body.errors ?? [];
    this.request = body.request_id;
  }
}

/** A path out of names that may hold anything. */
export const path = (...names) => names.map(encodeURIComponent).join("/");

async function request(where, query, headers, signal) {
  const url = new URL(where, base);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, value);
  const held = key.get();
  if (held) headers.authorization = `Bearer ${held}`;
  let answer;
  try {
    answer = await fetch(url, { headers, signal, credentials: "omit", cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { title: "the service cannot be reached", detail: "It does not answer; is it running?" });
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let body = {};
  try {
    body = JSON.parse(text);
  } catch {
    // Something between here and the service answered in a form of its own.
  }
  throw new Problem(answer.status, body);
}

/** GET of JSON. What a float cannot hold, and what a belief states, stays as it is written. */
export async function get(where, query, signal) {
  const answer = await request(where, query, { accept: "application/json" }, signal);
  return JSON.parse(await answer.text(), exact);
}

function exact(name, value, context) {
  if (typeof value !== "number" || context?.source === undefined) return value;
  const kept = name === "value" || (Number.isInteger(value) && !Number.isSafeInteger(value));
  return kept && context.source !== String(value) ? new Digits(context.source) : value;
}

/** A number as it was written. */
export class Digits {
  constructor(text) {
    this.text = text;
  }
}

/** GET of text, in a form. */
export async function text(where, query, signal) {
  return (await request(where, query, {}, signal)).text();
}

/** Every page of a list, up to a number of items. */
export async function all(where, query, signal, most = 5000) {
  const items = [];
  let cursor;
  do {
    const page = await get(where, { ...query, limit: 1000, cursor }, signal);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && items.length < most);
  return { items, more: Boolean(cursor) };
}

/**
 * Follows a session from a version on, for good: `heard` is told each event's kind and version,
 * `state` whether there is a connection. A plain EventSource could not send the key.
 */
export async function follow(id, version, heard, state, signal) {
  let seen = version;
  let wait = 1000;
  while (!signal.aborted) {
    try {
      const headers = { accept: "text/event-stream", "last-event-id": String(seen) };
      const answer = await request(`sessions/${path(id)}/events`, {}, headers, signal);
      state(true);
      wait = 1000;
      for await (const event of events(answer.body)) {
        if (event.id) seen = Number(event.id);
        if (event.event) heard(event.event, seen);
        if (event.event === "gone") return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && [401, 403, 404].includes(error.status)) {
        state(false);
        return;
      }
    }
    state(false);
    await new Promise((done) => setTimeout(done, wait));
    wait = Math.min(wait * 2, 30_000);
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = {};
      for (const line of block.split("\n")) {
        const at = line.indexOf(":");
        // What was committed is read from the resources; a line of the journal can be large.
        if (at > 0 && !line.startsWith("data")) event[line.slice(0, at)] = line.slice(at + 1).trim();
      }
      yield event;
    }
  }
}

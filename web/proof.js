// A proof as a picture: what is shown on the left, what it rests on to its right, evidence last.

import { h, svg } from "./dom.js";
import { Digits, path } from "./api.js";
import { link } from "./session.js";
import { confidence, count, none, percent, plain, shown, status, ticked } from "./words.js";

const WIDTH = 208;
const HEIGHT = 68;
const GAP_X = 56;
const GAP_Y = 16;
const SET = 26;
const SET_WIDTH = 96;
const MARGIN = 4;
const DRAWN = 150;
const PLACES = 600;
const VIA = 6;
const SWEEPS = 8;

/** The steps as a graph: nodes by name, each with what it rests on. */
function graph(proof) {
  const nodes = new Map();
  for (const step of proof.steps)
    nodes.set(step.ref, { name: step.ref, step, below: rests(step.justification) });
  for (const set of proof.sets ?? [])
    nodes.set(`set ${set.name}`, { name: `set ${set.name}`, set, below: rests(set) });
  return nodes;
}

function rests(given) {
  const below = [...(given?.antecedents ?? [])];
  if (given?.all_of) below.push(`set ${given.all_of}`);
  return below;
}

/** The nearest nodes to the roots, so many at most. */
function nearest(nodes, roots) {
  const kept = new Set(roots.filter((root) => nodes.has(root)));
  for (const name of kept) {
    for (const below of nodes.get(name).below) {
      if (kept.size >= DRAWN) return kept;
      if (nodes.has(below)) kept.add(below);
    }
  }
  return kept;
}

/** Columns: each node stands right of everything that rests on it. */
function columns(nodes, kept, roots) {
  const order = [];
  const state = new Map();
  for (const root of roots) {
    const stack = [[root, 0]];
    while (stack.length) {
      const top = stack.at(-1);
      const [name] = top;
      if (top[1] === 0) {
        if (state.has(name) || !kept.has(name)) {
          stack.pop();
          continue;
        }
        state.set(name, "open");
      }
      const below = nodes.get(name).below[top[1]];
      top[1] += 1;
      if (below !== undefined) stack.push([below, 0]);
      else {
        state.set(name, "done");
        order.push(name);
        stack.pop();
      }
    }
  }
  order.reverse();
  const at = new Map(order.map((name, index) => [name, index]));
  const column = new Map(order.map((name) => [name, 0]));
  for (const name of order)
    for (const below of nodes.get(name).below)
      // In a circle of beliefs that are OUT an edge leads back; it moves nothing.
      if (at.get(below) > at.get(name)) column.set(below, Math.max(column.get(below), column.get(name) + 1));
  const laid = [];
  for (const name of order) (laid[column.get(name)] ??= []).push(name);
  return laid;
}

/** Long edges go by way of a place of their own in each column between. */
function lead(nodes, laid) {
  const column = new Map(laid.flatMap((names, index) => names.map((name) => [name, index])));
  const ways = [];
  let places = 0;
  for (const [name, from] of column) {
    for (const below of nodes.get(name).below) {
      if (!column.has(below)) continue;
      const way = [name];
      for (let at = from + 1; at < column.get(below) && places < PLACES; at += 1) {
        const via = `via ${(places += 1)}`;
        nodes.set(via, { name: via, via: true, below: [] });
        laid[at].push(via);
        way.push(via);
      }
      ways.push([...way, below]);
    }
  }
  return ways;
}

/** Puts the nodes of each column near what they are joined to. */
function untangle(laid, ways) {
  const above = new Map();
  const under = new Map();
  const join = (map, from, to) => map.has(from) ? map.get(from).push(to) : map.set(from, [to]);
  for (const way of ways)
    for (let at = 1; at < way.length; at += 1) {
      join(above, way[at], way[at - 1]);
      join(under, way[at - 1], way[at]);
    }
  const place = new Map();
  const settle = (column) => column.forEach((name, index) => place.set(name, index / Math.max(1, column.length - 1)));
  laid.forEach(settle);
  const sort = (column, joined) => {
    const mean = new Map(column.map((name) => {
      const others = (joined(name) ?? []).filter((other) => place.has(other));
      return [name, others.length ? others.reduce((sum, other) => sum + place.get(other), 0) / others.length : place.get(name)];
    }));
    column.sort((a, b) => mean.get(a) - mean.get(b));
    settle(column);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    laid.slice(1).forEach((column) => sort(column, (name) => above.get(name)));
    laid.slice(0, -1).reverse().forEach((column) => sort(column, (name) => under.get(name)));
  }
}

/** The picture, with a link in every node. */
export function picture(at, proof) {
  if (proof.steps.length === 0) return none("There is no proof.");
  const nodes = graph(proof);
  const total = nodes.size;
  const kept = nearest(nodes, proof.roots);
  const laid = columns(nodes, kept, proof.roots);
  const ways = lead(nodes, laid);
  untangle(laid, ways);
  const size = (name) => (nodes.get(name).via ? VIA : nodes.get(name).set ? SET : HEIGHT);
  const heights = laid.map((column) => column.reduce((sum, name) => sum + size(name) + GAP_Y, -GAP_Y));
  const tall = Math.max(...heights);
  const boxes = new Map();
  const own = (name) => (nodes.get(name).set ? SET_WIDTH : nodes.get(name).via ? 0 : WIDTH);
  let x = MARGIN;
  laid.forEach((column, index) => {
    const wide = Math.max(...column.map(own));
    let y = MARGIN + (tall - heights[index]) / 2;
    for (const name of column) {
      boxes.set(name, { x, y, width: own(name) || wide, height: size(name) });
      y += size(name) + GAP_Y;
    }
    x += wide + GAP_X;
  });
  const width = x - GAP_X + MARGIN;
  const height = tall + 2 * MARGIN;
  const edges = ways.map((way) => edge(way.map((name) => boxes.get(name)), nodes.get(way.at(-1)).step?.status === "OUT"));
  const drawn = [...boxes].map(([name, box]) => {
    const one = nodes.get(name);
    if (one.via) return null;
    return one.set ? all(box, one) : node(at, box, one.step, proof.roots.includes(name));
  });
  const left = total - kept.size;
  const scroll = h("div", { class: "scroll", "data-scroll": "proof", tabindex: "0", role: "group", "aria-label": "Picture of the proof; the steps below say the same" },
    svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height }, edges, drawn));
  // A picture that is taller than its place shows where it begins.
  const root = boxes.get(proof.roots[0]);
  requestAnimationFrame(() => {
    if (root && scroll.scrollTop === 0) scroll.scrollTop = root.y + root.height / 2 - scroll.clientHeight / 2;
  });
  return h("figure", { class: "proof" },
    h("figcaption", {}, "What it rests on"),
    scroll,
    left > 0 && none(`${count(left, "more step is", "more steps are")} not drawn.`));
}

function edge(boxes, out) {
  const middle = (box) => box.y + box.height / 2;
  let line = `M${boxes[0].x + boxes[0].width} ${middle(boxes[0])}`;
  for (let at = 1; at < boxes.length; at += 1) {
    const [from, to] = [boxes[at - 1], boxes[at]];
    const [x, bend] = [from.x + from.width, Math.max(24, Math.abs(to.x - from.x - from.width) / 2)];
    line += `C${x + bend} ${middle(from)} ${to.x - bend} ${middle(to)} ${to.x} ${middle(to)}`;
    if (at < boxes.length - 1) line += `H${to.x + to.width}`;
  }
  return svg("path", { class: out ? "edge out" : "edge", d: line });
}

function node(at, box, step, root) {
  const source = step.justification?.source;
  const from = source ? `${source.kind}${source.name ? `:${source.name}` : ""}` : "";
  const what = typeof step.value === "string" ? step.value : step.claim ?? plain(step.value);
  const second = isText(step.value) ? what : `${textOf(shown(step.value))}${step.claim ? ` · ${step.claim}` : ""}`;
  const out = step.status !== "IN";
  const kind = step.justification?.kind === "premise" ? "premise" : "derived";
  const place = (line) => ({ x: box.x + 12, y: box.y + line });
  return svg("a", { href: `${at.href}/beliefs/${path(step.ref)}`, class: `node ${kind} ${out ? "out" : "in"}${root ? " root" : ""}`, "aria-label": `${step.ref}, ${step.status}` },
    svg("title", {}, `${step.ref}: ${what}${out && step.why_out ? ` (${step.why_out})` : ""}`),
    svg("rect", { ...box, rx: 8 }),
    svg("text", { ...place(21), class: "key" }, fit(step.ref, WIDTH - 24, "600 12.5px ui-monospace, monospace")),
    svg("text", place(40), fit(second, WIDTH - 24, "12.5px system-ui, sans-serif")),
    svg("text", { ...place(58), class: "from" }, fit(out ? `OUT · ${from}` : `${percent(step.confidence)} · ${from}`, WIDTH - 24, "11.5px system-ui, sans-serif")));
}

/** A set that many steps share. */
function all(box, node) {
  return svg("g", { class: "set" },
    svg("rect", { ...box, rx: SET / 2 }),
    svg("text", { x: box.x + box.width / 2, y: box.y + 17, "text-anchor": "middle" }, `all of ${node.below.length}`));
}

const isText = (value) => typeof value === "string" || (typeof value === "object" && !(value instanceof Digits));

const textOf = (part) => (part instanceof Node ? part.textContent : part);

const ruler = document.createElement("canvas").getContext("2d");

/** As much of a text as fits on one line. */
function fit(text, width, font) {
  ruler.font = font;
  const line = text.slice(0, 200).replace(/\s+/g, " ");
  if (ruler.measureText(line).width <= width && line.length === text.length) return line;
  const characters = [...line];
  while (characters.length > 1 && ruler.measureText(`${characters.join("")}…`).width > width) characters.pop();
  return `${characters.join("")}…`;
}

/** The same in words: every step, what it rests on first. */
export function steps(at, proof) {
  const some = proof.steps.slice(-200);
  const sets = new Map((proof.sets ?? []).map((set) => [set.name, set]));
  return h("details", { "data-id": "steps" },
    h("summary", {}, `Step by step (${proof.steps.length})`),
    proof.steps.length > some.length && none(`The last ${some.length} of them.`),
    h("ol", { class: "steps" }, some.map((step) => worded(at, step, sets))));
}

function worded(at, step, sets) {
  const given = step.justification ?? {};
  const source = given.source ?? {};
  const shared = given.all_of && sets.get(given.all_of);
  return h("li", {},
    h("p", {}, status(step.status), " ", link(at, step.ref), " = ", h("span", { class: "value text" }, shown(step.value)), " ",
      step.status === "IN" && confidence(step.confidence)),
    step.why_out && h("p", { class: "why small" }, ticked(step.why_out)),
    h("p", { class: "small" }, `${given.kind ?? "no reason"}${source.kind ? ` of ${source.kind}${source.name ? `:${source.name}` : ""}` : ""}`,
      given.antecedents?.length > 0 && [", rests on ", given.antecedents.map((name, index) => [index > 0 && ", ", link(at, name)])],
      shared && ` and on ${count(shared.antecedents.length, "other")}${shared.all_of ? " and more" : ""}`),
    given.formula && h("p", {}, h("code", { class: "formula" }, given.formula)),
    source.quote && h("blockquote", { class: "text quote" }, source.quote));
}

// Elements from data. Text only ever becomes a text node, and no markup is ever parsed: what a
// model or a document says cannot be anything but text.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** An HTML element; a function as an attribute listens to the event of that name. */
export const h = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);

/** An SVG element. */
export const svg = (name, attributes, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

/**
 * Puts new content into a place, and keeps what its reader did there: which part has the focus,
 * which details are open, where a part is scrolled to.
 */
export function swap(place, ...children) {
  const open = new Map();
  for (const one of place.querySelectorAll("details[data-id]")) open.set(one.dataset.id, one.open);
  const scrolled = new Map();
  for (const one of place.querySelectorAll("[data-scroll]"))
    scrolled.set(one.dataset.scroll, [one.scrollLeft, one.scrollTop]);
  const focused = place.contains(document.activeElement) ? name(document.activeElement) : undefined;
  const fresh = document.createDocumentFragment();
  append(fresh, children);
  place.replaceChildren(fresh);
  for (const one of place.querySelectorAll("details[data-id]"))
    if (open.has(one.dataset.id)) one.open = open.get(one.dataset.id);
  for (const one of place.querySelectorAll("[data-scroll]"))
    [one.scrollLeft, one.scrollTop] = scrolled.get(one.dataset.scroll) ?? [0, 0];
  if (focused === undefined) return;
  for (const one of place.querySelectorAll("a, button, input, select, summary, [tabindex]")) {
    if (name(one) !== focused) continue;
    one.focus({ preventScroll: true });
    return;
  }
}

function name(element) {
  const own = element.id || element.getAttribute("href");
  const around = element.closest("details[data-id]")?.dataset.id ?? "";
  return `${element.tagName} ${around} ${own || element.textContent}`;
}

(() => {
  const faults = [];
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((one) => one / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const inside = at.closest("svg a.node")?.querySelector("rect");
      const color = parse(inside ? getComputedStyle(inside).fill : getComputedStyle(at).backgroundColor);
      if (color.a === 1) return color.rgb;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || element.closest(".sr-only, title, noscript, option") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const color = element.namespaceURI.endsWith("svg") ? style.fill : style.color;
    const [a, b] = [light(parse(color).rgb), light(ground(element))].sort((a, b) => b - a);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ${text.data.trim().slice(0, 40)}`);
    if (parseFloat(style.fontSize) < 11) faults.push(`small: ${text.data.trim().slice(0, 40)}`);
  }
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) {
    const wide = [...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > page.clientWidth + 1 && !one.closest(".scroll, .tabs, pre"));
    faults.push(`wider than the window: ${wide.slice(0, 3).map((one) => `${one.tagName}.${one.className}`).join(" ")}`);
  }
  for (const one of document.querySelectorAll("a[href], button, summary, input, select, [tabindex='0']")) {
    if (one.hidden) continue;
    const label = one.labels?.[0]?.textContent ?? one.getAttribute("aria-label") ?? one.textContent;
    if (!label.trim()) faults.push(`no name: ${one.outerHTML.slice(0, 80)}`);
  }
  for (const [what, wanted] of [["main", 1], ["header.bar", 1], ["nav[aria-label]", undefined]]) {
    const found = document.querySelectorAll(what).length;
    if (wanted === undefined ? found === 0 : found !== wanted) faults.push(`${found} of ${what}`);
  }
  if (document.querySelectorAll("h1").length > 1) faults.push("more than one h1");
  if (!document.documentElement.lang || !document.title) faults.push("no language or no title");
  for (const one of document.querySelectorAll("th")) if (!one.textContent.trim()) faults.push("a column without a name");
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  if (new Set(ids).size !== ids.length) faults.push("an id given twice");
  return faults;
})()

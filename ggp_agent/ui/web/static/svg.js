// Insert the boards that the server draws. Only known elements and attributes are copied.

export const SVG = "http://www.w3.org/2000/svg";
// The security policy of the page forbids the style sheet of a drawing, so it is cut out and only its colours are read.
const STYLE = /<style>[^<]*<\/style>/;
const ELEMENTS = new Set(["svg", "g", "rect", "circle", "path", "polygon", "text", "title"]);
const ATTRIBUTES = new Set([
  "viewBox", "class", "role", "aria-label", "data-cell", "transform", "x", "y", "width", "height", "rx", "r", "cx", "cy", "d",
  "points", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
  "opacity", "stroke-linecap", "stroke-linejoin", "text-anchor", "dominant-baseline", "font-family", "font-weight", "font-size",
]);

/** Copy the known elements and attributes of a drawing. */
function copied(from) {
  if (!ELEMENTS.has(from.localName)) return null;
  const made = document.createElementNS(SVG, from.localName);
  for (const { name, value } of from.attributes) if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
  if (from.localName === "g" && from.hasAttribute("aria-label") && !from.hasAttribute("role")) made.setAttribute("role", "img");
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) made.append(child.data.trim() ? child.data : "");
    else if (child.nodeType === Node.ELEMENT_NODE) {
      const inner = copied(child);
      if (inner) made.append(inner);
    }
  }
  return made;
}

/** Return the element of a drawing; null if there is none. Its colours in dark mode become variables of the element. */
export function drawing(svg) {
  if (!svg) return null;
  const [style] = svg.match(STYLE) || [""];
  const parsed = new DOMParser().parseFromString(svg.replace(style, ""), "image/svg+xml");
  if (parsed.querySelector("parsererror")) return null;
  const made = copied(parsed.documentElement);
  for (const [, name, colour] of style.matchAll(/(--b\d):(#[0-9a-f]{6})/gi)) made.style.setProperty(name, colour);
  return made;
}

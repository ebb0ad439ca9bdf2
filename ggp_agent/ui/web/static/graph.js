// Graphs: one line per series, with different colours and dashes, and a legend.
import { el } from "./dom.js";
import { SVG } from "./svg.js";

const WIDTH = 480;
const HEIGHT = 170;
const LEFT = 40;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 26;

function shape(tag, attributes, text = "") {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function short(number, digits) {
  if (Math.abs(number) >= 1e6) return `${Number((number / 1e6).toPrecision(3))} M`;
  return Math.abs(number) >= 1e4 ? `${Number((number / 1e3).toPrecision(3))} k` : String(Number(number.toFixed(digits)));
}

function legend(series, unit, digits) {
  return el("ul.legend", {}, series.map(({ name, points, colour = "" }, number) => {
    const swatch = shape("svg", { viewBox: "0 0 26 10", width: "26", height: "10", "aria-hidden": "true" });
    swatch.append(shape("path", { d: "M1 5H25", class: `series series${number % 6} ${colour}` }));
    const last = points[points.length - 1];
    return el("li", {}, swatch, ` ${name}${last ? ` ${last[1].toFixed(digits)}${unit}` : ""}`);
  }));
}

/** Return limits of y, 0 to 100, that show the differences of a flat curve: at least 10 points, in steps of 5. */
export function closeRange(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const around = Math.max(2, (10 - (high - low)) / 2);
  return [Math.max(0, 5 * Math.floor((low - around) / 5)), Math.min(100, 5 * Math.ceil((high + around) / 5))];
}

/**
 * Draw a graph.
 * @param {Object} options - label: the description; series: [{name, points: [[x, y], ...], colour: a class}]; range: limits of y (default: by the
 *   points); x: the unit of x; at: the x of a vertical line; marks: [{x, y, text}]; chosen: called with the x
 *   of the nearest point when the graph is clicked; unit: the unit of y in the legend; digits: decimal places of y.
 */
export function graph({ label, series, range, x: axis = "", at = null, marks = [], chosen = null, unit = "", digits = 0 }) {
  const points = series.flatMap((each) => each.points);
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [low, high] = range || [Math.min(0, ...ys), Math.max(1, ...ys)];
  const first = Math.min(...xs, 0);
  const last = Math.max(...xs, first) > first ? Math.max(...xs) : first + 1;
  const across = (x) => LEFT + ((x - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const down = (y) => TOP + ((high - y) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "graph" });
  for (const y of [low, (low + high) / 2, high]) {
    svg.append(shape("path", { d: `M${LEFT} ${down(y)}H${WIDTH - RIGHT}`, class: "grid" }));
    svg.append(shape("text", { x: LEFT - 6, y: down(y) + 4, "text-anchor": "end" }, short(y, digits)));
  }
  svg.append(shape("text", { x: LEFT, y: HEIGHT - 6 }, short(first, 0)));
  svg.append(shape("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, `${short(last, last < 10 ? 1 : 0)} ${axis}`));
  if (at !== null) svg.append(shape("path", { d: `M${across(at)} ${TOP}V${HEIGHT - BOTTOM}`, class: "at" }));
  for (const [number, each] of series.entries()) {
    const path = each.points.map(([x, y], place) => `${place ? "L" : "M"}${across(x).toFixed(1)} ${down(y).toFixed(1)}`).join("");
    const looks = `series${number % 6} ${each.colour || ""}`;
    if (each.points.length === 1) svg.append(shape("circle", { cx: across(each.points[0][0]), cy: down(each.points[0][1]), r: 3, class: `dot ${looks}` }));
    else if (path) svg.append(shape("path", { d: path, class: `series ${looks}` }));
  }
  for (const { x, y, text } of marks) {
    const mark = shape("circle", { cx: across(x), cy: down(y), r: 6, class: "mark" });
    mark.append(shape("title", {}, text));
    svg.append(mark);
  }
  if (chosen && xs.length) {
    svg.classList.add("open");
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const wanted = ((event.clientX - box.left) / box.width) * WIDTH;
      chosen(xs.reduce((best, x) => (Math.abs(across(x) - wanted) < Math.abs(across(best) - wanted) ? x : best)));
    });
  }
  return el("figure.graphbox", {}, svg, legend(series, unit, digits));
}

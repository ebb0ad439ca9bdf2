// Shares and values of moves on a board: an arrow for each step of a move between cells, a square for a move of one cell;
// and hints. The later steps of a move, such as the shot of an amazon, have another colour.
import { cellsOf, middle, ring, upright } from "./board.js";
import { el } from "./dom.js";
import { SVG } from "./svg.js";

// The largest loss against the best move, in points, of each colour; from the class heat4 to heat0.
const LOSSES = [0.5, 2, 5, 10, Infinity];
const NAMES = ["best", "up to 2 worse", "up to 5", "up to 10", "more"];
const LEAST_SHARE = 0.005;
const LEAST_NUMBER = 0.04;
const SIDE = 36;
// The share whose width the arrow of a hint has.
const HINT_SHARE = 0.3;

function shape(tag, attributes, text = "") {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

/** Return the class of a colour: by the loss against the best move. */
const colour = (value, best) => `heat${4 - LOSSES.findIndex((most) => best - value <= most)}`;

function square(share, classes) {
  const side = SIDE * Math.sqrt(share);
  return shape("rect", { class: `heat ${classes}`, x: -side / 2, y: -side / 2, width: side, height: side, rx: Math.min(3, side / 8) });
}

/** Return an arrow; its width is the share. */
function arrow(from, to, share, classes) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [x, y] = [dx / length, dy / length];
  const half = 1 + 5 * share;
  const head = Math.min(length / 2, 7 + 2 * half);
  const neck = { x: to.x - x * head, y: to.y - y * head };
  const wide = half + 4;
  const point = (at, across) => `${(at.x - y * across).toFixed(1)} ${(at.y + x * across).toFixed(1)}`;
  const d = `M${point(from, half)}L${point(neck, half)}L${point(neck, wide)}L${point(to, 0)}L${point(neck, -wide)}L${point(neck, -half)}L${point(from, -half)}Z`;
  return shape("path", { class: `heat ${classes}`, d });
}

/** Return the start and the end of each step of a move. */
function stepsOf(cells, names) {
  const places = names.filter((name) => cells.has(name)).map((name) => middle(cells.get(name)));
  return places.slice(1).map((to, place) => [places[place], to]).filter(([from, to]) => from.x !== to.x || from.y !== to.y);
}

const number = (share, x, y) => shape("text", { class: "heat number", x, y }, `${Math.round(100 * share)}%`);

/**
 * Draw the moves of a role: size is the share of visits, colour the loss against the best move. A dashed outline is the
 * probability of a learned network.
 * @param {Array} moves - moves with cells, visits, share (0..1), value (0..100) and probability (0..1 or null).
 */
export function heat(board, moves) {
  const cells = cellsOf(board);
  const best = Math.max(...moves.filter((move) => move.visits).map((move) => move.value));
  const texts = [];
  for (const move of [...moves].reverse()) {
    const { share, probability } = move;
    const steps = stepsOf(cells, move.cells);
    const only = cells.get(move.cells[move.cells.length - 1]);
    if (!steps.length && !only) continue;
    const draw = (size, classes) => {
      for (const [number, [from, to]] of steps.entries()) board.append(arrow(from, to, size, `${classes}${number ? " later" : ""}`));
      if (!steps.length) only.append(square(size, classes));
    };
    if (move.visits && share >= LEAST_SHARE) draw(share, colour(move.value, best));
    // The outline is drawn later, so that a larger share does not cover it.
    if (probability >= LEAST_SHARE) draw(probability, "network");
    if (share < LEAST_NUMBER) continue;
    if (steps.length) {
      const [start, end] = steps[0];
      texts.push([board, number(share, start.x + 0.4 * (end.x - start.x), start.y + 0.4 * (end.y - start.y))]);
    } else texts.push([only, number(share, 0, 12)]);
  }
  for (const [place, text] of texts) place.append(text);
  for (const [place, text] of texts) if (place === board) upright(board, text);
}

/** Mark the cells of the move that a hint names, and draw an arrow for each of its steps. */
export function suggested(board, names) {
  for (const [number, [from, to]] of stepsOf(cellsOf(board), names).entries()) {
    board.append(arrow(from, to, HINT_SHARE, `suggested${number ? " later" : ""}`));
  }
  ring(board, names, "hinted");
}

/** Return the legend of the colours. */
export function heatLegend() {
  return el("ul.legend.heatkey", { "aria-label": "Colours: points that a move is worse than the best move" }, NAMES.map((name, place) => {
    const swatch = shape("svg", { viewBox: "0 0 14 14", width: "14", height: "14", "aria-hidden": "true" });
    swatch.append(shape("rect", { width: "14", height: "14", class: `heat${4 - place}` }));
    return el("li", {}, swatch, ` ${name}`);
  }));
}

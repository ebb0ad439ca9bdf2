// Shares and values of moves on a board: an arrow for a move between cells, a square for a move of one cell; and hints.
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
    const [from, to] = [move.cells[0], move.cells[move.cells.length - 1]];
    const { share, probability } = move;
    if (!cells.has(to)) continue;
    const between = move.cells.length > 1 && cells.has(from) && from !== to;
    const draw = (size, classes) => {
      if (between) board.append(arrow(middle(cells.get(from)), middle(cells.get(to)), size, classes));
      else cells.get(to).append(square(size, classes));
    };
    if (move.visits && share >= LEAST_SHARE) draw(share, colour(move.value, best));
    // The outline is drawn later, so that a larger share does not cover it.
    if (probability >= LEAST_SHARE) draw(probability, "network");
    if (share < LEAST_NUMBER) continue;
    if (between) {
      const [start, end] = [middle(cells.get(from)), middle(cells.get(to))];
      texts.push([board, number(share, start.x + 0.4 * (end.x - start.x), start.y + 0.4 * (end.y - start.y))]);
    } else texts.push([cells.get(to), number(share, 0, 12)]);
  }
  for (const [place, text] of texts) place.append(text);
  for (const [place, text] of texts) if (place === board) upright(board, text);
}

/** Mark the cells of the move that a hint names, and draw an arrow from its first to its last cell. */
export function suggested(board, names) {
  const cells = cellsOf(board);
  const [from, to] = [cells.get(names[0]), cells.get(names[names.length - 1])];
  if (from && to && from !== to) board.append(arrow(middle(from), middle(to), HINT_SHARE, "suggested"));
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

// Interaction with a board: select cells by mouse and keys, mark them, and shade them by visits.

import { SVG } from "./svg.js";

/** Return the cells of a drawing by name. */
export function cellsOf(board) {
  return new Map([...board.querySelectorAll("[data-cell]")].map((cell) => [cell.dataset.cell, cell]));
}

function middle(cell) {
  const [x, y] = cell.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
  return { x, y };
}

/** Return the nearest cell in the direction of an arrow key. */
function beside(cell, key, others) {
  const here = middle(cell);
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = null;
  let least = Infinity;
  for (const other of others) {
    const { x, y } = middle(other);
    const along = (x - here.x) * dx + (y - here.y) * dy;
    const across = Math.abs((x - here.x) * dy) + Math.abs((y - here.y) * dx);
    if (along > 1 && along + 2.5 * across < least) [best, least] = [other, along + 2.5 * across];
  }
  return best;
}

/**
 * Make cells selectable by mouse and keys; one of them is in the tab order.
 * @param {Element} board - the drawing.
 * @param {(name: string) => void} chosen - called with the name of a cell.
 * @param {string} [focused] - the cell that had the focus before.
 */
export function choosable(board, chosen, focused) {
  const cells = cellsOf(board);
  const all = [...cells.values()];
  for (const [name, cell] of cells) {
    cell.setAttribute("tabindex", "-1");
    cell.setAttribute("role", "button");
    cell.addEventListener("click", () => chosen(name));
    cell.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        chosen(name);
      } else if (event.key.startsWith("Arrow")) {
        event.preventDefault();
        event.stopPropagation();
        const next = beside(cell, event.key, all);
        if (next) {
          cell.setAttribute("tabindex", "-1");
          next.setAttribute("tabindex", "0");
          next.focus();
        }
      }
    });
  }
  const first = cells.get(focused) || all[0];
  if (first) first.setAttribute("tabindex", "0");
  if (focused && cells.has(focused)) cells.get(focused).focus();
}

/** Draw a ring around cells; the kind is a class of the style sheet. */
export function ring(board, names, kind) {
  const cells = cellsOf(board);
  for (const name of names) {
    const cell = cells.get(name);
    if (!cell) continue;
    const mark = document.createElementNS(SVG, "circle");
    mark.setAttribute("r", kind === "target" ? "7" : "17.5");
    mark.setAttribute("class", `ring ${kind}`);
    cell.append(mark);
  }
}

/** Remove all marks. */
export function unring(board) {
  for (const mark of board.querySelectorAll(".ring, .heat, .ghost")) mark.remove();
}

function square(side, classes) {
  const made = document.createElementNS(SVG, "rect");
  made.setAttribute("class", classes);
  for (const [key, at] of Object.entries({ x: -side / 2, y: -side / 2, width: side, height: side, rx: Math.min(3, side / 8) })) {
    made.setAttribute(key, at);
  }
  return made;
}

/** Return the cell of a column in which a piece lands: the lowest empty one. */
function landing(cells, column) {
  return column.find((name) => cells.get(name)?.getAttribute("aria-label").endsWith(": empty"));
}

/**
 * Show the distribution of visits: a square per cell, whose area is the share and whose colour is the value. An outline
 * shows the probability of a learned network in the same way.
 * @param {Array} moves - moves with cells, visits, share (0..1), value (0..100) and probability (0..1 or null).
 */
export function heat(board, moves) {
  const cells = cellsOf(board);
  const sums = new Map();
  for (const move of moves) {
    const name = move.cells.length ? move.cells[move.cells.length - 1] : landing(cells, move.column || []);
    if (!cells.has(name) || !(move.visits || move.probability)) continue;
    const sum = sums.get(name) || { share: 0, value: 0, probability: 0 };
    sum.value += (move.value || 0) * move.share;
    sum.share += move.share;
    sum.probability += move.probability || 0;
    sums.set(name, sum);
  }
  for (const [name, { share, value, probability }] of sums) {
    if (share >= 0.005) {
      const colour = Math.min(4, Math.floor(value / share / 20));
      cells.get(name).append(square(36 * Math.sqrt(share), `heat heat${colour}`));
    }
    // The outline is drawn later, so that a larger share does not cover it.
    if (probability >= 0.005) cells.get(name).append(square(36 * Math.sqrt(probability), "heat network"));
    if (share < 0.04) continue;
    const number = document.createElementNS(SVG, "text");
    number.setAttribute("class", "heat number");
    number.setAttribute("y", "12");
    number.textContent = `${Math.round(100 * share)}%`;
    cells.get(name).append(number);
  }
}

/**
 * Draw the first moves of an expected line over the board: a line from the start to the numbered end of each move.
 * @param {Array} line - steps with the cells of each role's move.
 * @param {string[]} roles - the roles in order; each has a colour.
 */
export function ghosts(board, line, roles) {
  const cells = cellsOf(board);
  const taken = new Map();
  for (const [number, step] of line.entries()) {
    for (const [role, names] of Object.entries(step.cells)) {
      const touched = names.map((name) => cells.get(name)).filter(Boolean);
      if (!touched.length) continue;
      const end = touched[touched.length - 1];
      const to = middle(end);
      const kind = `ghost ghost${roles.indexOf(role) % 2}`;
      if (touched.length > 1) {
        const from = middle(touched[0]);
        const stroke = document.createElementNS(SVG, "path");
        stroke.setAttribute("class", kind);
        stroke.setAttribute("d", `M${from.x} ${from.y}L${to.x} ${to.y}`);
        board.append(stroke);
      }
      // Several numbers on one cell are drawn next to each other.
      const before = taken.get(end) || 0;
      taken.set(end, before + 1);
      const mark = document.createElementNS(SVG, "text");
      mark.setAttribute("class", `${kind} number`);
      mark.setAttribute("x", String(to.x + 12 * before - (before ? 6 : 0)));
      mark.setAttribute("y", String(to.y));
      mark.textContent = String(number + 1);
      board.append(mark);
    }
  }
}

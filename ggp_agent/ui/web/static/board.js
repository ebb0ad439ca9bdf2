// Interaction with a board: select cells by mouse and keys, and mark them.

import { roleColours } from "./role_colours.js";
import { SVG } from "./svg.js";

/** Return the cells of a drawing by name. */
export function cellsOf(board) {
  return new Map([...board.querySelectorAll("[data-cell]")].map((cell) => [cell.dataset.cell, cell]));
}

/** Return the content of a cell in words. */
export const content = (cell) => cell.getAttribute("aria-label").split(": ").slice(1).join(": ");

/** Return the centre of a cell in the drawing. */
export function middle(cell) {
  const [x, y] = cell.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
  return { x, y };
}

/** Return the nearest cell in the direction of an arrow key. */
function beside(cell, key, others) {
  const here = middle(cell);
  const turned = cell.closest(".flipped") ? -1 : 1;
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key].map((each) => turned * each);
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
  board.addEventListener("focusin", (event) => outline(board, event.target.closest(".cell")));
  board.addEventListener("focusout", () => outline(board, null));
  const first = cells.get(focused) || all[0];
  if (first) first.setAttribute("tabindex", "0");
  if (focused && cells.has(focused)) cells.get(focused).focus();
}

/** Draw the outline of the cell that has the focus over all cells, so that no other cell covers it. */
function outline(board, cell) {
  for (const old of board.querySelectorAll(":scope > .focus")) old.remove();
  if (!cell?.matches(":focus-visible")) return;
  const made = cell.querySelector(".ground").cloneNode();
  made.setAttribute("class", "focus");
  made.setAttribute("transform", cell.getAttribute("transform"));
  board.append(made);
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

/** Turn a drawing by 180 degrees; cells and texts stay upright. */
export function flip(board) {
  board.classList.add("flipped");
  for (const cell of board.querySelectorAll("[data-cell]")) cell.setAttribute("transform", `${cell.getAttribute("transform")} rotate(180)`);
  for (const text of board.querySelectorAll("text")) upright(board, text);
}

/** Return whether the pieces of a role start above; `opening` has the cells of the pieces that a role moves at the start. */
export function isAbove(board, opening, role) {
  const [first, names] = Object.entries(opening)[0] || ["", []];
  const cells = cellsOf(board);
  const height = (some) => some.reduce((sum, cell) => sum + middle(cell).y, 0) / some.length;
  const below = height(names.filter((name) => cells.has(name)).map((name) => cells.get(name))) - height([...cells.values()]);
  return first === role ? below < -1 : below > 1;
}

/** Turn a text outside of the cells if the board is turned. */
export function upright(board, text) {
  if (!board.classList.contains("flipped") || text.closest("[data-cell]")) return;
  text.setAttribute("transform", `rotate(180 ${text.getAttribute("x")} ${text.getAttribute("y")})`);
}

/** Mark the cells on which the win depends; if they lie on a line, extend it by equal cells and draw it. */
export function winning(board, names) {
  const cells = cellsOf(board);
  const places = names.map((name) => cells.get(name)).filter(Boolean)
    .sort((one, other) => middle(one).x - middle(other).x || middle(one).y - middle(other).y);
  if (places.length < 3) return;
  const [first, second] = places.map(middle);
  const [dx, dy] = [second.x - first.x, second.y - first.y];
  const next = (cell, by) => [...cells.values()].find((other) =>
    Math.hypot(middle(other).x - middle(cell).x - by * dx, middle(other).y - middle(cell).y - by * dy) < 1 && content(other) === content(cell));
  const isLine = places.every((cell, place) => !place || next(places[place - 1], 1) === cell);
  if (isLine) {
    for (let cell; (cell = next(places[0], -1)); ) places.unshift(cell);
    for (let cell; (cell = next(places[places.length - 1], 1)); ) places.push(cell);
    const [from, to] = [middle(places[0]), middle(places[places.length - 1])];
    const stroke = document.createElementNS(SVG, "path");
    stroke.setAttribute("class", "ring wonline");
    stroke.setAttribute("d", `M${from.x} ${from.y}L${to.x} ${to.y}`);
    board.append(stroke);
  }
  ring(board, places.map((cell) => cell.dataset.cell), "won");
}

/**
 * Draw the first moves of an expected line over the board: a line through the cells of each move to its numbered end.
 * @param {Array} line - steps with the cells of each role's move.
 * @param {string[]} roles - the roles in order; each has a colour.
 */
export function ghosts(board, line, roles) {
  const cells = cellsOf(board);
  const colours = roleColours(roles);
  const taken = new Map();
  for (const [number, step] of line.entries()) {
    for (const [role, names] of Object.entries(step.cells)) {
      const touched = names.map((name) => cells.get(name)).filter(Boolean);
      if (!touched.length) continue;
      const end = touched[touched.length - 1];
      const to = middle(end);
      const kind = `ghost ${colours.get(role)}`;
      if (touched.length > 1) {
        const stroke = document.createElementNS(SVG, "path");
        stroke.setAttribute("class", kind);
        stroke.setAttribute("d", `M${touched.map(middle).map(({ x, y }) => `${x} ${y}`).join("L")}`);
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
      upright(board, mark);
    }
  }
}

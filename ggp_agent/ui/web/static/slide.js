// The pieces of a new drawing slide from the cells that they left.
import { cellsOf, content, middle } from "./board.js";
import { SVG } from "./svg.js";

const SLIDE_MS = 150;

/**
 * Move each piece whose origin is certain: one cell lost the content, and one cell got it; or the piece that disappeared
 * from a cell of the move, if the target has a new content (a promotion). A number that replaces another content is a
 * count, such as seeds. A new piece without an origin fades in. A copy of the piece slides, so the drawing shows the new
 * position at any time.
 * @param {Element} board - the new drawing, in the document.
 * @param {?Element} before - the drawing of the position before the move.
 */
export function slide(board, before) {
  if (!before || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const old = cellsOf(before);
  const changed = [...cellsOf(board)].filter(([name, cell]) => old.has(name) && content(old.get(name)) !== content(cell));
  const cameTo = (words) => changed.filter(([, cell]) => content(cell) === words);
  const lost = changed.filter(([name, cell]) => cell.querySelector(".ground.from") && content(cell) === "empty" && !cameTo(content(old.get(name))).length);
  for (const [own, cell] of changed) {
    const same = changed.filter(([name]) => content(old.get(name)) === content(cell));
    const isTarget = cell.querySelector(".ground.to");
    const left = same.length || !isTarget ? same : lost;
    const wasEmpty = content(old.get(own)) === "empty";
    const isCount = /^\d+$/.test(content(cell)) && !wasEmpty;
    const piece = cell.lastElementChild;
    if (isCount || piece.localName !== "g") continue;
    if (wasEmpty && !left.length && cell.querySelector(".changed")) piece.animate({ opacity: [0, 1] }, SLIDE_MS);
    if (cameTo(content(cell)).length !== 1 || left.length !== 1) continue;
    const [from, to] = [middle(old.get(left[0][0])), middle(cell)];
    const [moving, place] = [0, 1].map(() => document.createElementNS(SVG, "g"));
    moving.setAttribute("class", "slide");
    place.setAttribute("transform", cell.getAttribute("transform"));
    place.append(piece.cloneNode(true));
    moving.append(place);
    board.append(moving);
    piece.animate({ opacity: [0, 0] }, SLIDE_MS);
    moving.animate({ transform: [`translate(${from.x - to.x}px, ${from.y - to.y}px)`, "none"] }, { duration: SLIDE_MS, easing: "ease-out" })
      .finished.then(() => moving.remove(), () => moving.remove());
  }
}

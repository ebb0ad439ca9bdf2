// The pieces of a new drawing slide from the cells that they left.
import { cellsOf, content, middle } from "./board.js";
import { SVG } from "./svg.js";

const SLIDE_MS = 150;

/**
 * Move each piece whose origin is certain: one cell lost the content, and one cell got it. A number that replaces another
 * content is a count, such as seeds. A copy of the piece slides, so the drawing shows the new position at any time.
 * @param {Element} board - the new drawing, in the document.
 * @param {?Element} before - the drawing of the position before the move.
 */
export function slide(board, before) {
  if (!before || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const old = cellsOf(before);
  const changed = [...cellsOf(board)].filter(([name, cell]) => old.has(name) && content(old.get(name)) !== content(cell));
  for (const [own, cell] of changed) {
    const came = changed.filter(([, other]) => content(other) === content(cell));
    const left = changed.filter(([name]) => content(old.get(name)) === content(cell));
    const piece = cell.lastElementChild;
    const isCount = /^\d+$/.test(content(cell)) && content(old.get(own)) !== "empty";
    if (came.length !== 1 || left.length !== 1 || isCount || piece.localName !== "g") continue;
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

// A match that was exported: all of it stands in this page, and nothing is asked for.
import { el, fill } from "./dom.js";
import { MatchViewer } from "./match_viewer.js";

const { match, lines, changes, facts: told } = JSON.parse(document.getElementById("match").textContent);

/** Return the position after so many turns: the lines of the first drawing, with all that has changed since. */
function page(turn) {
  const now = [...lines];
  for (const changed of changes.slice(0, turn + 1)) for (const [number, text] of changed) now[number] = text;
  return Promise.resolve({ svg: now.join("\n"), facts: told[turn] });
}

const viewer = new MatchViewer(match, page);
addEventListener("keydown", (event) => viewer.pressed(event));
fill(
  document.getElementById("view"),
  el("div.head", {}, el("h1", {}, (match.game || match.match).replaceAll("_", " ")), viewer.players),
  el("div.play", {},
    el("div.left", {}, viewer.told, viewer.board, viewer.buttons, viewer.slider, viewer.beside),
    el("div.right", {}, viewer.graph, el("section.panel", {}, el("h2", {}, "Moves"), viewer.moves),
      el("p.note", {}, "Arrow keys step, Home and End lead to the ends, Space lets it run."))),
);
viewer.go(0);

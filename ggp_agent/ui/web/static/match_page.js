// An exported match: the page contains all data and sends no requests.
import { el, fill } from "./dom.js";
import { MatchViewer } from "./match_viewer.js";

const { match, lines, changes, facts: allFacts } = JSON.parse(document.getElementById("match").textContent);

/** Return the position after a number of turns: the lines of the first drawing with all later changes. */
function page(turn) {
  const now = [...lines];
  for (const changed of changes.slice(0, turn + 1)) for (const [number, text] of changed) now[number] = text;
  return Promise.resolve({ svg: now.join("\n"), facts: allFacts[turn] });
}

const viewer = new MatchViewer(match, page);
addEventListener("keydown", (event) => viewer.pressed(event));
fill(
  document.getElementById("view"),
  el("div.head", {}, el("h1", {}, match.title), viewer.players),
  el("div.play", {},
    el("div.left", {}, viewer.state, viewer.board, viewer.buttons, viewer.slider, viewer.beside),
    el("div.right", {}, viewer.sight, viewer.graph, viewer.blunders, el("section.panel", {}, el("h2", {}, "Moves"), viewer.moves),
      el("p.note", {}, "Keys: arrows for one turn, Home and End for the first and last turn, Space to run."))),
);
viewer.go(0);

// Show the view that the part of the address after `#` names, so that views can be bookmarked.
import { el, fill, trouble } from "./dom.js";
import { gamesView } from "./games_view.js";
import { matchesView } from "./matches_view.js";
import { playView } from "./play_view.js";
import { positionView } from "./position_view.js";
import { puzzlesView } from "./puzzles_view.js";
import { replayView } from "./replay_view.js";
import { tournamentsView, tournamentView } from "./tournaments_view.js";
import { writeView } from "./write_view.js";

// A view fills an element, and may return a function that is called at its end.
const VIEWS = {
  "": gamesView, play: playView, set: positionView, puzzles: puzzlesView, matches: matchesView, match: replayView, write: writeView,
  tournaments: tournamentsView, tournament: tournamentView,
  played: (place, tournament, name, turn) => replayView(place, name, turn, tournament),
};
const TITLES = { "": "Games", play: "Play", set: "Position", puzzles: "Puzzles", matches: "Matches", match: "Match", write: "Write rules", tournaments: "Tournaments", tournament: "Tournament", played: "Match" };
const TABS = { "": "games", play: "games", set: "games", puzzles: "games", matches: "matches", match: "matches", write: "write", tournaments: "tournaments", tournament: "tournaments", played: "tournaments" };

let end = null;
let shown = 0;

async function show() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const view = VIEWS[name] || gamesView;
  const number = ++shown;
  if (end) end();
  end = null;
  trouble("");
  document.title = `${TITLES[name] || "Games"} · ggp-agent`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === (TABS[name] || "games")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const place = fill(document.getElementById("view"), el("p.waiting", {}, "Loading …"));
  try {
    const ended = await view(place, ...rest);
    if (number === shown) end = ended || null;
    else if (ended) ended();
  } catch (error) {
    if (number !== shown) return;
    fill(place, el("p", {}, "This cannot be shown."), el("p", {}, el("a", { href: "#/" }, "Back to the games")));
    trouble(error.message);
  }
}

addEventListener("hashchange", show);
show();

// The mixed strategy that a search found for a role of a game with hidden information.
import { el, fill, plain } from "./dom.js";

const SHOWN = 12;

function source({ exact, exploitability, simulations }) {
  if (exploitability !== null) return `from an equilibrium of the game, exploitability ${exploitability.toFixed(3)} points`;
  return exact ? "exact values" : `${simulations.toLocaleString("en")} simulations`;
}

function row(move, uncertain) {
  const percent = 100 * move.share;
  return el("tr", {},
    el("th", { scope: "row" }, plain(move.move)),
    el("td.share", {}, `${percent.toFixed(1)}% `, el("meter", { min: "0", max: "100", value: percent.toFixed(1), "aria-hidden": "true" })),
    el("td", {}, move.value.toFixed(1)),
    uncertain ? el("td", {}, `${(100 * move.legal).toFixed(0)}%`) : null);
}

/** Fill a panel with a strategy; `title` is its heading. */
export function showStrategy(panel, strategy, title) {
  const { moves } = strategy;
  const uncertain = moves.some((each) => each.legal < 1);
  const titles = ["move", "play", "value", ...(uncertain ? ["legal"] : [])];
  fill(
    panel,
    el("h2", {}, title),
    el("p.note", {}, `How often each move should be played; ${source(strategy)}.`),
    el("div.scroll", { tabindex: "0", role: "region", "aria-label": title },
      el("table", {},
        el("thead", {}, el("tr", {}, titles.map((text) => el("th", { scope: "col" }, text)))),
        el("tbody", {}, moves.slice(0, SHOWN).map((move) => row(move, uncertain))))),
    moves.length > SHOWN ? el("p.note", {}, `and ${moves.length - SHOWN} more moves`) : null,
  );
}

// The facts next to a board: fluents grouped by relation; fluents that hold only in some possible states have their
// probability in the text. Percepts are facts, too: turns as one role observed them, and the percepts of all roles.
import { el, plain } from "./dom.js";

const KINDS = { "+": "li.new", "?": "li.maybe" };

/** Return the list of groups; `alone` if the position has no board. */
export function facts(groups, { alone = false } = {}) {
  if (!groups.length) return null;
  return el(
    alone ? "dl.facts.alone" : "dl.facts",
    { "aria-label": "Facts of the position" },
    groups.map(({ name, items }) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, el("ul", {}, items.map(({ text, mark }) => el(KINDS[mark] || "li", {}, text.replaceAll("_", " ") || "yes")))))),
  );
}

/** Return percepts as text. */
export const perceived = (percepts) => (percepts.length ? percepts.map(plain).join(", ") : "nothing");

/** Return one item per turn: the own move and percepts of a role. */
export function observedTurns(turns) {
  return turns.map(({ move, percepts, refused }, number) =>
    el("li", { value: number + 1 }, plain(move),
      refused ? el("span.loss", {}, ` (chosen at random, because ${plain(refused)} is not legal)`) : null,
      el("span.who", {}, ` sees ${perceived(percepts)}`)));
}

/** Return the percepts of all roles in a turn; chance perceives nothing of interest. */
export function perceptsOfAll(percepts) {
  return Object.entries(percepts).filter(([role]) => role.toLowerCase() !== "random")
    .map(([role, seen]) => el("div.who", {}, `${role} sees ${perceived(seen)}`));
}

// Turns of a game with hidden information: as one role observed them, and with the moves and percepts of all roles.
import { el, plain } from "./dom.js";

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

// The facts next to a board: fluents grouped by relation; new and removed fluents have a sign, not only a colour, and
// fluents that hold only in some possible states have their probability in the text. Percepts are facts, too: turns as
// one role observed them, and the percepts of all roles.
import { el, plain } from "./dom.js";

const MARKS = { "+": ["new", "+ "], "-": ["gone", "− "], "?": ["maybe", ""] };

/** Return the items of a group; a value that replaces another one stands alone, such as a counter or the role to move. */
function shown(items) {
  const [old, now] = ["-", "+"].map((mark) => items.filter((each) => each.mark === mark));
  return items.length === 2 && old.length === 1 && now.length === 1 ? [{ text: now[0].text, mark: "" }] : items;
}

function item({ text, mark }, name) {
  const [kind, sign] = MARKS[mark] || ["", ""];
  return el(`li${kind ? `.${kind}` : ""}`, {}, sign, text || name);
}

/** Return the list of groups; `alone` if the position has no board. */
export function facts(groups, { alone = false } = {}) {
  const small = groups.filter((group) => group.items.length > 0);
  if (!small.length) return null;
  return el(
    alone ? "dl.facts.alone" : "dl.facts",
    { "aria-label": "Facts of the position" },
    small.map((group) =>
      el("div", {}, el("dt", {}, group.name.replaceAll("_", " ")), el("dd", {}, el("ul", {}, shown(group.items).map((each) => item(each, "yes"))))),
    ),
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

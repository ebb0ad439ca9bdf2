// The facts next to a board: fluents grouped by relation; new and removed fluents have a sign, not only a colour, and
// fluents that hold only in some possible states have their probability in the text.
import { el } from "./dom.js";

const MARKS = { "+": ["new", "+ "], "-": ["gone", "− "], "?": ["maybe", ""] };

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
      el("div", {}, el("dt", {}, group.name), el("dd", {}, el("ul", {}, group.items.map((each) => item(each, "yes"))))),
    ),
  );
}

// The thoughts of the agent: its candidates with visits, value, proof and expected reply.
import { el, fill, plain, together } from "./dom.js";

const SHOWN = 12;

/** Return the proven bounds of a goal as text; empty if nothing is proven. */
export function proof([low, high]) {
  if (low === high) return String(low);
  if (low > 0 && high < 100) return `${low} to ${high}`;
  if (low > 0) return `at least ${low}`;
  return high < 100 ? `at most ${high}` : "";
}

/** Return the goal that a role can expect as text. */
function expectation(role, { value, bounds }) {
  const proven = proof(bounds);
  if (bounds[0] === bounds[1]) return `${role} gets ${bounds[0]} of 100, proven`;
  return `${role} expects ${value.toFixed(0)} of 100${proven ? `, proven ${proven}` : ""}`;
}

function row(move, learned) {
  const percent = 100 * move.share;
  return el("tr", {},
    el("th", { scope: "row" }, plain(move.move)),
    el("td", {}, move.visits.toLocaleString("en")),
    el("td.share", {}, `${percent.toFixed(1)}% `, el("meter", { min: "0", max: "100", value: percent.toFixed(1), "aria-hidden": "true" })),
    learned ? el("td", {}, move.probability === null ? "–" : `${(100 * move.probability).toFixed(1)}%`) : null,
    el("td", {}, move.value === null ? "–" : move.value.toFixed(1)),
    el("td", {}, proof(move.bounds)),
    el("td", {}, move.reply ? plain(move.reply) : ""),
  );
}

/** Fill a panel with the thoughts; `before` is true if they belong to the last move. */
export function showThoughts(panel, thoughts, before) {
  const seconds = Math.max(thoughts.seconds, 0.001);
  const rate = Math.round(thoughts.simulations / seconds).toLocaleString("en");
  const [first, reply] = thoughts.line;
  const head = thoughts.running ? "The agent is thinking" : before ? "Thoughts before the last move" : "Thoughts of the agent";
  fill(
    panel,
    el("h2", {}, head),
    el("p.note", {}, `${thoughts.simulations.toLocaleString("en")} simulations in ${thoughts.seconds.toFixed(1)} s, ${rate} a second`),
    reply ? el("p.note", {}, "After ", el("strong", {}, together(first.moves)), " it expects ", el("strong", {}, together(reply.moves))) : null,
    Object.entries(thoughts.roles).map(([role, known]) => {
      const learned = known.moves.some((move) => move.probability !== null);
      const titles = ["move", "visits", "share", ...(learned ? ["network"] : []), "value", "proven", "reply"];
      return el("div.scroll", { tabindex: "0", role: "region", "aria-label": `Candidates of ${role}` },
        el("table", {},
          el("caption", {}, expectation(role, known)),
          el("thead", {}, el("tr", {}, titles.map((text) => el("th", { scope: "col" }, text)))),
          el("tbody", {}, known.moves.slice(0, SHOWN).map((move) => row(move, learned))),
        ),
        known.count > SHOWN ? el("p.note", {}, `and ${known.count - SHOWN} more moves`) : null,
      );
    }),
  );
}

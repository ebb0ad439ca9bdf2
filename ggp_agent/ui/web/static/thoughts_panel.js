// The panels of a search: candidates with visits, value, proof and expected reply; the mixed strategy of a role that does
// not know the state; and the network that was learned for the game.
import { el, fill, spoken, together } from "./dom.js";
import { graph } from "./graph.js";

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

// The columns of the tables: the title, and the cell of a move.
const NAME = ["move", (move) => el("th", { scope: "row", title: move.move }, spoken(move.move))];
const share = (title) => [title, (move) => {
  const percent = (100 * move.share).toFixed(1);
  return el("td.share", {}, `${percent}% `, el("meter", { min: "0", max: "100", value: percent, "aria-hidden": "true" }));
}];
const column = (title, text) => [title, (move) => el("td", {}, text(move))];
const LEARNED = column("network", (move) => (move.probability === null ? "–" : `${(100 * move.probability).toFixed(1)}%`));
const LEGAL = column("legal", (move) => `${(100 * move.legal).toFixed(0)}%`);

/** Return a table of the first moves. */
function table(label, columns, moves, caption = null) {
  return el("div.scroll", { tabindex: "0", role: "region", "aria-label": label },
    el("table", {}, caption,
      el("thead", {}, el("tr", {}, columns.map(([title]) => el("th", { scope: "col" }, title)))),
      el("tbody", {}, moves.slice(0, SHOWN).map((move) => el("tr", {}, columns.map(([, cell]) => cell(move)))))));
}

const more = (count) => (count > SHOWN ? el("p.note", {}, `and ${count - SHOWN} more moves`) : null);

/** Fill a panel with the thoughts; `before` is true if they belong to the last move. */
export function showThoughts(panel, thoughts, before) {
  const seconds = Math.max(thoughts.seconds, 0.001);
  const rate = Math.round(thoughts.simulations / seconds).toLocaleString("en");
  const [first, reply] = thoughts.line;
  const head = thoughts.running ? "The agent is thinking" : before ? "Thoughts before the last move" : "Thoughts of the agent";
  fill(
    panel,
    el("h2", {}, head),
    el("p.note", {}, `${thoughts.visits.toLocaleString("en")} visits of this position${thoughts.simulations ? `, ${rate} simulations a second` : ""}`),
    thoughts.why ? el("p.note", {}, `Search: ${thoughts.why}`) : null,
    reply ? el("p.note", {}, "After ", el("strong", {}, together(first.moves)), " it expects ", el("strong", {}, together(reply.moves))) : null,
    Object.entries(thoughts.roles).map(([role, known]) => {
      const columns = [
        NAME, column("visits", (move) => move.visits.toLocaleString("en")), share("share"),
        ...(known.moves.some((move) => move.probability !== null) ? [LEARNED] : []),
        column("value", (move) => (move.value === null ? "–" : move.value.toFixed(1))),
        column("proven", (move) => proof(move.bounds)), column("reply", (move) => (move.reply ? spoken(move.reply) : "")),
      ];
      const shown = table(`Candidates of ${role}`, columns, known.moves, el("caption", {}, expectation(role, known)));
      return [shown, more(known.count)];
    }),
  );
}

function source({ exact, exploitability, simulations }) {
  if (exploitability !== null) return `from an equilibrium of the game, exploitability ${exploitability.toFixed(3)} points`;
  return exact ? "exact values" : `${simulations.toLocaleString("en")} simulations`;
}

/** Fill a panel with a strategy; `title` is its heading. */
export function showStrategy(panel, strategy, title) {
  const { moves } = strategy;
  const uncertain = moves.some((each) => each.legal < 1);
  const columns = [NAME, share("play"), column("value", (move) => move.value.toFixed(1)), ...(uncertain ? [LEGAL] : [])];
  fill(
    panel,
    el("h2", {}, title),
    el("p.note", {}, `How often each move should be played; ${source(strategy)}.`),
    table(title, columns, moves),
    more(moves.length),
  );
}

// The limits of the graphs are multiples of these numbers.
const ERROR_STEP = 0.2;
const ELO_STEP = 20;

function curve(name, points, step, digits) {
  const ys = points.map(([, y]) => y);
  const low = step * Math.floor(Math.min(0, ...ys) / step);
  const high = step * Math.ceil(Math.max(step, ...ys) / step);
  return graph({
    label: `${name} over the CPU-minutes of learning: first ${ys[0].toFixed(digits)}, at the end ${ys[ys.length - 1].toFixed(digits)}`,
    series: [{ name, points }], range: [low, high], x: "CPU-minutes", digits,
  });
}

/** Fill a panel with the training of a network; the panel stays hidden if its course has less than two points. */
export function showLearned(panel, { description, course }) {
  panel.hidden = course.length < 2;
  if (panel.hidden) return;
  const errors = course.map(([seconds, error]) => [seconds / 60, error]);
  // Between two tests of strength the Elo is unknown, so only the tests and the end are points.
  const isShown = (place) => place === course.length - 1 || course[place][2] !== (place ? course[place - 1][2] : 0);
  const elo = course.filter((_, place) => isShown(place)).map(([seconds, , sum]) => [seconds / 60, sum]);
  fill(
    panel,
    el("summary", {}, "Learned network"),
    el("p.note", {}, description),
    curve("Error in new games", errors, ERROR_STEP, 2),
    course.some(([, , sum]) => sum)
      ? curve("Elo over the untrained network", [[0, 0], ...elo], ELO_STEP, 0)
      : el("p.note", {}, "Its strength was not measured by test games."),
  );
}

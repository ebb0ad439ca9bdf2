// The network that was learned for a game: its training in one line, and the error and the strength over its time.
import { el, fill } from "./dom.js";
import { graph } from "./graph.js";

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

// The network that was learned for a game: its training in one line, and the error and the strength over its time.
import { el, fill } from "./dom.js";
import { graph } from "./graph.js";

const CHANGE = 10;

function curve(name, points, options) {
  const [first, last] = [points[0], points[points.length - 1]].map(([, y]) => y.toFixed(options.digits));
  return graph({
    label: `${name} over the CPU-minutes of learning: from ${first} to ${last}`,
    series: [{ name, points }], x: "CPU-minutes", ...options,
  });
}

/** Fill a panel with the training of a network; the panel stays hidden if its course is unknown. */
export function showLearned(panel, { description, course }) {
  panel.hidden = course.length < 2;
  if (panel.hidden) return;
  const errors = course.map(([seconds, error]) => [seconds / 60, error]);
  const elo = course.map(([seconds, , sum]) => [seconds / 60, sum]);
  const sums = elo.map(([, sum]) => sum);
  fill(
    panel,
    el("summary", {}, "Learned network"),
    el("p.note", {}, description),
    curve("Error in new games", errors, { digits: 2 }),
    sums.some(Boolean)
      ? curve("Elo over the untrained network", elo, { digits: 0, range: [Math.min(0, ...sums), Math.max(CHANGE, ...sums)] })
      : el("p.note", {}, "Its strength was not measured by test games."),
  );
}

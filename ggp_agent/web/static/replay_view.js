// One recorded match: each turn as a picture; step by keys or buttons, or let it run.
import { get, post } from "./api.js";
import { drawing } from "./board.js";
import { button, choice, el, fill, labelled, plain, say, trouble } from "./dom.js";
import { facts } from "./facts.js";

const FOLLOWED_EVERY = 1500;
const SPEEDS = [["2500", "slow"], ["1200", "steady"], ["500", "fast"]];

function head(match) {
  return match.roles.map((role, place) => {
    const goal = match.goals[place];
    return el("li", {}, el("strong", {}, role), ` ${match.players[place] || "?"}`,
      match.goals.length ? el("span.goal", {}, goal === null ? "no goal" : `${goal} points`) : null);
  });
}

function ending(match) {
  if (match.completed) return "the game is over";
  return match.aborted ? "the match was aborted here" : "the record ends here; what is played on is shown as it comes";
}

/** The view. */
export async function replayView(place, name, at) {
  const path = `/api/records/${encodeURIComponent(name)}`;
  let match = await get(path);
  const kept = new Map();
  let turn = Math.min(match.turns, Math.max(0, Number(at) || 0));
  let timer = 0;
  const board = el("div.boardbox");
  const beside = el("div");
  const told = el("p.state");
  const slider = el("input", { type: "range", min: "0", max: String(match.turns), "aria-label": "Turn" });
  const speed = choice(SPEEDS, "1200", () => timer && (run(), run()));
  const playing = button("Run", () => run(), { "aria-pressed": "false" });
  const moves = el("ol.history", { "aria-label": "Moves" });
  const players = el("ul.seats", { "aria-label": "Players" });

  function list() {
    fill(players, head(match));
    slider.max = String(match.turns);
    fill(moves, match.moves.map((joint, number) =>
      el("li", { value: number + 1 }, button(joint.filter((move) => move !== "noop").map(plain).join(", ") || "noop", () => go(number + 1)))));
  }

  /** Follow a match that is still being played: who is at its end sees what comes. */
  async function follow() {
    const before = match;
    match = await get(path).catch(() => before);
    if (match.moves.length === before.moves.length && match.completed === before.completed && match.aborted === before.aborted) return;
    const atEnd = turn === before.turns;
    list();
    go(atEnd ? match.turns : turn);
  }

  async function page(number) {
    if (!kept.has(number)) {
      if (kept.size > 60) kept.delete(kept.keys().next().value);
      kept.set(number, await get(`${path}/turns/${number}`));
    }
    return kept.get(number);
  }

  function title() {
    if (!turn) return "The beginning";
    const joint = match.moves[turn - 1];
    const errors = match.errors[turn] || [];
    return joint.map((move, place_) => `${match.roles[place_]} ${plain(move)}${errors[place_] ? ` (${errors[place_]})` : ""}`)
      .filter((text) => !text.endsWith(" noop")).join(", ");
  }

  async function go(number) {
    turn = Math.min(match.turns, Math.max(0, number));
    const wanted = turn;
    try {
      const seen = await page(wanted);
      if (wanted !== turn) return;
      const made = drawing(seen.svg);
      fill(board, made || []);
      board.hidden = !made;
      fill(beside, facts(seen.facts, { alone: !made }) || []);
    } catch (error) {
      trouble(error.message);
    }
    slider.value = String(turn);
    const end = turn === match.turns ? ` · ${ending(match)}` : "";
    fill(told, el("strong", {}, `${title()}${end}`), el("span.turn", {}, `turn ${turn} of ${match.turns}`));
    say(`turn ${turn}: ${title()}${end}`);
    for (const [place_, item] of [...moves.children].entries()) {
      if (place_ === turn - 1) {
        item.firstElementChild.setAttribute("aria-current", "step");
        moves.scrollTop = item.offsetTop - moves.offsetTop - moves.clientHeight / 2;
      } else item.firstElementChild.removeAttribute("aria-current");
    }
    history.replaceState(null, "", `#/match/${encodeURIComponent(name)}/${turn}`);
    if (turn < match.turns) page(turn + 1).catch(() => {});
    else if (timer) run();
  }

  function run() {
    if (timer) {
      clearInterval(timer);
      timer = 0;
    } else {
      if (turn === match.turns) go(0);
      timer = setInterval(() => go(turn + 1), Number(speed.value));
    }
    playing.setAttribute("aria-pressed", String(Boolean(timer)));
    playing.textContent = timer ? "Stop" : "Run";
  }

  async function goOn() {
    const seats = Object.fromEntries(match.roles.map((role, place_) => [role, match.players[place_] === "random" ? "random" : place_ ? "agent" : "person"]));
    try {
      const { id } = await post("/api/games", { game: match.word, players: seats, record: name });
      location.hash = `#/play/${id}`;
    } catch (error) {
      trouble(error.message);
    }
  }

  const keys = { ArrowRight: () => go(turn + 1), ArrowLeft: () => go(turn - 1), Home: () => go(0), End: () => go(match.turns), " ": run };
  const press = (event) => {
    if (event.target.matches("input, select, button") || event.ctrlKey || event.metaKey || event.altKey) {
      if (!event.target.matches("button") || event.key === " ") return;
    }
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  };
  slider.addEventListener("input", () => go(Number(slider.value)));
  addEventListener("keydown", press);
  fill(
    place,
    el("div.head", {}, el("h1", {}, (match.game || match.match).replaceAll("_", " ")), players),
    el("div.play", {},
      el("div.left", {}, told, board,
        el("div.buttons", {}, button("First", () => go(0)), button("Back", () => go(turn - 1)), playing,
          button("Next", () => go(turn + 1)), button("Last", () => go(match.turns)), labelled("Speed", speed)),
        slider, beside),
      el("div.right", {},
        el("section.panel", {}, el("h2", {}, "Moves"), moves),
        el("div.buttons", {}, match.word && !match.completed ? button("Go on from the end of the record", goOn) : null,
          el("a.button", { href: `${path}/file`, download: `${name}.json` }, "Download the record")))),
  );
  list();
  await go(turn);
  const following = setInterval(() => match.completed || match.aborted || follow(), FOLLOWED_EVERY);
  return () => {
    clearInterval(following);
    if (timer) clearInterval(timer);
    removeEventListener("keydown", press);
  };
}

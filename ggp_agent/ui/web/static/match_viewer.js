// A match as pictures: step by keys or buttons, choose a turn from the list, or run the animation.
import { button, choice, el, fill, labelled, plain, say, trouble } from "./dom.js";
import { facts } from "./facts.js";
import { graph } from "./graph.js";
import { drawing } from "./svg.js";

const SPEEDS = [["2500", "slow"], ["1200", "steady"], ["500", "fast"]];
const KEPT_TURNS = 60;

function ending(match) {
  if (match.completed) return "the game is over";
  if (match.turnLimit) return "the match was stopped by its turn limit";
  return match.aborted ? "the match was aborted here" : "the record ends here; new turns are shown as they are played";
}

/** Show the turns of one match; the caller inserts the elements of the viewer into its page. */
export class MatchViewer {
  /**
   * @param {Object} match - roles, players, goals, moves, errors, turns, completed, aborted, turnLimit.
   * @param {(turn: number) => Promise<Object>} page - returns svg and facts of the position after a number of turns.
   * @param {(turn: number, board: ?Element) => void} [shown] - called when a turn is shown.
   */
  constructor(match, page, shown = () => {}) {
    this.match = match;
    this.turn = 0;
    this.ask = page;
    this.shown = shown;
    this.kept = new Map();
    this.timer = 0;
    this.board = el("div.boardbox");
    this.beside = el("div");
    this.state = el("p.state");
    this.slider = el("input", { type: "range", min: "0", "aria-label": "Turn" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.speed = choice(SPEEDS, "1200", () => { if (this.timer) { this.run(); this.run(); } });
    this.playing = button("Run", () => this.run(), { "aria-pressed": "false" });
    this.moves = el("ol.history", { "aria-label": "Moves" });
    this.players = el("ul.seats", { "aria-label": "Players" });
    this.buttons = el("div.buttons", {},
      button("First", () => this.go(0)), button("Back", () => this.go(this.turn - 1)), this.playing,
      button("Next", () => this.go(this.turn + 1)), button("Last", () => this.go(this.match.turns)),
      labelled("Speed", this.speed));
    this.graph = el("section.panel", { hidden: true });
    this.list();
  }

  /** Show a newer version of the match. */
  update(match) {
    this.match = match;
    this.list();
  }

  list() {
    const { roles, players, goals, turns, moves } = this.match;
    fill(this.players, roles.map((role, place) => {
      const goal = goals[place];
      return el("li", {}, el("strong", {}, role), ` ${players[place] || "?"}`,
        goals.length ? el("span.goal", {}, goal === null ? "no goal" : `${goal} points`) : null);
    }));
    this.slider.max = String(turns);
    fill(this.moves, moves.slice(0, turns).map((joint, number) =>
      el("li", { value: number + 1 },
        button(joint.filter((move) => move !== "noop").map(plain).join(", ") || "noop", () => this.go(number + 1)),
        this.lossesOf(number + 1).map((text) => el("span.loss", {}, ` ${text}`)))));
    this.drawGraph();
  }

  lossesOf(turn) {
    return this.match.losses.filter((each) => each.turn === turn).map(({ role, lost }) => `${this.match.roles[role]} lost ${Math.round(lost)}`);
  }

  /** Draw the expected goal of each role after each turn. */
  drawGraph() {
    const { roles, values, losses } = this.match;
    this.graph.hidden = !values.some(Boolean);
    if (this.graph.hidden) return;
    const series = roles.map((name, role) => ({ name, points: values.flatMap((each, turn) => (each && each[role] !== null ? [[turn, each[role]]] : [])) }));
    const marks = losses.map(({ turn, role, lost, left }) => ({ x: turn, y: left, text: `turn ${turn}: ${roles[role]} lost ${Math.round(lost)}` }));
    const lost = losses.map(({ turn, role, lost }) => `${roles[role]} lost ${Math.round(lost)} in turn ${turn}`).join(", ");
    fill(this.graph, el("h2", {}, "Expected goals"), graph({
      label: `Value of each role, 0 to 100, turn by turn${lost ? `; ${lost}` : ""}`,
      series, range: [0, 100], x: "turns", at: this.turn, marks, chosen: (turn) => this.go(turn),
    }));
  }

  async page(number) {
    if (!this.kept.has(number)) {
      if (this.kept.size > KEPT_TURNS) this.kept.delete(this.kept.keys().next().value);
      this.kept.set(number, await this.ask(number));
    }
    return this.kept.get(number);
  }

  /** Return the joint move before the current turn. */
  title() {
    if (!this.turn) return "The beginning";
    const errors = this.match.errors[this.turn] || [];
    return this.match.moves[this.turn - 1]
      .map((move, place) => `${this.match.roles[place]} ${plain(move)}${errors[place] ? ` (${errors[place]})` : ""}`)
      .filter((text) => !text.endsWith(" noop")).join(", ");
  }

  async go(number) {
    const { turns } = this.match;
    this.turn = Math.min(turns, Math.max(0, number));
    const wanted = this.turn;
    let made = null;
    try {
      const seen = await this.page(wanted);
      if (wanted !== this.turn) return;
      made = drawing(seen.svg);
      fill(this.board, made || []);
      this.board.hidden = !made;
      fill(this.beside, facts(seen.facts, { alone: !made }) || []);
    } catch (error) {
      trouble(error.message);
    }
    this.slider.value = String(wanted);
    const end = wanted === turns ? ` · ${ending(this.match)}` : "";
    fill(this.state, el("strong", {}, `${this.title()}${end}`), this.lossesOf(wanted).map((text) => el("span.loss", {}, text)), el("span.turn", {}, `turn ${wanted} of ${turns}`));
    say([`turn ${wanted}: ${this.title()}${end}`, ...this.lossesOf(wanted)].join("; "));
    for (const [place, item] of [...this.moves.children].entries()) {
      if (place === wanted - 1) {
        item.firstElementChild.setAttribute("aria-current", "step");
        this.moves.scrollTop = item.offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
      } else item.firstElementChild.removeAttribute("aria-current");
    }
    this.drawGraph();
    this.shown(wanted, made);
    if (wanted < turns) this.page(wanted + 1).catch(() => {});
    else if (this.timer) this.run();
  }

  /** Run the animation, or stop it. */
  run() {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = 0;
    } else {
      if (this.turn === this.match.turns) this.go(0);
      this.timer = setInterval(() => this.go(this.turn + 1), Number(this.speed.value));
    }
    this.playing.setAttribute("aria-pressed", String(Boolean(this.timer)));
    this.playing.textContent = this.timer ? "Stop" : "Run";
  }

  /** Handle a key: arrows, Home, End, Space. */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if (event.target.closest("button, a, summary") && [" ", "Enter"].includes(event.key)) return;
    const keys = {
      ArrowRight: () => this.go(this.turn + 1), ArrowLeft: () => this.go(this.turn - 1), Home: () => this.go(0),
      End: () => this.go(this.match.turns), " ": () => this.run(),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** Stop the animation. */
  end() {
    clearInterval(this.timer);
    this.timer = 0;
  }
}

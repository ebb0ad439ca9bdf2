// A match as pictures: step by keys or buttons, choose a turn from the list, or run the animation.
import { winning } from "./board.js";
import { button, choice, el, fill, knowCells, labelled, say, spoken, trouble } from "./dom.js";
import { facts, perceived, perceptsOfAll } from "./facts.js";
import { graph } from "./graph.js";
import { suggested } from "./heat.js";
import { roleColours } from "./role_colours.js";
import { slide } from "./slide.js";
import { drawing } from "./svg.js";

const SPEEDS = [["2500", "slow"], ["1200", "steady"], ["500", "fast"]];
const KEPT_TURNS = 60;
const UNKNOWN = { svg: "", facts: [] };

function ending(match) {
  if (match.completed) return match.result || "the game is over";
  if (match.turnLimit) return "the match was stopped by its turn limit";
  if (match.abandoned) return "the match was not finished";
  return match.aborted ? "the match was aborted here" : "the record ends here; new turns are shown as they are played";
}

/** Show the turns of one match; the caller inserts the elements of the viewer into its page. */
export class MatchViewer {
  /**
   * @param {Object} match - roles, players, goals, moves, errors, turns, completed, aborted, turnLimit, decisive.
   * @param {(turn: number) => Promise<Object>} page - returns svg and facts of the position after a number of turns.
   * @param {(turn: number, board: ?Element) => void} [shown] - called when a turn is shown.
   * @param {(turn: number, role: string) => Promise<?Object>} [known] - returns svg and facts of what a role knew after a
   *   number of turns, in a game with hidden information; null if that is not known.
   */
  constructor(match, page, shown = () => {}, known = () => Promise.resolve(null)) {
    this.match = match;
    this.turn = 0;
    this.drawn = 0; // the turn of the board that is shown
    this.seer = ""; // the role whose observations are shown; empty for everything
    this.ask = (turn) => (this.seer ? known(turn, this.seer).then((found) => found || UNKNOWN) : page(turn));
    this.shown = shown;
    this.kept = new Map();
    this.timer = 0;
    this.named = false; // whether the cells that moves name are known
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
    this.blunders = el("section.panel", { hidden: true });
    this.sight = el("div", { hidden: true });
    this.drawSight();
    this.list();
  }

  /** Offer to show only what one role observed, if the record contains percepts. */
  drawSight() {
    const { roles, percepts } = this.match;
    this.sight.hidden = !percepts.length;
    if (this.sight.hidden || this.sight.firstChild) return;
    const seers = roles.filter((role) => role.toLowerCase() !== "random").map((role) => [role, `what ${role} observed`]);
    fill(this.sight, labelled("Show", choice([["", "everything"], ...seers], "", (seer) => {
      this.seer = seer;
      this.list();
      this.go(this.turn);
    })));
  }

  /** Show a newer version of the match. */
  update(match) {
    this.match = match;
    this.drawSight();
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
        button(this.made(joint), () => this.go(number + 1)), this.perceptsOf(number),
        this.lossesOf(number + 1).map((text) => el("span.loss", {}, ` ${text}`)))));
    this.drawGraph();
    this.drawBlunders();
  }

  /** List the moves that lost most, with the better ones. */
  drawBlunders() {
    const { roles, losses, moves } = this.match;
    this.blunders.hidden = Boolean(this.seer) || !losses.length;
    fill(this.blunders, el("h2", {}, "Blunders: 10 points or more"), button("Next blunder (N)", () => this.nextLoss()), el("ul.blunders", {}, losses.map(({ turn, role, lost, better }) =>
      el("li", {}, button(`${turn}. ${roles[role]} ${spoken(moves[turn - 1][role])}`, () => this.go(turn - 1)),
        ` lost ${Math.round(lost)}`, better ? [", better: ", el("strong", {}, spoken(better))] : null))));
  }

  /** Go to the position before the next move that lost points, after the last one to the first. */
  nextLoss(after = this.turn) {
    const turns = this.match.losses.map(({ turn }) => turn - 1).sort((one, other) => one - other);
    if (turns.length) this.go(turns.find((turn) => turn > after) ?? turns[0]);
  }

  /** Return the moves of a turn that are shown in the list. */
  made(joint) {
    if (this.seer) return spoken(joint[this.match.roles.indexOf(this.seer)]);
    return joint.filter((move) => move !== "noop").map(spoken).join(", ") || "noop";
  }

  /** Return the percepts of a turn that are shown in the list; none without percepts. */
  perceptsOf(number) {
    const { roles, percepts } = this.match;
    if (!percepts[number]) return [];
    if (this.seer) return el("span.who", {}, ` sees ${perceived(percepts[number][roles.indexOf(this.seer)])}`);
    return perceptsOfAll(Object.fromEntries(roles.map((role, place) => [role, percepts[number][place]])));
  }

  lossesOf(turn) {
    if (this.seer) return [];
    return this.match.losses.filter((each) => each.turn === turn).map(({ role, lost }) => `${this.match.roles[role]} lost ${Math.round(lost)}`);
  }

  /** Return the moves of the next turn that lost points. */
  mistakes() {
    return this.seer ? [] : this.match.losses.filter(({ turn }) => turn === this.turn + 1);
  }

  /** Draw the expected goal of each role after each turn. */
  drawGraph() {
    const { roles, values, losses } = this.match;
    this.graph.hidden = Boolean(this.seer) || !values.some(Boolean);
    if (this.graph.hidden) return;
    const colours = roleColours(roles);
    const series = roles.map((name, role) => ({ name, colour: colours.get(name), points: values.flatMap((each, turn) => (each && each[role] !== null ? [[turn, each[role]]] : [])) }));
    const marks = losses.map(({ turn, role, lost, left }) => ({ x: turn, y: left, text: `turn ${turn}: ${roles[role]} lost ${Math.round(lost)}` }));
    const lost = losses.map(({ turn, role, lost }) => `${roles[role]} lost ${Math.round(lost)} in turn ${turn}`).join(", ");
    fill(this.graph, el("h2", {}, "Expected goals"), graph({
      label: `Value of each role, 0 to 100, turn by turn${lost ? `; ${lost}` : ""}`,
      series, range: [0, 100], x: "turns", at: this.turn, marks, chosen: (turn) => this.go(turn),
    }));
  }

  async page(number) {
    const key = `${number} ${this.seer}`;
    if (!this.kept.has(key)) {
      if (this.kept.size > KEPT_TURNS) this.kept.delete(this.kept.keys().next().value);
      this.kept.set(key, await this.ask(number));
    }
    return this.kept.get(key);
  }

  /** Return the joint move before the current turn. */
  title() {
    if (!this.turn) return "The beginning";
    if (this.seer) {
      const place = this.match.roles.indexOf(this.seer);
      return `${this.seer} ${spoken(this.match.moves[this.turn - 1][place])}, sees ${perceived(this.match.percepts[this.turn - 1][place])}`;
    }
    const errors = this.match.errors[this.turn] || [];
    return this.match.moves[this.turn - 1]
      .map((move, place) => `${this.match.roles[place]} ${spoken(move)}${errors[place] ? ` (${errors[place]})` : ""}`)
      .filter((text) => !text.endsWith(" noop")).join(", ");
  }

  async go(number) {
    const { turns } = this.match;
    this.turn = Math.min(turns, Math.max(0, number));
    const wanted = this.turn;
    let made = null;
    try {
      const seer = this.seer;
      const seen = await this.page(wanted);
      if (wanted !== this.turn || seer !== this.seer) return;
      made = drawing(seen.svg);
      if (made && !this.named) {
        this.named = true;
        knowCells(seen.svg);
        this.list();
      }
      const old = this.board.firstElementChild;
      fill(this.board, made || []);
      if (made && wanted === this.drawn + 1) slide(made, old);
      this.drawn = wanted;
      if (made && !seer && wanted === turns) winning(made, this.match.decisive);
      if (made) for (const { cells } of this.mistakes()) suggested(made, cells);
      this.board.hidden = !made;
      fill(this.beside, facts(seen.facts, { alone: !made }) || []);
    } catch (error) {
      trouble(error.message);
    }
    this.slider.value = String(wanted);
    const end = wanted === turns ? ` · ${ending(this.match)}` : "";
    const next = this.mistakes().map(({ turn, role, lost, better }) =>
      `next ${this.match.roles[role]} ${spoken(this.match.moves[turn - 1][role])} loses ${Math.round(lost)}${better ? `; better: ${spoken(better)}` : ""}`);
    const losses = [...this.lossesOf(wanted), ...next];
    fill(this.state, el("strong", {}, `${this.title()}${end}`), losses.map((text) => el("span.loss", {}, text)), el("span.turn", {}, `turn ${wanted} of ${turns}`));
    say([`turn ${wanted}: ${this.title()}${end}`, ...losses].join("; "));
    for (const [place, item] of [...this.moves.children].entries()) {
      if (place === wanted - 1) {
        item.firstElementChild.setAttribute("aria-current", "step");
        this.moves.scrollTop = item.offsetTop - this.moves.clientHeight / 2;
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
      End: () => this.go(this.match.turns), " ": () => this.run(), n: () => this.nextLoss(),
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

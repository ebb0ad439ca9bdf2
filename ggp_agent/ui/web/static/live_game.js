// A running game: the board, the legal moves, what the agent or your role knows, the moves so far, orders to the server.
import { Analysis } from "./analysis.js";
import { post } from "./api.js";
import { flip, ghosts, isAbove, ring, winning } from "./board.js";
import { CellChoice } from "./cell_choice.js";
import { button, careful, el, fill, knowCells, plain, say, spoken, trouble } from "./dom.js";
import { EvaluationBar } from "./evaluation_bar.js";
import { facts, observedTurns, perceptsOfAll } from "./facts.js";
import { heat, heatLegend, suggested } from "./heat.js";
import { MovesList } from "./moves_list.js";
import { pictureButtons, positionAddress } from "./position_view.js";
import { roleColours } from "./role_colours.js";
import { setup } from "./setup.js";
import { slide } from "./slide.js";
import { Sounds } from "./sounds.js";
import { drawing } from "./svg.js";
import { showLearned, showStrategy, showThoughts } from "./thoughts_panel.js";

const WORDS = { person: "you", agent: "agent", random: "random" };
// Number of moves of the expected line on the board.
const GHOSTS = 6;
// Milliseconds after which an order without an answer is reported; a hint searches up to three seconds.
const SLOW_MS = 2000;
const SLOW_HINT_MS = 6000;
// The last word of a move that an arrow key makes.
const DIRECTIONS = { ArrowUp: ["north", "up"], ArrowDown: ["south", "down"], ArrowLeft: ["west", "left"], ArrowRight: ["east", "right"] };
const HIDDEN = "This game hides information: you see what your role observes, and everything at the end. Moves cannot be taken back, and there is no analysis except the hint.";
const UNKNOWN = "No state that explains your percepts was found in time, so only moves and percepts are shown.";

/** Return the text of a role's move in a turn. */
const moved = (role, move) => [el("span.who", {}, `${role} `), el("span", { title: move }, spoken(move))];

/**
 * One game on the page; `hides` is true if the game hides information. `seat` has the token and the role of a person in a
 * game with persons at other machines; `seats` is true in such a game, and the role is empty for a spectator.
 */
export class LiveGame {
  constructor(place, id, hides, seat) {
    this.id = id;
    this.own = seat;
    this.hides = hides;
    this.position = null; // the latest document
    this.thoughts = null; // the latest search of the state
    this.strategy = null; // the latest search of a role that does not know the state
    this.suggestion = null; // the latest hint
    this.seen = null; // the position that is shown instead of the current one
    this.at = null; // the turn of this position, if information was hidden
    this.analysing = false;
    this.flipped = false;
    this.title = el("h1", {}, "…");
    this.seats = el("ul.seats", { "aria-label": "Players" });
    this.state = el("p.state");
    this.lost = el("p.lost", { hidden: true });
    this.board = el("div.boardbox");
    this.facts = el("div");
    this.legend = el("p.note");
    this.rules = el("details.panel");
    this.share = el("details.panel", { hidden: true });
    const play = (role, move) => this.order("move", { role, move, turn: this.position.turn });
    this.list = new MovesList(play);
    this.refused = el("p.note.refused", { role: "status" });
    this.choice = new CellChoice(this.list, play, (text) => { this.refused.textContent = text; }, (board) => this.drawOver(board));
    this.bar = new EvaluationBar();
    this.advice = el("p.advice", { hidden: true });
    this.thinking = el("section.panel.thoughts", { hidden: true });
    this.learned = el("details.panel", { open: true, hidden: true });
    this.sounds = new Sounds();
    this.analysis = new Analysis((path) => this.order("look", { path }), (seen, text) => this.look(seen, text));
    const buttons = this.controls();
    const history = hides ? "Moves and percepts of all roles" : "So far";
    this.history = el("ol.history", { "aria-label": hides ? history : "Moves so far" });
    this.historyBox = el("section.panel", {}, el("h2", {}, history), this.history);
    this.known = el("p.note");
    this.about = el("p.note", {}, HIDDEN);
    this.probable = el("section.panel", { hidden: true });
    this.observed = el("ol.history", { "aria-label": "What your role observed" });
    this.observedBox = el("section.panel", {}, el("h2", {}, "What you observed"), this.observed);
    fill(
      place,
      el("div.head", {}, this.title, this.seats),
      el("div.play", {},
        el("div.left", {}, this.state, this.lost, el("div.beside", {}, this.bar.element, this.board), this.advice, this.refused,
          hides ? this.known : [], buttons, hides ? [] : this.heatKey, this.legend, this.facts, hides ? this.about : []),
        el("div.right", {}, this.own.seats ? this.links() : [], this.list.element, this.thinking, hides ? [this.probable, this.observedBox] : this.analysis.element,
          this.historyBox, this.learned, this.rules, this.share),
      ),
    );
  }

  controls() {
    this.hint = button("Hint", () => this.order("hint"));
    this.now = button("Move now", () => this.order("now"));
    this.resign = careful("Resign", "Resign: press again", () => this.order("resign", { role: this.hides ? this.position.role : this.position.waiting[0] || "" }));
    this.again = button("Play again", () => this.order("again"));
    this.swap = button("Swap sides", () => this.swapSides());
    this.undo = button("Take back", () => this.order("undo"));
    this.analyse = button("Analyse", () => this.toggleAnalysis(), { "aria-pressed": "false" });
    this.turning = button("Flip the board", () => this.turnBoard(), { "aria-pressed": "false" });
    this.record = this.hides ? el("a.button", { hidden: true }, "Step through the record")
      : button("Review this game", () => this.review(), { hidden: true });
    this.heat = el("input", { type: "checkbox", id: "heat" });
    this.heatKey = el("div", { hidden: true }, heatLegend());
    this.heat.addEventListener("change", () => {
      this.heatKey.hidden = !this.heat.checked;
      this.choice.draw();
      this.keep();
    });
    this.ghost = el("input", { type: "checkbox", id: "ghosts" });
    this.ghost.addEventListener("change", () => {
      this.choice.draw();
      this.keep();
    });
    this.restore();
    const shares = el("label.check", { for: "heat" }, this.heat, "Show shares on the board");
    const line = el("label.check", { for: "ghosts" }, this.ghost, "Show the expected line");
    this.draw = careful("Offer a draw", "Draw: press again", () => this.order("draw"));
    if (this.own.seats) {
      return el("div", {}, el("div.buttons.actions", {}, this.draw, this.resign), el("div.buttons.looks", {}, this.turning, this.sounds.element));
    }
    if (this.hides) return el("div.buttons", {}, this.hint, this.now, this.resign, this.again, this.record, this.sounds.element);
    return el("div", {},
      el("div.buttons.actions", {}, this.analyse, this.hint, this.undo, this.now, this.record, this.again, this.swap, this.resign),
      el("div.buttons.looks", {}, this.turning, shares, line, this.sounds.element));
  }

  /** Return the links of the other seats and of spectators; empty on the machines of guests. */
  links() {
    const tokens = Object.entries(JSON.parse(sessionStorage.getItem(`seats ${this.id}`) || "{}")).filter(([role]) => role !== this.own.role);
    const address = `${location.origin}${location.pathname}#/play/${this.id}`;
    const link = (name, text) => el("p", {}, el("strong", {}, name), " ", el("a", { href: text }, text));
    return el("section.panel", { hidden: !tokens.length }, el("h2", {}, "Send a link to each other person"),
      tokens.map(([role, token]) => link(`${role}:`, `${address}/${token}`)), link("Spectators:", address));
  }

  // ---- documents of the server

  took(position) {
    const before = this.position;
    this.position = position;
    if (this.own.seats) position.waiting = position.waiting.filter((role) => role === this.own.role);
    const { turn, waiting, over } = position;
    const isNew = !before || before.turn !== turn || before.over !== over;
    if (!before) {
      knowCells(position.svg || position.knowledge?.svg || position.everything?.svg || "");
      this.sit();
    }
    if (isNew) {
      this.seen = this.at = null;
      this.analysis.clear();
    }
    if (this.suggestion?.turn !== turn || over) this.suggest(null);
    if (position.role && (over || this.strategy?.turn !== turn)) this.strategy = null;
    this.setAnalysing(position.analysing);
    this.drawHead(!before);
    const role = waiting[0] || "";
    this.offer(role, (position.legal[role] || []).map((each) =>
      (each.legal < 1 ? { ...each, label: `${spoken(each.move)} (legal ${Math.round(100 * each.legal)}%)` } : each)));
    this.drawState();
    if (isNew || before.svg !== position.svg || this.hides) this.drawBoard(before && turn > before.turn);
    else this.choice.draw();
    this.drawHistory();
    this.drawButtons();
    if (this.hides) this.drawObserved();
    else this.drawBar();
    this.drawThoughts();
    this.announce(before);
    this.sound(before);
  }

  /** Show the title and the players; the rules with the first document. */
  drawHead(first) {
    const { title: name, roles, players, rules } = this.position;
    this.title.textContent = name;
    document.title = `${this.title.textContent} · ggp-agent`;
    fill(this.seats, roles.map((role) => this.seat(role, players[role])));
    this.legend.textContent = this.position.legend.join(" · ");
    this.legend.hidden = !this.position.legend.length;
    if (first && !this.hides) this.drawShare();
    if (first) fill(this.rules, el("summary", {}, "Rules"), rules.map(({ title, text }) => el("p", {}, title ? el("strong", {}, `${title}: `) : null, text)));
  }

  /** Offer the picture of the current position, and the view that changes it. */
  drawShare() {
    const { game, word } = this.position;
    this.share.hidden = false;
    fill(this.share, el("summary", {}, "This position"), el("div.buttons", {},
      word ? button("Change it, or copy a link", () => { location.hash = positionAddress(word, this.position.fluents); }) : null,
      pictureButtons(game.replace("fast:", ""), () => (this.seen || this.position).svg)));
  }

  seat(role, player) {
    const { goals, names, waiting, thinking } = this.position;
    const goal = goals[role];
    const colour = roleColours(this.position.roles).get(role);
    return el(`li${waiting.includes(role) || thinking.includes(role) ? ".active" : ""}`, {},
      el(`span.swatch.${colour}`, { "aria-hidden": "true" }), el("strong", {}, role), ` ${this.own.seats && role !== this.own.role ? player : WORDS[player]}${names[role] ? `, ${names[role]}` : ""}`,
      goal === undefined ? null : el("span.goal", {}, goal === null ? "no goal" : `${goal} points`));
  }

  /** Offer the moves of a role; an empty role has no choice. */
  offer(role, moves) {
    this.refused.textContent = "";
    this.choice.allow(role, moves);
    this.list.show(role, role ? moves : []);
  }

  drawButtons() {
    const { players, turn, waiting, over, thinking, role, record } = this.position;
    const watches = this.hides && !role;
    this.undo.disabled = (turn === 0 && !over) || !Object.values(players).includes("person");
    this.hint.disabled = this.analyse.disabled = !waiting.length;
    this.hint.hidden = watches || over;
    this.analyse.hidden = over;
    this.resign.disabled = !this.hides && !waiting.length;
    this.draw.disabled = over || !this.own.role;
    this.resign.hidden = watches || over;
    this.now.hidden = this.hides ? over || waiting.length > 0 : !thinking.length;
    this.again.hidden = !over;
    this.swap.hidden = !over || !record;
    this.record.hidden = !over || !record;
    if (this.hides && record) this.record.href = `#/match/${this.recordName()}`;
  }

  /** Start another game in which each role has the player of the next role. */
  async swapSides() {
    const { roles, players, names } = this.position;
    const playing = roles.filter((role) => role.toLowerCase() !== "random");
    const words = playing.map((role) => (names[role] ? `${players[role]}:${names[role]}` : players[role]));
    const swapped = Object.fromEntries(playing.map((role, place) => [role, words[(place + 1) % words.length]]));
    try {
      const { id } = await post("/api/games", { from: this.id, turn: 0, players: swapped });
      location.hash = `#/play/${id}`;
    } catch (error) {
      trouble(error.message);
    }
  }

  /** Return the name of the record of this game in addresses. */
  recordName() {
    return encodeURIComponent(this.position.record.replace(/\.json$/, ""));
  }

  announce(before) {
    const { history, observed, turn, waiting, over, outcome } = this.position;
    if (before && before.turn === turn && before.over === over && before.waiting[0] === waiting[0]) return;
    const next = over ? outcome : waiting.length ? `${waiting[0]} to move, ${this.list.moves.length} moves` : "";
    const percepts = observed?.length ? observed[observed.length - 1].percepts : [];
    const last = this.hides ? (percepts.length ? `you see ${percepts.map(plain).join(", ")}` : "")
      : turn ? Object.entries(history[turn - 1]).map(([role, move]) => `${role}: ${spoken(move)}`).join(", ") : "";
    say([last, next].filter(Boolean).join(". "));
  }

  /** Play the sound of a new turn or of the end; none for the first document, which shows an earlier move. */
  sound(before) {
    if (!before) return;
    if (this.position.over && !before.over) this.sounds.end();
    else if (this.position.turn > before.turn) this.sounds.move();
  }

  drawState() {
    const { over, outcome, waiting, thinking, turn, draws } = this.position;
    const text = over ? outcome
      : thinking.length ? `${thinking.join(" and ")}: the agent thinks …`
      : waiting.length ? `${waiting[0]}: it is your move` : this.hides || this.own.seats ? "the other players choose …" : "…";
    const offer = !over && draws.length ? `${draws.join(" and ")} offered a draw` : "";
    fill(this.state, el("strong", {}, text), offer ? el("span.loss", {}, offer) : null, el("span.turn", {}, `turn ${turn + (over ? 0 : 1)}`));
    this.state.classList.toggle("over", over);
  }

  /** Draw the position: the one that is looked at, or the true state, or what the role of a person knows. */
  drawBoard(moved = false) {
    const focused = document.activeElement?.dataset?.cell;
    const { knowledge, everything } = this.position;
    const shown = this.seen || everything || knowledge || this.position;
    const made = drawing(shown.svg);
    const old = this.board.firstElementChild;
    fill(this.board, made || []);
    this.board.hidden = !made;
    this.turning.hidden = !made;
    if (made && this.flipped) flip(made);
    this.board.classList.toggle("ahead", Boolean(this.seen));
    fill(this.facts, facts(shown.facts || [], { alone: !made }) || []);
    if (made && moved) slide(made, old);
    this.choice.attach(this.seen ? null : made, focused);
    this.known.hidden = Boolean(everything);
    this.known.textContent = knowledge ? this.possible(knowledge) : UNKNOWN;
  }

  /** Show another position instead of the current one; null for the current one. */
  look(seen, text) {
    this.seen = seen;
    if (!seen) this.at = null;
    this.choice.release();
    this.drawBoard();
    if (!seen) this.drawState();
    else fill(this.state, el("strong", {}, text), button("Back", () => this.escape()));
    this.markTurn();
    say(text || "The current position");
  }

  /** Show the true state after a turn of a game that has hidden information. */
  async lookAt(turn) {
    const seen = await this.order("look", { turn });
    if (!seen) return;
    this.at = turn;
    this.look(seen, `The state after turn ${turn}`);
  }

  markTurn() {
    for (const [place, item] of [...this.history.children].entries()) {
      if (place + 1 === this.at) item.firstElementChild.setAttribute("aria-current", "step");
      else item.firstElementChild.removeAttribute("aria-current");
    }
  }

  /** Draw the shares, the expected line and the hint over the board. */
  drawOver(board) {
    const { decisive, turn, roles, role } = this.position;
    winning(board, decisive || []);
    if (this.suggestion) suggested(board, this.suggestion.cells);
    if (role && this.strategy?.turn === turn) ring(board, this.strategy.moves[0].cells, "hinted");
    if (!this.thoughts || this.thoughts.turn !== turn) return;
    if (this.heat.checked) for (const known of Object.values(this.thoughts.roles)) heat(board, known.moves);
    if (this.ghost.checked) ghosts(board, this.thoughts.line.slice(0, GHOSTS), roles);
  }

  possible({ count, complete }) {
    if (complete && count === 1) return "You know the state.";
    const number = count.toLocaleString("en");
    const states = complete ? `${number} possible states.` : `A sample of ${number} possible states.`;
    return `${states} Percentages are probabilities if chance and the other roles choose at random.`;
  }

  /** Draw what the role of a person has observed, and the most probable states. */
  drawObserved() {
    const { role, over, observed, knowledge } = this.position;
    this.about.hidden = !role || over;
    this.observedBox.hidden = !role;
    fill(this.observed, observedTurns(observed));
    this.observed.scrollTop = this.observed.scrollHeight;
    this.probable.hidden = !knowledge?.probable.length;
    if (this.probable.hidden) return;
    const left = knowledge.count - knowledge.probable.length;
    fill(this.probable, el("h2", {}, left > 0 ? "The most probable states" : "The possible states"),
      el("p.note", {}, "Only what differs between them."),
      el("ul.probable", {}, knowledge.probable.map(({ fluents, probability }) =>
        el("li", {}, el("strong", {}, `${(100 * probability).toFixed(1)}% `), fluents.map(plain).join(", ")))),
      left > 0 ? el("p.note", {}, `and ${left.toLocaleString("en")} more`) : null);
  }

  /** Start the dialog of a new game that continues after a turn of this game. */
  branch(turn) {
    setup({ title: `What if: ${this.title.textContent}, after turn ${turn}`, roles: this.position.roles, from: this.id, turn });
  }

  drawHistory() {
    const { history, everything, over } = this.position;
    this.historyBox.hidden = this.hides && !everything;
    const turns = this.hides ? everything?.turns || [] : history.map((moves) => ({ moves, percepts: {} }));
    const [title, chosen] = this.hides ? ["Show the state after this turn", (turn) => this.lookAt(turn)]
      : ["What if … start another game after this move", (turn) => this.branch(turn)];
    fill(this.history, turns.map(({ moves, percepts }, number) => {
      const made = Object.entries(moves).filter(([, move]) => !this.hides || move !== "noop");
      const shown = made.length ? made : Object.entries(moves);
      return el("li", { value: number + 1 },
        button(shown.map(([role, move], place) => [place ? ", " : "", moved(role, move)]), () => chosen(number + 1), { title }),
        perceptsOfAll(percepts));
    }));
    if (!this.hides || !over) this.history.scrollTop = this.history.scrollHeight;
  }

  thought(thoughts) {
    this.thoughts = thoughts;
    const hint = this.suggestion;
    const best = hint?.turn === thoughts.turn && thoughts.roles[hint.role]?.moves[0];
    if (best && best.move !== hint.move) this.suggest(null); // a longer search prefers another move
    this.drawBar();
    this.drawThoughts();
    if (this.heat.checked || this.ghost.checked) this.choice.draw();
  }

  advised(strategy) {
    const { role, over, turn } = this.position;
    if (role && (over || strategy.turn !== turn)) return;
    this.strategy = strategy;
    this.drawThoughts();
    this.choice.draw();
    const best = strategy.moves[0];
    if (role) say(`Hint: play ${spoken(best.move)} in ${Math.round(100 * best.share)} percent of the cases`);
  }

  /** Show the goals at the end, or what the latest search expects. */
  drawBar() {
    const { over, goals, roles, turn } = this.position;
    const isEnd = over && Object.keys(goals).length;
    const known = this.thoughts && this.thoughts.turn <= turn && this.thoughts.turn >= turn - 1;
    this.bar.show(roles, isEnd ? goals : known ? this.thoughts.expected : null, this.flipped);
  }

  /** Show the latest search: of the current position or the last move, or for a role that does not know the state. */
  drawThoughts() {
    const { turn, role } = this.position;
    const { strategy } = this;
    const thoughts = this.thoughts?.visits ? this.thoughts : null;
    this.thinking.hidden = !strategy && !(thoughts && thoughts.turn <= turn && thoughts.turn >= turn - 1);
    if (strategy) showStrategy(this.thinking, strategy, `${role ? "Hint for" : "Latest choice of"} ${strategy.role}`);
    else if (!this.thinking.hidden) showThoughts(this.thinking, thoughts, thoughts.turn < turn);
    if (thoughts?.turn === turn) this.analysis.thought(thoughts);
  }

  hinted(hint) {
    if (hint.turn !== this.position.turn) return;
    const value = hint.bounds[0] === hint.bounds[1] ? `${hint.bounds[0]}, proven` : `expects ${hint.value.toFixed(0)} of 100`;
    this.suggest(hint, `Hint for ${hint.role}: ${spoken(hint.move)} (${value})`);
    this.choice.draw();
    say(this.advice.textContent);
  }

  /** Show a hint below the board, or no hint. */
  suggest(hint, text = "") {
    this.suggestion = hint;
    this.advice.textContent = text;
    this.advice.hidden = !hint;
  }

  trained(training) {
    showLearned(this.learned, training);
  }

  connected(yes, forever) {
    if (yes && !this.lost.hidden) trouble("");
    this.lost.hidden = yes;
    if (!yes) fill(this.lost, forever ? ["This game is no longer on the server", this.kept()] : "The connection is lost; trying again …");
  }

  /** Return the text about the record of a game that the server no longer has. */
  kept() {
    if (!this.position.record) return this.hides ? "; it is not recorded, because it was not over. Start another game." : "; start another game.";
    const link = el("a", { href: `#/match/${this.recordName()}${this.hides ? "" : `/${this.position.turn}`}` }, "record");
    return ["; its ", link, this.hides ? " is stored." : " is stored, and you can continue from it."];
  }

  // ---- input of the user

  async order(what, details = {}) {
    trouble("");
    let late = false;
    const slow = setTimeout(() => {
      late = true;
      trouble("The server has not answered yet; the command is still waiting.");
    }, what === "hint" ? SLOW_HINT_MS : SLOW_MS);
    try {
      const answer = await post(`/api/games/${this.id}/orders`, { what, token: this.own.token, ...details });
      if (late) trouble("");
      return answer;
    } catch (error) {
      trouble(error.message);
      return null;
    } finally {
      clearTimeout(slow);
    }
  }

  /** Turn the board so that the pieces of the only person start at the bottom, unless it was turned before. */
  sit() {
    const { roles, players, opening, knowledge, svg } = this.position;
    const persons = roles.filter((role) => (this.own.seats ? role === this.own.role : players[role] === "person"));
    const made = drawing(svg || knowledge?.svg);
    if (!made || persons.length !== 1 || sessionStorage.getItem(this.id)) return;
    this.flipped = isAbove(made, opening, persons[0]);
    this.turning.setAttribute("aria-pressed", String(this.flipped));
  }

  /** Store what the board shows, for a reload of the page. */
  keep() {
    sessionStorage.setItem(this.id, JSON.stringify({ flipped: this.flipped, heat: this.heat.checked, ghost: this.ghost.checked }));
  }

  restore() {
    const kept = JSON.parse(sessionStorage.getItem(this.id) || "{}");
    this.flipped = Boolean(kept.flipped);
    this.turning.setAttribute("aria-pressed", String(this.flipped));
    this.heat.checked = Boolean(kept.heat);
    this.ghost.checked = Boolean(kept.ghost);
    this.heatKey.hidden = !this.heat.checked;
  }

  setAnalysing(on) {
    this.analysing = on;
    this.analyse.setAttribute("aria-pressed", String(on));
  }

  async toggleAnalysis() {
    this.setAnalysing(!this.analysing);
    await this.order("analyse", { on: this.analysing });
  }

  turnBoard() {
    this.flipped = !this.flipped;
    this.turning.setAttribute("aria-pressed", String(this.flipped));
    this.drawBoard();
    this.drawBar();
    this.keep();
  }

  /** Search all positions of the finished game, and show its record with the losses and the better moves. */
  async review() {
    const record = this.recordName();
    try {
      await post(`/api/records/${record}/analysis`, { seconds: 0.5 });
      location.hash = `#/match/${record}`;
    } catch (error) {
      trouble(error.message);
    }
  }

  /** Step through the expected line, or, if information was hidden, through the turns after the end. */
  step(by) {
    const { over, turn } = this.position;
    const to = (this.at ?? turn) + by;
    if (!this.hides) this.analysis.step(by);
    else if (over && to >= 0 && to <= turn) this.lookAt(to);
  }

  /** Return the only move of the role that an arrow key names; nothing while another position is shown. */
  directed(key) {
    if (this.seen || !this.list.role) return null;
    const fitting = this.list.moves.filter((each) => DIRECTIONS[key].includes(plain(each.move).split(" ").pop()));
    return fitting.length === 1 ? fitting[0] : null;
  }

  escape() {
    if (!this.seen) this.choice.release();
    else if (this.hides) this.look(null, "");
    else this.analysis.leave();
  }

  pressed(event) {
    if (event.target.matches("input:not([type=checkbox]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") this.list.step(key === "j" ? 1 : -1);
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && event.target.closest(".moves")) {
      this.list.step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key in DIRECTIONS && this.directed(event.key)) this.list.play(this.list.role, this.directed(event.key).move);
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.step(event.key === "ArrowRight" ? 1 : -1);
    else if (event.key === "Escape") this.escape();
    else return;
    event.preventDefault();
  }
}

// A running game whose state all roles know: the board, the legal moves, the thoughts of the agent, the moves so far.
import { Analysis } from "./analysis.js";
import { post } from "./api.js";
import { flip, ghosts, winning } from "./board.js";
import { button, el, fill, plain, say, trouble } from "./dom.js";
import { EvaluationBar } from "./evaluation_bar.js";
import { facts } from "./facts.js";
import { heat, heatLegend, suggested } from "./heat.js";
import { showLearned } from "./learned_panel.js";
import { LiveGame, moved } from "./live_game.js";
import { setup } from "./setup.js";
import { drawing } from "./svg.js";
import { showThoughts } from "./thoughts_panel.js";

// Number of moves of the expected line on the board.
const GHOSTS = 6;

/** One game on the page. */
export class OpenPlay extends LiveGame {
  constructor(place, id) {
    super(id);
    this.thoughts = null;
    this.seen = null;
    this.suggestion = null; // the latest hint
    this.advice = el("p.advice", { hidden: true });
    this.analysing = false;
    this.thinking = el("section.panel.thoughts", { hidden: true });
    this.history = el("ol.history", { "aria-label": "Moves so far" });
    this.learned = el("details.panel", { open: true, hidden: true });
    this.heat = el("input", { type: "checkbox", id: "heat" });
    this.heatKey = el("div", { hidden: true }, heatLegend());
    this.heat.addEventListener("change", () => {
      this.heatKey.hidden = !this.heat.checked;
      this.choice.draw();
    });
    this.bar = new EvaluationBar();
    this.flipped = false;
    this.ghost = el("input", { type: "checkbox", id: "ghosts" });
    this.ghost.addEventListener("change", () => this.choice.draw());
    this.analysis = new Analysis(
      (path) => this.order("look", { path }),
      (seen, text) => this.look(seen, text),
    );
    this.buttons = this.controls();
    fill(
      place,
      this.head(),
      el("div.play", {},
        el("div.left", {}, this.state, this.lost, el("div.beside", {}, this.bar.element, this.board), this.advice, this.refused, this.buttons, this.heatKey, this.facts),
        el("div.right", {}, this.list.element, this.thinking, this.analysis.element,
          el("section.panel", {}, el("h2", {}, "So far"), this.history), this.learned, this.rules),
      ),
    );
  }

  controls() {
    this.undo = button("Take back", () => this.order("undo"));
    this.analyse = button("Analyse", () => this.toggleAnalysis(), { "aria-pressed": "false" });
    const shares = el("label.check", { for: "heat" }, this.heat, "Show shares on the board");
    const line = el("label.check", { for: "ghosts" }, this.ghost, "Show the expected line");
    this.turning = button("Flip the board", () => this.turnBoard(), { "aria-pressed": "false" });
    this.reviewing = button("Review this game", () => this.review(), { hidden: true });
    return el("div", {},
      el("div.buttons.actions", {}, this.analyse, this.hint, this.undo, this.now, this.reviewing, this.again, this.resign),
      el("div.buttons.looks", {}, this.turning, shares, line, this.sounds.element));
  }

  // ---- events of the server

  took(position) {
    const before = this.position;
    this.position = position;
    this.setAnalysing(position.analysing);
    if (!before || before.turn !== position.turn) {
      this.seen = null;
      this.analysis.clear();
    }
    const { players, turn, waiting, over } = position;
    if (this.suggestion?.turn !== turn || over) this.suggest(null);
    this.drawHead(!before);
    this.drawState();
    const role = waiting[0] || "";
    this.offer(role, position.legal[role]);
    if (!before || before.turn !== turn || before.svg !== position.svg) this.drawBoard();
    else this.choice.draw();
    this.drawHistory();
    this.undo.disabled = turn === 0 || !Object.values(players).includes("person");
    this.hint.disabled = this.analyse.disabled = !role;
    this.resign.disabled = !role;
    this.now.hidden = !position.thinking.length;
    this.again.hidden = !over;
    this.resign.hidden = over;
    this.reviewing.hidden = !over || !position.record;
    this.drawBar();
    if (this.thoughts) this.drawThoughts();
    this.announce(before);
    this.sound(before);
  }

  announce(before) {
    const { history, turn, waiting, over, outcome } = this.position;
    if (before && before.turn === turn && before.over === over && before.waiting[0] === waiting[0]) return;
    const last = turn ? Object.entries(history[turn - 1]).map(([role, move]) => `${role}: ${plain(move)}`).join(", ") : "";
    const next = over ? outcome : waiting.length ? `${waiting[0]} to move, ${this.list.moves.length} moves` : "";
    say([last, next].filter(Boolean).join(". "));
  }

  isActive(role) {
    return this.position.waiting.includes(role) || this.position.thinking.includes(role);
  }

  resigning() {
    return this.position.waiting[0] || "";
  }

  drawState() {
    const { over, outcome, waiting, thinking, turn } = this.position;
    const text = over ? outcome
      : thinking.length ? `${thinking.join(" and ")}: the agent thinks …`
      : waiting.length ? `${waiting[0]}: it is your move` : "…";
    fill(this.state, el("strong", {}, text), el("span.turn", {}, `turn ${turn + (over ? 0 : 1)}`));
    this.state.classList.toggle("over", over);
  }

  drawBoard() {
    const focused = document.activeElement?.dataset?.cell;
    const shown = this.seen || this.position;
    const made = drawing(shown.svg);
    fill(this.board, made || []);
    this.board.hidden = !made;
    this.turning.hidden = !made;
    if (made && this.flipped) flip(made);
    this.board.classList.toggle("ahead", Boolean(this.seen));
    fill(this.facts, facts(shown.facts, { alone: !made }) || []);
    this.choice.attach(this.seen ? null : made, focused);
  }

  /** Show a position of the tree, or the current one again. */
  look(seen, text) {
    this.seen = seen;
    this.choice.release();
    this.drawBoard();
    if (!seen) this.drawState();
    else fill(this.state, el("strong", {}, text), button("Back", () => this.analysis.leave()));
    say(text || "The current position");
  }

  /** Draw the shares and the expected line over the board. */
  drawOver(board) {
    winning(board, this.position.decisive);
    if (this.suggestion) suggested(board, this.suggestion.cells);
    if (!this.thoughts || this.thoughts.turn !== this.position.turn) return;
    if (this.heat.checked) for (const known of Object.values(this.thoughts.roles)) heat(board, known.moves);
    if (this.ghost.checked) ghosts(board, this.thoughts.line.slice(0, GHOSTS), this.position.roles);
  }

  /** Start the dialog of a new game that continues after a turn of this game. */
  branch(turn) {
    setup({ title: `What if: ${this.title.textContent}, after turn ${turn}`, roles: this.position.roles, from: this.id, turn });
  }

  drawHistory() {
    const { history } = this.position;
    fill(this.history, history.map((joint, number) =>
      el("li", { value: number + 1 }, el("button", { type: "button", title: "What if … start another game after this move", on: { click: () => this.branch(number + 1) } },
        Object.entries(joint).map(([role, move], place) => [place ? ", " : "", moved(role, move)])))));
    this.history.scrollTop = this.history.scrollHeight;
  }

  thought(thoughts) {
    this.thoughts = thoughts;
    this.drawBar();
    this.drawThoughts();
    if (this.heat.checked || this.ghost.checked) this.choice.draw();
  }

  /** Show the goals at the end, or what the latest search expects. */
  drawBar() {
    const { over, goals, roles, turn } = this.position;
    const isEnd = over && Object.keys(goals).length;
    const known = this.thoughts && this.thoughts.turn <= turn && this.thoughts.turn >= turn - 1;
    this.bar.show(roles, isEnd ? goals : known ? this.thoughts.expected : null);
  }

  turnBoard() {
    this.flipped = !this.flipped;
    this.turning.setAttribute("aria-pressed", String(this.flipped));
    this.drawBoard();
  }

  /** Search all positions of the finished game, and show its record with the losses and the better moves. */
  async review() {
    const record = encodeURIComponent(this.position.record.replace(/\.json$/, ""));
    try {
      await post(`/api/records/${record}/analysis`, { seconds: 0.5 });
      location.hash = `#/match/${record}`;
    } catch (error) {
      trouble(error.message);
    }
  }

  drawThoughts() {
    const { turn } = this.thoughts;
    const before = turn < this.position.turn;
    // Only thoughts about the current position or the last move are shown.
    this.thinking.hidden = turn < this.position.turn - 1 || turn > this.position.turn;
    if (!this.thinking.hidden) showThoughts(this.thinking, this.thoughts, before);
    if (turn === this.position.turn) this.analysis.thought(this.thoughts);
  }

  hinted(hint) {
    if (hint.turn !== this.position?.turn) return;
    const value = hint.bounds[0] === hint.bounds[1] ? `${hint.bounds[0]}, proven` : `expects ${hint.value.toFixed(0)} of 100`;
    this.suggest(hint, `Hint for ${hint.role}: ${plain(hint.move)} (${value})`);
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

  /** Return the text about the record of a game that the server no longer has. */
  kept(record) {
    if (!record) return "; start another game.";
    return ["; its ", el("a", { href: `#/match/${encodeURIComponent(record)}/${this.position.turn}` }, "record"), " is stored, and you can continue from it."];
  }

  // ---- input of the user

  setAnalysing(on) {
    this.analysing = on;
    this.analyse.setAttribute("aria-pressed", String(on));
  }

  async toggleAnalysis() {
    this.setAnalysing(!this.analysing);
    await this.order("analyse", { on: this.analysing });
  }

  /** Step through the expected line. */
  step(by) {
    this.analysis.step(by);
  }

  escape() {
    if (this.seen) this.analysis.leave();
    else this.choice.release();
  }
}

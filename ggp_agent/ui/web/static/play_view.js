// A running game: the board, the role to move, the legal moves, the thoughts of the agent, the moves so far.
import { Analysis } from "./analysis.js";
import { get, listen, post } from "./api.js";
import { ghosts, heat, ring } from "./board.js";
import { CellChoice } from "./cell_choice.js";
import { button, el, fill, plain, say, trouble } from "./dom.js";
import { facts } from "./facts.js";
import { showLearned } from "./learned_panel.js";
import { MovesList } from "./moves_list.js";
import { setup } from "./setup.js";
import { drawing } from "./svg.js";
import { showThoughts } from "./thoughts_panel.js";

// Number of moves of the expected line on the board.
const GHOSTS = 6;
const WORDS = { person: "you", agent: "agent", random: "random" };

/** One game on the page. */
class Play {
  constructor(place, id) {
    this.id = id;
    this.position = null;
    this.thoughts = null;
    this.seen = null;
    this.analysing = false;
    this.seats = el("ul.seats", { "aria-label": "Players" });
    this.state = el("p.state", {}, "Loading the rules … large rules take up to two minutes.");
    this.board = el("div.boardbox");
    this.facts = el("div");
    this.thinking = el("section.panel.thoughts", { hidden: true });
    const play = (role, move) => this.order("move", { role, move, turn: this.position.turn });
    this.list = new MovesList(play);
    this.choice = new CellChoice(this.list, play, (board) => this.drawThoughtsOn(board));
    this.history = el("ol.history", { "aria-label": "Moves so far" });
    this.learned = el("details.panel", { open: true, hidden: true });
    this.rules = el("details.panel");
    this.title = el("h1", {}, "…");
    this.lost = el("p.lost", { hidden: true });
    this.heat = el("input", { type: "checkbox", id: "heat" });
    this.heat.addEventListener("change", () => this.choice.draw());
    this.ghost = el("input", { type: "checkbox", id: "ghosts" });
    this.ghost.addEventListener("change", () => this.choice.draw());
    this.analysis = new Analysis(
      (path) => this.order("look", { path }),
      (seen, text) => this.look(seen, text),
    );
    this.buttons = this.controls();
    fill(
      place,
      el("div.head", {}, this.title, this.seats),
      el("div.play", {},
        el("div.left", {}, this.state, this.lost, this.board, this.buttons, this.facts),
        el("div.right", {}, this.list.element, this.thinking, this.analysis.element,
          el("section.panel", {}, el("h2", {}, "So far"), this.history), this.learned, this.rules),
      ),
    );
  }

  controls() {
    this.undo = button("Take back", () => this.order("undo"));
    this.hint = button("Hint", () => this.order("hint"));
    this.now = button("Move now", () => this.order("now"));
    this.analyse = button("Analyse", () => this.toggleAnalysis(), { "aria-pressed": "false" });
    this.resign = button("Resign", () => this.order("resign", { role: this.position.waiting[0] || "" }));
    this.again = button("Play again", () => this.order("again"));
    const shares = el("label.check", { for: "heat" }, this.heat, "Show shares on the board");
    const line = el("label.check", { for: "ghosts" }, this.ghost, "Show the expected line");
    return el("div.buttons", {}, this.undo, this.hint, this.now, this.analyse, this.resign, this.again, shares, line);
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
    const { roles, players, turn, waiting, over } = position;
    this.title.textContent = position.game.replace(/^fast:/, "").replaceAll("_", " ");
    document.title = `${this.title.textContent} · ggp-agent`;
    fill(this.seats, roles.map((role) => this.seat(role, players[role])));
    this.drawState();
    const role = waiting[0] || "";
    this.choice.allow(role, position.legal[role]);
    this.list.show(role, role ? position.legal[role] : []);
    if (!before || before.turn !== turn || before.svg !== position.svg) this.drawBoard();
    else this.choice.draw();
    this.drawHistory();
    if (!before) fill(this.rules, el("summary", {}, "Rules"), position.rules.map(({ title, text }) => el("p", {}, title ? el("strong", {}, `${title}: `) : null, text)));
    this.undo.disabled = turn === 0 || !Object.values(players).includes("person");
    this.hint.disabled = this.analyse.disabled = !role;
    this.resign.disabled = !role;
    this.now.hidden = !position.thinking.length;
    this.again.hidden = !over;
    if (this.thoughts) this.drawThoughts();
    this.announce(before);
  }

  announce(before) {
    const { history, turn, waiting, over, outcome } = this.position;
    if (before && before.turn === turn && before.over === over && before.waiting[0] === waiting[0]) return;
    const last = turn ? Object.entries(history[turn - 1]).map(([role, move]) => `${role}: ${plain(move)}`).join(", ") : "";
    const next = over ? outcome : waiting.length ? `${waiting[0]} to move, ${this.list.moves.length} moves` : "";
    say([last, next].filter(Boolean).join(". "));
  }

  seat(role, player) {
    const active = this.position.waiting.includes(role) || this.position.thinking.includes(role);
    const goal = this.position.goals[role];
    return el(`li${active ? ".active" : ""}`, {},
      el("strong", {}, role), ` ${WORDS[player]}${this.position.names[role] ? `, ${this.position.names[role]}` : ""}`,
      goal === undefined ? null : el("span.goal", {}, goal === null ? "no goal" : `${goal} points`));
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
  drawThoughtsOn(board) {
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
        Object.entries(joint).map(([role, move], place) => [place ? ", " : "", el("span.who", {}, `${role} `), el("span", {}, plain(move))])))));
    this.history.scrollTop = this.history.scrollHeight;
  }

  thought(thoughts) {
    this.thoughts = thoughts;
    this.drawThoughts();
    if (this.heat.checked || this.ghost.checked) this.choice.draw();
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
    const text = `Hint for ${hint.role}: ${plain(hint.move)} (expects ${hint.value.toFixed(0)} of 100)`;
    fill(this.state, el("strong", {}, text));
    say(text);
    const board = this.board.firstElementChild;
    if (board) ring(board, hint.cells, "hinted");
  }

  failed({ message }) {
    trouble(message);
    if (!this.position) {
      this.title.textContent = "This game cannot be played";
      fill(this.state, el("a", { href: "#/" }, "Choose another game"));
    }
  }

  connected(yes, forever) {
    this.lost.hidden = yes;
    if (yes) return;
    const record = this.position?.record?.replace(/\.json$/, "");
    const kept = record
      ? ["; its ", el("a", { href: `#/match/${encodeURIComponent(record)}/${this.position.turn}` }, "record"), " is stored, and you can continue from it."]
      : "; start another game.";
    fill(this.lost, forever ? ["This game is no longer on the server", kept] : "The connection is lost; trying again …");
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

  async order(what, details = {}) {
    try {
      trouble("");
      return await post(`/api/games/${this.id}/orders`, { what, ...details });
    } catch (error) {
      trouble(error.message);
      return null;
    }
  }

  pressed(event) {
    if (event.target.matches("input:not([type=checkbox]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") this.list.step(key === "j" ? 1 : -1);
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && event.target.closest(".moves")) {
      this.list.step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.analysis.step(event.key === "ArrowRight" ? 1 : -1);
    else if (event.key === "Escape") {
      if (this.seen) this.analysis.leave();
      else this.choice.release();
    }
    else return;
    event.preventDefault();
  }
}

/** The view. */
export async function playView(place, id) {
  await get(`/api/games/${id}`); // throws an error if the game does not exist
  const play = new Play(place, id);
  const press = (event) => play.position && play.pressed(event);
  const stop = listen(id, {
    position: (document_) => play.took(document_),
    thoughts: (document_) => play.position && play.thought(document_),
    hint: (document_) => play.hinted(document_),
    learned: (document_) => showLearned(play.learned, document_),
    failed: (document_) => play.failed(document_),
    note: (document_) => trouble(document_.message),
  }, (yes, forever) => play.connected(yes, forever));
  addEventListener("keydown", press);
  return () => {
    stop();
    removeEventListener("keydown", press);
  };
}

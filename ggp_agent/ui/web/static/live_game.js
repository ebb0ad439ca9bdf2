// The parts that all running games on the page have: title, players, state, board, list of moves, orders to the server.
import { post } from "./api.js";
import { CellChoice } from "./cell_choice.js";
import { button, el, fill, plain, trouble } from "./dom.js";
import { MovesList } from "./moves_list.js";
import { Sounds } from "./sounds.js";

const WORDS = { person: "you", agent: "agent", random: "random" };

/** One game on the page; the derived classes draw its documents. */
export class LiveGame {
  constructor(id) {
    this.id = id;
    this.position = null; // the latest document
    this.title = el("h1", {}, "…");
    this.seats = el("ul.seats", { "aria-label": "Players" });
    this.state = el("p.state");
    this.lost = el("p.lost", { hidden: true });
    this.board = el("div.boardbox");
    this.facts = el("div");
    this.rules = el("details.panel");
    const play = (role, move) => this.order("move", { role, move, turn: this.position.turn });
    this.list = new MovesList(play);
    this.refused = el("p.note.refused", { role: "status" });
    this.choice = new CellChoice(this.list, play, (text) => { this.refused.textContent = text; }, (board) => this.drawOver(board));
    this.hint = button("Hint", () => this.order("hint"));
    this.now = button("Move now", () => this.order("now"));
    this.resign = button("Resign", () => this.order("resign", { role: this.resigning() }));
    this.again = button("Play again", () => this.order("again"));
    this.sounds = new Sounds();
  }

  /** Return the head of the view. */
  head() {
    return el("div.head", {}, this.title, this.seats);
  }

  /** Show the title and the players of a document; the rules with the first one. */
  drawHead(first) {
    const { title: name, roles, players, rules } = this.position;
    this.title.textContent = name;
    document.title = `${this.title.textContent} · ggp-agent`;
    fill(this.seats, roles.map((role) => this.seat(role, players[role])));
    if (first) fill(this.rules, el("summary", {}, "Rules"), rules.map(({ title, text }) => el("p", {}, title ? el("strong", {}, `${title}: `) : null, text)));
  }

  seat(role, player) {
    const { goals, names } = this.position;
    const goal = goals[role];
    return el(`li${this.isActive(role) ? ".active" : ""}`, {},
      el("strong", {}, role), ` ${WORDS[player]}${names[role] ? `, ${names[role]}` : ""}`,
      goal === undefined ? null : el("span.goal", {}, goal === null ? "no goal" : `${goal} points`));
  }

  /** Offer the moves of a role; an empty role has no choice. */
  offer(role, moves) {
    this.refused.textContent = "";
    this.choice.allow(role, moves);
    this.list.show(role, role ? moves : []);
  }

  /** Play the sound of a new turn or of the end; none for the first document, which shows an earlier move. */
  sound(before) {
    if (!before) return;
    if (this.position.over && !before.over) this.sounds.end();
    else if (this.position.turn > before.turn) this.sounds.move();
  }

  connected(yes, forever) {
    this.lost.hidden = yes;
    if (yes) return;
    const record = this.position.record?.replace(/\.json$/, "");
    fill(this.lost, forever ? ["This game is no longer on the server", this.kept(record)] : "The connection is lost; trying again …");
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
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.step(event.key === "ArrowRight" ? 1 : -1);
    else if (event.key === "Escape") this.escape();
    else return;
    event.preventDefault();
  }
}

/** Return the text of a role's move in a turn. */
export const moved = (role, move) => [el("span.who", {}, `${role} `), el("span", {}, plain(move))];

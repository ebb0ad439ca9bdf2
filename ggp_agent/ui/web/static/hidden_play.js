// A running game with hidden information: what the person's role observes and knows, and at the end everything.
import { ring } from "./board.js";
import { button, el, fill, plain, say } from "./dom.js";
import { facts } from "./facts.js";
import { LiveGame, moved } from "./live_game.js";
import { observedTurns, perceptsOfAll } from "./observed_list.js";
import { showStrategy } from "./strategy_panel.js";
import { drawing } from "./svg.js";

const HIDDEN = "This game hides information: you see what your role observes, and everything at the end. Moves cannot be taken back, and there is no analysis except the hint.";
const UNKNOWN = "No state that explains your percepts was found in time, so only moves and percepts are shown.";

/** One game with hidden information on the page. */
export class HiddenPlay extends LiveGame {
  constructor(place, id) {
    super(id);
    this.strategy = null;
    this.looked = null; // the turn after the end that is shown, and its picture
    this.known = el("p.note");
    this.about = el("p.note", {}, HIDDEN);
    this.advice = el("section.panel.thoughts", { hidden: true });
    this.probable = el("section.panel", { hidden: true });
    this.observed = el("ol.history", { "aria-label": "What your role observed" });
    this.observedBox = el("section.panel", {}, el("h2", {}, "What you observed"), this.observed);
    this.all = el("ol.history", { "aria-label": "Moves and percepts of all roles" });
    this.allBox = el("section.panel", { hidden: true }, el("h2", {}, "Moves and percepts of all roles"), this.all);
    this.record = el("a.button", { hidden: true }, "Step through the record");
    fill(
      place,
      this.head(),
      el("div.play", {},
        el("div.left", {}, this.state, this.lost, this.board, this.refused, this.known,
          el("div.buttons", {}, this.hint, this.now, this.resign, this.again, this.record, this.sounds.element), this.facts, this.about),
        el("div.right", {}, this.list.element, this.advice, this.probable, this.observedBox, this.allBox, this.rules)),
    );
  }

  // ---- documents of the server

  took(position) {
    const before = this.position;
    this.position = position;
    this.looked = null;
    const { role, turn, waiting, over, everything, observed } = position;
    if (role && (over || this.strategy?.turn !== turn)) this.strategy = null;
    this.drawHead(!before);
    this.offer(waiting[0] || "", (position.legal[role] || []).map((each) =>
      (each.legal < 1 ? { ...each, label: `${plain(each.move)} (legal ${Math.round(100 * each.legal)}%)` } : each)));
    this.drawPosition();
    this.drawAdvice();
    this.drawProbable();
    this.about.hidden = !role || over;
    this.observedBox.hidden = !role;
    fill(this.observed, observedTurns(observed));
    this.observed.scrollTop = this.observed.scrollHeight;
    this.drawAll(everything);
    this.hint.hidden = this.resign.hidden = !role || over;
    this.hint.disabled = !waiting.length;
    this.now.hidden = over || waiting.length > 0;
    this.again.hidden = !over;
    this.record.hidden = !over || !position.record;
    if (position.record) this.record.href = `#/match/${encodeURIComponent(position.record.replace(/\.json$/, ""))}`;
    this.announce(before);
    this.sound(before);
  }

  announce(before) {
    const { turn, waiting, over, outcome, observed, role } = this.position;
    if (before && before.turn === turn && before.over === over && before.waiting[0] === waiting[0]) return;
    const last = role && observed.length ? observed[observed.length - 1] : null;
    const seen = last && last.percepts.length ? `you see ${last.percepts.map(plain).join(", ")}` : "";
    const next = over ? outcome : waiting.length ? `${waiting[0]} to move, ${this.list.moves.length} moves` : "";
    say([seen, next].filter(Boolean).join(". "));
  }

  isActive(role) {
    return this.position.waiting.includes(role);
  }

  resigning() {
    return this.position.role;
  }

  /** Draw the state line and the board: what the role knows, or the true state. */
  drawPosition() {
    const focused = document.activeElement?.dataset?.cell;
    const { over, outcome, waiting, turn, knowledge, everything } = this.position;
    const shown = this.looked || everything || knowledge || { svg: "", facts: [] };
    const text = this.looked ? `The state after turn ${this.looked.turn}` : over ? outcome
      : waiting.length ? `${waiting[0]}: it is your move` : "the other players choose …";
    const at = this.looked ? this.looked.turn : turn + (over ? 0 : 1);
    fill(this.state, el("strong", {}, text), el("span.turn", {}, `turn ${at}`));
    this.state.classList.toggle("over", over && !this.looked);
    const made = drawing(shown.svg);
    fill(this.board, made || []);
    this.board.hidden = !made;
    fill(this.facts, facts(shown.facts, { alone: !made }) || []);
    this.choice.attach(over ? null : made, focused);
    this.known.hidden = Boolean(everything);
    this.known.textContent = knowledge ? this.possible(knowledge) : UNKNOWN;
  }

  possible({ count, complete }) {
    if (complete && count === 1) return "You know the state.";
    const number = count.toLocaleString("en");
    const states = complete ? `${number} possible states.` : `A sample of ${number} possible states.`;
    return `${states} Percentages are probabilities if chance and the other roles choose at random.`;
  }

  drawProbable() {
    const known = this.position.knowledge;
    this.probable.hidden = !known || !known.probable.length;
    if (this.probable.hidden) return;
    const left = known.count - known.probable.length;
    fill(this.probable, el("h2", {}, left > 0 ? "The most probable states" : "The possible states"),
      el("p.note", {}, "Only what differs between them."),
      el("ul.probable", {}, known.probable.map(({ fluents, probability }) =>
        el("li", {}, el("strong", {}, `${(100 * probability).toFixed(1)}% `), fluents.map(plain).join(", ")))),
      left > 0 ? el("p.note", {}, `and ${left.toLocaleString("en")} more`) : null);
  }

  drawAll(everything) {
    this.allBox.hidden = !everything;
    if (!everything) return;
    fill(this.all, everything.turns.map(({ moves, percepts }, number) => {
      const made = Object.entries(moves).filter(([, move]) => move !== "noop");
      const shown = made.length ? made : Object.entries(moves);
      return el("li", { value: number + 1 },
        button(shown.map(([role, move], place) => [place ? ", " : "", moved(role, move)]), () => this.look(number + 1), { title: "Show the state after this turn" }),
        perceptsOfAll(percepts));
    }));
    if (!this.position.over) this.all.scrollTop = this.all.scrollHeight;
  }

  /** Show the true state after a turn. */
  async look(turn) {
    const seen = await this.order("look", { turn });
    if (!seen) return;
    this.looked = { ...seen, turn };
    this.drawPosition();
    this.markTurn(turn);
    say(`The state after turn ${turn}`);
  }

  markTurn(turn) {
    for (const [place, item] of [...this.all.children].entries()) {
      if (place === turn - 1) item.firstElementChild.setAttribute("aria-current", "step");
      else item.firstElementChild.removeAttribute("aria-current");
    }
  }

  advised(strategy) {
    if (this.position.role && (this.position.over || strategy.turn !== this.position.turn)) return;
    this.strategy = strategy;
    this.drawAdvice();
    this.choice.draw();
    const best = strategy.moves[0];
    if (this.position.role) say(`Hint: play ${plain(best.move)} in ${Math.round(100 * best.share)} percent of the cases`);
  }

  drawAdvice() {
    this.advice.hidden = !this.strategy;
    if (this.strategy) showStrategy(this.advice, this.strategy, `${this.position.role ? "Hint for" : "Latest choice of"} ${this.strategy.role}`);
  }

  /** Mark the cells of the move that the hint plays most. */
  drawOver(board) {
    if (!this.strategy || !this.position.role || this.strategy.turn !== this.position.turn) return;
    ring(board, this.strategy.moves[0].cells, "hinted");
  }

  /** Return the text about the record of a game that the server no longer has. */
  kept(record) {
    if (!record) return "; it is not recorded, because it was not over. Start another game.";
    return ["; its ", el("a", { href: `#/match/${encodeURIComponent(record)}` }, "record"), " is stored."];
  }

  // ---- input of the user

  /** Step through the turns after the end. */
  step(by) {
    const { over, turn } = this.position;
    const to = (this.looked ? this.looked.turn : turn) + by;
    if (over && to >= 0 && to <= turn) this.look(to);
  }

  escape() {
    if (this.looked) {
      this.looked = null;
      this.drawPosition();
      this.markTurn(0);
    } else this.choice.release();
  }
}

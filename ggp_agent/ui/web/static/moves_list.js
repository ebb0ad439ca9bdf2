// The legal moves as buttons, up to a maximal number, with a search field.
import { button, el, fill, plain, spoken } from "./dom.js";

const MOST = 150;
const ORDER = new Intl.Collator("en", { numeric: true });

/** The list of a role's moves. */
export class MovesList {
  /** @param {(role: string, move: string) => void} play */
  constructor(play) {
    this.play = play;
    this.role = "";
    this.moves = [];
    this.wanted = null;
    this.held = false;
    this.search = el("input", { type: "search", "aria-label": "Find a move", placeholder: "Find a move" });
    this.search.addEventListener("input", () => this.draw());
    this.title = el("h2", {}, "Moves");
    this.list = el("div.moves", { role: "group", "aria-label": "Legal moves" });
    this.note = el("p.note", { "aria-live": "polite" });
    this.element = el("section.panel", {}, this.title, this.search, this.list, this.note);
  }

  /** Show the legal moves of a role, by their `label` if they have one; an empty role hides the list. */
  show(role, moves) {
    // If the keyboard focus was in the list, set it again in the new list.
    if (this.list.contains(document.activeElement)) this.held = true;
    else if (document.activeElement !== document.body) this.held = false;
    this.role = role;
    this.moves = [...moves].sort((one, other) => ORDER.compare(one.move, other.move));
    this.wanted = null;
    this.search.value = "";
    this.draw();
    if (this.held && this.moves.length) {
      this.held = false;
      this.step(1);
    }
  }

  /** Show only the moves that fulfil a test, such as the moves of a selected piece; null for all. */
  narrow(test, note = "") {
    this.wanted = test;
    this.draw();
    if (note) this.note.textContent = note;
  }

  draw() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = this.moves.filter(
      (each) => (!this.wanted || this.wanted(each)) && words.every((word) => `${plain(each.move)} ${spoken(each.move)}`.toLowerCase().includes(word)),
    );
    this.element.hidden = !this.role;
    this.title.textContent = this.role ? `Moves of ${this.role} (${this.moves.length})` : "Moves";
    this.search.hidden = this.moves.length < 12;
    fill(
      this.list,
      fitting.slice(0, MOST).map((each) =>
        button(each.label || spoken(each.move), () => this.play(this.role, each.move), { "data-move": each.move, title: each.move }),
      ),
    );
    this.note.textContent = fitting.length > MOST ? `${MOST} of ${fitting.length} moves are shown; search for others` : "";
  }

  /** Move the keyboard focus to the next (1) or previous (-1) move. */
  step(by) {
    const all = [...this.list.querySelectorAll("button")];
    if (!all.length) return;
    const at = all.indexOf(document.activeElement);
    all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length].focus();
  }
}

// Choose a move of one role on a board, by the cells that the move names, one after another.
import { cellsOf, choosable, ring, unring } from "./board.js";
import { say } from "./dom.js";

/** The selected cells, and the moves that begin with them. */
export class CellChoice {
  /**
   * @param {MovesList} list - the list of the moves; it shows the moves that begin with the selected cells.
   * @param {(role: string, move: string) => void} play - called with the chosen move.
   * @param {(text: string) => void} explain - shows why a click has no effect; an empty text removes it.
   * @param {(board: Element) => void} [marked] - called after the cells were marked, to add other marks.
   */
  constructor(list, play, explain, marked = () => {}) {
    this.list = list;
    this.play = play;
    this.explain = explain;
    this.marked = marked;
    this.board = null;
    this.taken = [];
    this.allow("", []);
  }

  /** Set the role that has to choose, and its legal moves with their cells; an empty role has no choice. */
  allow(role, moves) {
    this.role = role;
    this.moves = role ? moves : [];
    this.taken = [];
  }

  /** Set the drawing on which cells are selected, null for none; `focused` is the cell that had the focus before. */
  attach(board, focused) {
    this.board = board;
    if (board) choosable(board, (cell) => this.choose(cell), focused);
    this.draw();
  }

  /** Mark the cells that can be selected. */
  draw() {
    if (!this.board) return;
    unring(this.board);
    const moves = this.fitting();
    if (this.taken.length) {
      ring(this.board, this.taken, "taken");
      ring(this.board, [...new Set(moves.map((each) => each.cells[this.taken.length]).filter(Boolean))], "target");
    } else {
      const open = new Set(moves.flatMap((each) => (each.cells.length ? each.cells[0] : each.column)));
      for (const [name, cell] of cellsOf(this.board)) cell.classList.toggle("open", open.has(name));
    }
    this.marked(this.board);
  }

  /** Return the moves that begin with the selected cells. */
  fitting() {
    return this.moves.filter((each) => this.taken.every((cell, place) => each.cells[place] === cell));
  }

  choose(cell) {
    if (!this.role) {
      this.explain("It is not your turn: wait for the other players, or the game is over.");
      return;
    }
    this.explain("");
    const further = this.fitting().filter((each) => each.cells[this.taken.length] === cell);
    if (further.length) this.taken.push(cell);
    else if (!this.taken.length || !this.moves.some((each) => each.cells[0] === cell)) {
      const dropped = this.taken.length ? [] : this.moves.filter((each) => each.column.includes(cell));
      if (dropped.length === 1) this.play(this.role, dropped[0].move);
      else {
        this.explain(this.refusal(cell));
        this.release();
      }
      return;
    } else this.taken = this.taken.includes(cell) ? [] : [cell];
    const left = this.fitting();
    const whole = left.filter((each) => each.cells.length === this.taken.length);
    if (left.length === 1 && (whole.length || this.taken.length > 1)) {
      this.play(this.role, left[0].move);
      return;
    }
    this.draw();
    if (this.taken.length) {
      const set = new Set(left);
      const note = `${cell} is selected: ${left.length} moves; choose a target cell, or a move in the list. Escape cancels.`;
      this.list.narrow((each) => set.has(each), note);
      say(note);
    } else this.release();
  }

  /** Return why a click on a cell has no effect, and what is possible. */
  refusal(cell) {
    const [from] = this.taken;
    if (from) return `${from} cannot move to ${cell}. Select the piece again; dots mark its targets.`;
    if (!this.moves.some((each) => each.cells.length || each.column.length)) return "The moves here name no cells; choose one in the list of moves.";
    const piece = this.moves.some((each) => each.cells.length > 1);
    return `No legal move of ${this.role} ${piece ? "starts at" : "names"} ${cell}. Choose a cell with a hand, or a move in the list.`;
  }

  /** Deselect all cells. */
  release() {
    this.taken = [];
    this.list.narrow(null);
    this.draw();
  }
}

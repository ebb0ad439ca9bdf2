// Details of the search: the value over the simulations, the expected line step by step, and the tree.
import { button, el, fill, spoken, together } from "./dom.js";
import { closeRange, graph } from "./graph.js";
import { roleColours } from "./role_colours.js";
import { proof } from "./thoughts_panel.js";

const LINE = 16;
const CHILDREN = 12;

/** The panels below the candidates. */
export class Analysis {
  /**
   * @param {(path: Array) => Promise<Object>} look - returns the position after some moves by role, and its node in the tree.
   * @param {(seen: ?Object, text: string) => void} show - draws such a position; null for the current one.
   */
  constructor(look, show) {
    this.look = look;
    this.show = show;
    this.line = [];
    this.at = 0;
    this.written = "";
    this.course = el("div");
    this.steps = el("ol.line");
    this.root = el("ul.tree");
    this.lineBox = el("details", {}, el("summary", {}, "The expected line"),
      el("p.note", {}, "Left and right arrow keys show it on the board, Escape returns to the game."), this.steps);
    this.treeBox = el("details", {}, el("summary", {}, "The tree"),
      el("p.note", {}, "Open a move to see the replies that were searched, and the position on the board."), this.root);
    this.treeBox.addEventListener("toggle", () => this.treeBox.open && this.plant());
    this.element = el("section.panel.analysis", { hidden: true }, this.course, this.lineBox, this.treeBox);
  }

  /** Clear everything for a new position. */
  clear() {
    this.element.hidden = true;
    this.line = [];
    this.at = 0;
    this.written = "";
    fill(this.steps);
    fill(this.root);
    this.treeBox.open = false;
  }

  /** Show the thoughts about the current position. */
  thought(thoughts) {
    this.element.hidden = false;
    const { visits, values } = thoughts.course;
    const [low, high] = closeRange(Object.values(values).flat());
    const colours = roleColours(Object.keys(values));
    fill(this.course, graph({
      label: `Value over the simulations: ${Object.entries(values).map(([role, each]) => `${role} ${each[each.length - 1].toFixed(0)}`).join(", ")}`,
      series: Object.entries(values).map(([name, each]) => ({ name, colour: colours.get(name), points: each.map((value, place) => [visits[place], value]) })),
      range: [low, high], x: "visits",
    }), high - low < 100 ? el("p.note", {}, `The axis shows ${low} to ${high} of 0 to 100.`) : null);
    if (!this.at) this.write(thoughts.line.slice(0, LINE));
  }

  write(line) {
    this.line = line;
    const text = JSON.stringify(line);
    if (text === this.written) return;
    this.written = text;
    this.lineBox.hidden = !line.length;
    fill(this.steps, line.map((step, place) => el("li", {}, button(together(step.moves), () => this.go(place + 1)))));
  }

  /** Go to the next (1) or previous (-1) step of the line. */
  step(by) {
    const to = Math.min(this.line.length, Math.max(0, this.at + by));
    if (to !== this.at) this.go(to);
  }

  async go(number) {
    this.at = number;
    for (const [place, item] of [...this.steps.children].entries()) {
      if (place === number - 1) item.firstElementChild.setAttribute("aria-current", "step");
      else item.firstElementChild.removeAttribute("aria-current");
    }
    if (!number) this.show(null, "");
    else await this.open(this.line.slice(0, number).map((step) => step.moves), () => this.at === number);
  }

  /** Return to the current position. */
  leave() {
    this.go(0);
  }

  /** Show a position; return its node in the tree. */
  async open(path, wanted = () => true) {
    const seen = await this.look(path);
    if (!seen || !wanted()) return null;
    const goals = Object.entries(seen.goals).map(([role, goal]) => `${role} ${goal}`).join(", ");
    const end = goals ? `; the game is over: ${goals}` : "";
    if (path.length) this.show(seen, `Expected, ${path.length} ahead: ${together(path[path.length - 1])}${end}`);
    return seen.node;
  }

  async plant() {
    const node = await this.look([]);
    if (node) fill(this.root, this.children([], node.node));
  }

  /** Create an item for each searched move of a node. */
  children(path, node) {
    if (!node) return [el("li.note", {}, "the game is over here")];
    const best = Object.fromEntries(Object.entries(node.roles).map(([role, known]) => [role, known.moves[0].move]));
    const several = Object.keys(best).length > 1;
    const items = Object.entries(node.roles).flatMap(([role, known]) => {
      const tried = known.moves.filter((each) => each.visits);
      const shown = tried.slice(0, CHILDREN).map((each) => this.child([...path, { ...best, [role]: each.move }], several ? role : "", each));
      const left = known.count - shown.length;
      return left ? [...shown, el("li.note", {}, `and ${left} more${tried.length > shown.length ? "" : ", not searched"}`)] : shown;
    });
    return items.length ? items : [el("li.note", {}, "nothing was searched here yet")];
  }

  child(path, role, { move, visits, value, bounds }) {
    const inner = el("ul", { hidden: true });
    const proven = proof(bounds);
    const opener = button(`${role ? `${role} ` : ""}${spoken(move)}`, async () => {
      const closing = opener.getAttribute("aria-expanded") === "true";
      opener.setAttribute("aria-expanded", String(!closing));
      inner.hidden = closing;
      if (closing) return;
      const node = await this.open(path);
      fill(inner, this.children(path, node));
    }, { "aria-expanded": "false" });
    return el("li", {}, opener,
      el("span.note", {}, ` ${visits.toLocaleString("en")} visits, value ${value.toFixed(1)}${proven ? `, ${proven}` : ""}`), inner);
  }
}

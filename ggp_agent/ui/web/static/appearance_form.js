// The form of the editor for the appearance of boards: it writes the file NAME.toml that belongs to a sheet.
import { button, choice, el, fill, labelled } from "./dom.js";

const KEPT = "ggp-agent appearance";
const USUAL = ["", "as usual"];

/** Return the appearance that this browser stores: board and orientation, colours by role, symbols by piece. */
function stored() {
  try {
    return { colours: {}, symbols: {}, ...JSON.parse(localStorage.getItem(KEPT)) };
  } catch {
    return { colours: {}, symbols: {} };
  }
}

function table(name, values, words) {
  const lines = words.filter((word) => values[word]).map((word) => `${JSON.stringify(word)} = ${JSON.stringify(values[word])}`);
  return lines.length ? [`[${name}]`, ...lines] : [];
}

/** The form: kind of board, orientation, the colour of each role, the symbol of each kind of piece. */
export class AppearanceForm {
  /** @param {() => void} changed - called when the user changes the appearance. */
  constructor(changed) {
    this.changed = changed;
    this.chosen = stored();
    this.roles = [];
    this.pieces = [];
    this.fields = el("div");
    this.wrong = el("p.wrong", { role: "alert" });
    this.text = el("pre.toml", { "aria-label": "The file of the appearance" });
    this.element = el("details.panel", {}, el("summary", {}, "Appearance of the board"), this.fields, this.wrong, this.text,
      button("Download my_game.toml", () => this.download()));
    this.element.hidden = true;
  }

  /** Return the appearance as TOML; empty if nothing is chosen. Words that the rules do not have are left out. */
  toml() {
    const { board, orientation, colours, symbols } = this.chosen;
    const lines = Object.entries({ board, orientation }).filter(([, value]) => value).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    lines.push(...table("colours", colours, this.roles), ...table("symbols", symbols, this.pieces));
    return lines.length ? `${lines.join("\n")}\n` : "";
  }

  /** Show the fields for the rules of an answer of the server, and the error that it has found. */
  show({ roles, svg, appearance }) {
    this.element.hidden = !svg;
    if (!svg) return;
    const words = [roles, appearance.pieces];
    if (JSON.stringify(words) !== JSON.stringify([this.roles, this.pieces]) || !this.fields.firstChild) {
      [this.roles, this.pieces] = words;
      this.draw(appearance.choices);
      if (this.toml()) this.changed();
    }
    this.wrong.textContent = appearance.problem;
    this.text.textContent = this.toml();
  }

  draw({ boards, orientations, colours, symbols }) {
    const entries = [];
    const add = (label, values, key, words) => {
      const control = choice([USUAL, ...words.map((word) => [word, word.replaceAll("_", " ")])], values[key] || "", () => {
        values[key] = control.value;
        this.update();
      });
      entries.push(labelled(label, control));
    };
    add("Board", this.chosen, "board", boards);
    add("Orientation", this.chosen, "orientation", orientations);
    for (const role of this.roles) add(`Colour of ${role}`, this.chosen.colours, role, colours);
    for (const piece of this.pieces) add(`Symbol of ${piece}`, this.chosen.symbols, piece, symbols);
    fill(this.fields, entries);
  }

  update() {
    localStorage.setItem(KEPT, JSON.stringify(this.chosen));
    this.text.textContent = this.toml();
    this.changed();
  }

  download() {
    const link = el("a", { href: URL.createObjectURL(new Blob([this.toml()], { type: "text/plain" })), download: "my_game.toml" });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

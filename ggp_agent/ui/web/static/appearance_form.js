// The form of the editor for the appearance of boards: it writes the file NAME.toml that belongs to a sheet.
import { button, choice, el, fill, labelled } from "./dom.js";

const KEPT = "ggp-agent appearance";
const USUAL = ["", "as usual"];
// The colours of the board, by their keys; each one has a shade for light and one for dark pages.
const SHADES = { light: "Cells", dark: "Every second cell, or the frame", line: "Lines", surround: "Space around the cells", label: "Labels" };
const MODES = ["light", "dark"];

/** Return the appearance that this browser stores: board and orientation, shades by key, colours by role, symbols by piece. */
function stored() {
  const empty = { shades: {}, colours: {}, symbols: {} };
  try {
    return { ...empty, ...JSON.parse(localStorage.getItem(KEPT)) };
  } catch {
    return empty;
  }
}

function table(name, values, words) {
  const lines = words.filter((word) => values[word]).map((word) => `${JSON.stringify(word)} = ${JSON.stringify(values[word])}`);
  return lines.length ? [`[${name}]`, ...lines] : [];
}

/** The form: kind of board, orientation, the colours of the board, the colour of each role, the symbol of each kind of piece. */
export class AppearanceForm {
  /** @param {() => void} changed - called when the user changes the appearance. */
  constructor(changed) {
    this.changed = changed;
    this.chosen = stored();
    this.roles = [];
    this.pieces = [];
    this.fields = el("div");
    this.shades = Object.keys(SHADES).map((key) => this.shade(key));
    this.wrong = el("p.wrong", { role: "alert" });
    this.text = el("pre.toml", { "aria-label": "The file of the appearance" });
    this.element = el("details.panel", {}, el("summary", {}, "Appearance of the board"), this.fields,
      el("details", {}, el("summary", {}, "Colours of the board"), el("p.note", {}, "The left colour is for light pages, the right one for dark pages."), this.shades.map(({ row }) => row)),
      this.wrong, this.text,
      button("Download my_game.toml", () => this.download()));
    this.element.hidden = true;
  }

  /** Return the appearance as TOML; empty if nothing is chosen. Words that the rules do not have are left out. */
  toml() {
    const { board, orientation, shades, colours, symbols } = this.chosen;
    const lines = Object.entries({ board, orientation }).filter(([, value]) => value).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    for (const key of Object.keys(SHADES)) if (shades[key]) lines.push(`${key} = [${shades[key].map((each) => JSON.stringify(each)).join(", ")}]`);
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
    for (const { key, inputs, usual } of this.shades) {
      const own = this.chosen.shades[key];
      usual.hidden = !own;
      for (const [place, input] of inputs.entries()) input.value = (own || appearance.shades[key])[place];
    }
    this.wrong.textContent = appearance.problem;
    this.text.textContent = this.toml();
  }

  /** Return the row of a colour of the board: for light pages, for dark pages, and a button that removes the choice. */
  shade(key) {
    const inputs = MODES.map((mode) => el("input", { type: "color", "aria-label": `${SHADES[key]}, ${mode} page` }));
    const choose = () => {
      this.chosen.shades[key] = inputs.map((each) => each.value);
      this.update();
    };
    for (const input of inputs) input.addEventListener("change", choose);
    const usual = button("as usual", () => {
      delete this.chosen.shades[key];
      this.update();
    }, { hidden: true, "aria-label": `${SHADES[key]} as usual` });
    const row = el("div.field", { role: "group", "aria-label": SHADES[key] }, el("span", {}, SHADES[key]), el("span.shades", {}, usual, inputs));
    return { key, inputs, usual, row };
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

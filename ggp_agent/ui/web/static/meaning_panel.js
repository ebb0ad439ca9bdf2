// The meaning of the name at the cursor, and the commands for this name.
import { button, el, fill } from "./dom.js";
import { tokens } from "./kif_paint.js";

const PAUSE = 200;
const EMPTY = "Place the cursor on a name to see its meaning.";

/** Return a paragraph of Markdown in which only words in backquotes have a format. */
function paragraph(text) {
  return el("p", {}, text.split("`").map((part, place) => (place % 2 ? el("code", {}, part) : part)));
}

/** Return the parts of a meaning: paragraphs, and rules between lines of three backquotes. */
function parts(markdown) {
  return markdown.split("```").map((part, place) => {
    if (place % 2) return el("pre", {}, tokens(part.replace(/^kif\n/, "").trim()).map(([kind, token]) => (kind ? el(`span.kif-${kind}`, {}, token) : token)));
    return part.trim() ? part.trim().split(/\n\n+/).map(paragraph) : null;
  });
}

/** The panel; the caller inserts `element`, calls `moved` after each move of the cursor, and `close` at the end. */
export class MeaningPanel {
  /**
   * @param {SheetNames} names - the names of the text.
   * @param {() => void} rename - called to rename the name at the cursor.
   * @param {() => void} define - called to show the definition of the name at the cursor.
   */
  constructor(names, rename, define) {
    this.names = names;
    this.timer = 0;
    this.latest = 0; // the number of the latest change of the panel
    this.text = el("div.text", { role: "region", tabindex: 0, "aria-label": "Meaning of the name at the cursor" });
    this.commands = [
      button("Rename", rename, { "aria-keyshortcuts": "F2", title: "Rename this name in the whole text (F2)" }),
      button("Definition", define, { "aria-keyshortcuts": "F12", title: "Go to the definition (F12, or Ctrl and a click)" }),
    ];
    this.element = el("div.meaning", {}, this.text, el("div.tools", {}, this.commands));
    this.show("");
  }

  /** Show the meaning of the name at the cursor soon. */
  moved() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.find(), PAUSE);
  }

  /** Drop a request that is not sent yet. */
  close() {
    clearTimeout(this.timer);
  }

  async find() {
    const number = ++this.latest;
    try {
      const found = await this.names.find("help");
      if (found && number === this.latest) this.show(found.help);
    } catch (error) {
      if (number === this.latest) this.fail(error.message);
    }
  }

  show(markdown) {
    fill(this.text, markdown ? parts(markdown) : el("p.empty", {}, EMPTY));
  }

  /** Show one line about a request that failed, until the cursor moves. */
  fail(problem) {
    this.latest++;
    this.close();
    fill(this.text, el("p.wrong", { role: "alert" }, problem));
  }
}

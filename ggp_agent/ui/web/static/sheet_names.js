// The name at the cursor: requests about its meaning, definition and renaming and the words that may stand there, the
// panel with its meaning, and the dialog that renames it.
import { post } from "./api.js";
import { button, el, fill, labelled, say } from "./dom.js";
import { tokens } from "./kif_paint.js";

const PAUSE = 200;
const EMPTY = "Place the cursor on a name to see its meaning.";

/** The names of the text in a text field; the server finds them. */
export class SheetNames {
  /** @param {HTMLTextAreaElement} area - the text field. */
  constructor(area) {
    this.area = area;
    this.latest = {}; // the number of the latest request of each kind
    this.last = Promise.resolve();
  }

  /**
   * Return the result of a function of the server, or null if the text, the cursor or a later request makes it obsolete.
   * Only one request runs at a time, so that large texts do not wait in a queue.
   * @param {string} what - "help", "definition", "complete" or "rename".
   * @param {string} [renamed] - the new name for "rename".
   */
  find(what, renamed = "") {
    const number = (this.latest[what] || 0) + 1;
    this.latest[what] = number;
    const found = this.last.then(() => (number === this.latest[what] ? this.request(what, renamed) : null));
    this.last = found.catch(() => null);
    return found;
  }

  async request(what, renamed) {
    const { value: text, selectionStart: offset } = this.area;
    const found = await post("/api/sheets/names", { what, text, offset, new: renamed });
    return this.area.value === text && this.area.selectionStart === offset ? found : null;
  }
}

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

/**
 * Show the dialog for the name at the cursor; the server finds the places to be changed.
 * @param {SheetNames} names - the names of the text.
 * @param {(edits: Object[]) => void} apply - called with the changes of the text.
 * @throws {Refused} there is no name, or it cannot be renamed.
 */
export async function renameDialog(names, apply) {
  const { area } = names;
  const place = await names.find("rename");
  if (!place || document.querySelector("dialog[open]")) return;
  const old = area.value.slice(...place.word);
  const { selectionStart: cursor, scrollTop, scrollLeft } = area;
  let edits = [];
  const wrong = el("p.wrong", { role: "alert" });
  const name = el("input", { type: "text", value: old, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 200 });
  const dialog = el("dialog", { "aria-labelledby": "rename-title" });
  const rename = async (event) => {
    event.preventDefault();
    if (!name.value || name.value === old) {
      dialog.close();
      return;
    }
    try {
      const found = await names.find("rename", name.value);
      if (!found || !dialog.open) return;
      edits = found.edits;
      dialog.close();
    } catch (error) {
      wrong.textContent = error.message;
      name.select();
    }
  };
  dialog.addEventListener("close", () => {
    dialog.remove();
    // Chromium places the cursor at the start of the text when a dialog returns the focus.
    area.focus();
    area.setSelectionRange(cursor, cursor);
    Object.assign(area, { scrollTop, scrollLeft });
    apply(edits);
    if (edits.length) say(`${old} is renamed`);
  });
  fill(
    dialog,
    el("form", { on: { submit: rename } },
      el("h2", { id: "rename-title" }, `Rename ${old}`),
      labelled("New name", name),
      wrong,
      el("div.buttons", {}, el("button.main", { type: "submit" }, "Rename"), button("Cancel", () => dialog.close()))),
  );
  document.body.append(dialog);
  dialog.showModal();
  name.select();
}

// The list of the words that may stand at the cursor, shown while the user writes a name. Nothing is selected at first, so
// Enter begins a new line unless the user has selected a word with the arrow keys.
import { el, fill, say } from "./dom.js";
import { applyEdits } from "./text_edits.js";

const PAUSE = 80;
// Number of words shown at the same time.
const SHOWN = 8;
// A character after which words are offered: one of a name, a variable or a list.
const WRITTEN = /^[^\s);]$/;

/** The list; the caller inserts `element` and `ruler` into the element around the text field. */
export class CompletionList {
  /** @param {SheetNames} names - the names of the text. */
  constructor(names) {
    this.names = names;
    this.area = names.area;
    this.words = []; // the offered words
    this.first = 0; // the place of the first shown word
    this.chosen = -1; // the place of the selected word
    this.start = 0; // the start of the word before the cursor
    this.cursor = 0;
    this.timer = 0;
    this.element = el("ul.completions", { role: "listbox", id: "completions", "aria-label": "Completions", hidden: true });
    this.ruler = el("pre.ruler", { "aria-hidden": "true" });
    for (const [name, value] of [["aria-autocomplete", "list"], ["aria-haspopup", "listbox"], ["aria-controls", "completions"]]) this.area.setAttribute(name, value);
    this.area.addEventListener("input", (event) => this.written(event));
    this.area.addEventListener("keydown", (event) => this.pressed(event));
    this.area.addEventListener("blur", () => this.close());
    this.area.addEventListener("scroll", () => this.place());
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** Close the list, and drop a request that is not answered yet. */
  close() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.cursor = -1;
    this.element.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  /** Close the list if the cursor has left the word. */
  moved() {
    if (this.area.selectionStart !== this.cursor) this.close();
  }

  written({ inputType, data, isComposing }) {
    const typed = inputType === "insertText" && !isComposing && WRITTEN.test(data || "");
    const removed = inputType === "deleteContentBackward" && this.isOpen;
    if (!typed && !removed) return this.close();
    const cursor = this.area.selectionStart;
    if (this.isOpen) {
      const begun = this.area.value.slice(this.start, cursor).toLowerCase();
      this.show(cursor > this.start ? this.words.filter(({ word }) => word.toLowerCase().startsWith(begun)) : []);
    }
    this.cursor = cursor;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.find(), PAUSE);
  }

  async find({ choose = -1 } = {}) {
    const cursor = this.area.selectionStart;
    this.cursor = cursor;
    const found = await this.names.find("complete").catch(() => null);
    if (!found || this.cursor !== cursor || document.activeElement !== this.area) return;
    this.start = found.start;
    const begun = this.area.value.slice(found.start, cursor);
    const isWhole = found.words.length === 1 && found.words[0].word === begun;
    const wasOpen = this.isOpen;
    this.show(isWhole ? [] : found.words, choose);
    this.cursor = cursor;
    if (this.isOpen && !wasOpen) say(`${this.words.length} completion${this.words.length > 1 ? "s" : ""}`);
  }

  /** Offer words; the selected word stays selected. */
  show(words, choose = -1) {
    const before = this.isOpen && this.chosen >= 0 ? this.words[this.chosen].word : null;
    this.words = words;
    if (!words.length) return this.close();
    this.element.hidden = false;
    this.first = 0;
    const kept = words.findIndex(({ word }) => word === before);
    this.choose(kept >= 0 ? kept : choose);
  }

  /** Select the word at a place, none for -1, and show it with its neighbours. */
  choose(place) {
    this.chosen = place;
    if (place >= 0) this.first = Math.max(place - SHOWN + 1, Math.min(this.first, place));
    const shown = this.words.slice(this.first, this.first + SHOWN);
    fill(this.element, shown.map((word, index) => this.option(word, this.first + index)));
    this.element.dataset.shown = this.words.length > SHOWN ? `${this.first + 1} to ${this.first + shown.length} of ${this.words.length}` : "";
    if (place >= 0) this.area.setAttribute("aria-activedescendant", `completion-${place}`);
    else this.area.removeAttribute("aria-activedescendant");
    this.place();
  }

  option({ word, kind, detail }, place) {
    const attributes = { role: "option", id: `completion-${place}`, "aria-selected": String(place === this.chosen), "aria-posinset": place + 1, "aria-setsize": this.words.length };
    // The text field keeps the focus.
    const on = { pointerdown: (event) => event.preventDefault(), click: () => this.accept(place) };
    return el("li", { ...attributes, on }, el("span", {}, word), el("span.detail", {}, detail === word ? kind : detail || kind));
  }

  accept(place) {
    const { word } = this.words[place];
    applyEdits(this.area, [{ start: this.start, end: this.area.selectionStart, replacement: word }], this.start + word.length);
    this.close();
  }

  pressed(event) {
    if (event.isComposing) return;
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.find({ choose: 0 });
      return;
    }
    if (!this.isOpen || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const count = this.words.length;
    if (event.key === "ArrowDown") this.choose((this.chosen + 1) % count);
    else if (event.key === "ArrowUp") this.choose(this.chosen <= 0 ? count - 1 : this.chosen - 1);
    else if (event.key === "Escape") this.close();
    else if (event.key === "Tab" || (event.key === "Enter" && this.chosen >= 0)) this.accept(Math.max(0, this.chosen));
    else return;
    event.preventDefault();
  }

  /** Place the list below the word, or above it if there is no room. */
  place() {
    if (!this.isOpen) return;
    const before = this.area.value.slice(0, this.start);
    const lines = before.split("\n");
    this.ruler.textContent = lines[lines.length - 1];
    const style = getComputedStyle(this.area);
    const height = parseFloat(style.lineHeight);
    const top = parseFloat(style.paddingTop) + (lines.length - 1) * height - this.area.scrollTop;
    const left = this.ruler.getBoundingClientRect().width - parseFloat(style.paddingRight) - this.area.scrollLeft;
    const below = top + height + this.element.offsetHeight <= this.area.clientHeight;
    this.element.style.top = `${below ? top + height : Math.max(0, top - this.element.offsetHeight)}px`;
    this.element.style.left = `${Math.max(0, Math.min(left, this.area.clientWidth - this.element.offsetWidth))}px`;
  }
}

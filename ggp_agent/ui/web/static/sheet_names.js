// Requests about the name at the cursor: its meaning, definition and renaming, and the words that may stand there.
import { post } from "./api.js";

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

// The running matches of a tournament: small boards side by side that follow the moves.
import { el, fill } from "./dom.js";

const REFRESH_MS = 1500;
// More running matches have no board, so that a page asks for few pictures.
const MOST = 12;

/** The boards; the caller inserts `place` and calls `end` at the end. */
export class LiveBoards {
  /**
   * @param {string} name - the name of the tournament.
   */
  constructor(name) {
    this.name = name;
    this.list = el("ul.livelist");
    this.place = el("section.panel", { hidden: true }, el("h2", {}, "Running matches"), this.list);
    this.boards = new Map();
    this.round = 0;
    this.timer = 0;
  }

  /** Show the running matches of a schedule. */
  update(schedule) {
    const running = schedule.filter((each) => each.state === "running" && each.record).slice(0, MOST);
    const wanted = new Set(running.map((each) => each.record));
    for (const record of this.boards.keys()) if (!wanted.has(record)) this.boards.delete(record);
    for (const each of running) if (!this.boards.has(each.record)) this.boards.set(each.record, this.board(each));
    fill(this.list, running.map((each) => this.boards.get(each.record).item));
    this.place.hidden = !running.length;
    this.timer = this.timer || setInterval(() => this.refresh(), REFRESH_MS);
    this.refresh();
  }

  board(each) {
    const picture = el("img", { alt: "", width: "160", height: "160" });
    const players = each.seats.map(({ role, player }) => `${role} ${player || "random"}`);
    const link = `#/played/${encodeURIComponent(this.name)}/${encodeURIComponent(each.record)}/end`;
    return { picture, item: el("li", {}, el("a", { href: link }, picture, el("strong", {}, `${each.title}, match ${each.number}`), el("span", {}, players.join(" – ")))) };
  }

  /** Load the pictures again; the browser keeps the previous picture until the new one is complete. */
  refresh() {
    this.round += 1;
    for (const [record, { picture }] of this.boards) {
      picture.src = `/api/tournaments/${encodeURIComponent(this.name)}/records/${encodeURIComponent(record)}/thumbnail?${this.round}`;
    }
  }

  end() {
    clearInterval(this.timer);
  }
}

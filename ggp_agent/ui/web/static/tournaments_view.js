// The list of tournaments, and the view of one: standings, cross table, ratings and schedule, also while it runs.
import { get } from "./api.js";
import { el, fill, say } from "./dom.js";
import { graph } from "./graph.js";
import { drawing } from "./svg.js";

const REFRESH_MS = 3000;
const BOARDS_MS = 1500;

/** Request a document regularly, and draw it when it has changed. Returns a function that stops this. */
async function watch(path, draw) {
  let before = "";
  async function look() {
    const found = await get(path);
    const text = JSON.stringify(found);
    if (text === before) return;
    before = text;
    draw(found);
  }
  await look();
  const timer = setInterval(() => look().catch(() => {}), REFRESH_MS);
  return () => clearInterval(timer);
}

// More running matches have no board, so that a page asks for few pictures.
const MOST = 12;

/** The running matches: small boards side by side that follow the moves. The caller inserts `place` and calls `end` at the end. */
class LiveBoards {
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
    this.timer = this.timer || setInterval(() => this.refresh(), BOARDS_MS);
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

function scrolled(label, table) {
  return el("div.scroll", { tabindex: "0", role: "region", "aria-label": label }, table);
}

function table({ title, heads, words, rows }) {
  const kind = (column) => (words[column] ? ".word" : "");
  return el("section.panel", {}, el("h2", {}, title), scrolled(title, el("table", { "aria-label": title },
    el("thead", {}, el("tr", {}, heads.map((text, column) => el(`th${kind(column)}`, { scope: "col" }, text)))),
    el("tbody", {}, rows.map(([first, ...others]) =>
      el("tr", {}, el("th", { scope: "row" }, first), others.map((text, column) => el(`td${kind(column + 1)}`, {}, text))))))));
}

/** Draw the ratings with their intervals. */
function intervals({ chart }) {
  return chart ? el("section.panel", {}, el("h2", {}, "Elo ratings with 95 % intervals"), drawing(chart)) : null;
}

function match(name, each) {
  const seats = each.seats.map(({ role, player, goal }) => `${role} ${player || "random"}${goal === null ? "" : ` ${goal}`}`).join(", ");
  const link = `#/played/${encodeURIComponent(name)}/${encodeURIComponent(each.record)}`;
  return el("tr", {},
    el("th", { scope: "row" }, each.record ? el("a", { href: link }, `match ${each.number}`) : `match ${each.number}`),
    el("td", {}, String(each.round)), el("td", {}, each.title), el("td", {}, seats),
    el("td", {}, each.reason ? `${each.state}: ${each.reason}` : each.state));
}

function ratings({ players, course }) {
  if (course.length < 2) return null;
  const series = players.map((name) => ({ name, points: course.filter(({ elo }) => name in elo).map(({ after, elo }) => [after, elo[name]]) }))
    .filter(({ points }) => points.length);
  const most = Math.ceil(Math.max(10, ...series.flatMap(({ points }) => points.map(([, y]) => Math.abs(y)))) / 50) * 50;
  const last = series.map(({ name, points }) => `${name} ${Math.round(points[points.length - 1][1])}`).join(", ");
  return el("section.panel", {}, el("h2", {}, "Elo ratings during the tournament"),
    graph({ label: `Elo ratings after each part of the tournament; at the end ${last}`, series, range: [-most, most], x: "comparisons" }));
}

/** The view of one tournament. */
export async function tournamentView(place, name) {
  const body = el("div.stack.tournament");
  const live = new LiveBoards(name);
  const title = el("h1");
  const lead = el("p.lead");
  fill(place, el("div.head", {}, el("div", {}, title, lead)), fill(body, el("p.waiting", {}, "Loading …")));
  const stop = await watch(`/api/tournaments/${encodeURIComponent(name)}`, (found) => {
    title.textContent = found.tournament;
    lead.textContent = found.summary;
    say(found.summary);
    const heads = ["match", "round", "game", "players and goals", "state"];
    live.update(found.schedule);
    fill(body, live.place, intervals(found), el("div.tables", {}, found.tables.map(table)), ratings(found),
      el("section.panel", {}, el("h2", {}, "Schedule: running, finished, waiting"), scrolled("Schedule", el("table.matches", { "aria-label": "Schedule" },
        el("thead", {}, el("tr", {}, heads.map((text) => el("th", { scope: "col" }, text)))),
        el("tbody", {}, found.schedule.map((each) => match(name, each)))))),
      found.remarks.length ? el("section.panel", {}, el("h2", {}, "Remarks"), el("ul", {}, found.remarks.map((text) => el("li", {}, text)))) : null);
  });
  return () => {
    stop();
    live.end();
  };
}

/** The list of tournaments. */
export async function tournamentsView(place) {
  const list = el("div.stack");
  const lead = el("p.lead");
  fill(place, el("div.head", {}, el("div", {}, el("h1", {}, "Tournaments"), lead)), list);
  return watch("/api/tournaments", ({ folder, tournaments }) => {
    lead.textContent = `Tournaments in the folder ${folder}`;
    fill(list, tournaments.length
      ? tournaments.map(({ name, tournament, summary }) =>
          el("section.panel", {}, el("h2", {}, el("a", { href: `#/tournament/${encodeURIComponent(name)}` }, tournament)), el("p", {}, summary)))
      : el("p.empty", {}, "There are no tournaments here. Start one with 'ggp-agent tournament FILE'; its state, FILE.db, is shown here."));
  });
}

// The recorded matches of the folder, the latest first, in pages.
import { get } from "./api.js";
import { button, choice, el, fill } from "./dom.js";

const REFRESH_MS = 3000;
// Matches on a page.
const SHOWN = 25;
const STATES = [["", "all matches"], ["complete", "complete"], ["running", "running"], ["aborted", "aborted"], ["not finished", "not finished"]];

/** Return who has won, with the goals. */
function outcome({ goals, roles }) {
  if (!goals.length) return "–";
  const text = goals.map((goal) => (goal === null ? "none" : goal)).join(" : ");
  const best = Math.max(...goals.filter((goal) => goal !== null));
  const winners = roles.filter((_, place) => goals[place] === best);
  return roles.length > 1 && winners.length === 1 ? `${winners[0]} won, ${text}` : text;
}

function row(record) {
  const players = record.roles.map((role, place) => `${role} ${record.players[place] || "?"}`).join(", ");
  const address = `/api/records/${encodeURIComponent(record.name)}/thumbnail?${record.turns}`;
  const link = el("a", { href: `#/match/${encodeURIComponent(record.name)}` }, record.title);
  return el("tr", { role: "row" },
    el("td.small", { role: "cell" }, el("img", { src: address, alt: "", loading: "lazy", width: "56", height: "56" })),
    el("th", { scope: "row", role: "rowheader" }, link),
    [["players", players], ["goals", outcome(record)], ["turns", String(record.turns)], ["state", record.state], ["date", record.date]]
      .map(([head, text]) => el("td", { role: "cell", "data-head": head }, text)));
}

/** The view. */
export async function matchesView(place) {
  const first = await get("/api/records");
  const { folder, unread, more } = first;
  let { records } = first;
  let from = 0;
  const search = el("input", { type: "search", placeholder: "Search: game, player, date …", "aria-label": "Search matches" });
  const state = choice(STATES, "", () => filter());
  state.setAttribute("aria-label", "State of the matches");
  const body = el("tbody", { role: "rowgroup" });
  const number = el("span.note", { role: "status" });
  const newer = button("Newer", () => show(from - SHOWN));
  const older = button("Older", () => show(from + SHOWN));
  const pages = el("div.buttons", {}, newer, older, number);
  let fitting = [];
  function show(start) {
    from = Math.max(0, Math.min(start, SHOWN * Math.floor((fitting.length - 1) / SHOWN)));
    fill(body, fitting.slice(from, from + SHOWN).map(row));
    newer.disabled = !from;
    older.disabled = from + SHOWN >= fitting.length;
    newer.hidden = older.hidden = fitting.length <= SHOWN;
    number.textContent = fitting.length ? `${from + 1} to ${Math.min(from + SHOWN, fitting.length)} of ${fitting.length}` : "no match fits";
  }
  function filter(start = 0) {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    fitting = records.filter((each) => {
      const text = [each.title, each.game, each.match, each.date, each.state, ...each.players, ...each.roles].join(" ").toLowerCase();
      return (!state.value || each.state === state.value) && words.every((word) => text.includes(word));
    });
    show(start);
  }
  search.addEventListener("input", () => filter());
  filter();
  fill(
    place,
    el("div.head", {}, el("div", {}, el("h1", {}, "Matches"), el("p.lead", {}, `Records of the folder ${folder}`)), el("div.tools", {}, state, search)),
    records.length
      ? [el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Matches" },
          el("table.matches.listed", { role: "table" },
            el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ["board", "game", "players", "goals", "turns", "state", "date"].map((text) => el("th", { scope: "col" }, text)))),
            body)), pages]
      : el("p.empty", {}, "There are no records yet. ", el("a", { href: "#/" }, "Play a game"), " to see it here. Matches of 'ggp-agent match' and 'ggp-agent play' appear, too."),
    more ? el("p.note", {}, `and ${more} older records; 'ggp-agent records' lists all`) : null,
    unread.length ? el("details", {}, el("summary", {}, `${unread.length} files are not records`), el("ul", {}, unread.map((text) => el("li", {}, text)))) : null,
  );

  /** Show changed and new records. */
  async function refresh() {
    const found = await get("/api/records").catch(() => null);
    if (!found || JSON.stringify(found.records) === JSON.stringify(records)) return;
    const empty = !records.length;
    records = found.records;
    if (empty) dispatchEvent(new HashChangeEvent("hashchange")); // build the whole view again
    else filter(from);
  }

  // Running matches change; new matches are looked for when the page becomes visible.
  const timer = setInterval(() => !document.hidden && records.some((each) => each.state === "running") && refresh(), REFRESH_MS);
  const visible = () => document.hidden || refresh();
  document.addEventListener("visibilitychange", visible);
  addEventListener("focus", visible);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", visible);
    removeEventListener("focus", visible);
  };
}

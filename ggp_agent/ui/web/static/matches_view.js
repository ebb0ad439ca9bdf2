// The recorded matches of the folder, the latest first.
import { get } from "./api.js";
import { el, fill } from "./dom.js";

const REFRESH_MS = 3000;

function goals(record) {
  return record.goals.length ? record.goals.map((goal) => (goal === null ? "none" : goal)).join(" : ") : "–";
}

function row(record) {
  const players = record.roles.map((role, place) => `${role} ${record.players[place] || "?"}`).join(", ");
  const address = `/api/records/${encodeURIComponent(record.name)}/thumbnail?${record.turns}`;
  const link = el("a", { href: `#/match/${encodeURIComponent(record.name)}` }, record.title);
  return el("tr", { role: "row" },
    el("td.small", { role: "cell" }, el("img", { src: address, alt: "", loading: "lazy", width: "56", height: "56" })),
    el("th", { scope: "row", role: "rowheader" }, link),
    [["players", players], ["goals", goals(record)], ["turns", String(record.turns)], ["state", record.state], ["date", record.date]]
      .map(([head, text]) => el("td", { role: "cell", "data-head": head }, text)));
}

/** The view. */
export async function matchesView(place) {
  const first = await get("/api/records");
  const { folder, unread, more } = first;
  let { records } = first;
  const search = el("input", { type: "search", placeholder: "Search: game, player, date …", "aria-label": "Search matches" });
  const body = el("tbody", { role: "rowgroup" });
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    fill(body, records.filter((each) => {
      const text = [each.title, each.game, each.match, each.date, each.state, ...each.players, ...each.roles].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    }).map(row));
  };
  search.addEventListener("input", filter);
  filter();
  fill(
    place,
    el("div.head", {}, el("div", {}, el("h1", {}, "Matches"), el("p.lead", {}, `Records of the folder ${folder}`)), el("div.tools", {}, search)),
    records.length
      ? el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Matches" },
          el("table.matches.listed", { role: "table" },
            el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ["board", "game", "players", "goals", "turns", "state", "date"].map((text) => el("th", { scope: "col" }, text)))),
            body))
      : el("p.empty", {}, "There are no records yet. ", el("a", { href: "#/" }, "Play a game"), "to see it here. Matches of 'ggp-agent match' and 'ggp-agent play' appear, too."),
    more ? el("p.note", {}, `and ${more} older records; 'ggp-agent records' lists all`) : null,
    unread.length ? el("details", {}, el("summary", {}, `${unread.length} files are not records`), el("ul", {}, unread.map((text) => el("li", {}, text)))) : null,
  );
  // Update running matches, and show new ones.
  const timer = setInterval(async () => {
    const found = await get("/api/records").catch(() => null);
    if (!found || JSON.stringify(found.records) === JSON.stringify(records)) return;
    const empty = !records.length;
    records = found.records;
    if (empty) dispatchEvent(new HashChangeEvent("hashchange")); // build the whole view again
    else filter();
  }, REFRESH_MS);
  return () => clearInterval(timer);
}

// Choose a game: from the catalogue with pictures and a search field, or from a rule sheet.
import { get } from "./api.js";
import { button, el, fill, trouble } from "./dom.js";
import { setup } from "./setup.js";

const HIDDEN = "hidden information";
// The groups of the catalogue with their headings; a game without a group stands under the last one.
const GROUPS = [
  ["lines", "Lines"], ["races", "Races and collecting"], ["draughts", "Draughts and hunts"], ["territory", "Territory and connection"],
  ["battles", "Battles"], ["puzzles", "For one player"], ["hidden", "Hidden information"], ["", "Other games"],
];
const LATEST = "ggp-agent latest";
const MAX_LATEST = 4;

/** Return the names of the games that were chosen last, the latest first. */
const latest = () => JSON.parse(localStorage.getItem(LATEST) || "[]");

/** Remember the choice of a game, and show the dialog before it. */
function chosen(game) {
  localStorage.setItem(LATEST, JSON.stringify([game.name, ...latest().filter((name) => name !== game.name)].slice(0, MAX_LATEST)));
  setup(game);
}

function card(game, choose) {
  return el(
    "button.card",
    { type: "button", on: { click: () => choose(game) } },
    el("img", { src: game.picture, alt: "", loading: "lazy", width: "220", height: "180" }),
    el("strong", {}, game.title),
    el("span.kind", {}, `${game.kind} · ${game.board}`),
    game.hidden ? el("span.hides", {}, HIDDEN) : null,
    el("span.about", {}, game.description),
  );
}

/** Return how well the title of a game fits the words of a search: 0 if it begins with the whole words, 4 if a word is missing. */
function rank(game, words) {
  const title = [game.title, ...game.also].join(" ").toLowerCase();
  const parts = new Set(title.split(/[^a-z0-9]+/));
  const whole = words.every((word) => parts.has(word));
  if (title.startsWith(words[0])) return whole ? 0 : 2;
  if (whole) return 1;
  return words.every((word) => title.includes(word)) ? 3 : 4;
}

/** Return the rules of a selected file. */
async function opened(file) {
  if (file.size > 1_500_000) throw new Error(`${file.name} is too large for a rule sheet`);
  return { title: file.name.replace(/\.kif$/i, ""), text: await file.text() };
}

/** The view. */
export async function gamesView(place) {
  const { games } = await get("/api/catalogue");
  const list = el("div");
  const found = el("p.found", { "aria-live": "polite" });
  const search = el("input", { type: "search", placeholder: "Search: hex, one-player, 8x8 …", "aria-label": "Search games" });
  const file = el("input", { type: "file", accept: ".kif,.txt", hidden: true, "aria-label": "Rule sheet" });

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = games.filter((game) => {
      const text = [game.name, game.title, game.kind, game.board, game.description, game.hidden ? HIDDEN : "", ...game.also, ...game.roles].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (words.length) fitting.sort((one, other) => rank(one, words) - rank(other, words));
    const section = (title, some) => (some.length ? [title ? el("h2.group", {}, title) : null, el("div.cards", {}, some.map((game) => card(game, chosen)))] : []);
    if (words.length) fill(list, section("", fitting));
    else {
      const last = latest().map((name) => games.find((game) => game.name === name)).filter(Boolean);
      const known = new Set(GROUPS.map(([group]) => group));
      fill(list, section("Last played", last),
        GROUPS.map(([group, title]) => section(title, fitting.filter((game) => (known.has(game.group) ? game.group : "") === group))));
    }
    found.textContent = words.length ? `${fitting.length} of ${games.length} games` : "";
  }

  search.addEventListener("input", filter);
  file.addEventListener("change", async () => {
    try {
      if (file.files.length) setup(await opened(file.files[0]));
    } catch (error) {
      trouble(error.message);
    }
    file.value = "";
  });
  filter();
  fill(
    place,
    el("div.head", {},
      el("div", {}, el("h1", {}, "Choose a game"), el("p.lead", {}, "Play it against the agent, and see its thoughts.")),
      el("div.tools", {}, search, el("a.button", { href: "#/puzzles" }, "Puzzles"), button("Open a rule sheet …", () => file.click()), file),
    ),
    found,
    list,
  );
}

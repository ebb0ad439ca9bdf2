// Choose a game: from the catalogue with pictures and a search field, or from a rule sheet.
import { get } from "./api.js";
import { button, el, fill, trouble } from "./dom.js";
import { setup } from "./setup.js";

const HIDDEN = "hidden information";

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
  const title = game.title.toLowerCase();
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
  const list = el("div.cards");
  const found = el("p.found", { "aria-live": "polite" });
  const search = el("input", { type: "search", placeholder: "Search: hex, one-player, 8x8 …", "aria-label": "Search games" });
  const file = el("input", { type: "file", accept: ".kif,.txt", hidden: true, "aria-label": "Rule sheet" });

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = games.filter((game) => {
      const text = [game.name, game.title, game.kind, game.board, game.description, game.hidden ? HIDDEN : "", ...game.roles].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (words.length) fitting.sort((one, other) => rank(one, words) - rank(other, words));
    fill(list, fitting.map((game) => card(game, setup)));
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
      el("div.tools", {}, search, button("Open a rule sheet …", () => file.click()), file),
    ),
    found,
    list,
  );
}

// The dialog before a game: the player of each role, and the thinking time of the agent.
import { get, post } from "./api.js";
import { button, choice, el, fill, labelled } from "./dom.js";

const PLAYERS = [["person", "you"], ["agent", "the agent, full strength"], ["random", "random moves"]];
// Names and simulations for each move of weaker agents. docs/methods/search.md has their distances in Elo.
const LEVELS = [["strong", 1000], ["medium", 100], ["easy", 10], ["beginner", 1]];
const SECONDS = [["0.5", "half a second"], ["1", "1 second"], ["2", "2 seconds"], ["5", "5 seconds"], ["15", "15 seconds"], ["60", "a minute"]];
// What searches of the listed configurations use.
const ABOUT = { uniform: "random play-outs only", learned: "its learned network" };
const KEPT = "ggp-agent seconds";
const PACES = [["1", "at least a second"], ["3", "at least three seconds"], ["0", "as long as the agents think"]];

/**
 * Show the dialog, then start the game.
 * @param {Object} game - title, word, roles and `hidden` of a game of the catalogue; or title and text of a rule sheet; or `from`, a
 *   running game. `position` has the fluents of the first state; `record` is a match to continue, `turn` the turn after which the new game starts.
 */
export async function setup(game) {
  let roles = game.roles;
  const dialog = el("dialog", { "aria-labelledby": "setup-title" });
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  const wrong = el("p.wrong", { role: "alert" });
  const close = button("Cancel", () => dialog.close());
  fill(dialog, el("h2", { id: "setup-title" }, game.title), el("p", {}, "Loading the rules …"), wrong, close);
  dialog.showModal();
  if (!roles) {
    try {
      const seen = await post("/api/sheets", { text: game.text });
      if (!seen.roles.length) throw new Error(seen.problem || "these rules have no roles");
      roles = seen.roles;
    } catch (error) {
      wrong.textContent = `${error.message}. “Write rules” shows the errors.`;
      return;
    }
  }
  const { configurations, guests } = await get("/api/configurations").catch(() => ({ configurations: [] }));
  const levels = game.hidden ? [] : LEVELS.map(([level, count]) => [`agent:${count} simulations`, `the agent, ${level}: ${count.toLocaleString("en")} ${count > 1 ? "simulations" : "simulation"} a move`]);
  const [you, full, random] = PLAYERS;
  const guest = guests && !game.hidden ? [["guest", "another person, with a link"]] : [];
  const players = [you, ...guest, full, ...levels, random, ...configurations.map((name) => [`agent:${name}`, `the agent, ${ABOUT[name] || name}`])];
  const playing = roles.filter((role) => role.toLowerCase() !== "random");
  const seats = new Map(playing.map((role, place) => [role, choice(players, place ? "agent" : "person", () => game.hidden && alone(role))]));
  /** In a game with hidden information one person plays: let the agent play the other roles of persons. */
  const alone = (chosen) => {
    for (const [role, seat] of seats) if (role !== chosen && seat.value === "person" && seats.get(chosen).value === "person") seat.value = "agent";
  };
  const seconds = choice(SECONDS, localStorage.getItem(KEPT) || "2");
  const pace = choice(PACES, "1");
  const begin = async (event) => {
    event.preventDefault();
    localStorage.setItem(KEPT, seconds.value);
    const chosen = Object.fromEntries([...seats].map(([role, seat]) => [role, seat.value]));
    const rules = game.from ? { from: game.from } : game.text ? { text: game.text, name: game.title, appearance: game.appearance || "" } : { game: game.word };
    if (game.record) Object.assign(rules, { record: game.record, tournament: game.tournament || "" });
    if (game.turn !== undefined) rules.turn = game.turn;
    if (game.position) rules.position = JSON.stringify(game.position);
    try {
      const { id, tokens } = await post("/api/games", { ...rules, players: chosen, seconds: Number(seconds.value), pace: Number(pace.value) });
      dialog.close();
      const own = Object.keys(tokens).find((role) => chosen[role] === "person");
      if (own) sessionStorage.setItem(`seats ${id}`, JSON.stringify(tokens));
      location.hash = own ? `#/play/${id}/${tokens[own]}` : `#/play/${id}`;
    } catch (error) {
      wrong.textContent = error.message;
    }
  };
  fill(
    dialog,
    el("form", { on: { submit: begin } },
      el("h2", { id: "setup-title" }, game.title),
      game.description ? el("p", {}, game.description) : null,
      game.hidden ? el("p.note", {}, "This game hides information: one person plays one role. If you watch, you see everything.") : null,
      [...seats].map(([role, seat]) => labelled(role, seat)),
      labelled("At full strength the agent thinks", seconds),
      labelled("Without a person a turn takes", pace),
      wrong,
      el("div.buttons", {}, el("button.main", { type: "submit" }, "Play"), close,
        game.sheet && !game.hidden ? el("a.button", { href: `#/set/${encodeURIComponent(game.word)}`, on: { click: () => dialog.close() } }, "Set up a position") : null),
    ),
  );
  dialog.querySelector(".main").focus();
}

// One recorded match: step through it, follow it while it is running, analyse it, or continue from a turn.
import { get, post } from "./api.js";
import { button, el, fill, trouble } from "./dom.js";
import { MatchViewer } from "./match_viewer.js";
import { setup } from "./setup.js";

const FOLLOW_MS = 1500;
const PROGRESS_MS = 600;

/** The view. */
export async function replayView(place, name, at, tournament = "") {
  const folder = tournament ? `/api/tournaments/${encodeURIComponent(tournament)}/records` : "/api/records";
  const path = `${folder}/${encodeURIComponent(name)}`;
  const own = tournament ? `#/played/${encodeURIComponent(tournament)}` : "#/match";
  const viewer = new MatchViewer(await get(path), (turn) => get(`${path}/turns/${turn}`), (turn) =>
    history.replaceState(null, "", `${own}/${encodeURIComponent(name)}/${turn}`),
  (turn, role) => (viewer.match.rules ? get(`${path}/turns/${turn}/${encodeURIComponent(role)}`).then((found) => found.known) : Promise.resolve(null)));

  /** Update a running match; if its last turn is shown, show new turns. */
  async function follow() {
    const before = viewer.match;
    const match = await get(path).catch(() => before);
    if (match.moves.length === before.moves.length && match.completed === before.completed && match.aborted === before.aborted) return;
    const atEnd = viewer.turn === before.turns;
    viewer.update(match);
    viewer.go(atEnd ? match.turns : viewer.turn);
  }

  /** Return why the match cannot be analysed or continued; empty if it can. */
  function obstacle() {
    const { percepts, rules } = viewer.match;
    if (percepts.length) return "This game hides information: its matches cannot be analysed or continued here.";
    return rules ? "" : "This match cannot be analysed or continued: its rules are not in the catalogue and are not stored with the record.";
  }

  const shown = () => ({ title: `${viewer.match.title}, after turn ${viewer.turn}`, word: viewer.match.word, roles: viewer.match.roles, record: name, turn: viewer.turn, tournament });

  async function analyse() {
    const { roles, word } = viewer.match;
    const players = Object.fromEntries(roles.map((role) => [role, role.toLowerCase() === "random" ? "random" : "person"]));
    try {
      const { id } = await post("/api/games", { game: word, players, record: name, turn: viewer.turn, tournament, analysing: true });
      location.hash = `#/play/${id}`;
    } catch (error) {
      trouble(error.message);
    }
  }

  const verdict = el("p.note", { role: "status" });
  const search = button("Analyse the match", analyseAll);
  let asking = 0;

  /** Start the analysis of all positions, and show its values as they arrive. */
  async function analyseAll() {
    try {
      await post(`${path}/analysis`, { seconds: 0.5 });
      search.disabled = true;
      clearInterval(asking);
      asking = setInterval(progress, PROGRESS_MS);
    } catch (error) {
      trouble(error.message);
    }
  }

  async function progress() {
    const state = await get(`${path}/analysis`).catch(() => null);
    if (!state || (!state.running && !state.count && !state.problem)) return;
    if (state.running) {
      viewer.update({ ...viewer.match, values: state.values, losses: [] });
      verdict.textContent = `Searching: ${state.done} of ${state.count || "?"} positions`;
      return;
    }
    clearInterval(asking);
    search.disabled = false;
    viewer.update(await get(path).catch(() => viewer.match));
    verdict.textContent = state.problem || "All positions were searched; the turns that lost most are marked.";
    if (!viewer.turn) viewer.nextLoss(-1);
  }

  const match = viewer.match;
  const open = !obstacle();
  const press = (event) => viewer.pressed(event);
  addEventListener("keydown", press);
  fill(
    place,
    el("div.head", {}, el("h1", {}, match.title), viewer.players),
    el("div.play", {},
      el("div.left", {}, viewer.state, viewer.board, viewer.buttons, viewer.slider, viewer.beside),
      el("div.right", {}, viewer.sight, viewer.graph, viewer.blunders,
        open ? el("div.buttons", {}, search, verdict) : null,
        el("section.panel", {}, el("h2", {}, "Moves"), viewer.moves),
        open ? null : el("p.note", {}, obstacle()),
        open ? el("div.buttons", {}, button("Analyse this position", analyse), button("Continue from here …", () => setup(shown()))) : null,
        el("div.buttons", {},
          el("a.button", { href: `${path}/file`, download: `${name}.json` }, "Download the record"),
          el("a.button", { href: `${path}/page`, download: `${name}.html` }, "… as a page"),
          match.board ? el("a.button", { href: `${path}/animation`, download: `${name}.svg` }, "… as an animation") : null))),
  );
  await viewer.go(at === "end" ? viewer.match.turns : Number(at) || 0);
  // An analysis may be running, for instance of a game that is reviewed.
  if (open && (await get(`${path}/analysis`)).running) {
    search.disabled = true;
    asking = setInterval(progress, PROGRESS_MS);
  }
  const following = setInterval(() => viewer.match.completed || viewer.match.aborted || follow(), FOLLOW_MS);
  return () => {
    clearInterval(following);
    clearInterval(asking);
    viewer.end();
    removeEventListener("keydown", press);
  };
}

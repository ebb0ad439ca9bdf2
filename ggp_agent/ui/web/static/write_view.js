// The editor of rules: line numbers, the findings of `check` while the user types, the first position, the findings of
// random games, and the functions for the name at the cursor.
import { get, post, text as textOf } from "./api.js";
import { AppearanceForm } from "./appearance_form.js";
import { CompletionList } from "./completion_list.js";
import { button, el, fill, plain, say, trouble } from "./dom.js";
import { facts } from "./facts.js";
import { Findings } from "./findings.js";
import { paint } from "./kif_paint.js";
import { setup } from "./setup.js";
import { MeaningPanel, renameDialog, SheetNames } from "./sheet_names.js";
import { drawing } from "./svg.js";
import { applyEdits } from "./text_edits.js";

const KEPT = "ggp-agent rules";
const PAUSE = 500;
const NEW = "new";
const SMALL_GAME = `; Take one or two of five sticks in turn. The last stick wins.
(role left) (role right) (other left right) (other right left)
(init (sticks 5)) (init (turn left))
(minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
(minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)

(<= (legal ?r (take ?n)) (true (turn ?r)) (true (sticks ?s)) (minus ?s ?n ?rest))
(<= (legal ?r noop) (other ?r ?o) (true (turn ?o)))
(<= (next (sticks ?rest)) (does ?r (take ?n)) (true (sticks ?s)) (minus ?s ?n ?rest))
(<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o))

(<= terminal (true (sticks 0)))
(<= (goal ?r 100) (true (sticks 0)) (other ?r ?o) (true (turn ?o)))
(<= (goal ?r 0) (true (sticks 0)) (true (turn ?r)))
`;

function legal(role, moves, more) {
  return el("p", {}, el("strong", {}, `${role}: `), moves.map(plain).join(" · ") || "no legal move", more ? ` and ${more} more` : "");
}

/** The view. */
export async function writeView(place) {
  const { games } = await get("/api/catalogue");
  const area = el("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": "Rules in GDL", wrap: "off" });
  const colours = el("pre.paint", { "aria-hidden": "true" });
  const numbers = el("pre.numbers", { "aria-hidden": "true" });
  const findings = new Findings(show, fix);
  const names = new SheetNames(area);
  const completions = new CompletionList(names);
  const meaning = new MeaningPanel(names, rename, define);
  const seen = el("div.seen");
  const appearance = new AppearanceForm(() => look());
  const from = el("select", { "aria-label": "Begin with a game of the catalogue" },
    el("option", { value: "" }, "Begin with …"), el("option", { value: NEW }, "A small game"), games.filter((game) => game.sheet).map((game) => el("option", { value: game.name }, game.title)));
  const run = button("Play it", () => setup({ title: "my_game", text: area.value, appearance: appearance.toml() }), { class: "main" });
  let timer = 0;
  let asked = 0;
  let playing = false;
  let examined = ""; // the text whose findings are shown
  let checked = null; // the text of the last check, until its random games are shown
  let marks = new Map();

  function number() {
    const lines = area.value.split("\n").length;
    fill(numbers, Array.from({ length: lines }, (_, line) => {
      const severity = marks.get(line + 1);
      return el(`span${severity ? `.${severity}` : ""}`, {}, `${severity ? "● " : ""}${line + 1}\n`);
    }));
    area.classList.toggle("painted", paint(colours, area.value));
    scrolled();
  }

  function scrolled() {
    numbers.scrollTop = colours.scrollTop = area.scrollTop;
    colours.scrollLeft = area.scrollLeft;
  }

  function show(line, column) {
    const start = area.value.split("\n").slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    select(start + Math.max(0, column - 1), start + column);
  }

  /** Select a part of the text and scroll to its line. */
  function select(start, end) {
    const line = area.value.slice(0, start).split("\n").length;
    area.focus();
    area.setSelectionRange(start, end);
    area.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(area).lineHeight));
  }

  function apply(edits, cursor) {
    applyEdits(area, edits, cursor);
    completions.close();
  }

  function fix({ title, edits }) {
    if (area.value !== examined) return say("The text has changed: it is checked first");
    apply(edits, edits[0].start);
    say(`Done: ${title}`);
  }

  async function rename() {
    try {
      await renameDialog(names, apply);
    } catch (error) {
      meaning.fail(error.message);
    }
  }

  async function define() {
    try {
      const found = await names.find("definition");
      if (!found) return;
      if (found.definition) select(...found.definition);
      else meaning.fail("there is no definition of a name here");
    } catch (error) {
      meaning.fail(error.message);
    }
  }

  /** The cursor has moved. */
  function moved() {
    if (document.activeElement !== area) return;
    completions.moved();
    meaning.moved();
  }

  function pressed(event) {
    const command = { F2: rename, F12: define }[event.key];
    if (!command || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    command();
  }

  async function look() {
    const ask = ++asked;
    const text = area.value;
    checked = null;
    if (!area.value.trim()) {
      marks = new Map();
      findings.check([], { playing: false });
      findings.wait("");
      run.disabled = true;
      fill(seen, el("p.empty", {}, "Write rules, or begin with the rules of a game. The first position is drawn here."));
      number();
      return;
    }
    findings.wait("Checking …");
    try {
      const answer = await post("/api/sheets", { text, appearance: appearance.toml() });
      if (ask !== asked) return;
      examined = text;
      marks = new Map(answer.findings.map((each) => [each.line, each.severity]).reverse());
      for (const each of answer.findings) if (each.severity === "error") marks.set(each.line, "error");
      const playable = !answer.problem && !answer.findings.some((each) => each.severity === "error");
      run.disabled = !playable;
      findings.check(answer.findings, { playing: playable });
      fill(seen,
        answer.problem ? el("p.wrong", {}, answer.problem) : null,
        drawing(answer.svg), facts(answer.facts, { alone: !answer.svg }),
        Object.entries(answer.legal).map(([role, moves]) => legal(role, moves, answer.more[role])));
      number();
      appearance.show(answer);
      if (playable) play(text);
    } catch (error) {
      findings.wait("");
      trouble(error.message);
    }
  }

  /** Play a checked text at random on the server, one text at a time; after a change the newest text is next. */
  async function play(text) {
    checked = text;
    if (playing) return;
    playing = true;
    try {
      while (checked !== null && area.isConnected) {
        const played = checked;
        const result = await post("/api/sheets/games", { text: played });
        if (played === checked) {
          checked = null;
          findings.play(result);
        }
      }
    } catch (error) {
      trouble(error.message);
    } finally {
      playing = false;
    }
  }

  function changed() {
    localStorage.setItem(KEPT, area.value);
    number();
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  }

  function download() {
    const link = el("a", { href: URL.createObjectURL(new Blob([area.value], { type: "text/plain" })), download: "my_game.kif" });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  from.addEventListener("change", async () => {
    if (!from.value || (area.value.trim() && !confirm("This replaces the text in the editor. Continue?"))) return;
    area.value = from.value === NEW ? SMALL_GAME : await textOf(`/api/rules/${from.value}`);
    from.value = "";
    changed();
    say("The rules are loaded");
  });
  area.addEventListener("input", changed);
  area.addEventListener("scroll", scrolled);
  area.addEventListener("keydown", pressed);
  area.addEventListener("click", (event) => (event.ctrlKey || event.metaKey) && define());
  document.addEventListener("selectionchange", moved);
  area.value = localStorage.getItem(KEPT) || "";
  fill(
    place,
    el("div.head", {},
      el("div", {}, el("h1", {}, "Write rules"), el("p.lead", {}, "The rules are checked as you type, on this machine, and stored in this browser.")),
      el("div.tools", {}, from, run, button("Download", download))),
    el("div.write", {},
      el("div.left", {}, el("div.editor", {}, numbers, el("div.sheet", {}, colours, area, completions.ruler, completions.element)), meaning.element),
      el("div.right", {}, findings.verdict, findings.list, el("section.panel", {}, el("h2", {}, "The first position"), seen), appearance.element)),
  );
  number();
  await look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener("selectionchange", moved);
    completions.close();
    meaning.close();
  };
}

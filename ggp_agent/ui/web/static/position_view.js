// Set up a position: the fluents of each cell, the other fluents, or a text; then play or analyse it, or take its picture.
import { post } from "./api.js";
import { cellsOf, choosable, ring, unring } from "./board.js";
import { button, el, fill, plain, say, trouble } from "./dom.js";
import { setup } from "./setup.js";
import { drawing } from "./svg.js";

/** Return the address of a position of a game. */
export const positionAddress = (word, fluents) => `#/set/${encodeURIComponent(word)}/${encodeURIComponent(fluents.join(" "))}`;

/** Save a file of the page. */
function save(name, address) {
  el("a", { href: address, download: name }).click();
}

/** Return the buttons that save the picture of a position as SVG or as PNG. */
export function pictureButtons(name, svg) {
  const address = () => `data:image/svg+xml,${encodeURIComponent(svg())}`;
  async function png() {
    const picture = new Image();
    const { width, height } = drawing(svg()).viewBox.baseVal;
    picture.src = address();
    await picture.decode();
    const canvas = el("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    save(`${name}.png`, canvas.toDataURL("image/png"));
  }
  return [button("Picture as SVG", () => save(`${name}.svg`, address())), button("as PNG", png)];
}

/** The view of a position of a game of the catalogue; without fluents it is the initial one. */
export async function positionView(place, word, text) {
  let position = await post("/api/positions", text === undefined ? { game: word } : { game: word, text });
  let taken = "";
  const name = word.replace("fast:", "");
  const board = el("div.boardbox");
  const cell = el("section.panel", { hidden: true });
  const others = el("section.panel");
  const verdict = el("p.state", { role: "status" });
  const written = el("textarea.fluents", { rows: "6", spellcheck: "false", "aria-label": "The fluents of the position" });
  const play = button("Play or analyse …", () => setup({ title: `${name}, from this position`, word, roles: position.roles, position: position.fluents }), { class: "main" });

  async function change(fluents) {
    try {
      trouble("");
      position = await post("/api/positions", { game: word, text: Array.isArray(fluents) ? JSON.stringify(fluents) : fluents });
      history.replaceState(null, "", positionAddress(word, position.fluents));
      draw();
    } catch (error) {
      trouble(error.message);
    }
  }

  const relation = (fluent) => plain(fluent).split(" ")[0];
  /** Return the fluents with one added; it replaces those of the same relation in a group where only one can be true. */
  const chosen = (fluent, group, alone) => {
    if (position.fluents.includes(fluent)) return position.fluents.filter((each) => each !== fluent);
    const left = alone ? position.fluents.filter((each) => !group.includes(each) || relation(each) !== relation(fluent)) : position.fluents;
    return [...left, fluent];
  };
  const chips = (group, alone) => el("div.moves", {}, group.map((fluent) =>
    button(plain(fluent), () => change(chosen(fluent, group, alone)), { "aria-pressed": String(position.fluents.includes(fluent)) })));

  function drawCell() {
    const group = position.cells[taken] || [];
    cell.hidden = !group.length;
    if (cell.hidden) return;
    fill(cell, el("h2", {}, `Cell ${taken}`), chips(group, true),
      button("Nothing", () => change(position.fluents.filter((each) => !group.includes(each)))));
  }

  function choose(of) {
    taken = of;
    drawCell();
    mark();
    say(`cell ${of} is selected`);
  }

  function mark() {
    const made = board.querySelector("svg");
    if (!made) return;
    unring(made);
    if (taken) ring(made, [taken], "taken");
  }

  function draw() {
    const made = drawing(position.svg);
    fill(board, made || []);
    board.hidden = !made;
    if (made) {
      choosable(made, choose, document.activeElement?.dataset?.cell);
      for (const each of cellsOf(made).values()) each.classList.add("open");
      mark();
    }
    drawCell();
    const one = (group) => position.initial.filter((each) => group.includes(each)).length === 1;
    fill(others, el("h2", {}, "Other facts"), Object.entries(position.others).map(([title, group]) =>
      el("div", {}, el("h3", {}, title), chips(group, one(group)))));
    others.hidden = !Object.keys(position.others).length;
    written.value = position.fluents.join("\n");
    const moves = Object.entries(position.legal).map(([role, count]) => `${role} ${count}`).join(", ");
    fill(verdict, el("strong", {}, position.problem || (position.over ? "The game is over here." : `Legal moves: ${moves}`)));
    play.disabled = Boolean(position.problem) || position.over;
  }

  draw();
  fill(place,
    el("div.head", {}, el("h1", {}, `A position of ${name}`)),
    el("div.play", {},
      el("div.left", {}, verdict, board, cell,
        el("div.buttons", {}, play, button("Initial position", () => change(position.initial)),
          button("Empty", () => change(position.fluents.filter((each) => !Object.values(position.cells).flat().includes(each)))))),
      el("div.right", {}, others,
        el("section.panel", {}, el("h2", {}, "As text"), el("p.note", {}, "Fluents in KIF, or JSON of State.to_dict()."), written,
          el("div.buttons", {}, button("Use this text", () => change(written.value)))),
        el("section.panel", {}, el("h2", {}, "Share"), el("p.note", {}, "The address of this page is a link to the position."),
          el("div.buttons", {}, button("Copy the link", () => navigator.clipboard.writeText(location.href).then(() => say("copied"))),
            pictureButtons(name, () => position.svg))))));
}

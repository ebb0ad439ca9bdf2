// Puzzles: positions in which one move wins. The person plays the move.
import { get } from "./api.js";
import { flip, isAbove } from "./board.js";
import { CellChoice } from "./cell_choice.js";
import { button, el, fill, knowCells, say, spoken } from "./dom.js";
import { facts } from "./facts.js";
import { MovesList } from "./moves_list.js";
import { positionAddress } from "./position_view.js";
import { slide } from "./slide.js";
import { drawing } from "./svg.js";

const NONE = "The page has no puzzles. Write a file of puzzles with “ggp-agent records puzzles matches --json > puzzles.json”, then start the page with “ggp-agent web --puzzles puzzles.json”.";

/** The view of one puzzle; the first one has the number 1. */
export async function puzzlesView(place, wanted = "1") {
  const puzzle = await get(`/api/puzzles/${encodeURIComponent(wanted)}`);
  if (!puzzle.count) {
    fill(place, el("div.head", {}, el("h1", {}, "Puzzles")), el("p.empty", {}, NONE));
    return null;
  }
  const { game, number, count, title, role, simulations, solution } = puzzle;
  const state = el("p.state");
  const board = el("div.boardbox");
  const beside = el("div");
  const refused = el("p.note.refused", { role: "status" });
  const next = el("a.button", { href: `#/puzzles/${(number % count) + 1}` }, "Next puzzle");
  const show = button("Show the solution", () => solve(`The solution is ${spoken(solution)}.`));
  const list = new MovesList(play);
  const choice = new CellChoice(list, play, (text) => { refused.textContent = text; });

  function draw({ svg, facts: groups }) {
    const [made, before] = [drawing(svg), board.firstElementChild];
    fill(board, made || []);
    board.hidden = !made;
    if (made && isAbove(made, puzzle.opening, role)) flip(made);
    fill(beside, facts(groups, { alone: !made }) || []);
    if (made) slide(made, before);
    return made;
  }

  function report(text) {
    fill(state, el("strong", {}, text));
    say(text);
  }

  function play(_, move) {
    if (move === solution) return solve(`Solved: ${spoken(move)} wins.`);
    choice.release();
    return report(`${spoken(move)} ${puzzle.verdicts[move]}; try again.`);
  }

  function solve(text) {
    choice.allow("", []);
    list.show("", []);
    draw(puzzle.solved);
    state.classList.add("over");
    show.hidden = true;
    report(text);
    next.focus();
  }

  knowCells(puzzle.svg);
  choice.allow(role, puzzle.legal);
  list.show(role, puzzle.legal);
  choice.attach(draw(puzzle));
  report(`${role} moves and wins: find the only winning move.`);
  fill(place,
    el("div.head", {}, el("h1", {}, `${title}: puzzle ${number} of ${count.toLocaleString("en")}`),
      el("p.lead", {}, `A search proves the win after ${simulations.toLocaleString("en")} simulations.`)),
    el("div.play", {},
      el("div.left", {}, state, board, refused,
        el("div.buttons", {}, next, show, el("a.button", { href: positionAddress(game, puzzle.fluents) }, "Play or analyse this position")), beside),
      el("div.right", {}, list.element)));
  const press = (event) => event.key === "Escape" && choice.release();
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}

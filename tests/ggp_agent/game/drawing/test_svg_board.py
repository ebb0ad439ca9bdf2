"""Boards as SVG: over the catalogue and public sheets, and what they show."""

from __future__ import annotations

import gzip
import importlib
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from places import CORPUS, ROOT
from quick import few

from gdl import ReferenceMachine, load_machine, parse_sheet, read_sheet
from ggp_agent.game.drawing.game_drawing import GameDrawing
from ggp_agent.game.drawing.svg_board import SvgBoard
from ggp_agent.game.load import load_game
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_games
from kif_games import catalogue, guide, rules

BOARDS = ROOT / "ggp_agent" / "ui" / "web" / "static" / "boards"
TRACES = sorted((CORPUS / "traces").glob("*.json.gz"))
# Every ninth public sheet, so that the tests stay quick, and those with hexagons.
SAMPLE = [*TRACES[::9], *(trace for trace in TRACES if trace.name.startswith(("crossers3.", "laikLee_hex.")))]


def cells(svg: str) -> dict[str, str]:
    """Return what the picture says stands on each cell."""
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g")
    named = (cell for cell in found if cell.get("data-cell"))
    return {str(cell.get("data-cell")): str(cell.get("aria-label")).partition(": ")[2] for cell in named}


@pytest.mark.parametrize("name", [name for name, entry in catalogue().items() if not entry.hidden])
def test_every_game_of_the_catalogue_has_a_board(name: str) -> None:
    machine = ReferenceMachine(parse_sheet(rules(name)))
    states = [machine.initial()]
    for _ in range(2):
        states.append(machine.next(states[-1], [machine.legal(states[-1], role)[0] for role in machine.roles]))
    stored = cells((BOARDS / f"{name}.svg").read_text())
    fluents = [machine.fluents(state) for state in states]
    known = {fluent for each in fluents for fluent in each}
    board = SvgBoard.of(machine.roles, known, fluents[0], guide(name), parse_sheet(rules(name)))
    pictures = [board.picture(each, fluents[0]) for each in fluents]
    assert len(stored) >= 9
    if guide(name).map:  # known without the fluents that a compiled network would add
        assert [len(cells(picture.svg)) for picture in pictures] == [len(stored)] * 3


@pytest.mark.parametrize("name", ["tic_tac_toe", "eight_puzzle", "kalah"])
def test_the_stored_pictures_are_those_that_are_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    picture_of = importlib.import_module("draw_boards").picture_of
    assert picture_of(name) == (BOARDS / f"{name}.svg").read_text(), "draw them again: python tools/draw_boards.py"


@pytest.mark.parametrize("name", native_games())
def test_hand_coded_games_draw_what_their_board_shows(name: str) -> None:
    game = load_game(f"fast:{name}")
    machine = game.machine()
    assert isinstance(machine, NativeMachine)
    drawing = GameDrawing(machine, game.guide)
    state = machine.initial()
    mover = machine.game.mover(state)
    moves = [machine.legal(state, role)[0] for role in machine.roles]
    after = machine.next(state, moves)
    picture = drawing.picture(after, state, moves)
    shown = cells(picture.svg)
    touched = drawing.cells_of(mover, moves[machine.roles.index(mover)])
    assert touched and set(touched) <= set(shown)
    pieces = sum(text != "empty" for text in shown.values())
    board = machine.game.board(after)
    if name.startswith(("breakthrough", "lines_of_action")):
        rows = [line.split()[1:] for line in board.splitlines() if line.lstrip()[:1].isdigit()]
        assert pieces == sum(word != "." for row in rows for word in row)
    assert pieces > 0


@pytest.mark.skipif(not TRACES, reason=f"the corpus {CORPUS} is not there")
@pytest.mark.parametrize("trace", few(SAMPLE, 8), ids=lambda path: path.name.partition(".")[0])
def test_public_sheets_are_drawn_without_an_error(trace: Path) -> None:
    with gzip.open(trace) as file:
        found: dict[str, Any] = json.load(file)
    steps = [step for playout in found["playouts"][:2] for step in playout["steps"]]
    states = [found["init"], *(step["next"] for step in steps if "next" in step)]
    sheet = read_sheet(CORPUS / "rules" / f"{found['game']}.kif")
    known = {fluent for state in states for fluent in state}
    board = SvgBoard.of(found["roles"], known, found["init"], None, sheet)
    for before, state in pairwise(states[:4]):
        picture = board.picture(state, before)
        texts = {text for group in picture.facts for text, _ in group.items}
        if picture.svg:
            names = set(cells(picture.svg))
            moves = [move for step in steps[:3] for legal in step.get("legal", []) for move in legal]
            assert all(set(board.cells_of(move)) <= names for move in moves)
        else:
            assert len(texts) <= len(state)
    hexagonal = trace.name.startswith(("crossers3.", "laikLee_hex."))
    assert ("<polygon" in board.picture(states[0]).svg) == hexagonal


def test_the_last_move_and_what_changed_are_marked() -> None:
    machine = load_machine(parse_sheet(rules("tic_tac_toe")), "network")
    drawing = GameDrawing(machine)  # type: ignore[arg-type]
    first = machine.initial()
    after = machine.next(first, ["(mark 2 2)", "noop"])
    svg = drawing.picture(after, first, ["(mark 2 2)", "noop"]).svg  # type: ignore[arg-type]
    assert cells(svg)["2,2"] == "x" and list(cells(svg).values()).count("empty") == 8
    assert svg.count("stroke-dasharray") == 1 and svg.count("#f3c232") == 1


def test_the_cell_that_a_piece_reaches_is_the_end_of_a_move_that_names_its_start() -> None:
    game = load_game("eight_puzzle")
    machine = game.machine()
    first, moves = machine.initial(), ["(slide 3 2)"]
    svg = GameDrawing(machine, game.guide).picture(machine.next(first, moves), first, moves).svg
    assert re.findall(r'data-cell="(...)".*class="ground b3 (from|to)"', svg) == [("2,2", "to"), ("3,2", "from")]


def test_without_a_board_all_fluents_are_told_and_what_changed() -> None:
    board = SvgBoard.of(["robot"], ["(heap 3)", "(heap 2)", "(turn robot)", "done"], ["(heap 3)", "(turn robot)"])
    picture = board.picture(["(heap 2)", "(turn robot)"], ["(heap 3)", "(turn robot)"])
    assert picture.svg == ""
    assert {group.name: group.items for group in picture.facts} == {
        "heap": (("2", "+"),),
        "turn": (("robot", ""),),
    }


def test_beside_a_board_words_stand_for_relations_and_control_facts_are_hidden() -> None:
    game = load_game("english_draughts")
    machine = game.machine()
    start = machine.initial()
    facts = GameDrawing(machine, game.guide).picture(start).facts
    assert {"(moved black)", "(quiet 0)"} <= set(machine.fluents(start))
    assert [(group.name, group.items) for group in facts] == [("turns without progress", (("0", ""),))]


@pytest.mark.parametrize(
    ("columns", "rows", "is_board"),
    [
        ("1234567", "23456", True),
        ("10 20 30", "100 200 300 400", True),
        ("c d e f g h", "345678", True),
        ("c3 c4 c5", "r7 r8 r9", True),
        ("0 2 4 6", "1 3 5 7", True),
        ("1 2 4", "1 2 3", False),
        ("5 6", "5 6", False),
        ("01 1 2", "1 2 3", False),
    ],
)
def test_coordinates_begin_anywhere_at_equal_distances(columns: str, rows: str, is_board: bool) -> None:
    xs, ys = (names.split() if " " in names else list(names) for names in (columns, rows))
    fluents = [f"(cell {x} {y} {content})" for x in xs for y in ys for content in ("red", "blue")]
    picture = SvgBoard.of(["red", "blue"], fluents, fluents).picture(fluents[::2], fluents[::2])
    assert bool(picture.svg) is is_board
    if is_board:
        between = "" if xs[0].isalpha() else ","
        assert set(cells(picture.svg)) == {f"{x}{between}{y}" for x in xs for y in ys}


def test_large_states_are_drawn_in_bounds() -> None:
    fluents = [f"(holds {number})" for number in range(7000)]
    (group,) = SvgBoard.of(["robot"], fluents, fluents).picture(fluents).facts
    items = group.document()["items"]
    assert len(items) == 401 and items[-1]["text"] == "and 6600 more"


def test_names_in_fluents_are_never_markup() -> None:
    fluents = [f"(cell {x} {y} <script>&\"'</script>)" for x in "12" for y in "12"]
    svg = SvgBoard.of(["a<b"], fluents, fluents).picture(fluents).svg
    assert "<script" not in svg
    assert cells(svg)["1,1"] == "<script>&\"'</script>"

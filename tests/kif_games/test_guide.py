"""The explanations of the catalogue: complete, and in agreement with the sheets where they can be compared."""

import re
from pathlib import Path

import pytest
from quick import few

import kif_games
from gdl import ReferenceMachine
from gdl.language.parse import parse_sheet, read_sheet
from ggp_agent.game.drawing.board import MapBoard, fluent_board
from ggp_agent.game.drawing.grid_board import Grid
from kif_games import UnknownGameError, catalogue, guide, path, rules

NAMES = list(catalogue())


def declared(name: str, rule: str) -> list[str]:
    """List the fluents that `base` declares, or the moves that `input` declares."""
    shown = {"base": "(<= (init (declared ?f)) (base ?f))", "input": "(<= (init (declared ?m)) (input ?r ?m))"}
    kept = [str(each) for each in parse_sheet(rules(name)).rules if not str(each.head).startswith("(init ")]
    machine = ReferenceMachine(parse_sheet("\n".join([*kept, shown[rule]])))
    return [fluent.removeprefix("(declared ")[:-1] for fluent in machine.fluents(machine.initial())]


def test_every_game_has_its_guide() -> None:
    text = (Path(kif_games.__file__).parent / "guide.toml").read_text()
    assert sorted(re.findall(r"^\[(\w+)\]$", text, re.MULTILINE)) == sorted(NAMES)
    for name in NAMES:
        for part in (guide(name).goal, guide(name).moves, guide(name).end):
            assert len(part.split()) >= 5 and part.endswith((".", "`.")), (name, part)
    with pytest.raises(UnknownGameError, match="did you mean hex"):
        guide("hexx")


@pytest.mark.parametrize("name", few(NAMES, 12))
def test_guides_agree_with_the_sheets(name: str) -> None:
    entry, texts = catalogue()[name], guide(name)
    moves = re.findall(r"`([^`]*)`", texts.moves)
    assert moves and set(moves) <= set(declared(name, "input"))
    machine = ReferenceMachine(read_sheet(path(name)))
    state = machine.initial()
    choosing = [role for role in machine.roles if len(machine.legal(state, role)) > 1]
    first = re.search(r"[Ii]n turn, (?:the )?(\w+)(?: first|, )", texts.moves)
    # In the small Chinese checkers a role that does not move passes, which is its only move.
    assert first is None or choosing == [first[1]]
    assert first is not None or entry.simultaneous or len(entry.roles) == 1 or name == "zhadu" or entry.hidden
    # The maximal length of a game; numbers of quiet turns are excluded.
    for number in re.findall(r"after ([\d,]+) (?:turns|moves|presses|slides|stones)(?! in a row)", texts.end):
        assert int(number.replace(",", "")) == entry.max_turns


@pytest.mark.parametrize("name", [name for name in NAMES if not catalogue()[name].hidden])
def test_boards_have_the_size_of_the_catalogue(name: str) -> None:
    fluents = declared(name, "base")
    machine = ReferenceMachine(read_sheet(path(name)))
    board = fluent_board(fluents, machine.fluents(machine.initial()), guide(name))
    sides = [int(number) for number in re.findall(r"\d+", catalogue()[name].board)]
    if isinstance(board, Grid):
        assert sides == [len(board.columns), len(board.rows)]
        return
    assert isinstance(board, MapBoard)
    places = 1
    for side in sides:
        places *= side
    # Kalah also has two stores, and six pieces of TTCC4 wait next to the board.
    assert len(board.spans) == places + {"kalah": 2, "ttcc4": 6}.get(name, 0)
    assert set(board.places.values()) == set(range(len(board.spans))) and board.placings
    # Every fluent about a place is drawn; only counters, turns and scores are listed next to the board.
    beside = board.draw(fluents).beside
    about_places = [each for each in fluents if tuple(each.strip("()").split()[-2:]) in board.places]
    assert not [each for each in beside if f"({each})" in about_places]


@pytest.mark.parametrize("name", [name for name in catalogue() if guide(name).labels])
def test_labels_name_relations_of_the_sheet(name: str) -> None:
    relations = {fluent.strip("()").split()[0] for fluent in declared(name, "base")}
    assert set(guide(name).labels) <= relations


def test_maps_are_the_right_way_up() -> None:
    def drawn(name: str, *fluents: str) -> list[str]:
        return fluent_board(declared(name, "base"), [], guide(name)).draw(fluents).whole_lines()

    assert drawn("three_hunters", "(piece red a1)", "(piece green c5)", "(turn red)", "(moves 7)") == [
        "a       r   .   .       turn red",
        "b     .   .   .   .     moves 7",
        "c   .   .   .   .   g",
        "d     .   .   .   .",
        "e       .   .   .",
    ]
    hexagons = drawn("hex", "(stone red e 5)", "(stone blue a 9)")
    assert hexagons[5].split() == ["5", *".... r ....".replace(" ", "")]
    assert hexagons[9].split() == ["9", "b", *"........"]
    # Each row is half a cell to the right of the row above.
    assert [line.index(".") for line in drawn("hex")[1:10]] == list(range(4, 22, 2))
    star = drawn("chinese_checkers", "(piece red 5 0)", "(piece teal 5 12)", "(moves 0)", "(moves 3)")
    assert star[0].split() == ["0", "r", "moves", "9"] and star[12].split() == ["12", "t"]
    assert star[0].index("r") == star[12].index("t")
    mills = drawn("merrills", "(man white a7)", "(man black g1)", "(tens 4)", "(ones 2)")
    assert mills[0].startswith("7  w---------.---------.") and mills[0].endswith("turns 42")
    assert mills[6] == "1  .---------.---------b"
    tiles = drawn("eight_puzzle", "(at 7 1 1)", "(at blank 2 2)", "(at 8 3 3)")
    assert [line.split()[1:] for line in tiles[:3]] == [["7", ".", "."], [".", ".", "."], [".", ".", "8"]]

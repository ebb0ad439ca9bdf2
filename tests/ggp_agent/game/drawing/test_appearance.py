"""The appearance of boards: their structure for each kind of game, and the files of users."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from places import ROOT

from gdl import CompiledMachine, load_machine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.game.drawing.appearance import ORIENTATIONS, appearance_beside, appearance_of
from ggp_agent.game.drawing.game_drawing import GameDrawing
from ggp_agent.game.drawing.svg_board import SvgBoard
from ggp_agent.game.drawing.symbols import SYMBOLS
from ggp_agent.game.load import load_game
from ggp_agent.game.native.registry import native_games
from kif_games import appearance, boards, catalogue, rules

SVG = "{http://www.w3.org/2000/svg}"
BOARDS = ROOT / "ggp_agent" / "ui" / "web" / "static" / "boards"
WITH_BOARDS = [name for name in catalogue() if appearance(name)]


def root(name: str, *, native: bool = False) -> ElementTree.Element:
    game = load_game(f"fast:{name}" if native else name)
    machine = game.machine()
    return ElementTree.fromstring(GameDrawing(machine, game.guide, game.appearance).svg(machine.initial()))


def cells(picture: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {str(each.get("data-cell")): each for each in picture.iter(f"{SVG}g") if each.get("data-cell")}


def place(element: ElementTree.Element) -> tuple[float, float]:
    x, y = re.findall(r"-?[\d.]+", str(element.get("transform")))
    return float(x), float(y)


def labels(picture: ElementTree.Element) -> list[tuple[str, float, float]]:
    """Return the labels next to the cells: text, x, y."""
    found = (each for each in picture if each.tag == f"{SVG}text")
    return [(str(each.text), float(str(each.get("x"))), float(str(each.get("y")))) for each in found]


def lines(picture: ElementTree.Element) -> list[tuple[float, ...]]:
    """Return the ends of the straight lines behind the cells."""
    paths = (str(each.get("d")) for each in picture if each.tag == f"{SVG}path")
    ends = (re.fullmatch(r"M(\S+) (\S+)L(\S+) (\S+)", path) for path in paths)
    return [tuple(map(float, found.groups())) for found in ends if found]


def shapes(element: ElementTree.Element) -> list[str]:
    return [each.tag.removeprefix(SVG) for each in element]


def test_every_game_with_a_board_has_a_valid_appearance() -> None:
    known = {*catalogue(), *native_games()}
    for name in known:
        if appearance(name):
            assert appearance_of(name) is not None
    assert set(catalogue()) == set(WITH_BOARDS)
    assert {appearance(name)["board"] for name in known if appearance(name)} == set(boards())
    for name, game in native_games().items():
        assert load_game(f"fast:{name}").appearance == appearance_of(game.reference_sheet or name) is not None


@pytest.mark.parametrize("name", WITH_BOARDS)
def test_every_cell_has_a_title_and_a_ground_that_dark_pages_replace(name: str) -> None:
    picture = ElementTree.fromstring((BOARDS / f"{name}.svg").read_text())
    for key, cell in cells(picture).items():
        assert str(cell.findtext(f"{SVG}title")).startswith(f"{key}: ")
        (ground,) = (each for each in cell if "ground" in str(each.get("class")).split())
        assert {"b1", "b2", "from", "to"} & set(str(ground.get("class")).split())
    style = str(picture.findtext(f"{SVG}style"))
    assert "prefers-color-scheme:dark" in style and len(re.findall(r"--b\d:#[0-9a-f]{6}", style)) == 5


def test_merrills_has_all_lines() -> None:
    picture = root("merrills")
    at = {name: place(cell) for name, cell in cells(picture).items()}
    found = {frozenset((line[:2], line[2:])) for line in lines(picture)}
    assert len(lines(picture)) == len(found) == 32
    for pair in ("g1 g4", "g4 g7", "f2 f4", "f4 f6", "a1 d1", "c3 c4"):
        start, end = pair.split()
        assert frozenset((at[start], at[end])) in found


def test_zhadu_has_the_lines_of_its_rules() -> None:
    picture = root("zhadu")
    found = cells(picture)
    at = {name: place(cell) for name, cell in found.items()}
    drawn = {frozenset((line[:2], line[2:])) for line in lines(picture)}
    # Six lines for each of eight hubs, and sixteen roads.
    assert len(lines(picture)) == len(drawn) == 6 * 8 + 16
    for pair in ("a a1", "a1 a2", "a2 c3", "g3 d2", "h2 f3"):
        start, end = pair.split()
        assert frozenset((at[start], at[end])) in drawn
    assert all(cell.findtext(f"{SVG}text") == name for name, cell in found.items())
    # No line leads through a place that it does not join.
    for (x, y), (x2, y2) in map(tuple, drawn):
        for u, v in set(at.values()) - {(x, y), (x2, y2)}:
            is_beside = abs((x2 - x) * (v - y) - (y2 - y) * (u - x)) > 1
            assert is_beside or (u - x) * (u - x2) + (v - y) * (v - y2) > 0


def test_labels_stand_at_the_centres_of_their_cells() -> None:
    kalah = root("kalah")
    at = {name: place(cell) for name, cell in cells(kalah).items()}
    for row, side in ((0, "north"), (-1, "south")):
        height = sorted({y for _, _, y in labels(kalah)})[row]
        numbers = {text: x for text, x, y in labels(kalah) if y == height and text.isdigit()}
        assert numbers == {str(house): at[f"{side},{house}"][0] for house in range(1, 7)}
    # Each store touches the houses beside it.
    assert at["north,store"][0] == at["north,6"][0] - 40 and at["south,store"][0] == at["north,1"][0] + 40
    cube = root("tic_tac_toe_3d")
    columns = {place(cell)[0] for cell in cells(cube).values()}
    below = [x for text, x, y in labels(cube) if text in "1234" and x in columns]
    assert len(below) == 16 and {text for text, _, _ in labels(cube)} > {"layer 1", "layer 4"}


def test_draughts_men_stand_on_dark_squares_with_numbers() -> None:
    picture = root("checkers", native=True)
    found = cells(picture)
    numbered = {name for name in found if name.isdigit()}
    assert numbered == {str(number) for number in range(1, 33)} and len(found) == 64
    for name, cell in found.items():
        is_dark = "b2" in str(cell[1].get("class")).split()
        assert is_dark == (name in numbered) == ("text" in shapes(cell))
        assert is_dark or str(cell.get("aria-label")).endswith("empty")


@pytest.mark.parametrize("name", ["checkers", "english_draughts", "checkers_optional", "sheep_and_wolf"])
def test_pieces_of_draughts_stand_on_dark_squares(name: str) -> None:
    taken = [cell for cell in cells(root(name)).values() if not str(cell.get("aria-label")).endswith(": empty")]
    assert len(taken) >= 5 and all("b2" in str(cell[1].get("class")).split() for cell in taken)


@pytest.mark.parametrize("name", ["fast:chinese_checkers", "fast:pentalath", "three_hunters", "chinese_checkers_small"])
def test_cells_of_hexagons_show_the_names_that_moves_use(name: str) -> None:
    found = cells(root(name.removeprefix("fast:"), native=name.startswith("fast:")))
    assert all(cell.findtext(f"{SVG}text") == key for key, cell in found.items())


def test_the_squares_in_the_middle_of_ttcc4_are_shaded() -> None:
    shaded = {name for name, cell in cells(root("ttcc4")).items() if "b2" in str(cell[1].get("class")).split()}
    assert shaded == {f"{column},{row}" for column in "345" for row in "345"}
    assert appearance("ttcc4")["dark"] != boards()["squares"]["light"]


@pytest.mark.parametrize(("name", "side"), [("go_9x9", 9), ("gomoku_5x5", 5), ("atari_go", 7)])
def test_stones_stand_on_crossings_of_lines(name: str, side: int) -> None:
    picture = root(name, native=True)
    assert len(lines(picture)) == 2 * side
    upright = {line[0] for line in lines(picture) if line[0] == line[2]}
    assert {place(cell)[0] for cell in cells(picture).values()} == upright


def test_columns_of_go_boards_skip_the_letter_i() -> None:
    game = load_game("fast:go_9x9")
    machine = game.machine()
    drawing = GameDrawing(machine, game.guide, game.appearance)
    moves = {drawing.printed("black", move): move for move in machine.legal(machine.initial(), "black")}
    assert "h9" in moves and "i9" not in moves and moves["j4"] == "i4" and moves["pass"] == "pass"
    assert drawing.cells_of("black", "i4") == ["j4"] == drawing.cells_of_fluent("(stone black 9 4)")
    assert [text for text, _, _ in labels(root("go_9x9", native=True)) if text.isalpha()] == [*"abcdefghj"]
    gomoku = load_game("fast:gomoku_9x9")
    assert GameDrawing(gomoku.machine(), None, gomoku.appearance).printed("black", "(place 9 4)") == "i4"


def test_kinds_of_boards() -> None:
    shown = {name: root(name) for name in ("connect_four", "tic_tac_toe", "hex", "reversi")}
    assert all(shapes(cell)[1] == "circle" for cell in cells(shown["connect_four"]).values())
    between = next(each for each in shown["tic_tac_toe"] if each.tag == f"{SVG}path")
    assert len(re.findall("M", str(between.get("d")))) == 12
    edges = [each for each in shown["hex"] if each.get("class") == "edge"]
    # Every side of the rhombus, and no colour on more than two sides.
    assert sorted(str(each.get("stroke")) for each in edges) == ["#2b62ad", "#2b62ad", "#c23a2b", "#c23a2b"]
    assert sum(str(each.get("d")).count("M") for each in edges) == 4 * 9 * 2 - 2
    assert all("b1" in str(cell[1].get("class")).split() for cell in cells(shown["reversi"]).values())


def test_unknown_sheets_are_recognised_by_their_contents_and_moves() -> None:
    sheet = parse_sheet(rules("connect_four"))
    machine = load_machine(sheet, "network")
    assert isinstance(machine, CompiledMachine)
    assert "<circle" in GameDrawing(machine).svg(machine.initial()).split('class="cell"')[1]
    marks = [f"(cell {x} {y} {z})" for x in "123" for y in "123" for z in ("x", "o", "b")]
    board = SvgBoard.of(["x", "o"], marks, [fluent for fluent in marks if fluent.endswith("b)")])
    assert "stroke-linecap" in board.picture([]).svg
    goblins = [f"(at {x} {y} {z})" for x in "123" for y in "123" for z in ("goblin", "giant", "123")]
    svg = SvgBoard.of(["me"], goblins, goblins).picture(["(at 1 1 goblin)", "(at 2 1 giant)", "(at 3 1 123)"]).svg
    assert [found for found in re.findall(r">([A-Za-z0-9]+)</text>", svg) if found in ("Go", "Gi", "123")] == [
        "Go",
        "Gi",
        "123",
    ]


def test_the_landing_cell_of_a_column_is_above_its_discs() -> None:
    game = load_game("connect_four")
    machine = game.machine()
    drawing = GameDrawing(machine, game.guide, game.appearance)
    state = machine.next(machine.initial(), ["(drop 4)", "noop"])
    assert drawing.target_of("yellow", "(drop 4)", state) == ["4,2"]
    assert drawing.target_of("yellow", "(drop 1)", state) == ["1,1"]


def test_the_file_next_to_a_sheet(tmp_path: Path) -> None:
    sheet = tmp_path / "mine.kif"
    sheet.write_text(rules("tic_tac_toe"))
    assert load_game(sheet).appearance is None
    own = tmp_path / "mine.toml"
    own.write_text(
        'board = "go"\norientation = "matrix"\nsurround = ["#ffffff", "#102030"]\n'
        '[colours]\nx = "teal"\no = "#ffee00"\n[symbols]\nx = "ship"\n'
    )
    game = load_game(sheet)
    machine = game.machine()
    drawing = GameDrawing(machine, game.guide, game.appearance)
    svg = drawing.picture(machine.next(machine.initial(), ["(mark 1 3)", "noop"])).svg
    picture = ElementTree.fromstring(svg)
    assert "--b0:#102030" in svg and "#137a77" in svg and len(lines(picture)) == 6
    # The first coordinate counts rows from above, the second one columns from the left.
    at = {name: place(cell) for name, cell in cells(picture).items()}
    assert at["1,3"] == (80.0, 0.0) and at["3,1"] == (0.0, 80.0)
    assert appearance_beside(own) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('board = "goo"', 'board must be chess, draughts, go, .*, not "goo"; did you mean go'),
        ('bord = "go"', "unknown key bord; known are board, .*; did you mean board"),
        ('[colours]\nx = "#12"', 'colours.x must be #rrggbb or one of white, .*, not "#12"'),
        ('[symbols]\nx = "castle"', 'symbols.x must be one or two characters, or one of man, .*, not "castle"'),
        ('light = ["#ffffff"]', "light must be a colour #rrggbb, or an array of two for light and dark pages"),
        ('orientation = "up"', 'orientation must be standard, rows_down, half_turn or matrix, not "up"'),
        ('[edges]\nup = "x"', 'a key of edges must be one of left, right, top, bottom, not "up"'),
        ("board = ", "not TOML: "),
    ],
)
def test_each_error_of_a_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(UserError, match=f"mine.toml: {message}") as found:
        appearance_beside(tmp_path / "mine.kif")
    assert "\n" not in str(found.value)


def test_pictures_of_records_use_the_file_next_to_the_sheet(
    in_empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.kif").write_text(rules("tic_tac_toe"))
    Path("mine.toml").write_text('board = "felt"')
    match = ["match", "mine.kif", "--player", "random", "random", "--startclock", "1", "--playclock", "1"]
    assert main([*match, "--record", "m.json"]) == 0
    assert main(["records", "svg", "m.json", "--rules", "mine.kif", "--turn", "1", "--out", "one.svg"]) == 0
    assert boards()["felt"]["surround"][0] in Path("one.svg").read_text()
    Path("mine.toml").write_text('board = "velvet"')
    capsys.readouterr()
    assert main(["records", "svg", "m.json", "--rules", "mine.kif", "--turn", "1", "--out", "two.svg"]) == 2
    error = capsys.readouterr().err
    assert "mine.toml: board must be" in error and error.count("\n") == 1


def test_the_documentation_shows_every_board_and_names_every_choice() -> None:
    page = (ROOT / "docs" / "games" / "boards.md").read_text()
    assert re.findall(r"boards/(\w+)\.svg", page) == list(catalogue())
    words = set(re.findall(r"`([a-z_]+)`", (ROOT / "docs" / "reference" / "appearance.md").read_text()))
    assert words >= {*boards(), *SYMBOLS, *ORIENTATIONS}

"""Hand-coded games: each one has all its parts, agrees with its reference sheet and published counts."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from compiled import catalogue_network
from hypothesis import given
from hypothesis import strategies as st
from module_references import KNOWN, reference
from places import ROOT
from quick import examples, few
from whole_turns import perft_turns

from gdl import NetworkMachine, StopFlag
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.game.drawing.game_drawing import GameDrawing
from ggp_agent.game.load import load_game
from ggp_agent.game.native.native_game import NativeGame
from ggp_agent.game.native.native_machine import ISAS, NativeMachine, usable_isa
from ggp_agent.game.native.registry import native_game, native_games
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from ggp_agent.verify.perft import perft
from kif_games import catalogue, rules

NAMES = sorted(native_games())
every_game = pytest.mark.parametrize("name", NAMES)
# The largest board of Go is as the others, and its games are long.
every_shorter_game = pytest.mark.parametrize("name", [name for name in NAMES if name != "go_19x19"])
# Go has none: tests/ggp_agent/game/native/test_go.py holds it against rules in Python.
every_game_with_a_sheet = pytest.mark.parametrize("name", [name for name in NAMES if native_game(name).reference_sheet])
# Of the others the reference tells nothing: they are held against their sheets alone.
every_game_of_the_reference = pytest.mark.parametrize("name", [name for name in NAMES if KNOWN[name].game])

# Play-outs in which module and reference sheet are compared: so many for each of so many seeds.
PLAYOUTS, SEEDS = 250, 4
# Boards that share their rules with a smaller one: their play-outs are long, and fewer do.
LARGE = {"amazons": 100, "amazons_8x8": 100, "chinese_checkers": 100, "gomoku_11x11": 100, "gomoku_15x15": 100}


def sheet_machine(name: str) -> NetworkMachine:
    return catalogue_network(native_game(name).reference_sheet)


@cache
def sheet_turns(name: str) -> list[list[list[list[int]]]]:
    """By role and number of the move in the module: its turns as numbers of the reference sheet."""
    game, machine = native_game(name), sheet_machine(name)
    numbers = []
    for role, role_name in enumerate(game.roles):
        of_role: list[list[list[int]]] = []
        for number in range(game.core.moves[role] - 1):
            text = game.core.move_text(role, number)
            turns = game.sheet_turns(role_name, text) if text else []
            # A move that the network never has is legal nowhere.
            of_role.append([found for turn in turns if (found := _numbers(machine, role, turn)) is not None])
        of_role.append([])  # waiting
        numbers.append(of_role)
    return numbers


def _numbers(machine: NetworkMachine, role: int, moves: tuple[str, ...]) -> list[int] | None:
    try:
        return [machine.move_number(role, move) for move in moves]
    except ValueError:
        return None


def walk(game: NativeGame, seed: int) -> Iterator[bytes]:
    draws = random.Random(seed)
    state = game.initial
    while True:
        yield state
        legal = game.legal(state)
        if not legal:
            return
        state = game.play(state, draws.choice(list(legal)))


# ---- all parts


def test_there_are_games() -> None:
    assert set(NAMES) == set(KNOWN), "tests/support/module_references.py has an entry for every game and no other"


@every_game
def test_every_game_has_its_parts(name: str) -> None:
    game = native_game(name)
    if game.reference_sheet:
        assert game.roles == catalogue()[game.reference_sheet].roles
    assert game.core.evaluations
    # Where positions must not come back, the state has the past of the game in it.
    assert game.core.state_bytes <= (8192 if name.startswith("go_") else 256)
    assert sorted(game.core.moves) == [game.core.moves[0]] * len(game.roles)
    source = re.sub(r"(?<!^)(?=[A-Z])", "_", type(game).__name__).lower()
    assert len([*(ROOT / "csrc" / "games").glob(f"*/{source}.cpp")]) == 1
    page = (ROOT / "docs" / "games" / f"{source}.md").read_text()
    assert f"`fast:{name}`" in page
    assert re.search(rf"\]\(\.\./\.\./ggp_agent/ui/web/static/boards/{source}\w*\.svg\)", page)


@every_game
def test_limits_of_moves_are_among_the_added_rules(name: str) -> None:
    game = native_game(name)
    if not game.move_limit:
        return
    assert f"after {game.move_limit:,} " in game.added_rules
    longest = game.playouts(20, seed=2).longest
    assert longest <= game.move_limit
    if name in ("go_5x5", "lines_of_action"):
        assert longest == game.move_limit


@pytest.mark.parametrize("name", few(NAMES, 8))
def test_pictures_and_boards_show_the_position(name: str) -> None:
    game = native_game(name)
    drawing = GameDrawing(NativeMachine(game), load_game(f"fast:{name}").guide)
    pictures = []
    for state in itertools.islice(walk(game, 1), 0, None, 5):
        assert game.board(game.read_board(game.board(state))) == game.board(state)
        assert game.board(state).splitlines()[-1] == f"{game.mover(state)} to move"
        pictures.append(drawing.picture(state).svg)
        assert ElementTree.fromstring(pictures[-1]).tag == "{http://www.w3.org/2000/svg}svg"
    assert len(set(pictures)) == len(pictures)


@every_shorter_game
def test_every_move_can_be_printed_and_read(name: str) -> None:
    core = native_game(name).core
    for role in range(len(core.roles)):
        texts = [core.move_text(role, number) for number in range(core.moves[role])]
        for number, text in enumerate(texts):
            assert core.read_move(role, text) == (number if text else -1)
        assert texts[-1] == "noop"
        assert sum(map(bool, texts)) > len(texts) / 2  # numbers are not wasted
        with pytest.raises(IndexError):
            core.move_text(role, core.moves[role])
        for nonsense in ("", "?", "a", "a1", "a1-", "a1-z9", "a0-a1", "a1-a2-a3-a4-a5-a6-a7", "ä1-a2", "9" * 100):
            assert core.read_move(role, nonsense) in range(-1, core.moves[role])
    game = native_game(name)
    for state in walk(game, 2):
        legal = list(game.legal(state).items())
        # Each is looked for among all, so of many some suffice.
        for text, number in legal[:: 1 + len(legal) // 20]:
            role = core.mover(state)
            assert core.read_move(role, text) == core.read_move(role, core.move_text(role, number)) == number
            assert game.read_move(state, text) == number


def test_a_kernel_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^mmx is not a kernel; the kernels are portable, avx2 and avx512$"):
        usable_isa("mmx")


# ---- the reference sheet


@pytest.mark.parametrize("name", few([name for name in NAMES if native_game(name).reference_sheet], 8))
def test_module_and_reference_sheet_agree(name: str) -> None:
    game, machine = native_game(name), sheet_machine(name)
    turns, playouts = sheet_turns(name), LARGE.get(name, PLAYOUTS)

    @examples(SEEDS, deadline=None, database=None)
    @given(st.integers(0, 2**32))
    def agree(seed: int) -> None:
        fast, slow = game.simulator(128, isa=usable_isa(ISAS[seed % 3])), machine.simulator(128)
        ended, played, difference, pairs = game.core.compare(fast, slow, turns, playouts, seed, 97)
        assert difference == ""
        assert ended >= playouts
        assert len(pairs) == played // 97
        for ours, theirs in pairs:
            assert game.sheet_fluents(ours) == set(machine.fluents(theirs))
            assert game.sheet_fluents(game.state_of(machine.fluents(theirs))) == game.sheet_fluents(ours)

    agree()


@every_game_with_a_sheet
def test_a_wrong_reference_sheet_is_noticed(name: str) -> None:
    game, machine = native_game(name), sheet_machine(name)
    turns = [[list(of_move) for of_move in of_role] for of_role in sheet_turns(name)]
    first = next(iter(game.legal(game.initial).values()))
    turns[0][first] = []
    simulators = game.simulator(64, isa="portable"), machine.simulator(64)
    _, _, difference, _ = game.core.compare(*simulators, turns, 1, 1, 1000)
    assert "the moves of role 0 differ" in difference


@every_game
def test_turns_of_the_reference_sheet_read_back(name: str) -> None:
    game = native_game(name)
    for state in itertools.islice(walk(game, 4), 60):
        role = game.mover(state)
        for number in game.legal(state).values():
            move = game.core.move_text(game.core.mover(state), number)
            for turn in game.sheet_turns(role, move):
                assert game.core.read_move(game.core.mover(state), game.turn(role, turn)) == number
    with pytest.raises(ValueError):
        game.turn(game.roles[0], ("(nonsense 1)",))
    with pytest.raises(ValueError):
        game.state_of(["(nonsense 1)"])


@every_game
def test_it_is_the_turn_of_one_role(name: str) -> None:
    game = native_game(name)
    first, second = (game.sheet_fluents(state) for state in itertools.islice(walk(game, 4), 2))
    (turn,) = (fluent for fluent in first - second if fluent.startswith(("(turn ", "(moved ")))
    (other,) = (fluent for fluent in second - first if fluent.startswith(("(turn ", "(moved ")))
    for wrong in (first - {turn}, first | {other}):
        with pytest.raises(ValueError, match="one role must have the turn, not"):
            game.state_of(wrong)


def test_pieces_stand_on_cells_of_the_board_one_on_each() -> None:
    game = native_game("breakthrough")
    for pieces, wrong in (
        (["(piece white 1 1)", "(piece black 1 1)"], r"\(piece black 1 1\): another fluent describes the same cell"),
        (["(piece white 9 1)"], r"\(piece white 9 1\) is false in all states between two turns of breakthrough"),
    ):
        with pytest.raises(ValueError, match=wrong):
            game.state_of([*pieces, "(turn white)"])


@pytest.mark.parametrize("size", [5, 7, 9, 11])
def test_smaller_boards_of_gomoku_have_the_same_rules(size: int) -> None:
    rim = f"0 and {size + 1} are the rim"
    whole, small = rules("gomoku"), rules(f"gomoku_{size}x{size}")
    assert rim in small
    facts = [[f"(follows {n} {n + 1})" for n in range(points + 1)] for points in (15, size)]
    texts = []
    for text, points, of_size in ((whole, 15, facts[0]), (small, size, facts[1])):
        head, rest = text.split("(follows 0 1)", 1)
        rows, rest = f"(follows 0 1){rest}".split("(<= (line ?n)", 1)
        assert re.findall(r"\(follows \d+ \d+\)", rows) == of_size
        texts.append(head.replace(f"{points}x{points}", "NxN").split("; The lines of the board")[0] + rest)
    assert texts[0] == texts[1]


# ---- counts from elsewhere


@every_game
def test_perft_is_what_is_known(name: str) -> None:
    machine = NativeMachine(native_game(name))
    known = KNOWN[name].perft
    assert [level.leaves for level in perft(machine, len(known))] == known


@every_game_with_a_sheet
def test_perft_of_the_reference_sheet_is_the_same(name: str) -> None:
    depth = KNOWN[name].sheet_depth
    levels = perft_turns(sheet_machine(name), native_game(name), depth)
    assert [level.leaves for level in levels] == KNOWN[name].perft[:depth]
    assert levels == perft(NativeMachine(native_game(name)), depth)


@every_game_of_the_reference
def test_positions_of_the_reference(name: str) -> None:
    entry = reference(name)
    if entry is None:
        pytest.skip("../shared/reference is not here")
    game, known = native_game(name), KNOWN[name]
    for level in entry["perft"]:
        if level["leaves"] < 10_000_000:
            assert game.core.perft(game.initial, level["depth"], StopFlag())[-1] == (
                level["leaves"],
                level["terminals"],
            )
    assert len(entry["positions"]) >= 5
    for position in entry["positions"] + entry["late_positions"]:
        state = game.initial
        for move in position["moves"]:
            state = game.play(state, known.spell(move))
        assert game.mover(state) == game.roles[("first", "second").index(position["to_move"])]
        assert _squares(game.board(state), known.letters) == [
            "".join(known.letters[square] for square in row) for row in position["board"]
        ]
        assert len(game.legal(state)) == position["legal"]
        depths = position["perft"]
        counted = game.core.perft(state, len(depths), StopFlag())
        assert counted == [(level["leaves"], level["terminals"]) for level in depths]


def _squares(board: str, letters: dict[str, str]) -> list[str]:
    """Take the squares alone out of a printed board: not the numbers of rows, nor letters of lines at their ends."""
    rows = [line.split()[1:] for line in board.splitlines() if line.strip()[:1].isdigit()]
    return ["".join(square for square in row if square in letters.values()) for row in rows]


@every_game_of_the_reference
def test_playouts_are_like_those_of_the_reference(name: str) -> None:
    entry = reference(name)
    if entry is None:
        pytest.skip("../shared/reference is not here")
    known, found = entry["playouts"], native_game(name).playouts(2000, seed=1)
    # Five standard errors of the difference of two means of as many play-outs.
    assert abs(found.mean_length - known["mean_length"]) < 5 * 2**0.5 * known["se_length"]
    assert abs(found.deviation / known["sd_length"] - 1) < 0.15
    wins = known["first_win"] + known["draw"] / 2
    assert abs(found.mean_goals[0] / 100 - wins) < 5 * (0.5 / known["n"]) ** 0.5
    assert abs(found.mean_branching / known["mean_branching"] - 1) < 0.02
    assert found.mean_goals[0] + found.mean_goals[1] == pytest.approx(100)


# ---- knowledge


@every_shorter_game
def test_quality_and_evaluations_stay_in_their_ranges(name: str) -> None:
    game = native_game(name)
    qualities = set()
    for seed in range(20):
        for state in walk(game, seed):
            for evaluation in game.core.evaluations:
                assert -1 <= game.evaluate(state, evaluation) <= 1
        qualities.add(game.core.quality(state))
    assert all(0 <= quality <= 1 for quality in qualities)
    # Where random games are drawn, those by the policy are not.
    assert len(qualities) > 1 or game.playouts(200, policy="game").mean_quality > 0
    for evaluation in game.core.evaluations:
        assert abs(game.evaluate(game.initial, evaluation)) < 0.5
    with pytest.raises(ValueError, match="no evaluation nonsense"):
        game.evaluate(game.initial, "nonsense")


@every_shorter_game
@pytest.mark.parametrize("policy", ["game", "game-mast"])
def test_the_policy_of_the_game_plays_in_the_search(name: str, policy: str) -> None:
    machine = NativeMachine(native_game(name))
    config = SearchConfig.from_toml(f'in_flight = 8\n[playout]\npolicy = "{policy}"')
    hashes = []
    for _ in range(2):
        searcher = Searcher(machine, config)
        assert searcher.run(simulations=300).simulations == 300
        hashes.append(searcher.tree_hash())
    assert hashes[0] == hashes[1]
    other = Searcher(machine, SearchConfig(in_flight=8))
    other.run(simulations=300)
    is_uniform = policy == "game" and KNOWN[name].uniform_policy
    assert (other.tree_hash() == hashes[0]) == is_uniform


# ---- bad input


@every_game
def test_impossible_positions_are_refused(name: str) -> None:
    game = native_game(name)
    assert KNOWN[name].impossible
    squares, _, _ = game.board(game.initial).partition(f"{game.mover(game.initial)} to move")
    turns = {squares + "nobody to move": "no role is called nobody", squares: "the role to move is missing"}
    for text, complaint in (KNOWN[name].impossible | turns).items():
        with pytest.raises(UserError) as caught:
            game.read_board(text, source="board.txt")
        assert str(caught.value).startswith("board.txt: ")
        assert complaint in str(caught.value)
        assert "\n" not in str(caught.value)
    for text in ("", "\n\n", "hello", "to move", " to move"):
        with pytest.raises(UserError):
            game.read_board(text)
    with pytest.raises(ValueError, match="bytes, not 3"):
        game.board(b"abc")


@every_game
@examples(60, deadline=None)
@given(st.text(alphabet="wbfs.xWB 123abc\ntomveihlck", max_size=150))
def test_any_text_is_a_position_or_refused(name: str, text: str) -> None:
    try:
        state = native_game(name).core.read_board(text)
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        assert native_game(name).board(state)


@every_game
def test_bad_moves_are_answered_with_the_closest_legal_ones(name: str) -> None:
    game, known = native_game(name), KNOWN[name]
    for text in [*known.unknown, *known.illegal]:
        with pytest.raises(UserError) as caught:
            game.play(game.initial, text)
        reason = "is not legal here" if text in known.illegal else "is not a move of this game"
        complaint, _, moves = str(caught.value).partition(f"; {game.mover(game.initial)} has ")
        assert complaint == f"{text} {reason}" and moves.split(", ")[0] in game.legal(game.initial)
        assert "\n" not in moves
    *_, last = walk(game, 1)
    with pytest.raises(UserError, match="the game is over"):
        game.play(last, "a1-a2")


@pytest.mark.parametrize(
    ("name", "text", "moves"),
    [("breakthrough", "a2-a4", "a2-a3"), ("kalah", "7", "4, 5, 6"), ("lines_of_action", "b1-c3", "b1-")],
)
def test_the_closest_legal_moves_come_first(name: str, text: str, moves: str) -> None:
    with pytest.raises(UserError, match=f" has {moves}"):
        native_game(name).play(native_game(name).initial, text)


# ---- the command line


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["perft", "fast:nonsense", "--depth", "1"], "no native game is called 'nonsense'; native games:"),
        (["bench", "fast:atari"], "did you mean fast:atari_go"),
        (["bench", "fast:gomoku"], "or fast:gomoku_11x11 or fast:gomoku_15x15"),
        (["perft", "fast:breakthrough_7x7", "--depth", "1"], "did you mean fast:breakthrough_6x6"),
        (["perft", "fast:breakthrough", "--depth", "1", "--machine", "network"], "for a network load its rules"),
        (
            ["perft", "fast:breakthrough", "--depth", "1", "--position", "none.txt"],
            "none.txt: cannot read the position",
        ),
        (["search", "fast:breakthrough", "--position", "bad.txt"], "bad.txt: the board has 0 rows, not 8"),
        (["search", "connect_four", "--position", "bad.txt"], "positions can be read for native games only"),
        (["perft", "connect_four", "--depth", "1", "--position", "bad.txt"], "for native games only"),
        (["inspect", "fast:breakthrough"], "inspect its rules, breakthrough"),
        (["search", "fast:breakthrough", "--moves", "a2-a4"], "move 1, a2-a4, is not legal in turn 1: white has"),
        (["search", "connect_four", "--simulations", "1", "--config", "game.toml"], "is for native games"),
    ],
)
def test_commands_say_what_is_wrong(
    words: list[str], complaint: str, refusal: Callable[..., str], in_empty_folder: Path
) -> None:
    Path("bad.txt").write_text("white to move")
    Path("game.toml").write_text('[playout]\npolicy = "game"\n')
    assert complaint in refusal(*words)


def test_commands_take_a_module(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["perft", "fast:breakthrough", "--depth", "4", "--json"]) == 0
    counted = json.loads(capsys.readouterr().out)
    assert counted["machine"] == "module"
    assert [level["leaves"] for level in counted["depths"]] == [22, 484, 11132, 256036]
    # A native game counts whole turns.
    assert main(["perft", "fast:amazons_6x6", "--depth", "2", "--json"]) == 0
    assert [level["leaves"] for level in json.loads(capsys.readouterr().out)["depths"]] == [360, 106424]
    line = "a2-b3 c7-c6 b3-b4 c6-c5 b4xc5"
    assert main(["search", "fast:breakthrough", "--moves", line, "--simulations", "200", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["line"][-1] == ["(move 2 4 3 5)", "noop"]
    assert found["simulations"] == 200
    position = tmp_path / "position.txt"
    position.write_text("......\n.w....\n......\n......\n....b.\n......\nblack to move\n")
    assert main(["perft", "fast:breakthrough_6x6", "--depth", "2", "--position", str(position), "--json"]) == 0
    counted = [(level["leaves"], level["terminals"]) for level in json.loads(capsys.readouterr().out)["depths"]]
    assert counted == [(3, 3), (0, 0)]
    words = ["search", "fast:breakthrough_6x6", "--position", str(position), "--simulations", "50", "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["bounds"] == {"white": [0, 0], "black": [100, 100]}
    assert main(["bench", "fast:breakthrough_6x6", "--cpu-seconds", "0.1", "--repeats", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["signature"]
    words = ["arena", "fast:breakthrough_6x6", "--a", "default", "--b", "playout.policy=game", "--games", "4"]
    assert main([*words, "--simulations", "20", "--jobs", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 4

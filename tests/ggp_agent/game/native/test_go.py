"""Go against the same rules in plain Python, and what random games seldom meet by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from plain_go import PlainGo, Point

from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.game.load import load_game
from ggp_agent.game.move_list import read_moves
from ggp_agent.game.native.native_game import NativeGame
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher


def text_of(point: Point | None) -> str:
    return "pass" if point is None else f"{chr(ord('a') + point[0])}{point[1] + 1}"


def rows_of(plain: PlainGo) -> list[str]:
    size = plain.size
    return ["".join(plain.stones.get((column, row), ".") for column in range(size)) for row in reversed(range(size))]


def compare(game: NativeGame, seed: int, plies_between: int, most: int = 1000) -> int:
    """Play a random game, or its first plies, on both; return how often superko forbade a point that is no suicide.

    Legal moves are compared every so many plies.
    """
    draws = random.Random(seed)
    plain, state = PlainGo(game.core.size), game.initial
    forbidden = 0
    while not plain.is_over and plain.moves < most:
        assert not game.is_over(state)
        assert game.rows(state) == rows_of(plain)
        legal = game.legal(state)
        if plain.moves % plies_between == 0:
            allowed = plain.legal()
            assert set(legal) == {text_of(point) for point in allowed}
            empty = {(c, r) for c in range(plain.size) for r in range(plain.size)} - plain.stones.keys()
            forbidden += sum(plain.after(point) != plain.stones for point in empty - allowed if point is not None)
        # Few passes, so that boards fill up and much is taken.
        text = draws.choice([each for each in legal if each != "pass" or draws.random() < 0.2] or ["pass"])
        state = game.play(state, text)
        assert game.core.hash(state) == game.core.hash_anew(state)
        plain.play(None if text == "pass" else (ord(text[0]) - ord("a"), int(text[1:]) - 1))
    assert game.rows(state) == rows_of(plain)
    if plain.is_over:
        assert game.is_over(state)
        assert game.goals(state) == ((100, 0) if plain.score() > 0 else (0, 100))
    assert game.evaluate(state, "area") == pytest.approx(math.tanh(plain.score() / 20))
    return forbidden


@pytest.mark.slow
def test_random_games_are_those_of_the_plain_rules() -> None:
    assert sum(compare(native_game("go_5x5"), seed, 1) for seed in range(8)) > 2
    compare(native_game("go_9x9"), 1, 20)
    compare(native_game("go_19x19"), 2, 60, 61)


def played(game: NativeGame, moves: str, start: str = "") -> bytes:
    state = game.read_board(start) if start else game.initial
    for move in moves.split():
        state = game.play(state, move)
    return state


def test_a_ko_is_not_taken_back_at_once() -> None:
    game = native_game("go_5x5")
    state = played(game, "b3 c3 c4 d4 c2 d2 a1 e3 d3")
    assert game.rows(state)[2] == ".b.bw"  # d3 has taken c3
    with pytest.raises(UserError, match="c3 is not legal here"):
        game.play(state, "c3")
    # After a stone elsewhere and an answer the position is another one.
    assert "c3" in game.legal(played(game, "b3 c3 c4 d4 c2 d2 a1 e3 d3 e5 e1"))


def test_two_sent_one_returned_is_a_position_that_was_there() -> None:
    game = native_game("go_5x5")
    # White's b1 takes c1, black's c1 then takes two; white's a1, which takes nothing, would make it the same again.
    start = ".....\n.....\n.....\nbbw..\nw.bw.\nwhite to move"
    state = played(game, "b1", start)
    assert game.rows(state)[4] == "ww.w."
    state = game.play(state, "c1")
    assert game.rows(state)[4] == "..bw."
    with pytest.raises(UserError, match="a1 is not legal here"):
        game.play(state, "a1")
    assert game.rows(game.play(state, "b1"))[4] == ".w.w."


def test_stones_take_their_own_group_but_not_themselves_alone() -> None:
    game = native_game("go_5x5")
    start = ".....\n.....\nww...\nb.w..\nb.w..\nblack to move"
    state = game.play(game.read_board(start), "b2")
    assert game.rows(state)[2:] == ["ww...", "bbw..", "b.w.."]
    taken = game.play(game.play(state, "pass"), "b1")  # all four are without air
    assert game.rows(taken)[2:] == ["ww...", "..w..", "..w.."]
    single = ".....\n.....\n.....\nw....\n.w...\nblack to move"
    assert "a1" not in game.legal(game.read_board(single))


def test_two_passes_end_the_game_and_area_and_komi_decide() -> None:
    game = native_game("go_9x9")
    assert game.goals(played(game, "pass pass")) == (0, 100)
    # One stone has the whole board.
    state = played(game, "e5 pass pass")
    assert game.is_over(state)
    assert game.goals(state) == (100, 0)
    assert game.core.quality(state) == pytest.approx((81 - 7.5) / 81)
    assert game.board(state).splitlines()[-3:] == ["moves: 3", "passes: 2", "white to move"]
    # Points that both reach belong to nobody.
    shared = played(game, "e5 e6 pass pass")
    assert game.evaluate(shared, "area") == pytest.approx(math.tanh(-7.5 / 20))


def test_a_game_has_a_greatest_length() -> None:
    game = native_game("go_5x5")
    board = ".....\n.....\n..b..\n.....\n.....\nmoves: 49\nwhite to move"
    state = game.read_board(board)
    assert not game.is_over(state)
    assert game.is_over(game.play(state, "a1"))


def test_the_policy_fills_no_eyes_so_games_end_by_passes() -> None:
    game = native_game("go_9x9")
    by_policy, uniform = game.playouts(300, policy="game"), game.playouts(300)
    assert by_policy.mean_length < 0.95 * uniform.mean_length
    searcher = Searcher(NativeMachine(game), SearchConfig.from_toml('in_flight = 8\n[playout]\npolicy = "game"'))
    assert searcher.run(simulations=200).simulations == 200


def test_moves_may_be_written_as_a_rule_sheet_would_name_them() -> None:
    machine = NativeMachine(native_game("go_5x5"))
    assert read_moves(machine, "(place 1 1) (place 2 2) pass") == read_moves(machine, "a1 b2 pass")


def test_what_needs_rules_says_that_there_are_none(refusal: Callable[..., str]) -> None:
    assert not load_game("fast:go_9x9").has_rules
    for words in (
        ["match", "fast:go_9x9", "--player", "random", "random"],
        ["inspect", "fast:go_5x5"],
        ["perft", "fast:go_5x5", "--depth", "1", "--machine", "network"],
    ):
        assert "has no rule sheet, which this command needs" in refusal(*words)
    assert main(["perft", "fast:go_5x5", "--depth", "2", "--json"]) == 0
    assert main(["games", "fast:go_5x5"]) == 0
    assert main(["rules", "fast:go_5x5"]) == 0


# RAVE with priors and without exploration, as in the papers on Go.
RAVE = """
selection.exploration = 0
selection.grave = { enabled = true, reference = 0 }
selection.priors.source = "game"
playout.policy = "game"
"""


def test_with_priors_no_move_must_be_tried_first() -> None:
    machine = NativeMachine(native_game("go_9x9"))
    hashes = []
    for text in (
        RAVE,
        RAVE,
        RAVE.replace("enabled = true", "enabled = false"),
        RAVE.replace('"game"\n', '"game-light"\n'),
        RAVE + "selection.priors.locality = false\n",
    ):
        text = text.replace('source = "game-light"', 'source = "game"')
        searcher = Searcher(machine, SearchConfig.from_toml(text + "in_flight = 1"))
        found = searcher.run(simulations=300)
        hashes.append(searcher.tree_hash())
        if "enabled = true" in text:
            visits = [move.visits for move in found.moves["black"]]
            assert len(visits) == 82
            assert sum(count == 0 for count in visits) > 20
            assert max(visits) > 30
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 4


def test_the_side_that_wins_by_a_pass_passes() -> None:
    machine = NativeMachine(native_game("go_5x5"))
    searcher = Searcher(machine, SearchConfig.from_toml(RAVE))
    # White is ahead by komi; black has passed.
    searcher.set_root(
        native_game("go_5x5").read_board(".bbw.\nbbbww\n.b.w.\nbbbww\n.bbw.\nmoves: 31\npasses: 1\nwhite to move")
    )
    found = searcher.run(simulations=50)
    assert found.moves["white"][0].move == "pass"
    assert found.bounds["white"] == (100, 100)

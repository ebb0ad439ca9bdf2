"""Positions from Python: what is played, told, drawn, searched and kept."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import examples

import ggp_agent as ggp
from gdl import ReferenceMachine
from kif_games import rules

SHEETS = ("tic_tac_toe", "eight_puzzle", "three_hunters", "battle")
GAMES = (*SHEETS, "fast:breakthrough_6x6", "fast:kalah")


def some_state(word: str, seed: int, turns: int) -> ggp.State:
    """Return a position after so many turns at random, fewer where the game is over."""
    rng = random.Random(seed)
    state = ggp.load_game(word).initial_state()
    for _ in range(turns):
        if state.is_terminal:
            break
        state = state.play(*(rng.choice(moves) for moves in state.legal_moves().values()))
    return state


@pytest.mark.parametrize("word", SHEETS)
def test_a_random_match_is_as_the_reference_plays_it(word: str) -> None:
    rng = random.Random(1)
    state = ggp.load_game(word).initial_state()
    machine = ReferenceMachine(state.game.sheet)
    told = machine.initial()
    for _ in range(60):
        assert state.fluents == machine.fluents(told)
        assert state.is_terminal == machine.terminal(told)
        assert state.goals == {role: machine.goal(told, role) for role in machine.roles}
        if state.is_terminal:
            assert state.legal_moves() == dict.fromkeys(machine.roles, ())
            break
        assert {role: sorted(moves) for role, moves in state.legal_moves().items()} == {
            role: sorted(machine.legal(told, role)) for role in machine.roles
        }
        joint = [rng.choice(moves) for moves in state.legal_moves().values()]
        state, told = state.play(*joint), machine.next(told, joint)


@pytest.mark.parametrize("word", GAMES)
def test_positions_are_values(word: str) -> None:
    states = [some_state(word, seed, 5) for seed in (1, 1, 2)]
    copies = pickle.loads(pickle.dumps(states))
    assert copies == states
    assert list(map(hash, copies)) == list(map(hash, states))
    assert states[0] == states[1] and states[0].machine is not states[1].machine
    assert (states[0] == states[2]) == (states[0].fluents == states[2].fluents)
    assert states[0] != states[0].packed
    assert len({copy.machine for copy in copies}) == 1
    assert word in repr(states[0]) and "\n" not in repr(states[0])
    assert str(states[0]).strip()
    if not states[0].is_terminal:
        joint = [moves[0] for moves in states[0].legal_moves().values()]
        assert copies[0].play(*joint) == states[0].play(*joint)


def test_one_move_is_enough_where_one_role_has_a_choice() -> None:
    state = ggp.load_game("tic_tac_toe").initial_state()
    x, o = state.roles
    assert state.choosing == (x,)
    move = state.legal_moves(x)[0]
    after = state.play(move.replace("(", "( ").upper())
    assert after == state.play(move, "noop")
    assert after.choosing == (o,)


def test_a_search_keeps_its_tree() -> None:
    state = ggp.load_game("tic_tac_toe").initial_state()
    result = state.search(simulations=500)
    assert isinstance(result, ggp.SearchResult)
    assert result.simulations == 500
    assert {move.move for move in result.moves[state.roles[0]]} == set(state.legal_moves(state.roles[0]))
    assert ggp.search(state, seconds=0.01).visits > 0
    searcher = state.play(*result.best).searcher(ggp.SearchConfig(seed=3, in_flight=8))
    searcher.run(simulations=200)
    assert searcher.root == state.play(*result.best).packed
    with pytest.raises(ValueError, match="no limit of the search is given"):
        state.search()


def test_search_is_the_function_and_the_method() -> None:
    state = ggp.load_game("tic_tac_toe").initial_state()
    config = ggp.SearchConfig(seed=4)
    found, same = ggp.search(state, simulations=300, config=config), state.search(simulations=300, config=config)
    assert (found.moves, found.nodes) == (same.moves, same.nodes) and found.simulations == 300


def test_wrong_moves_say_what_is_legal() -> None:
    state = ggp.load_game("connect_four").initial_state()
    mover, other = state.roles
    for moves, complaint in {
        ("(drop 9)",): rf"{mover} cannot play \(drop 9\); legal moves: \(drop 1\), .* and 2 more",
        ("(drop 1)", "(drop 1)"): f"{other} cannot play .*; legal moves: noop",
        ("(((",): f"{mover} cannot play",
        (): f"wrong number of moves: 0; give one for each of {mover}, {other}",
        ("a", "b", "c"): "wrong number of moves: 3",
    }.items():
        with pytest.raises(ggp.IllegalMoveError, match=complaint):
            state.play(*moves)
    battle = ggp.load_game("battle").initial_state()
    with pytest.raises(ggp.IllegalMoveError, match="move at the same time: give a move for each of"):
        battle.play("noop")
    over = some_state("tic_tac_toe", 1, 9)
    with pytest.raises(ggp.IllegalMoveError, match="the game is over"):
        over.play("noop")
    with pytest.raises(ValueError, match="no role is called nobody"):
        state.legal_moves("nobody")


def test_rules_may_be_text_a_path_or_a_name(tmp_path: Path) -> None:
    (tmp_path / "mine.kif").write_text(rules("tic_tac_toe"))
    named = ggp.load_game("tic_tac_toe")
    for game in (ggp.load_game(rules("tic_tac_toe")), ggp.load_game(tmp_path / "mine.kif")):
        assert game.roles == named.roles
        assert game.initial_state().fluents == named.initial_state().fluents
    with pytest.raises(ggp.GdlError, match="closing parenthesis"):
        ggp.load_game("(role x))")
    with pytest.raises(ggp.UserError, match="no such file or directory"):
        ggp.load_game(tmp_path / "none" / "zzzzzz.kif")
    with pytest.raises(ggp.UserError, match="too long"):
        ggp.load_game("a" * 5_000)
    with pytest.raises(ggp.UserError, match="did you mean tic_tac_toe"):
        ggp.load_game("tic_tac_to")


@examples(50, deadline=None)
@given(st.text(alphabet="()?<= roleinitx", max_size=60))
def test_any_text_is_a_game_or_refused(text: str) -> None:
    try:
        ggp.load_game(text)
    except (ggp.GdlError, ggp.UserError) as error:
        assert str(error)


def test_every_public_name_exists() -> None:
    for name in ggp.__all__:
        assert getattr(ggp, name) is not None
    with pytest.raises(AttributeError, match="attribute nonsense"):
        _ = ggp.nonsense  # type: ignore[attr-defined]

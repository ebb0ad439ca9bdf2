"""Searches with play-outs and evaluations in Python."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ggp_agent as ggp
from ggp_agent.mcts.config import EvaluationConfig


def no_choice(lanes: ggp.Lanes, asked: Any) -> Any:
    return np.full(lanes.n, -1)


def first_move(lanes: ggp.Lanes, asked: Any) -> Any:
    assert lanes.movers_legal[:, asked].any(axis=0).all()
    return lanes.movers_legal.argmax(axis=0)


def x_likes_the_centre(lanes: ggp.Lanes, asked: Any) -> Any:
    centre = lanes.fluents[lanes.fluent_names.index("(marked x 2 2)")].astype(float)
    value = np.where(centre == 1, 0.9, -0.5)
    return np.stack([value, -value])


def state_of(word: str) -> ggp.State:
    return ggp.load_game(word).initial_state()


CONFIG = ggp.SearchConfig(in_flight=8, playout=replace(ggp.SearchConfig().playout, decisive=False))


@pytest.mark.parametrize("word", ["tic_tac_toe", "battle", "eight_puzzle", "fast:breakthrough_6x6"])
def test_a_playout_that_draws_all_moves_gives_the_same_tree(word: str) -> None:
    state = state_of(word)
    plain, guided = state.searcher(CONFIG), ggp.python_searcher(state, CONFIG, playout=no_choice)
    assert guided.run(simulations=100).visits == plain.run(simulations=100).visits
    assert guided.tree_hash() == plain.tree_hash()


def test_a_playout_chooses_the_moves() -> None:
    """Each move of the root is played out once, by the first legal move of every turn."""
    state = state_of("tic_tac_toe")
    found = ggp.python_searcher(state, replace(CONFIG, in_flight=1), playout=first_move).run(simulations=9)
    for move in found.moves["x"]:
        played = state.play(move.move)
        while not played.is_terminal:
            role = (played.choosing or ("x",))[0]
            names = played.machine.move_names(played.roles.index(role))  # type: ignore[attr-defined]
            played = played.play(min(played.legal_moves(role), key=names.index))
        assert (move.visits, round(move.value, 3)) == (1, played.goals["x"])
    assert len({round(move.value) for move in found.moves["x"]}) > 1


def test_searches_with_functions_are_copied_but_not_saved() -> None:
    seen: list[int] = []

    def recorded(lanes: ggp.Lanes, asked: Any) -> Any:
        seen.append(int(asked.sum()))
        return first_move(lanes, asked)

    searcher = ggp.python_searcher(state_of("tic_tac_toe"), CONFIG, playout=recorded)
    searcher.run(simulations=100)
    copied = copy.copy(searcher)
    for each in (searcher, copied):
        each.run(simulations=200)
    assert searcher.tree_hash() == copied.tree_hash()
    assert max(seen) > 1  # batches
    with pytest.raises(ggp.UserError, match="with Python functions can be copied in its process, but not pickled"):
        searcher.save("tree")


def test_an_evaluation_replaces_playouts() -> None:
    state = state_of("tic_tac_toe")
    found = ggp.python_searcher(state, CONFIG, evaluation=x_likes_the_centre).run(simulations=300)
    assert found.moves["x"][0].move == "(mark 2 2)"
    assert found.moves["x"][0].value > 80
    named = replace(CONFIG, evaluation=EvaluationConfig(name="python"))
    both = ggp.python_searcher(state, named, playout=first_move, evaluation=x_likes_the_centre)
    assert both.run(simulations=100).visits == 100


def test_an_evaluation_is_a_prior_of_moves_that_were_not_tried() -> None:
    named = replace(
        ggp.SearchConfig.from_toml("in_flight = 1\n[selection]\nexploration = 0.01\npriors.visits = 1000"),
        evaluation=EvaluationConfig(name="python"),
    )
    state = state_of("tic_tac_toe")
    found = ggp.python_searcher(state, named, evaluation=x_likes_the_centre, playout=first_move).run(simulations=100)
    assert {move.move: move.visits for move in found.moves["x"] if move.visits} == {"(mark 2 2)": 100}


def test_an_error_of_a_function_ends_the_run() -> None:
    state = state_of("tic_tac_toe")

    def failing(lanes: ggp.Lanes, asked: Any) -> Any:
        raise ZeroDivisionError("my mistake")

    for function, error, complaint in (
        (failing, ZeroDivisionError, "my mistake"),
        (lambda lanes, asked: np.full(lanes.n, 3) * 100, ggp.IllegalMoveError, "o cannot play 300"),
        (lambda lanes, asked: np.zeros(3, int), ValueError, r"moves must have the shape \(2, 64\)"),
        (lambda lanes, asked: None, ValueError, "moves are integers"),
    ):
        searcher = ggp.python_searcher(state, CONFIG, playout=function)
        with pytest.raises(error, match=complaint):
            searcher.run(simulations=50)
        assert searcher.statistics().visits <= 50
    for function, complaint in (
        (lambda lanes, asked: np.zeros(lanes.n), r"have the shape \(2, 64\)"),
        (lambda lanes, asked: np.full((2, lanes.n), 7.0), "are -1 to 1"),
    ):
        with pytest.raises(ValueError, match=complaint):
            ggp.python_searcher(state, CONFIG, evaluation=function).run(simulations=50)


def test_wrong_arguments_are_refused() -> None:
    state = state_of("tic_tac_toe")
    for call, complaint in (
        (lambda: ggp.python_searcher(5), "state must be a State"),
        (lambda: ggp.python_searcher(state, playout=5), "playout must be a function"),
        (lambda: ggp.python_searcher(state, {"seed": 1}), "config must be a SearchConfig"),
        (
            lambda: ggp.python_searcher(
                state, ggp.SearchConfig.from_toml('playout.policy = "mast"'), playout=first_move
            ),
            "a play-out function needs playout.policy = 'uniform', not 'mast'",
        ),
        (
            lambda: ggp.python_searcher(ggp.load_game("tic_tac_toe").initial_state("reasoner"), playout=first_move),
            "which does not number its moves",
        ),
    ):
        with pytest.raises(ggp.UserError, match=complaint):
            call()

"""Arguments of a wrong type: one sentence, in the words of the Python API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ggp_agent as ggp
from ggp_agent.common.errors import ArgumentTypeError
from ggp_agent.rl import GameAECEnv, GameEnv, GameParallelEnv, GameVectorEnv

TICTACTOE = ggp.load_game("tic_tac_toe")
STATE = TICTACTOE.initial_state()


def begun(env: Any) -> Any:
    env.reset(seed=1)
    return env


CALLS: tuple[tuple[Callable[[], Any], str], ...] = (
    (lambda: STATE.play(("(mark 1 1)", "noop")), "a move must be a text, not a value of type tuple; give one argument"),
    (lambda: STATE.play("(mark 1 1)", None), "a move must be a text, not a value of type NoneType"),
    (lambda: STATE.legal_moves(5), "role must be the name of a role, not 5"),
    (lambda: STATE.search(simulations=10, config=0.7), "config must be a SearchConfig, or a text such as"),
    (lambda: STATE.search(simulations="10"), "simulations must be a whole number, not '10'"),
    (lambda: STATE.search(seconds="1"), "seconds must be a number, not '1'"),
    (lambda: ggp.search("tic_tac_toe", simulations=1), "state must be a State"),
    (lambda: ggp.load_game(None), "word must be the name, path, URL or text of a game, not None"),
    (lambda: ggp.Lanes(TICTACTOE, "4"), "n must be the number of lanes, an integer, not '4'"),
    (lambda: ggp.Lanes(TICTACTOE, 2, threads=None), "threads must be the number of threads"),
    (lambda: ggp.Lanes(TICTACTOE, 2, seed="a"), "seed must be one seed, an integer"),
    (lambda: ggp.Lanes(TICTACTOE, 2, seed=["a", "b"]), "seeds must be integers"),
    (lambda: ggp.Lanes(TICTACTOE, 2).state("0"), "lane must be the number of a lane"),
    (lambda: GameEnv(None, role="x"), "word must be the name"),
    (lambda: GameEnv(TICTACTOE, role="x", max_turns="5"), "max_turns must be a number of turns, an integer"),
    (lambda: GameVectorEnv(TICTACTOE, "4"), "num_envs must be the number of games, an integer"),
    (lambda: begun(GameParallelEnv(TICTACTOE)).step(5), "actions must be a dictionary"),
    (lambda: GameAECEnv(TICTACTOE).reset(seed="x"), "seed must be one seed"),
)


@pytest.mark.parametrize(("call", "complaint"), CALLS)
def test_a_wrong_type_gives_one_sentence(call: Callable[[], Any], complaint: str) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        call()
    assert isinstance(raised.value, ggp.UserError)
    assert isinstance(raised.value, TypeError)
    assert str(raised.value).startswith(complaint)
    assert "\n" not in str(raised.value)


def test_values_out_of_range_give_one_sentence() -> None:
    for call, complaint in (
        (lambda: ggp.Lanes(TICTACTOE, 10**12), "n is at most 1073741824 lanes, not 1000000000000"),
        (lambda: begun(GameEnv(TICTACTOE, role="x")).step([1, 2]), "an action is the number of a move"),
        (lambda: begun(GameEnv(TICTACTOE, role="x")).step(None), "an action is the number of a move"),
    ):
        with pytest.raises(ValueError, match=complaint):
            call()

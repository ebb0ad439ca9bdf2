"""The trainer accepts positions of its game only, and its error falls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compiled import catalogue_network

from gdl import NetworkMachine
from ggp_agent import _learning
from ggp_agent.evaluation.learned_network import NetworkShape
from ggp_agent.learning.learner import encode_game
from ggp_agent.learning.options import TrainingOptions
from ggp_agent.learning.self_play import Positions


@pytest.fixture(scope="module")
def machine() -> NetworkMachine:
    return catalogue_network("tic_tac_toe")


@pytest.fixture
def trainer(machine: NetworkMachine) -> _learning.Trainer:
    encoding = encode_game(machine)
    shape = NetworkShape.of(encoding, 16, 16)
    weights = _learning.initial_weights(shape, 1, 10.0)
    return _learning.Trainer(shape, encoding, weights, TrainingOptions(batch=16), "portable")


def position(machine: NetworkMachine, mover: int = 0) -> Positions:
    """Return the initial position, in which a role prefers one of two moves."""
    return Positions(
        states=np.frombuffer(machine.initial(), np.uint64).reshape(1, -1).copy(),
        movers=np.array([mover], np.int32),
        results=np.array([[1, -1]], np.float32),
        searched=np.array([[0.5, -0.5]], np.float32),
        group_ends=np.array([1], np.uint32),
        group_roles=np.array([max(mover, 1 if mover < 0 else 0)], np.int32),
        move_ends=np.array([2], np.uint32),
        move_numbers=np.array([0, 1], np.int32),
        probabilities=np.array([0.75, 0.25], np.float32),
    )


def test_the_error_falls(machine: NetworkMachine, trainer: _learning.Trainer) -> None:
    assert trainer.add(position(machine)) == 1
    before = trainer.measure(10)
    trainer.train(300, 1e-2, 0.0)
    after = trainer.measure(10)
    assert (before[1], before[3]) == (1, 1)
    assert before[0] > 0.5 and after[0] < 0.05
    assert after[2] < 0.05 < before[2]


def test_where_several_roles_choose_only_values_are_learned(
    machine: NetworkMachine, trainer: _learning.Trainer
) -> None:
    """Random play-outs may miss such a state, so a game with views may have some."""
    assert trainer.add(position(machine, mover=-1)) == 1
    _, samples, _, groups = trainer.measure(10)
    assert (samples, groups) == (1, 0)


def test_positions_of_other_games_are_refused(machine: NetworkMachine, trainer: _learning.Trainer) -> None:
    good = position(machine)
    for wrong in (
        {"states": np.zeros((1, 9), np.uint64)},
        {"movers": np.array([2], np.int32)},
        {"results": np.array([[2, -2]], np.float32)},
        {"searched": np.array([[np.nan, 0]], np.float32)},
        {"group_ends": np.array([2], np.uint32)},
        {"group_roles": np.array([5], np.int32)},
        {"move_ends": np.array([3], np.uint32)},
        {"move_numbers": np.array([0, 99], np.int32)},
        {"probabilities": np.array([0.75, 2], np.float32)},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            trainer.add(replace(good, **wrong))
    assert trainer.add(good) == 1


def test_a_state_of_another_network_is_refused(trainer: _learning.Trainer) -> None:
    steps, parts = trainer.state()
    with pytest.raises(ValueError, match="belongs to another network"):
        trainer.restore(steps, [part[1:] for part in parts])
    trainer.restore(7, parts)
    assert trainer.steps == 7

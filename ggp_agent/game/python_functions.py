"""A search with play-outs and evaluations by Python functions, for trying an idea before it is written in C++.

Both functions get lanes and the lanes that they are asked about, and answer for all of these in one call:

>>> import numpy as np
>>> from ggp_agent.game.load import load_game
>>> def first_move(lanes, asked):
...     return lanes.movers_legal.argmax(axis=0)
>>> state = load_game("tic_tac_toe").initial_state()
>>> searcher = python_searcher(state, playout=first_move)
>>> searcher.run(simulations=200).visits
200

Such a search is slow: a simulation with a play-out function takes 3 to 50 times as long as one with random play-outs in
C++. Compare equal numbers of simulations, not equal times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine, NumberedMachine
from gdl._simulator import LaneSimulator

from .. import _search
from ..common.errors import UserError, require_type
from ..mcts.config import EvaluationConfig, SearchConfig
from ..mcts.configurations import as_configuration
from ..mcts.searcher import Searcher
from .game import State
from .lanes import DRAW, Lanes, Moves, require_moves

Bools: TypeAlias = npt.NDArray[np.bool_]

# Returns the moves of play-outs: integers, [n] for the movers or [roles, n] for all roles; -1 for a random move.
Playout: TypeAlias = Callable[[Lanes, Bools], npt.ArrayLike]
# Returns the values of states for all roles: [roles, n], -1 (lost) to 1 (won), NaN for an unknown value.
Evaluation: TypeAlias = Callable[[Lanes, Bools], npt.ArrayLike]

# The name of the evaluation in a configuration.
NAME = "python"


def python_searcher(
    state: State,
    config: SearchConfig | str | None = None,
    *,
    playout: Playout | None = None,
    evaluation: Evaluation | None = None,
) -> Searcher:
    """Return a searcher whose play-outs or evaluations are Python functions.

    Both functions are called with lanes and a mask: bool, [n], the lanes to answer for. The other lanes hold other
    states, and their entries in the answer are ignored. A function must not change the lanes. If a function raises an
    error, `run` raises it.

    `playout` chooses the moves of a play-out turn by turn; it needs `playout.policy = "uniform"`, the default. Decisive
    moves (`playout.decisive`) apply only where it returns -1 for all roles. `evaluation` is the evaluation with the
    name `python`; if the configuration names no evaluation, each play-out is replaced by a call of it
    (`playout.early_termination.plies = 0`).

    The same functions, configuration and number of simulations give the same tree if the functions are deterministic.
    The searcher can be copied, but not pickled or saved.

    Args:
        state: the state to search.
        config: the configuration, or a text such as "selection.exploration=0.7"; the default if None.
        playout: the play-out policy; None for random moves.
        evaluation: the evaluation; None for none.

    Raises:
        UserError: the state machine does not number moves, or the configuration has another play-out policy.
        ValueError: the game does not support the configuration.
        ArgumentTypeError: an argument has a wrong type.
    """
    require_type(state, State, "state", "a State")
    config = as_configuration(config)
    for name, function in (("playout", playout), ("evaluation", evaluation)):
        if function is not None:
            require_type(function, Callable, name, "a function of lanes and a mask")  # type: ignore[arg-type]
    if not isinstance(state.machine, NumberedMachine):
        raise UserError(f"{state.game.word} is played by the {state.machine.kind}, which does not number its moves")
    if playout is not None and config.playout.policy != "uniform":
        raise UserError(f"a play-out function needs playout.policy = 'uniform', not {config.playout.policy!r}")
    if evaluation is not None and config.evaluation == EvaluationConfig():
        ends = replace(config.playout.early_termination, plies=0)
        playouts = replace(config.playout, early_termination=ends)
        config = replace(config, evaluation=EvaluationConfig(name=NAME), playout=playouts)

    def guided(machine: CompiledMachine, simulator: LaneSimulator) -> LaneSimulator:
        assert isinstance(machine, NumberedMachine)
        functions = _Functions(Lanes.of_machine(state.game, machine, simulator.lanes), playout, evaluation)
        return _search.GuidedSimulator(
            simulator, functions.moves if playout else None, functions.values if evaluation else None
        )

    searcher = Searcher(state.machine, config, wrap=guided)
    searcher.set_root(state.packed)
    return searcher


class _Functions:
    """Convert between the bytes of the core and the arrays of the functions."""

    def __init__(self, lanes: Lanes, playout: Playout | None, evaluation: Evaluation | None) -> None:
        self._lanes = lanes
        self._playout = playout
        self._evaluation = evaluation

    def moves(self, mask: bytes, states: bytes) -> bytes:
        """Return the moves of a turn: int32, [roles, n].

        Raises:
            IllegalMoveError: a move is not legal.
            ValueError: the answer has a wrong shape or type.
        """
        assert self._playout is not None
        lanes, asked = self._lanes, self._load(mask, states)
        given = require_moves(self._playout(lanes, asked), len(lanes.roles), lanes.n)
        if len(given) < len(lanes.roles):
            given = self._of_movers(given[0])
        moves = np.where(asked, given, DRAW).astype(np.int32)
        for number, role in enumerate(lanes.roles):
            legal = lanes.legal(role)
            own = moves[number]
            is_legal = (own < len(legal)) & (legal[np.clip(own, 0, len(legal) - 1), np.arange(lanes.n)] == 1)
            wrong = np.flatnonzero((own != DRAW) & ~is_legal)
            if len(wrong):
                raise lanes.wrong_move(int(wrong[0]), number, int(own[wrong[0]]))
        return moves.tobytes()

    def values(self, mask: bytes, states: bytes) -> bytes:
        """Return the values of states: float32, [n, roles].

        Raises:
            ValueError: the answer has a wrong shape, or values out of range.
        """
        assert self._evaluation is not None
        lanes, asked = self._lanes, self._load(mask, states)
        values = np.asarray(self._evaluation(lanes, asked), np.float32)
        shape = (len(lanes.roles), lanes.n)
        if values.shape != shape:
            raise ValueError(f"the values of an evaluation have the shape {shape}, not {values.shape}")
        if (np.abs(values[:, asked]) > 1).any():
            raise ValueError("the values of an evaluation are -1 to 1, or NaN")
        return np.ascontiguousarray(values.T).tobytes()

    def _load(self, mask: bytes, states: bytes) -> Bools:
        """Load the states, and return the lanes of a mask."""
        bits = np.unpackbits(np.frombuffer(mask, np.uint8), bitorder="little")
        asked: Bools = bits[: self._lanes.n].astype(np.bool_)
        self._lanes.load(np.frombuffer(states, np.uint64).reshape(self._lanes.n, -1), asked)
        return asked

    def _of_movers(self, given: Moves) -> Moves:
        """Return the moves of all roles, [roles, n], for the moves of the movers; -1 for the others."""
        lanes = self._lanes
        moves = np.full((len(lanes.roles), lanes.n), DRAW, np.int32)
        every = np.flatnonzero(lanes.mover >= 0)
        moves[lanes.mover[every], every] = given[every]
        return moves

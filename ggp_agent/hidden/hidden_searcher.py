"""Search of one match with hidden information for one role.

>>> from ggp_agent.game.load import load_game
>>> searcher = HiddenSearcher(load_game("monty_hall"), "candidate")
>>> searcher.observe("(choose 1)", [])
()
>>> searcher.observe("noop", ["(open 3)"])
()
>>> result = searcher.run(simulations=10_000)
>>> result.move, result.belief_size, 60 < result.strategy[0].value < 73
('switch', 2, True)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from gdl import CompiledMachine

from .. import _hidden
from ..common.errors import UserError
from ..game.game import Game
from ..mcts.limits import Limits
from .role_belief import OBSERVE_SECONDS, Belief

METHODS = ("ismcts", "determinised")


@dataclass(frozen=True, slots=True)
class MoveEstimate:
    """One move in a mixed strategy.

    Attributes:
        move: the move as KIF.
        probability: the probability with which the move is to be played, 0..1.
        value: the estimated goal of the role after the move, 0..100.
        visits: the number of simulations that began with the move.
        legal: the probability that the move is legal, 0..1; less than 1 only if the role cannot know its legal moves.
    """

    move: str
    probability: float
    value: float
    visits: int
    legal: float


@dataclass(frozen=True, slots=True)
class HiddenResult:
    """The result of a run.

    Attributes:
        move: the move to play, drawn from the strategy.
        strategy: the moves that may be legal, the most probable first.
        simulations: the number of simulations that the run completed.
        seconds: the wall-clock time of the run.
        belief_size: the number of particles.
        belief_empty: True if the belief is only a guess, see `Belief.is_empty`.
        exact: True if the values are exact; then no simulations were made.
    """

    move: str
    strategy: tuple[MoveEstimate, ...]
    simulations: int
    seconds: float
    belief_size: int
    belief_empty: bool
    exact: bool


class HiddenSearcher:
    """Search for one role from all that it knows.

    Any thread may call `stop` at any time. All other methods raise RuntimeError while another call is running.

    Args:
        game: the game.
        role: the name of the role.
        method: `ismcts` for the tree search over information states, `determinised` for uniform play-outs from possible
            states; see `csrc/hidden`.
        particles: the number of particles of the belief.
        learned: whether the belief assumes that the other roles choose by the mean strategies of the search, mixed with
            15 % uniform choices, instead of uniformly; without effect with `determinised`.
        seed: the seed of all random numbers, 0 .. 2**64 - 1.
        machine: the machine of the game; None to make one.

    Attributes:
        belief: the belief of the role.
        method: the method.

    Raises:
        UserError: as for `Belief`.
        ValueError: there is no such method, or as for `Belief`.
    """

    def __init__(
        self,
        game: Game,
        role: str,
        *,
        method: Literal["ismcts", "determinised"] = "ismcts",
        particles: int = 4096,
        learned: bool = False,
        seed: int = 0,
        machine: CompiledMachine | None = None,
    ) -> None:
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method}")
        self.method = method
        self.belief = Belief(game, role, particles=particles, seed=seed, machine=machine)
        self._search = _hidden.Search(self.belief._core, method, seed, learned)
        self._random = random.Random(seed)

    def observe(
        self,
        move: str | None,
        percepts: Sequence[str],
        *,
        terminal: bool = False,
        refused: str | None = None,
        seconds: float = OBSERVE_SECONDS,
    ) -> tuple[str, ...]:
        """Process a turn. `Belief.observe` describes arguments, result and errors."""
        number, refused_number, known, unknown = self.belief._numbers(move, percepts, refused)
        self._search.observe(number, refused_number, known, terminal)
        self.belief.observe(move, percepts, terminal=terminal, refused=refused, seconds=seconds)
        return unknown

    def run(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        cpu_seconds: float | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> HiddenResult:
        """Search until the first limit is reached; without limits, until `stop`.

        Args:
            simulations: the number of simulations, at least 0; a few more may be completed.
            seconds: the longest wall-clock time, at least 0.
            cpu_seconds: the longest processor time of this thread, at least 0.
            stopped: called ten times per second; the run ends if it returns true.

        Raises:
            ValueError: a limit is negative or NaN.
            UserError: the role has no legal move in any state that it holds for possible, as after the end of the game.
            ArgumentTypeError: the number of simulations is not an integer, or a time is not a number.
            RuntimeError: another call is running.
        """
        Limits(simulations=simulations, seconds=seconds, cpu_seconds=cpu_seconds)  # checks them
        machine, role = self.belief.machine, self.belief.machine.roles.index(self.belief.role)
        completed, taken, exact, moves = self._search.run(simulations, seconds, cpu_seconds, stopped)
        if not moves:
            raise UserError(f"{self.belief.role} has no legal move: the game is over")
        strategy = [
            MoveEstimate(machine.move_name(role, move), probability, value, visits, legal)
            for move, probability, value, legal, visits in moves
        ]
        chosen = self._random.choices(strategy, [each.probability for each in strategy])[0]
        strategy.sort(key=lambda each: (-each.probability, -each.value, each.move))
        return HiddenResult(
            chosen.move, tuple(strategy), completed, taken, self.belief.size, self.belief.is_empty, exact
        )

    def stop(self) -> None:
        """End the current run, if any, within a turn of the lanes; callable from any thread."""
        self._search.stop()

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

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from gdl import CompiledMachine

from .. import _hidden
from ..common.errors import UserError
from ..game.game import Game
from ..game.roles import roles_to_play
from ..mcts.limits import Limits
from .equilibrium import Equilibrium
from .role_belief import OBSERVE_SECONDS, Belief

METHODS = ("ismcts", "oos", "determinised")

# The tree of a game is played for this part of the time of `solve`, and has at most this number of histories. The
# equilibrium is computed to an exploitability of _GOOD points, and used from _USABLE points on.
_TREE_SHARE = 0.1
_SMALL_TREE = 300_000
_GOOD, _USABLE = 0.01, 2.0


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
        exact: True if the values are exact, or the strategy is from an equilibrium of the whole game. Then no
            simulations were made.
        exploitability: the exploitability of the equilibrium, in points of the goals; None without one.
    """

    move: str
    strategy: tuple[MoveEstimate, ...]
    simulations: int
    seconds: float
    belief_size: int
    belief_empty: bool
    exact: bool
    exploitability: float | None = None


class HiddenSearcher:
    """Search for one role from all that it knows.

    Any thread may call `stop` at any time. All other methods raise RuntimeError while another call is running.

    Args:
        game: the game.
        role: the name of the role.
        method: `ismcts` for the tree search over information states, `oos` for online outcome sampling of whole games,
            `determinised` for uniform play-outs from possible states; see `csrc/hidden`.
        particles: the number of particles of the belief.
        learned: whether the belief assumes that the other roles choose by the mean strategies of the search, mixed with
            30 % uniform choices, instead of uniformly; without effect with `determinised`. Then `run` makes simulations
            also if the role has one move, to learn these strategies.
        seed: the seed of all random numbers, 0 .. 2**64 - 1.
        machine: the machine of the game; None to make one.

    Attributes:
        belief: the belief of the role.
        method: the method.
        learns: whether the belief assumes learned strategies of other roles.

    Raises:
        UserError: as for `Belief`.
        ValueError: there is no such method, or as for `Belief`.
    """

    def __init__(
        self,
        game: Game,
        role: str,
        *,
        method: Literal["ismcts", "oos", "determinised"] = "ismcts",
        particles: int = 4096,
        learned: bool = True,
        seed: int = 0,
        machine: CompiledMachine | None = None,
    ) -> None:
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method}")
        self.method = method
        self.belief = Belief(game, role, particles=particles, seed=seed, machine=machine)
        several = len(roles_to_play(self.belief.machine.roles)) > 1
        self.learns = learned and several and method != "determinised"
        self._search = _hidden.Search(self.belief._core, method, seed, self.learns)
        self._random = random.Random(seed)
        self._equilibrium: Equilibrium | None = None
        # Whether an equilibrium may be computed.
        self._is_small = method == "ismcts" and len(roles_to_play(self.belief.machine.roles)) == 2
        self._turns: list[tuple[str, Sequence[str]]] | None = []  # None if they are not known

    def solve(self, seconds: float, stopped: Callable[[], bool] | None = None) -> bool:
        """Compute an equilibrium if the game is small and has two roles; `run` then uses it. Only for `ismcts`.

        The whole tree is played in a tenth of the time, up to 300,000 histories, and predictive CFR+ runs until the
        exploitability is 0.01 points. A second call continues. `Equilibrium` describes the methods and the games.

        Args:
            seconds: the longest wall-clock time, at least 0.
            stopped: called ten times per second; the work ends if it returns true.

        Returns:
            True if `run` will use the equilibrium.

        Raises:
            RuntimeError: another call is running.
        """
        if not self._is_small:
            return False
        until = time.monotonic() + seconds
        if self._equilibrium is None:
            belief = self.belief
            try:
                self._equilibrium = Equilibrium(
                    belief.game,
                    histories=_SMALL_TREE,
                    seconds=_TREE_SHARE * seconds,
                    stopped=stopped and (lambda _: stopped()),
                    machine=belief.machine,
                )
            except UserError:
                self._is_small = False
                return False
        self._equilibrium.run(seconds=max(0.0, until - time.monotonic()), exploitability=_GOOD, stopped=stopped)
        return self._equilibrium.exploitability <= _USABLE

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
        if move is None or unknown or self._turns is None:
            self._turns = None
        else:
            self._turns.append((move, tuple(percepts)))
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

        After `solve`, the strategy of the equilibrium is returned at once.

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
        if (found := self._strategy_of_equilibrium()) is not None:
            return self._result(found[0], exploitability=found[1])
        machine, role = self.belief.machine, self.belief.machine.roles.index(self.belief.role)
        completed, taken, exact, moves = self._search.run(simulations, seconds, cpu_seconds, stopped)
        if not moves:
            raise UserError(f"{self.belief.role} has no legal move: the game is over")
        strategy = [
            MoveEstimate(machine.move_name(role, move), probability, value, visits, legal)
            for move, probability, value, legal, visits in moves
        ]
        return self._result(strategy, completed, taken, exact)

    def _result(
        self,
        strategy: list[MoveEstimate],
        simulations: int = 0,
        seconds: float = 0.0,
        exact: bool = True,
        exploitability: float | None = None,
    ) -> HiddenResult:
        """Draw a move from a strategy."""
        chosen = self._random.choices(strategy, [each.probability for each in strategy])[0]
        strategy.sort(key=lambda each: (-each.probability, -each.value, each.move))
        size, empty = self.belief.size, self.belief.is_empty
        return HiddenResult(chosen.move, tuple(strategy), simulations, seconds, size, empty, exact, exploitability)

    def _strategy_of_equilibrium(self) -> tuple[list[MoveEstimate], float] | None:
        """Return the strategy of the equilibrium and its exploitability; None if it has no strategy for the turns."""
        found = self._equilibrium
        if found is None or self._turns is None or found.exploitability > _USABLE:
            return None
        try:
            moves = found.strategy(self.belief.role, self._turns)
        except ValueError:  # the game is over, or no history explains the percepts
            return None
        values = found.values
        strategy = [
            MoveEstimate(
                each.move,
                each.probability,
                values[self.belief.role] if math.isnan(each.value) else each.value,
                0,
                1.0,
            )
            for each in moves
        ]
        return strategy, found.exploitability

    def exploitability(self, game: Equilibrium) -> float:
        """Return the exploitability of what the search has learned for the whole game, in points of the goals.

        These are the mean strategies of all roles; the strategy is uniform in information states that the search does
        not know. Without turns, the mean strategies of `oos` converge to an equilibrium.

        Args:
            game: the whole tree of the same game.

        Raises:
            ValueError: the search is `determinised`, which learns no strategies, or the game has no percepts.
            RuntimeError: another call is running.
        """
        if self.method == "determinised":
            raise ValueError("determinised learns no strategies")
        return game._exploitability_of(self._search)

    def stop(self) -> None:
        """End the current run, if any, within a turn of the lanes; callable from any thread."""
        self._search.stop()

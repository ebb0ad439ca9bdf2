"""A round of games between a candidate and the default, in the thread of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from gdl import CompiledMachine, MachineState

from ..arena.arena import Arena, Contestant
from ..arena.comparison import compare
from ..arena.match_plan import MatchPlan, schedule
from ..arena.scores import Score
from ..mcts.config import SearchConfig

# Games of a candidate at most; there is time for far fewer.
_MOST_GAMES = 10_000
# Of these numbers of random moves to begin with the largest is taken that leaves a game.
_OPENINGS = (4, 2, 0)


class TrialStoppedError(Exception):
    """Report that a round was given up because time is over, or the machine is wanted elsewhere."""


def opening_plies(machine: CompiledMachine) -> int:
    """Return how many random moves a trial of the game begins with.

    Where these leave no choice, as in a game of one move, there are none.
    """
    arena = Arena(machine, _contestants(SearchConfig(), SearchConfig(), 1.0))
    plan = next(schedule(machine.roles, contestants=2, matches=2, seed=1))
    for plies in _OPENINGS:
        try:
            replace(arena, opening_plies=plies).opening(plan, machine.simulator(64))
        except ValueError:  # games end before
            continue
        return plies
    return 0


class RoundPlayer:
    """Play rounds of games between a configuration and the default: all seatings of one opening.

    Args:
        machine: of the game; no other thread uses it.
        candidate, default: the two.
        milliseconds: of every move, processor time of the thread.
        plies: random moves to begin with.
        stopped: asked after every move; true ends the round.

    Attributes:
        moves: that were searched so far.
    """

    def __init__(
        self,
        machine: CompiledMachine,
        candidate: SearchConfig,
        default: SearchConfig,
        *,
        milliseconds: float,
        plies: int,
        stopped: Callable[[], bool],
    ) -> None:
        self.moves = 0
        self._arena = Arena(machine, _contestants(candidate, default, milliseconds), plies)
        self._stopped = stopped

    def play(self, plans: list[MatchPlan], start: MachineState | None = None) -> Score:
        """Play a round, and return the score of the candidate; a game that does not end counts for nothing.

        Args:
            plans: of its games.
            start: the state in which they begin; None for the initial one.

        Raises:
            TrialStoppedError: it was stopped.
            Exception: the configuration does not work in this game.
        """
        arena = replace(self._arena, start=start)
        return compare(arena.machine.roles, list(arena.play(plans, 1, self._moved)), 0, 1).score

    def _moved(self, moves: int) -> None:
        self.moves += moves
        if self._stopped():
            raise TrialStoppedError


def rounds(machine: CompiledMachine, seed: int) -> Iterator[list[MatchPlan]]:
    """Yield the games of one round after the other.

    Raises:
        ValueError: chance alone plays the game.
    """
    plans = schedule(machine.roles, contestants=2, matches=_MOST_GAMES, seed=seed)
    while plan := list(islice(plans, 2)):
        yield plan


def _contestants(candidate: SearchConfig, default: SearchConfig, milliseconds: float) -> tuple[Contestant, ...]:
    """Return the two sides; each searches in one thread."""
    return tuple(
        Contestant(name, replace(config, threads=None), milliseconds=milliseconds)
        for name, config in (("candidate", candidate), ("default", default))
    )

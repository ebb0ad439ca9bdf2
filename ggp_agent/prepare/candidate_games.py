"""A round of test games between a candidate and the default, in the calling thread."""

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

# The largest number of games of a candidate; the time suffices for far fewer.
_MOST_GAMES = 10_000
# Numbers of random opening moves: the first one that leaves a game is used.
_OPENINGS = (4, 2, 0)


class RoundStoppedError(Exception):
    """Report that a round was stopped."""


def opening_plies(machine: CompiledMachine) -> int:
    """Return the number of random moves at the beginning of a test game; 0 if the game is over after two."""
    arena = Arena(machine, _contestants(SearchConfig(), SearchConfig(), 1.0))
    plan = next(schedule(machine.roles, contestants=2, matches=2, seed=1))
    for plies in _OPENINGS:
        try:
            replace(arena, opening_plies=plies).opening(plan, machine.simulator(64))
        except ValueError:  # the game ends during the opening
            continue
        return plies
    return 0


class RoundPlayer:
    """Play rounds of games between a configuration and the default: all assignments of roles with one opening."""

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
        self.moves = 0  # number of moves searched so far
        self._arena = Arena(machine, _contestants(candidate, default, milliseconds), plies)
        self._stopped = stopped

    def play(self, plans: list[MatchPlan], start: MachineState | None = None) -> Score:
        """Play a round and return the score of the candidate; a game that does not end is not counted."""
        arena = replace(self._arena, start=start)
        return compare(arena.machine.roles, list(arena.play(plans, 1, self._moved)), 0, 1).score

    def _moved(self, moves: int) -> None:
        self.moves += moves
        if self._stopped():
            raise RoundStoppedError


def rounds(machine: CompiledMachine, seed: int) -> Iterator[list[MatchPlan]]:
    """Yield the games of each round."""
    plans = schedule(machine.roles, contestants=2, matches=_MOST_GAMES, seed=seed)
    while plan := list(islice(plans, 2)):
        yield plan


def _contestants(candidate: SearchConfig, default: SearchConfig, milliseconds: float) -> tuple[Contestant, ...]:
    """Return both contestants; each searches in one thread."""
    return tuple(
        Contestant(name, replace(config, threads=None), milliseconds=milliseconds)
        for name, config in (("candidate", candidate), ("default", default))
    )

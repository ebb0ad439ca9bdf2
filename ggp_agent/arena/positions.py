"""Test positions instead of matches: does a search choose a right move?

A test position counts as a match of one move, won by contestant 0 if its move is right, otherwise lost. So everything
that stores, counts and shows matches works for positions, too. Seed and number of the plan determine the position,
which is the same for every contestant; the seats are ignored.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from gdl import CompiledMachine

from .. import _search
from ..mcts.config import lanes_for
from ..mcts.limits import Limits
from .arena import Arena
from .match_plan import MatchPlan
from .match_result import MatchResult
from .sudden_positions import PositionFinder, SuddenPosition
from .workers import MatchTask

# Positions found in this process by game, kind, seed and number: several cells use the same ones.
_found: dict[tuple[str, str, int, int], SuddenPosition] = {}


@dataclass(frozen=True, slots=True)
class PositionArena(Arena):
    """Search positions of a kind (`sudden_positions.py`) with the first contestant.

    In a result, `simulations` and `cpu_seconds` of the role of contestant 0 describe its search; `cpu_seconds` of the
    other role is the time of the sudden-death minimax.
    """

    kind: str = ""

    def seats_side_by_side(self, matches: int) -> int:
        """Return 1: every position is searched alone, so that its processor time can be measured."""
        return 1

    def play(self, plans: Iterable[MatchPlan], seats: int, moved: Callable[[int], None]) -> Iterator[MatchResult]:
        finder = PositionFinder(self.machine)
        contestant = self.search_contestant(0)
        in_flight = self.flights(0) or self.machine.in_flight
        seconds = None if contestant.milliseconds is None else contestant.milliseconds / 1000
        limits = Limits(simulations=contestant.simulations, cpu_seconds=seconds)
        for plan in plans:
            position = self._position(finder, plan)
            config = replace(contestant.config, seed=_stream(plan, "search").getrandbits(63), in_flight=in_flight)
            searcher = _search.Searcher(self.machine.simulator(in_flight and lanes_for(in_flight)), config)
            searcher.set_root(position.state)
            started = time.thread_time()
            found = searcher.run(limits)
            taken = time.thread_time() - started
            chosen = int(found.roles[position.mover].moves["move"][0])
            moved(1)
            own = plan.seats.index(0)
            goals, simulations, cpu_seconds = [0, 0], [0, 0], [found.minimax_seconds] * 2
            goals[own if chosen in position.right else 1 - own] = 100
            simulations[own], cpu_seconds[own] = found.simulations, taken
            yield MatchResult(
                plan, 1, 0, tuple(goals), tuple(simulations), tuple(cpu_seconds), "", (self._words(position, chosen),)
            )

    def _position(self, finder: PositionFinder, plan: MatchPlan) -> SuddenPosition:
        key = f"{type(self.machine).__name__} {self.machine.sheet.source}", self.kind, plan.seed, plan.number
        if key not in _found:
            _found[key] = finder.find(self.kind, _stream(plan, self.kind))
        return _found[key]

    def _words(self, position: SuddenPosition, chosen: int) -> tuple[str, ...]:
        names = [""] * len(self.machine.roles)
        names[position.mover] = self.machine.move_name(position.mover, chosen)
        return tuple(names)


@dataclass(frozen=True, slots=True)
class PositionTask(MatchTask):
    """Positions of one kind of one game, to be searched by a process."""

    kind: str = ""  # kind of the positions

    def arena(self, machine: CompiledMachine) -> Arena:
        return PositionArena(machine, self.contestants, in_flight=self.in_flight, kind=self.kind)


def _stream(plan: MatchPlan, purpose: str) -> random.Random:
    """Return a random source for one position; it depends on the number of the match instead of the round."""
    return random.Random(f"{plan.seed} {plan.number} {purpose}")

"""Games of one role solved: which ways there are, what they find, checked on the machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from gdl import NetworkMachine, RuleSheet, StateMachine

from ..common.errors import UserError
from ..common.processes import machine_memory_mb
from ..game.roles import is_chance
from . import MEMORY_MB
from .beam import beam
from .breadth_first import breadth_first
from .by_parts import by_parts
from .circuit import FALSE_VALUE, Circuit, UnservedError, after, circuit_of
from .fixed_order import in_fixed_order
from .line import KnownGoal, goal_after
from .nested import nested
from .planner import plan
from .portfolio import Portfolio, SolverMessage, Way

PLANNER, FIXED_ORDER, BREADTH_FIRST, BEAM = "planner", "fixed order", "breadth-first search", "beam search"
BY_PARTS, NESTED = "part by part", "nested search"
WAYS = 6


@dataclass(slots=True)
class SolverReport:
    """How one way fares.

    Attributes:
        goal: of its best line; None where it has none.
        seconds: until it had that.
        cpu_s: CPU-seconds of its process when it last told something.
        reason: why it ended, empty while it runs or where it has done all it can.
        ended: whether it has ended.
        told: what it says of its search.
    """

    goal: int | None = None
    seconds: float | None = None
    cpu_s: float = 0.0
    reason: str = ""
    ended: bool = False
    told: str = ""

    def __str__(self) -> str:
        """Say it in a line."""
        words = [f"{self.cpu_s:.1f} CPU-seconds"]
        if self.goal is not None and self.seconds is not None:
            words.insert(0, f"goal {self.goal} after {self.seconds:.1f} s")
        if self.told:
            words.append(self.told)
        if self.ended:
            words.append(f"ended: {self.reason}" if self.reason else "has looked through all it can")
        return ", ".join(words)


@dataclass(slots=True)
class Solution:
    """The best line so far, checked on the machine.

    Attributes:
        goal: of the line, 0 where there is none.
        moves: the line; None where none is known.
        ceiling: no line reaches a higher goal.
        way: which found the line.
        seconds: until it was found.
        ways: how each way fares.
    """

    ceiling: int
    goal: int = 0
    moves: tuple[str, ...] | None = None
    way: str = ""
    seconds: float = 0.0
    ways: dict[str, SolverReport] = field(default_factory=dict)

    @property
    def proven(self) -> bool:
        """Whether no line is better."""
        return self.goal >= self.ceiling


def require_puzzle(name: str, sheet: RuleSheet) -> None:
    """Refuse games that are none of one role.

    Raises:
        UserError: there are others, or chance, in the game.
    """
    roles = sheet.roles()
    if any(map(is_chance, roles)):
        raise UserError(f"{name}: chance plays a part in it ({', '.join(roles)}); only games of one role can be solved")
    if len(roles) != 1:
        raise UserError(f"{name}: it has {len(roles)} roles ({', '.join(roles)}); only games of one role can be solved")


def _require_end(circuit: Circuit) -> None:
    if max(goal for goal, _ in circuit.goals) == 0:
        raise UnservedError("no line ends with a goal above 0: its rules, simplified, have none")
    if circuit.terminal == FALSE_VALUE:
        raise UnservedError("the game has no end: no state is terminal")


class Solving:
    """Let ways look for a line, and keep the best that holds on the machine.

    Args:
        machine: of the game.
        before: moves that were made already; lines begin with them.
        memory_mb: what each process may take; the memory of the machine is the limit.

    Raises:
        UnservedError: no way serves the game.
    """

    def __init__(self, machine: StateMachine, before: Sequence[str] = (), memory_mb: int = MEMORY_MB) -> None:
        self._circuit = circuit_of(machine)
        _require_end(self._circuit)
        assert isinstance(machine, NetworkMachine)
        self._machine = machine
        self._memory_mb = min(memory_mb, machine_memory_mb())
        self._begin(tuple(before))

    def begin_anew(self, before: Sequence[str]) -> None:
        """End all ways, and let them begin after other moves; nothing of what was found is kept."""
        self.close()
        self._begin(tuple(before))

    def _begin(self, before: tuple[str, ...]) -> None:
        sheet, memory_mb = self._machine.sheet, self._memory_mb
        circuit = self._circuit.beginning_with(after(self._machine, before)) if before else self._circuit
        ways = [
            Way(PLANNER, partial(plan, circuit)),
            Way(FIXED_ORDER, partial(in_fixed_order, circuit)),
            Way(BREADTH_FIRST, partial(breadth_first, sheet, before, memory_mb)),
            Way(BEAM, partial(beam, sheet, before, memory_mb)),
            Way(NESTED, partial(nested, sheet, before, memory_mb)),
            Way(BY_PARTS, partial(by_parts, sheet, before, memory_mb)),
        ]
        self._before = before
        self._started = time.monotonic()
        self.solution = Solution(circuit.goals[-1][0], ways={way.name: SolverReport() for way in ways})
        self._race = Portfolio(ways, memory_mb)

    @property
    def running(self) -> bool:
        """Whether any way goes on."""
        return self._race.running

    def look(self, seconds: float) -> bool:
        """Wait for so long until a way tells something; tell whether the best line is a better one now."""
        improved = False
        for news in self._race.news(seconds):
            improved |= self._take(news)
        return improved

    def close(self) -> None:
        """End all ways."""
        self._race.close()

    def _take(self, news: SolverMessage) -> bool:
        report = self.solution.ways[news.way]
        report.cpu_s = news.cpu_s or report.cpu_s
        if news.finding is None:
            report.ended, report.reason = True, news.reason
            return False
        finding = replace(news.finding, moves=(*self._before, *news.finding.moves))
        report.told = finding.told
        self.solution.ceiling = min(self.solution.ceiling, finding.ceiling)
        return self._keep(news.way, finding, report)

    def _keep(self, way: str, finding: KnownGoal, report: SolverReport) -> bool:
        if report.goal is not None and finding.goal <= report.goal:
            return False
        goal = goal_after(self._machine, finding.moves)
        if goal is None:
            return False  # it has no line yet
        if goal < finding.goal:
            raise AssertionError(f"the line of the {way} ends with {goal}, not {finding.goal}")
        report.goal, report.seconds = goal, time.monotonic() - self._started
        if self.solution.moves is not None and goal <= self.solution.goal:
            return False
        self.solution.goal, self.solution.moves, self.solution.way = goal, finding.moves, way
        self.solution.seconds = report.seconds
        return True


def solve(
    machine: StateMachine,
    seconds: float,
    *,
    all_ways: bool = False,
    memory_mb: int = MEMORY_MB,
    begun: Callable[[Solution], None] = lambda solution: None,
) -> Solution:
    """Look for the best line.

    Args:
        machine: of a game of one role.
        seconds: give up after this time.
        all_ways: go on when the best is proven, until every way has ended.
        memory_mb: what each process may take.
        begun: is given, at the beginning, what will be returned; it changes until then.

    Raises:
        UnservedError: no way serves the game.
    """
    solving = Solving(machine, memory_mb=memory_mb)
    begun(solving.solution)
    until = time.monotonic() + seconds
    try:
        while solving.running and (all_ways or not solving.solution.proven):
            left = until - time.monotonic()
            if left <= 0:
                break
            solving.look(left)
    finally:
        solving.close()
    return solving.solution

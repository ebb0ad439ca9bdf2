"""Run the solvers of games of one role, and check their lines on the machine."""

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
    """The state of one solver."""

    goal: int | None = None  # the goal of its best line; None if it has no line
    seconds: float | None = None  # the time at which it found this line
    cpu_s: float = 0.0  # the CPU-seconds of its process at its last message
    reason: str = ""  # cause of its end; empty while it runs, and after a complete search
    ended: bool = False  # True if it has ended
    progress: str = ""  # the progress of its search, in words

    def __str__(self) -> str:
        """Describe the state in one line."""
        words = [f"{self.cpu_s:.1f} CPU-seconds"]
        if self.goal is not None and self.seconds is not None:
            words.insert(0, f"goal {self.goal} after {self.seconds:.1f} s")
        if self.progress:
            words.append(self.progress)
        if self.ended:
            words.append(f"ended: {self.reason}" if self.reason else "search complete")
        return ", ".join(words)


@dataclass(slots=True)
class Solution:
    """The best line so far, checked on the machine."""

    ceiling: int  # an upper bound of the goal of all lines
    goal: int = 0  # the goal of the line; 0 if there is none
    moves: tuple[str, ...] | None = None  # the line; None if none is known
    way: str = ""  # the name of the solver that found the line
    seconds: float = 0.0  # the time at which it was found
    ways: dict[str, SolverReport] = field(default_factory=dict)  # the state of each solver

    @property
    def proven(self) -> bool:
        """True if no line is better."""
        return self.goal >= self.ceiling


def require_puzzle(name: str, sheet: RuleSheet) -> None:
    """Refuse a game that does not have exactly one role."""
    roles = sheet.roles()
    if any(map(is_chance, roles)):
        raise UserError(f"{name}: the game has chance ({', '.join(roles)}); only games of one role can be solved")
    if len(roles) != 1:
        raise UserError(
            f"{name}: the game has {len(roles)} roles ({', '.join(roles)}); only games of one role can be solved"
        )


def _require_end(circuit: Circuit) -> None:
    if max(goal for goal, _ in circuit.goals) == 0:
        raise UnservedError("no line ends with a goal above 0: its rules, simplified, have none")
    if circuit.terminal == FALSE_VALUE:
        raise UnservedError("the game has no end: no state is terminal")


class Solving:
    """Run the solvers, and keep the best line that is valid on the machine."""

    def __init__(self, machine: StateMachine, before: Sequence[str] = (), memory_mb: int = MEMORY_MB) -> None:
        self._circuit = circuit_of(machine)
        _require_end(self._circuit)
        assert isinstance(machine, NetworkMachine)
        self._machine = machine
        self._memory_mb = min(memory_mb, machine_memory_mb())
        self._begin(tuple(before))

    def restart(self, before: Sequence[str]) -> None:
        """Stop all solvers, and start them again after other moves; earlier results are discarded."""
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
        self._portfolio = Portfolio(ways, memory_mb)

    @property
    def running(self) -> bool:
        """True if a solver is running."""
        return self._portfolio.running

    def look(self, seconds: float) -> bool:
        """Wait up to this number of seconds for messages of the solvers; return True if the best line has improved."""
        improved = False
        for news in self._portfolio.news(seconds):
            improved |= self._take(news)
        return improved

    def close(self) -> None:
        """Stop all solvers."""
        self._portfolio.close()

    def _take(self, news: SolverMessage) -> bool:
        report = self.solution.ways[news.way]
        report.cpu_s = news.cpu_s or report.cpu_s
        if news.finding is None:
            report.ended, report.reason = True, news.reason
            return False
        finding = replace(news.finding, moves=(*self._before, *news.finding.moves))
        report.progress = finding.progress
        self.solution.ceiling = min(self.solution.ceiling, finding.ceiling)
        return self._keep(news.way, finding, report)

    def _keep(self, way: str, finding: KnownGoal, report: SolverReport) -> bool:
        if report.goal is not None and finding.goal <= report.goal:
            return False
        goal = goal_after(self._machine, finding.moves)
        if goal is None:
            return False  # no line yet
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
    """Search for the best line."""
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

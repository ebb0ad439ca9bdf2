"""The planner: the game over time (`unrolling`), solved for growing horizons, the highest goals first.

A horizon h stands for all lines of at most h moves. Of every horizon in turn it is asked, under a limit of time,

    reached(h, v)       for the highest goal v that may still be had;
    reached(h, > best)  as long as that improves on the best line so far;
    on(h)               is there a line that has not ended by then? If not, h is the last horizon.

A horizon where no line improves on the best is settled, and all shorter ones with it. Horizons that are not settled are
asked again in the next round, with twice the time; a round goes on to longer horizons until `_UNDECIDED` of them were
not settled. A goal without an answer at the last horizon is impossible, which is so proven.

Interleaving horizons is algorithm B of Rintanen, "Evaluation Strategies for Planning as Satisfiability", ECAI 2004;
rules, rewritten over time, from Thielscher, "Answer Set Programming for Single-Player Games in General Game Playing",
ICLP 2009.
"""

from __future__ import annotations

from .circuit import Circuit
from .line import KnownGoal, Report
from .solving import Holds, Solver
from .unrolling import Unrolling

# Seconds for one question in the first round.
_BUDGET = 1.0

# The share of it for the question whether all lines have ended.
_END_SHARE = 0.25

# Each horizon is so many times the one before, and longer by one move at least.
_GROWTH = 1.5

# Horizons that a round leaves undecided at most.
_UNDECIDED = 3


def plan(circuit: Circuit, report: Report) -> None:
    """Look for the best line until it is proven, or for ever.

    Raises:
        UnservedError: the program would become too large.
    """
    _Planner(circuit, report).run()


class _Planner:
    """Keep the best line and the goals above it that may be had."""

    def __init__(self, circuit: Circuit, report: Report) -> None:
        self._circuit = circuit
        self._report = report
        self._solver = Solver()
        self._unrolling = Unrolling(circuit, self._solver.formulas)
        self._above = [goal for goal, _ in reversed(circuit.goals) if goal > 0]
        self._best = 0
        self._line: tuple[str, ...] = ()
        self._budget = _BUDGET
        self._longest = 0
        self._ended = False  # every line has ended at the longest horizon

    def run(self) -> None:
        """Go through the rounds."""
        with self._solver.growing():
            self._unrolling.begin()
        undecided = [] if self._settles(0) else [0]
        while self._above:
            undecided = [horizon for horizon in undecided if not self._settles(horizon)]
            tried = 0
            while self._above and not self._ended and tried < _UNDECIDED:
                self._grow()
                if self._settles(self._longest):
                    undecided = []
                else:
                    undecided.append(self._longest)
                    tried += 1
            self._budget *= 2

    def _grow(self) -> None:
        """Go on to the next horizon, or to the last one if it comes before."""
        wanted = max(self._longest + 1, int(self._longest * _GROWTH))
        with self._solver.growing():
            while self._longest < wanted and not self._ended:
                self._unrolling.extend()
                self._longest += 1
                self._ended = self._solver.never(self._unrolling.on[self._longest])

    def _settles(self, horizon: int) -> bool:
        """Ask all about a horizon; tell whether there is nothing more to be had there."""
        while self._above:
            top = self._above[0]
            found = self._ask(horizon, [top])
            if found is False and horizon == self._longest and self._has_ended():
                self._above.pop(0)
                self._tell()
                continue
            if found or len(self._above) == 1:
                return found is not None
            found = self._ask(horizon, self._above)
            if not found:
                return found is False
        return True

    def _has_ended(self) -> bool:
        """Ask whether every line has ended at the longest horizon."""
        if not self._ended:
            on = self._unrolling.on[self._longest]
            self._ended = self._solver.ask(on, _END_SHARE * self._budget, lambda holds: None)[0] is False
        return self._ended

    def _ask(self, horizon: int, goals: list[int]) -> bool | None:
        """Look for a line to one of some goals; keep and tell what is found."""

        def read(holds: Holds) -> tuple[int, list[int]]:
            goal = next(goal for goal in goals if holds(self._unrolling.reached([goal], horizon)))
            return goal, self._unrolling.line(holds)

        with self._solver.growing():
            wanted = self._unrolling.reached(goals, horizon)
        found, answer = self._solver.ask(wanted, self._budget, read)
        if answer is not None:
            self._best, line = answer
            self._line = tuple(self._circuit.move_names[number] for number in line)
            self._above = [goal for goal in self._above if goal > self._best]
            self._tell()
        return found

    def _tell(self) -> None:
        ceiling = self._above[0] if self._above else self._best
        self._report(KnownGoal(self._best, self._line, ceiling, f"horizon {self._longest}"))

"""The planner: the game over time (`unrolling`), solved for growing horizons, the highest goals first.

A horizon h means all lines of at most h moves. For each horizon the solver is queried, with a time limit:

    reached(h, v)       for the highest goal v that is still possible;
    reached(h, > best)  while this improves the best line;
    on(h)               is there a line that has not ended? If not, h is the last horizon.

A horizon is settled, with all shorter ones, if no line improves on the best. Unsettled horizons are queried again in
the next round, with twice the time. A round continues with longer horizons until `_UNDECIDED` of them were not settled.
A goal without an answer at the last horizon is impossible; this is a proof.

Interleaving horizons is algorithm B of Rintanen, "Evaluation Strategies for Planning as Satisfiability", ECAI 2004;
rules over time are from Thielscher, "Answer Set Programming for Single-Player Games in General Game Playing", ICLP
2009.
"""

from __future__ import annotations

from .circuit import Circuit, KnownGoal, Report
from .unrolling import Holds, Solver, Unrolling

# CPU-seconds for one query in the first round.
_QUERY_SECONDS = 1.0

# The fraction of this time for the query whether all lines have ended.
_END_SHARE = 0.25

# The ratio of successive horizons, which also differ by at least one move.
_GROWTH = 1.5

# Maximal number of unsettled horizons in a round.
_UNDECIDED = 3


def plan(circuit: Circuit, report: Report) -> None:
    """Search for the best line until it is proven, or without end."""
    _Planner(circuit, report).run()


class _Planner:
    """The best line, and the higher goals that are still possible."""

    def __init__(self, circuit: Circuit, report: Report) -> None:
        self._circuit = circuit
        self._report = report
        self._solver = Solver()
        self._unrolling = Unrolling(circuit, self._solver.formulas)
        self._above = [goal for goal, _ in reversed(circuit.goals) if goal > 0]
        self._best = 0
        self._line: tuple[str, ...] = ()
        self._budget = _QUERY_SECONDS
        self._longest = 0
        self._ended = False  # True if every line has ended at the longest horizon

    def run(self) -> None:
        """Run the rounds."""
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
        """Extend the program to the next horizon, or to the last one if that comes first."""
        wanted = max(self._longest + 1, int(self._longest * _GROWTH))
        with self._solver.growing():
            while self._longest < wanted and not self._ended:
                self._unrolling.extend()
                self._longest += 1
                self._ended = self._solver.never(self._unrolling.on[self._longest])

    def _settles(self, horizon: int) -> bool:
        """Run the queries of a horizon; return True if it cannot improve the best line any more."""
        while self._above:
            top = self._above[0]
            found = self._ask(horizon, [top])
            if found is False and horizon == self._longest and self._has_ended():
                self._above.pop(0)
                self._send_report()
                continue
            if found or len(self._above) == 1:
                return found is not None
            found = self._ask(horizon, self._above)
            if not found:
                return found is False
        return True

    def _has_ended(self) -> bool:
        """Query whether every line has ended at the longest horizon."""
        if not self._ended:
            on = self._unrolling.on[self._longest]
            self._ended = self._solver.ask(on, _END_SHARE * self._budget, lambda holds: None)[0] is False
        return self._ended

    def _ask(self, horizon: int, goals: list[int]) -> bool | None:
        """Search for a line to one of some goals; store and report it."""

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
            self._send_report()
        return found

    def _send_report(self) -> None:
        ceiling = self._above[0] if self._above else self._best
        self._report(KnownGoal(self._best, self._line, ceiling, f"horizon {self._longest}"))

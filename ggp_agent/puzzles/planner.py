"""A game of one role over time, as a logic program: one copy of its network for every step.

For t = 0, 1, ...: x(t) is the state, m(t) a choice among the legal moves; exactly one move is made while the game is
on(t):

    on(0)   = not terminal(x(0))             on(t) = on(t-1) & not terminal(x(t))
    x(t+1)  = next(x(t), m(t))               ended(t, v) = on(t-1) & terminal(x(t)) & exactly goal v in x(t)
    reached(t, v) = ended(0, v) | ... | ended(t, v)

See Thielscher, "Answer Set Programming for Single-Player Games in General Game Playing", ICLP 2009, Definition 4; here
the network replaces the rules. The initial state is known, so constants are propagated from step to step: unreachable
fluents and step counters need no rules.

`Formulas` writes Boolean formulas, shared and simplified, as a ground program of clingo, and `Solver` solves it.

A literal is an integer other than 0: the number of an atom, or its negation; `TRUE` and `FALSE` are constants. In a
program, every conjunction that cannot be simplified is an atom with one rule, so the solver sees the completion of a
stratified program: `a <-> l1 & ... & ln`. A disjunction is the negation of a conjunction of negations.

The planner solves this program for growing horizons, the highest goals first.

A horizon h means all lines of at most h moves. For each horizon the solver is queried, with a time limit:

    reached(h, v)       for the highest goal v that is still possible;
    reached(h, > best)  while this improves the best line;
    on(h)               is there a line that has not ended? If not, h is the last horizon.

A horizon is settled, with all shorter ones, if no line improves on the best. Unsettled horizons are queried again in
the next round, with twice the time. A round continues with longer horizons until `_UNDECIDED` of them were not settled.
A goal without an answer at the last horizon is impossible; this is a proof.

Interleaving horizons is algorithm B of Rintanen, "Evaluation Strategies for Planning as Satisfiability", ECAI 2004.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import clingo

from .circuit import FALSE_VALUE, LOOKS_AHEAD, TRUE_VALUE, Circuit, Gate, KnownGoal, Report, UnservedError

if TYPE_CHECKING:
    from clingo.backend import Backend
    from clingo.solving import Model

T = TypeVar("T")
# Returns True if a literal is true in an answer.
Holds: TypeAlias = Callable[[int], bool]

# Interval of checks of a running solver.
_POLL_SECONDS = 0.02

TRUE = 1 << 40
FALSE = -TRUE


class Formulas:
    """Build formulas as rules of a program; equal conjunctions have the same atom."""

    backend: Backend  # the receiver of the rules; set it while it is open

    def __init__(self) -> None:
        self.rules = 0  # the number of rules
        self._known: dict[tuple[int, ...], int] = {}

    def conjunction(self, literals: Iterable[int]) -> int:
        """Return a literal that is true if all literals are; TRUE for no literals."""
        distinct = set(literals)
        distinct.discard(TRUE)
        if FALSE in distinct:
            return FALSE
        if len(distinct) <= 1:
            return distinct.pop() if distinct else TRUE
        if any(-literal in distinct for literal in distinct):
            return FALSE
        key = tuple(sorted(distinct))
        atom = self._known.get(key)
        if atom is None:
            atom = self._known[key] = self.backend.add_atom()
            self._add([atom], key)
        return atom

    def disjunction(self, literals: Iterable[int]) -> int:
        """Return a literal that is true if any literal is; FALSE for no literals."""
        return -self.conjunction([-literal for literal in literals])

    def select(self, condition: int, then: int, otherwise: int) -> int:
        """Return a literal that is `then` if the condition is true, and `otherwise` if not."""
        if then == otherwise:
            return then
        chosen = self.conjunction([condition, then])
        return self.disjunction([chosen, self.conjunction([-condition, otherwise])])

    def choice(self, condition: int) -> int:
        """Return a literal that a solver may make true if the condition is true; otherwise it is false."""
        if condition == FALSE:
            return FALSE
        atom = self.backend.add_atom()
        self._add([atom], [] if condition == TRUE else [condition], choice=True)
        return atom

    def at_most_one(self, literals: Sequence[int]) -> None:
        """Forbid that two of the literals are true."""
        if len(literals) > 1:
            self.backend.add_weight_rule([], 2, [(literal, 1) for literal in literals])
            self.rules += 1

    def at_least(self, count: int, literals: Sequence[int]) -> int:
        """Return a literal that is true if at least `count` of the literals are."""
        certain = sum(literal == TRUE for literal in literals)
        count -= certain
        open_literals = [literal for literal in literals if literal not in (TRUE, FALSE)]
        if count <= 0:
            return TRUE
        if count > len(open_literals):
            return FALSE
        atom = self.backend.add_atom()
        self.backend.add_weight_rule([atom], count, [(literal, 1) for literal in open_literals])
        self.rules += 1
        return atom

    def forbid(self, literals: Iterable[int]) -> None:
        """Forbid that all of the literals are true."""
        body = set(literals)
        body.discard(TRUE)
        if FALSE not in body:
            self._add([], list(body))

    def _add(self, head: Sequence[int], body: Sequence[int], *, choice: bool = False) -> None:
        self.backend.add_rule(head, body, choice)
        self.rules += 1


class Solver:
    """A program, and a solver that keeps what it has learned between queries."""

    def __init__(self, *options: str) -> None:
        self.formulas = Formulas()  # the program; it can be extended within `growing`
        self._control = clingo.Control(["--warn=none", *options])

    @contextmanager
    def growing(self) -> Iterator[Formulas]:
        """Open the program for new formulas."""
        with self._control.backend() as backend:
            self.formulas.backend = backend
            yield self.formulas

    def ask(self, literal: int, seconds: float, read: Callable[[Holds], T]) -> tuple[bool | None, T | None]:
        """Search for an answer in which a literal is true."""
        if literal == FALSE:
            return False, None
        assumptions = [] if literal == TRUE else [literal]
        answers: list[T] = []

        def on_model(model: Model) -> bool:
            answers.append(read(lambda wanted: wanted == TRUE or (wanted != FALSE and model.is_true(wanted))))
            return False

        until = time.process_time() + seconds
        with self._control.solve(assumptions, on_model=on_model, async_=True) as handle:
            while not handle.wait(_POLL_SECONDS):
                if time.process_time() > until:
                    handle.cancel()
                    break
            found = handle.get().satisfiable
        return found, answers[-1] if answers else None


# Maximal number of rules of the logic program; a million rules take about 0.5 GB.
MAX_RULES = 3_000_000


class Unrolling:
    """Unroll a circuit step by step."""

    def __init__(self, circuit: Circuit, formulas: Formulas) -> None:
        self._circuit = circuit
        self._formulas = formulas
        goals = [value for _, value in circuit.goals]
        self._early = circuit.needed([*circuit.legal, circuit.terminal, *goals])
        before = {gate.value for gate in self._early}
        following = circuit.needed([value for value, _ in circuit.following])
        self._late = tuple([gate for gate in following if gate.value not in before])
        self._state: list[int] = [TRUE if holds else FALSE for holds in circuit.initial]
        self.depth = 0  # the number of the last step
        # The possible moves of each step except the last, as pairs (number, literal).
        self.moves: list[list[tuple[int, int]]] = []
        self.on: list[int] = []  # the literal of each step that the game is not over
        self._reached: list[dict[int, int]] = []
        self._values: list[int] = []

    def begin(self) -> None:
        """Add the initial state."""
        self._add_state(TRUE)

    def extend(self) -> None:
        """Add one more step."""
        circuit, formulas, values = self._circuit, self._formulas, self._values
        on = self.on[-1]
        possible = []
        for number, (move, legal) in enumerate(zip(circuit.moves, circuit.legal, strict=True)):
            literal = formulas.choice(formulas.conjunction([on, values[legal]]))
            values[move] = literal
            if literal != FALSE:
                possible.append((number, literal))
        literals = [literal for _, literal in possible]
        formulas.at_most_one(literals)
        formulas.forbid([on, *(-literal for literal in literals)])
        self.moves.append(possible)
        evaluate(self._late, values, formulas)
        self._state = [-values[value] if complemented else values[value] for value, complemented in circuit.following]
        self.depth += 1
        self._add_state(on)
        if formulas.rules > MAX_RULES:
            raise UnservedError(f"{self.depth} steps take more than {MAX_RULES:,} rules")

    def reached(self, goals: Sequence[int], step: int) -> int:
        """Return a literal that the game has ended with one of some goals, not after a step."""
        at_step = self._reached[step]
        return self._formulas.disjunction([at_step[goal] for goal in goals])

    def line(self, holds: Callable[[int], bool]) -> list[int]:
        """Return the numbers of the moves in an answer of a solver."""
        return [number for step in self.moves for number, literal in step if holds(literal)]

    def _add_state(self, before: int) -> None:
        """Add the termination and the goals of the current state."""
        circuit, formulas = self._circuit, self._formulas
        self._values = first_values(circuit, self._state)
        evaluate(self._early, self._values, formulas)
        terminal = self._values[circuit.terminal]
        ended = formulas.conjunction([before, terminal])
        self.on.append(formulas.conjunction([before, -terminal]))
        earlier = self._reached[-1] if self._reached else {}
        self._reached.append(
            {
                goal: formulas.disjunction([earlier.get(goal, FALSE), formulas.conjunction([ended, highest])])
                for goal, highest in highest_goals(circuit, self._values, formulas).items()
            }
        )


def first_values(circuit: Circuit, state: Sequence[int]) -> list[int]:
    """Return a list of all values, with the constants and a state filled in."""
    last = max((gate.value for gate in circuit.gates), default=0)
    values = [FALSE] * (1 + max(last, circuit.moves[-1] if circuit.moves else 0, circuit.fluents.stop))
    values[FALSE_VALUE], values[TRUE_VALUE], values[LOOKS_AHEAD] = FALSE, TRUE, FALSE
    values[circuit.fluents.start : circuit.fluents.stop] = state
    return values


def evaluate(gates: Sequence[Gate], values: list[int], formulas: Formulas) -> None:
    """Set the literals of gates, in their order."""
    for gate in gates:
        values[gate.value] = gate_literal(gate, values, formulas)


def gate_literal(gate: Gate, values: Sequence[int], formulas: Formulas) -> int:
    """Return the literal of one gate."""
    inputs = [values[each] for each in gate.plain] + [-values[each] for each in gate.complemented]
    return formulas.disjunction(inputs) if gate.is_or else formulas.conjunction(inputs)


def highest_goals(circuit: Circuit, values: Sequence[int], formulas: Formulas) -> dict[int, int]:
    """Return for each goal value a literal that it is the highest true one."""
    literals = {goal: values[value] for goal, value in circuit.goals}
    return {
        goal: formulas.conjunction([literal, *(-other for each, other in literals.items() if each > goal)])
        for goal, literal in literals.items()
    }


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
                self._ended = self._unrolling.on[self._longest] == FALSE

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

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
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import clingo

from .circuit import FALSE_VALUE, LOOKS_AHEAD, TRUE_VALUE, Circuit, Gate, UnservedError

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


class Conjunctions(ABC):
    """Build formulas over atoms; equal conjunctions have the same atom."""

    def __init__(self) -> None:
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
            atom = self._known[key] = self._atom(key)
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

    @abstractmethod
    def _atom(self, literals: Sequence[int]) -> int:
        """Return a new atom that is true if all literals are."""


class Formulas(Conjunctions):
    """Build formulas as rules of a program."""

    backend: Backend  # the receiver of the rules; set it while it is open

    def __init__(self) -> None:
        super().__init__()
        self.rules = 0  # the number of rules

    def _atom(self, literals: Sequence[int]) -> int:
        atom = self.backend.add_atom()
        self._add([atom], literals)
        return atom

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

    @staticmethod
    def never(literal: int) -> bool:
        """Return True if a literal is known to be false in all answers."""
        return literal == FALSE

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


def evaluate(gates: Sequence[Gate], values: list[int], formulas: Conjunctions) -> None:
    """Set the literals of gates, in their order."""
    for gate in gates:
        values[gate.value] = gate_literal(gate, values, formulas)


def gate_literal(gate: Gate, values: Sequence[int], formulas: Conjunctions) -> int:
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

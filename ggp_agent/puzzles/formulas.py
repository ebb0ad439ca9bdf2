"""Boolean formulas, shared and simplified; `Formulas` writes them as a ground program of clingo, `Solver` solves it.

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
        """Return a literal that is true if all literals are; TRUE if there are none."""
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
        """Return a literal that is true if any literal is; FALSE if there are none."""
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

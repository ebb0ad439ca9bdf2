"""Formulas, built once, shared, folded where they are constant; `Formulas` makes them a ground program of clingo.

A literal is a whole number other than 0, that of an atom, or its negation; `TRUE` and `FALSE` are no atoms but stand
for the constants. In a program every conjunction that does not fold is an atom with one rule, so that what a solver
sees is the completion of a stratified program: `a <-> l1 & ... & ln`. A disjunction is the negation of a conjunction
of negations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clingo.backend import Backend

TRUE = 1 << 40
FALSE = -TRUE


class Conjunctions(ABC):
    """Build formulas over atoms; equal conjunctions are one atom."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], int] = {}

    def conjunction(self, literals: Iterable[int]) -> int:
        """Return a literal that holds where all of them do; TRUE where there are none."""
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
        """Return a literal that holds where any of them does; FALSE where there are none."""
        return -self.conjunction([-literal for literal in literals])

    def select(self, condition: int, then: int, otherwise: int) -> int:
        """Return a literal that is `then` where the condition holds, and `otherwise` elsewhere."""
        if then == otherwise:
            return then
        chosen = self.conjunction([condition, then])
        return self.disjunction([chosen, self.conjunction([-condition, otherwise])])

    @abstractmethod
    def _atom(self, literals: Sequence[int]) -> int:
        """Return a new atom that holds where all literals do."""


class Formulas(Conjunctions):
    """Build formulas as rules of a program.

    Attributes:
        backend: takes the rules; to be set while it is open.
        rules: how many there are so far.
    """

    backend: Backend

    def __init__(self) -> None:
        super().__init__()
        self.rules = 0

    def _atom(self, literals: Sequence[int]) -> int:
        atom = self.backend.add_atom()
        self._add([atom], literals)
        return atom

    def choice(self, condition: int) -> int:
        """Return a literal that a solver may make true where the condition holds, and that is false elsewhere."""
        if condition == FALSE:
            return FALSE
        atom = self.backend.add_atom()
        self._add([atom], [] if condition == TRUE else [condition], choice=True)
        return atom

    def at_most_one(self, literals: Sequence[int]) -> None:
        """Forbid that two of the atoms hold."""
        if len(literals) > 1:
            self.backend.add_weight_rule([], 2, [(literal, 1) for literal in literals])
            self.rules += 1

    def at_least(self, count: int, literals: Sequence[int]) -> int:
        """Return a literal that holds where so many of the literals do."""
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
        """Forbid that all of the literals hold."""
        body = set(literals)
        body.discard(TRUE)
        if FALSE not in body:
            self._add([], list(body))

    def _add(self, head: Sequence[int], body: Sequence[int], *, choice: bool = False) -> None:
        self.backend.add_rule(head, body, choice)
        self.rules += 1

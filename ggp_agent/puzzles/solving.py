"""A growing logic program of clingo, with queries for answers in which a literal is true."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import clingo

from .formulas import FALSE, TRUE, Formulas

if TYPE_CHECKING:
    from clingo.solving import Model

T = TypeVar("T")
# Returns True if a literal is true in an answer.
Holds: TypeAlias = Callable[[int], bool]

# Interval of checks of a running solver.
_POLL_SECONDS = 0.02


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

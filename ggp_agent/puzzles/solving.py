"""A logic program of clingo that grows, and is asked again and again for an answer in which a literal holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from .formulas import FALSE, TRUE, Formulas

if TYPE_CHECKING:
    from clingo.solving import Model

T = TypeVar("T")
# Tells whether a literal holds in an answer.
Holds: TypeAlias = Callable[[int], bool]

# How often a solver is looked after.
_PAUSE = 0.02


class Solver:
    """Hold a program and the solver that keeps what it has learned from question to question.

    Attributes:
        formulas: builds the program, within `growing`.
    """

    def __init__(self, *options: str) -> None:
        import clingo  # slow to read in, and wanted in the processes of the ways alone

        self.formulas = Formulas()
        self._control = clingo.Control(["--warn=none", *options])

    @contextmanager
    def growing(self) -> Iterator[Formulas]:
        """Let formulas be added to the program."""
        with self._control.backend() as backend:
            self.formulas.backend = backend
            yield self.formulas

    @staticmethod
    def never(literal: int) -> bool:
        """Tell whether a literal is known to hold in no answer."""
        return literal == FALSE

    def ask(self, literal: int, seconds: float, read: Callable[[Holds], T]) -> tuple[bool | None, T | None]:
        """Look for an answer in which a literal holds.

        Args:
            literal: what is wanted.
            seconds: give up after so many CPU-seconds of this process.
            read: is given what tells whether a literal holds in the answer, where there is one.

        Returns:
            Whether there is such an answer, None where that was not found out; and what was read.
        """
        if literal == FALSE:
            return False, None
        assumptions = [] if literal == TRUE else [literal]
        answers: list[T] = []

        def on_model(model: Model) -> bool:
            answers.append(read(lambda wanted: wanted == TRUE or (wanted != FALSE and model.is_true(wanted))))
            return False

        until = time.process_time() + seconds
        with self._control.solve(assumptions, on_model=on_model, async_=True) as handle:
            while not handle.wait(_PAUSE):
                if time.process_time() > until:
                    handle.cancel()
                    break
            found = handle.get().satisfiable
        return found, answers[-1] if answers else None

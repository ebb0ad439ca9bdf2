"""Machines whose fluents and moves have numbers, so that many of their states are arrays."""

from __future__ import annotations

import hashlib
from abc import abstractmethod

from .._simulator import LaneArrays
from .compiled import CompiledMachine


class NumberedMachine(CompiledMachine):
    """A machine that also provides many states as arrays."""

    @property
    def numbering(self) -> str:
        """A digest of rules and numbers; machines of one digest share packed states and moves."""
        hashed = hashlib.sha256()
        parts = [self.kind, self._game_id(), str(self.sheet), *self.fluent_names, *self.constant_fluents]
        for role in range(len(self.roles)):
            parts += [self.roles[role], *self.move_names(role)]
        for part in parts:
            hashed.update(part.encode() + b"\0")
        hashed.update(self.initial())
        return hashed.hexdigest()

    def _game_id(self) -> str:
        """Return what distinguishes the game beside its rules: empty unless a derived class knows more."""
        return ""

    @property
    @abstractmethod
    def fluent_names(self) -> tuple[str, ...]:
        """The fluents that hold in some states only, as KIF; the index of a fluent is its number."""

    @property
    @abstractmethod
    def constant_fluents(self) -> tuple[str, ...]:
        """The fluents that hold in every reachable state."""

    @abstractmethod
    def move_names(self, role: int) -> tuple[str, ...]:
        """Return the moves of a role (given by its number), by their numbers; an unused number has an empty text."""

    def percept_names(self, role: int) -> tuple[str, ...]:
        """Return all terms that a role (given by its number) may perceive; the index of a percept is its number.

        A native game has none.
        """
        return ()

    @abstractmethod
    def lane_arrays(self, n: int, threads: int = 1, chance: int = -1) -> LaneArrays:
        """Return n states of this game as arrays over lanes, on the best kernel here.

        Args:
            n: the number of states.
            threads: the number of threads that share them.
            chance: the number of the chance role, -1 if there is none.

        Raises:
            ValueError: n or threads is less than 1.
        """

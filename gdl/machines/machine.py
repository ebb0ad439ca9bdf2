"""The state machine of a game: the contract that the rest of the program uses.

Every machine, slow or fast, gives the same answers; the reference interpreter (`gdl.machines.reference`) decides
when two disagree. Moves and fluents are canonical KIF strings in the spelling of the sheet, such as
`noop` or `(mark 1 2)`; a state is opaque, hashable and equal to another exactly when the same fluents hold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeAlias

State: TypeAlias = Hashable


class StateMachine(ABC):
    """Answer what the rules say about any state of one game.

    Attributes:
        roles: the roles in the order of the sheet; joint moves and goals follow this order.
        kind: the name of the machine, for reports: `reference`, `network`, `reasoner`.
    """

    roles: tuple[str, ...]
    kind: str

    @abstractmethod
    def initial(self) -> State:
        """Return the initial state."""

    @abstractmethod
    def legal(self, state: State, role: str) -> list[str]:
        """List the legal moves of a role, in an order that depends on the state alone.

        Non-terminal states of a well-formed game give at least one; terminal states may give any number.
        """

    @abstractmethod
    def next(self, state: State, moves: Sequence[str]) -> State:
        """Return the state after a joint move.

        Args:
            state: any state; terminal ones have a successor too, as the rules say.
            moves: one move per role, in role order. They need not be legal: a move that no rule
                mentions simply makes nothing true.

        Raises:
            ValueError: the number of moves is not the number of roles, or a move is unknown to the machine.
        """

    @abstractmethod
    def terminal(self, state: State) -> bool:
        """Return whether the state ends the game."""

    @abstractmethod
    def goals(self, state: State, role: str) -> list[int]:
        """List all goal values, 0..100, that hold for a role, ascending; exactly one in a well-formed terminal state.

        A value beyond the range counts as its nearest end: 150 as 100.

        Raises:
            GdlRuleError: a value is no whole number.
        """

    @abstractmethod
    def fluents(self, state: State) -> list[str]:
        """List the fluents that hold in the state, sorted by code point."""

    @abstractmethod
    def state(self, fluents: Iterable[str]) -> State:
        """Return the state in which exactly these fluents hold.

        Raises:
            ValueError: a fluent can hold in no state of this game, or one that holds in all of them is missing, so
                the machine has no place for such a state.
        """

    def is_legal(self, state: State, role: str, move: str) -> bool:
        """Return whether a role may make a move, spelled as `legal` spells it."""
        return move in self.legal(state, role)

    def some_legal(self, state: State, role: str) -> tuple[list[str], bool]:
        """List as many legal moves of a role as can be found soon.

        Returns:
            The moves, and whether they are all; if not, the list may be empty though there are some.
        """
        return self.legal(state, role), True

    def legal_unless(self, state: State, role: str, stop: Callable[[], bool]) -> list[str] | None:
        """List what `legal` does, or return None if `stop`, which is called now and then, says True before."""
        return self.legal(state, role)

    def goal(self, state: State, role: str) -> int | None:
        """Return the highest goal value, 0..100, that holds for a role, or None where none holds.

        Rules should give one value. Where they give several, game managers of the competitions counted the highest.
        """
        return max(self.goals(state, role), default=None)

"""The state machine of a game: the interface that the rest of the program uses.

Every machine, slow or fast, gives the same answers. If two machines differ, the reference interpreter
(`gdl.machines.reference`) is right. Moves and fluents are canonical KIF strings in the spelling of the sheet, such as
`noop` or `(mark 1 2)`. A state is opaque and hashable; two states are equal if the same fluents hold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeAlias

MachineState: TypeAlias = Hashable


class StateMachine(ABC):
    """Evaluate the rules of one game in any state.

    Attributes:
        roles: the roles in the order of the sheet; joint moves and goals follow this order.
        kind: the name of the machine, for reports, such as `network`.
    """

    roles: tuple[str, ...]
    kind: str

    @property
    def native(self) -> str | None:
        """The name of the native game that is used instead of the rules; None if the rules are evaluated."""
        return None

    @property
    def hides_information(self) -> bool:
        """Whether a role may not know the state, because percepts exist that are not known to show all moves."""
        return False

    @abstractmethod
    def initial(self) -> MachineState:
        """Return the initial state."""

    @abstractmethod
    def legal(self, state: MachineState, role: str) -> list[str]:
        """List the legal moves of a role, in an order that depends on the state alone.

        Non-terminal states of a well-formed game give at least one move; terminal states may give any number.
        """

    @abstractmethod
    def next(self, state: MachineState, moves: Sequence[str]) -> MachineState:
        """Return the state after a joint move.

        Args:
            state: any state; terminal states have a successor too, by the rules.
            moves: one move per role, in role order. They need not be legal: a move that occurs in no rule has no
                effect.

        Raises:
            ValueError: the number of moves differs from the number of roles, or the machine does not know a move.
        """

    def percepts(self, state: MachineState, moves: Sequence[str], role: str) -> list[str]:
        """List what a role perceives of a joint move (GDL-II), sorted by code point.

        Percepts are evaluated in the state before the move. A game without `sees` rules has none.

        Args:
            state: the state before the move.
            moves: one legal move per role, in role order.
            role: the role that perceives.

        Raises:
            ValueError: no role has this name, or `moves` is not a joint move of the game.
        """
        return []

    @abstractmethod
    def terminal(self, state: MachineState) -> bool:
        """Return whether the state ends the game."""

    @abstractmethod
    def goals(self, state: MachineState, role: str) -> list[int]:
        """List all goal values, 0..100, that hold for a role, ascending; exactly one in a well-formed terminal state.

        A number beyond the range counts as the nearest end of the range: 150 as 100.

        Raises:
            GdlRuleError: a value is not a whole number.
        """

    @abstractmethod
    def fluents(self, state: MachineState) -> list[str]:
        """List the fluents that hold in the state, sorted by code point."""

    def known_fluents(self) -> list[str]:
        """List the fluents that may become true; if the machine does not know them, the initial fluents."""
        return self.fluents(self.initial())

    @abstractmethod
    def state(self, fluents: Iterable[str]) -> MachineState:
        """Return the state in which exactly these fluents hold.

        Raises:
            ValueError: the machine cannot represent the state: a fluent can hold in no state of this game, or a fluent
                that holds in all states is missing.
        """

    def is_legal(self, state: MachineState, role: str, move: str) -> bool:
        """Return whether a role may make a move, spelled as `legal` spells it."""
        return move in self.legal(state, role)

    def some_legal(self, state: MachineState, role: str) -> tuple[list[str], bool]:
        """List as many legal moves of a role as can be found quickly.

        Returns:
            The moves, and whether the list is complete; an incomplete list may be empty.
        """
        return self.legal(state, role), True

    def legal_unless(self, state: MachineState, role: str, stop: Callable[[], bool]) -> list[str] | None:
        """Return the list of `legal`, or None if `stop`, which is called now and then, returns True before."""
        return self.legal(state, role)

    def goal(self, state: MachineState, role: str) -> int | None:
        """Return the highest goal value, 0..100, that holds for a role, or None if no value holds.

        Rules should give one value. If they give several, game managers of competitions count the highest.
        """
        return max(self.goals(state, role), default=None)

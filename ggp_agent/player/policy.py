"""What a player asks of that which chooses its moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from gdl import State, StateMachine

from ..wire.clocks import Deadline
from ..wire.messages import Thoughts


class Policy(ABC):
    """Choose the moves of one role in one match.

    `pick` is called from any thread. The methods of thinking (`prepare`, `advance`, `think`) are called from one
    thread, in the order of the match; `stop`, `favourite` and `thoughts` from others meanwhile.

    Attributes:
        species: what the answer to INFO calls this kind of player.
        thinks: whether `think` is worth waiting for; if not, `pick` is the choice.
    """

    species: str
    thinks: bool = False

    @abstractmethod
    def pick(self, legal: Sequence[str]) -> str:
        """Choose from the legal moves at once; `legal` holds at least one."""

    def prepare(self, machine: StateMachine, role: str) -> None:  # noqa: B027 - optional
        """Take over the machine on which to think, in its initial state."""

    def advance(self, state: State, moves: Sequence[str]) -> None:  # noqa: B027 - optional
        """Learn the joint move that was made, and the state it led to."""

    def think(self, deadline: Deadline) -> str | None:
        """Choose by the deadline, or earlier when stopped; None when nothing was found."""
        return None

    def ponder(self, wanted: Callable[[], bool]) -> None:  # noqa: B027 - optional
        """Think about the present state while no move is asked for, until stopped or `wanted()` elsewhere."""

    def stop(self) -> None:  # noqa: B027 - optional
        """End `think` or `ponder` as soon as possible; without effect while nothing is thought."""

    def favourite(self) -> str | None:
        """Return the best move found so far, while `think` still runs."""
        thoughts = self.thoughts()
        return thoughts.move if thoughts is not None else None

    def thoughts(self) -> Thoughts | None:
        """Tell what is thought of the present state, or was when `think` ended; None when nothing is."""
        return None

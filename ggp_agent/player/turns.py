"""The turns of a match, according to the received messages."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..protocol.clocks import Deadline
from ..protocol.messages import ProtocolError, Thoughts

# Approximate limit of the memory for the joint moves of a match: ten roles in ten thousand turns.
MAX_KEPT = 10_000_000
# Bytes of a string besides its characters.
_STRING_BYTES = 50
_ATOM_IN_PARENTHESES = re.compile(r"\(([^\s()]+)\)")


@dataclass(eq=False)
class PlayerTurn:
    """One turn of a match, from the PLAY that opens it to the move that answers it.

    Attributes:
        number: 0 for the first turn.
        moves: the joint move that led here, as the manager wrote it; None in the first turn.
        deadline: the deadline of the answer.
        final: whether the match ends here and no move is requested.
        legal: the known legal moves of our role; empty until some are known.
        all_legal: all legal moves of every role; None until they are known, or if there are too many.
        no_move: whether our role certainly has no legal move.
        thoughts: the findings of the search when the turn was answered; None if there were none.
    """

    number: int
    moves: tuple[str, ...] | None
    deadline: Deadline
    final: bool = False
    legal: tuple[str, ...] = ()
    all_legal: tuple[frozenset[str], ...] | None = None
    no_move: bool = False
    thoughts: Thoughts | None = None
    answered: threading.Event = field(default_factory=threading.Event)
    _answer: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def settle(self, choose: Callable[[], str]) -> str:
        """Answer the turn unless it is already answered; return the valid answer."""
        with self._lock:
            if not self.answered.is_set():
                self._answer = choose()
                self.answered.set()
            return self._answer

    @property
    def answer(self) -> str:
        """The answer; empty until the turn is answered."""
        return self._answer


class History:
    """The turns of one match, which determine the meaning of a PLAY.

    Attributes:
        turns: all turns; the last one may be unanswered.
        role_index: the index of our role; -1 until it is known.
    """

    def __init__(self) -> None:
        self.turns: list[PlayerTurn] = []
        self.role_index = -1
        self._kept = 0

    def add(self, moves: tuple[str, ...] | None, deadline: Deadline) -> PlayerTurn:
        """Add the next turn.

        Raises:
            ProtocolError: the joint moves of the match need too much memory.
        """
        self._kept += sum(len(move) + _STRING_BYTES for move in moves or ())
        if self._kept > MAX_KEPT:
            raise ProtocolError(f"the joint moves of a match take more than {MAX_KEPT:,} bytes")
        turn = PlayerTurn(len(self.turns), moves, deadline)
        self.turns.append(turn)
        return turn

    def known(self, moves: tuple[str, ...] | None) -> PlayerTurn | None:
        """Return the turn that a PLAY with this joint move repeats; None if it begins the next turn.

        A PLAY with the joint move of the last turn repeats that turn in two cases: the turn is not answered yet, or the
        joint move cannot have been made in it, because it does not contain our answer or is not legal.

        >>> history = History()
        >>> history.role_index = 0
        >>> history.add(("go", "stay"), Deadline(1)).settle(lambda: "stay")
        'stay'
        >>> history.known(("GO", "stay")).number, history.known(("stay", "go"))
        (0, None)
        """
        if not self.turns:
            return None
        if moves is None:
            return self.turns[0]
        last = self.turns[-1]
        if _same(moves, last.moves):
            if not last.answered.is_set() or self.role_index < 0 or len(moves) <= self.role_index:
                return last
            if _plain(moves[self.role_index]) != _plain(last.answer) or self._is_illegal(moves):
                return last
            return None
        if self._is_illegal(moves):
            return next((turn for turn in reversed(self.turns[:-1]) if _same(moves, turn.moves)), None)
        return None

    def _is_illegal(self, moves: Sequence[str]) -> bool:
        legal = self.turns[-1].all_legal
        if legal is None:
            return False
        if len(legal) == 1:
            moves = _as_one(moves)
        if len(legal) != len(moves):
            return True
        return any(
            _plain(move) not in {_plain(other) for other in each} for move, each in zip(moves, legal, strict=True)
        )


def _as_one(moves: Sequence[str]) -> Sequence[str]:
    """Join the words of the only role's move if it was sent without an enclosing list."""
    return moves if len(moves) == 1 else (f"({' '.join(moves)})",)


def _same(moves: Sequence[str], others: Sequence[str] | None) -> bool:
    return others is not None and [*map(_plain, moves)] == [*map(_plain, others)]


def _plain(move: str) -> str:
    """Return the normal form of a move, for comparisons.

    >>> _plain("(Mark 1 (B))")
    '(mark 1 b)'
    """
    return _ATOM_IN_PARENTHESES.sub(r"\1", move.lower())

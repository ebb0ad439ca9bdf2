"""The turns of a match, as its messages tell of them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..protocol.clocks import Deadline
from ..protocol.messages import ProtocolError, Thoughts

# Bytes that the joint moves of a match may take, about; ten roles' moves in ten thousand turns. What a string takes
# besides its characters.
MAX_KEPT = 10_000_000
_STRING = 50
_ATOM_IN_PARENTHESES = re.compile(r"\(([^\s()]+)\)")


@dataclass(eq=False)
class PlayerTurn:
    """One turn of a match, from the PLAY that opens it to the move that answers it.

    Attributes:
        number: 0 for the first turn.
        moves: the joint move that led here, as the manager wrote it; None in the first turn.
        deadline: when the answer has to be there.
        final: whether the match ends here and no move is asked for.
        legal: the legal moves of our role, empty until known; there may be more of them.
        all_legal: the legal moves of every role, None until known, or where there are too many.
        no_move: whether it is known that our role has no legal move.
        thoughts: what was thought about the turn when it was answered; None if nothing was.
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
        """Answer the turn if nobody has yet, and return the answer that stands."""
        with self._lock:
            if not self.answered.is_set():
                self._answer = choose()
                self.answered.set()
            return self._answer

    @property
    def answer(self) -> str:
        """The move that was given, empty before."""
        return self._answer


class History:
    """Keep the turns of one match, and tell what a PLAY means.

    Attributes:
        turns: all so far; the last one may not be answered yet.
        role_index: our place among the roles, -1 until known.
    """

    def __init__(self) -> None:
        self.turns: list[PlayerTurn] = []
        self.role_index = -1
        self._kept = 0

    def add(self, moves: tuple[str, ...] | None, deadline: Deadline) -> PlayerTurn:
        """Open the next turn.

        Raises:
            ProtocolError: the joint moves of the match take more than any match needs.
        """
        self._kept += sum(len(move) + _STRING for move in moves or ())
        if self._kept > MAX_KEPT:
            raise ProtocolError(f"the joint moves of a match take more than {MAX_KEPT:,} bytes")
        turn = PlayerTurn(len(self.turns), moves, deadline)
        self.turns.append(turn)
        return turn

    def known(self, moves: tuple[str, ...] | None) -> PlayerTurn | None:
        """Return the turn that a PLAY with this joint move asks for again, None when it opens the next.

        A joint move that comes twice can be either. It is the same turn again as long as that is not answered, and
        when the move cannot be what was made in it: because ours was another, or one is not legal.

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
    """Read the words of the only role's move, sent without a list around it, as one move."""
    return moves if len(moves) == 1 else (f"({' '.join(moves)})",)


def _same(moves: Sequence[str], others: Sequence[str] | None) -> bool:
    return others is not None and [*map(_plain, moves)] == [*map(_plain, others)]


def _plain(move: str) -> str:
    """Write a move in one of its spellings.

    >>> _plain("(Mark 1 (B))")
    '(mark 1 b)'
    """
    return _ATOM_IN_PARENTHESES.sub(r"\1", move.lower())

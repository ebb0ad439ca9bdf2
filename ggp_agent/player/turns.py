"""The turns of a match, according to the received messages."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..protocol.clocks import Deadline
from ..protocol.messages import Play, ProtocolError, Thoughts

# Approximate limit of the memory for the joint moves of a match: ten roles in ten thousand turns.
MAX_KEPT = 10_000_000
# Bytes of a string besides its characters.
_STRING_BYTES = 50
# The largest number of lost turns between two PLAY messages.
MAX_LOST = 1000
_ATOM_IN_PARENTHESES = re.compile(r"\(([^\s()]+)\)")


@dataclass(eq=False)
class PlayerTurn:
    """One turn of a match, from the PLAY that opens it to the move that answers it."""

    number: int  # 0 for the first turn
    # The joint move that led here, or the percepts of our role, as the manager wrote them; None in the first turn,
    # and if the percepts are not known because a PLAY was lost.
    moves: tuple[str, ...] | None
    deadline: Deadline  # the deadline of the answer
    # Our move that the manager made in the previous turn; None if the manager does not report it.
    last_move: str | None = None
    final: bool = False  # whether the match ends here and no move is requested
    legal: tuple[str, ...] = ()  # the known legal moves of our role; empty until some are known
    # All legal moves of every role; None until they are known, or if there are too many.
    all_legal: tuple[frozenset[str], ...] | None = None
    no_move: bool = False  # whether our role certainly has no legal move
    thoughts: Thoughts | None = None  # the findings of the search when the turn was answered; None if there were none
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

    def correct(self, answer: str) -> None:
        """Set the answer, also of an answered turn, because another answer was sent to the game manager."""
        with self._lock:
            self._answer = answer
            self.answered.set()

    @property
    def answer(self) -> str:
        """The answer; empty until the turn is answered."""
        return self._answer


class History:
    """The turns of one match, which determine the meaning of a PLAY."""

    def __init__(self) -> None:
        self.turns: list[PlayerTurn] = []  # all turns; the last one may be unanswered
        self.role_index = -1  # the index of our role; -1 until it is known
        self._kept = 0

    def add(self, moves: tuple[str, ...] | None, deadline: Deadline, last_move: str | None = None) -> PlayerTurn:
        """Add the next turn."""
        self._kept += sum(len(move) + _STRING_BYTES for move in moves or ())
        if self._kept > MAX_KEPT:
            raise ProtocolError(f"the joint moves of a match take more than {MAX_KEPT:,} bytes")
        turn = PlayerTurn(len(self.turns), moves, deadline, last_move)
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


class PerceptHistory(History):
    """The turns of a match whose messages contain percepts (GDL-II)."""

    def __init__(self) -> None:
        super().__init__()
        self._first = 0  # the number that the manager gives to the first turn

    def repeated(self, message: Play, *, restarted: bool) -> PlayerTurn | None:
        """Return the turn that a PLAY repeats; None if it begins a turn.

        A plain message repeats the last turn if this turn is not answered yet and has the same percepts.
        """
        if not self.turns:
            return None
        if message.turn is not None:
            number = max(message.turn - self._first, 0)
            return self.turns[number] if number < len(self.turns) else None
        last = self.turns[-1]
        if message.moves is None and len(self.turns) == 1 and restarted:
            return last
        same = _as_set(message.moves) == _as_set(last.moves)
        return last if same and not last.answered.is_set() else None

    def lost_turns(self, message: Play) -> int:
        """Return the number of turns before the turn of a numbered PLAY whose messages were lost."""
        if message.turn is None:
            return 0
        if not self.turns and message.moves is None and message.last_move is None:
            self._first = message.turn
        lost = message.turn - self._first - len(self.turns)
        if lost > MAX_LOST:
            raise ProtocolError(f"PLAY of turn {message.turn}, but {len(self.turns)} turns are known")
        return lost


def _as_set(percepts: Sequence[str] | None) -> set[str]:
    return {*map(_plain, percepts or ())}


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

"""One turn of a text player: a request, repeated after invalid answers; and the counts of its answers.

>>> counts = TextAnswers(5, late=3).with_turn("IL (mark 9 9)", "(mark 9 9) is not a legal move", 1)
>>> str(counts), counts.requests, counts.error
('3 late, 1 illegal, 1 retried', 6, '(mark 9 9) is not a legal move')
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from .clocks import Deadline
from .messages import Reply
from .text_process import TextAnswerError, TextProcess
from .text_requests import TurnRequest

# A function that reads a move: it returns the move, the error code of the match record (`IL ..` or `IN ..`, empty if
# the move is legal), and a description of the error.
ReadMove = Callable[[str], tuple[str, str, str]]

# The error of an answer that is not the requested JSON, and the characters of such an answer in records.
_NO_MOVE, _SHOWN = "the answer does not satisfy the JSON Schema", 200
# The count of each error code of the match record, by the first two letters of the code.
_COUNTS = {"TO": "late", "IL": "illegal", "IN": "invalid", "CE": "missing"}


def request_move(
    process: TextProcess,
    request: TurnRequest,
    *,
    end: Deadline,
    tolerance: float = 0.0,
    read: ReadMove,
    note: Callable[[str], None] = lambda text: None,
) -> tuple[Reply, int, bool]:
    """Request the move of a turn, again after invalid answers until the clock ends."""
    command, retried, error = request.command, 0, ""
    while True:
        left = end.left()
        move, is_repaired = "", False
        try:
            answer = process.ask(request.line(left, retried + 1, error), Deadline(left + tolerance))
            move = request.move_of(answer)
            _, code, error = read(move) if move else ("", f"IN {' '.join(answer.split())[:_SHOWN]}", _NO_MOVE)
            if code and not command.strict and (repaired := request.repaired_move(answer)):
                move, is_repaired = repaired, True
                _, code, error = read(move)
        except TextAnswerError as problem:
            code, error = problem.code, problem.detail
        if not code or code in ("TO", "CE") or retried >= command.retries or end.left() <= 0:
            return Reply("" if code else move, code, error), retried, is_repaired
        retried += 1
        note(f"{error}; requested again")


@dataclass(frozen=True, slots=True)
class TextAnswers:
    """The counts of the answers of a text player."""

    requests: int = 0  # number of turns that were requested
    late: int = 0  # number of turns without an answer in time
    illegal: int = 0  # number of turns with an illegal move
    invalid: int = 0  # number of turns with an answer that is no move
    missing: int = 0  # number of turns in which the program ended without an answer
    retried: int = 0  # number of repeated requests
    repaired: int = 0  # number of turns with a legal move in another form, such as `9. (mark 3 3)`
    error: str = ""  # description of the first error of a turn; empty without one

    def with_turn(self, code: str, detail: str, retried: int, repaired: bool = False) -> TextAnswers:
        """Return the counts with one more turn."""
        counts: dict[str, Any] = {
            "requests": self.requests + 1,
            "retried": self.retried + retried,
            "repaired": self.repaired + repaired,
        }
        if name := _COUNTS.get(code[:2]):
            counts |= {name: getattr(self, name) + 1, "error": self.error or detail}
        return replace(self, **counts)

    def __add__(self, other: TextAnswers) -> TextAnswers:
        mine, theirs = asdict(self), asdict(other)
        return TextAnswers(
            **{name: mine[name] or theirs[name] if name == "error" else mine[name] + theirs[name] for name in mine}
        )

    def __str__(self) -> str:
        """Return the errors, repeated requests and repaired answers, such as `3 late, 1 retried`; empty without any."""
        counts = {name: getattr(self, name) for name in (*_COUNTS.values(), "retried", "repaired")}
        return ", ".join(f"{count} {name}" for name, count in counts.items() if count)

    @classmethod
    def read(cls, document: Any) -> Self:
        """Return the counts of an object with the names of the attributes; objects of old files lack `repaired`."""
        names = {each.name: str if each.name == "error" else int for each in fields(cls)}
        if isinstance(document, dict):
            document = {"repaired": 0, **document}
        if not isinstance(document, dict) or {key: type(value) for key, value in document.items()} != names:
            raise ValueError("the counts of answers have another form")
        return cls(**document)

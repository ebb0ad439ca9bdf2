"""One turn of a text player: the request, a line of JSON; the move in the answer; the counts of answers.

A turn is requested again after an invalid answer.

>>> counts = TextAnswers(5, late=3).with_turn("IL (mark 9 9)", "(mark 9 9) is not a legal move", 1)
>>> str(counts), counts.requests, counts.error
('3 late, 1 illegal, 1 retried', 6, '(mark 9 9) is not a legal move')
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from gdl.json_text import checked_object, read_typed

from ..common.answer_forms import MARKS, bare, json_in, last_block, split_number
from .clocks import Deadline
from .messages import Reply
from .text_command import FACTS, JSON, JSON_ANSWER, TEXT, YES, TextCommand
from .text_process import TextAnswerError, TextProcess

# The version of the requests.
VERSION = 1

# The command of a request with all defaults, and the headings of the state in prompts.
_USUAL = TextCommand(("program",))
_STATE_HEADS = {
    FACTS: "The state is described by these facts:\n",
    TEXT: "The state:\n",
    JSON: "The state as JSON; fluents are the facts that are true, goals the present goals:\n",
}
# A function that reads a move: it returns the move, the error code of the match record (`IL ..` or `IN ..`, empty if
# the move is legal), and a description of the error.
ReadMove = Callable[[str], tuple[str, str, str]]

# The error of an answer that is not the requested JSON, and the characters of such an answer in records.
_NO_MOVE, _SHOWN = "the answer does not satisfy the JSON Schema", 200
# The count of each error code of the match record, by the first two letters of the code.
_COUNTS = {"TO": "late", "IL": "illegal", "IN": "invalid", "CE": "missing"}

_TOKEN = re.compile(r"[(),]|[^\s(),]+")


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What a role may know in a turn; all names are the names of the player."""

    game: str  # the name of the game; empty if the names are scrambled
    role: str  # the role of the player
    roles: tuple[str, ...]  # all roles, in the order of joint moves
    rules: str  # the rules, one per line
    turn: int  # the number of the turn, from 1
    legal: tuple[str, ...]  # the legal moves of the role
    state: tuple[str, ...] | None  # the fluents of the state; None in games with percepts
    history: tuple[tuple[str, ...], ...]  # the joint moves so far; in games with percepts only the moves of the role
    # The percepts of the role after each turn; None in games without percepts.
    percepts: tuple[tuple[str, ...], ...] | None = None
    command: TextCommand = _USUAL  # the command of the player, which chooses the form of the request and of the answer
    board: str = ""  # the text of the state in the prompt; empty for the fluents

    def line(self, seconds: float, attempt: int = 1, error: str = "") -> str:
        """Return the request as one line of JSON."""
        document: dict[str, Any] = {
            "version": VERSION,
            "type": "turn",
            "game": self.game,
            "role": self.role,
            "roles": self.roles,
            "turn": self.turn,
            "attempt": attempt,
            "error": error,
            "seconds": round(max(0.0, seconds), 3),
        }
        if self._has_list:
            document["legal"] = self.legal
        if self._is_json:
            document["schema"] = self.schema()
        if self.percepts is None:
            document |= {"state": self.state, "history": self.history}
        else:
            document |= {"moves": [move for (move,) in self.history], "percepts": self.percepts}
        return json.dumps(document | {"rules": self.rules, "prompt": self.prompt(error)})

    def prompt(self, error: str = "") -> str:
        """Return the whole request as text for a language model."""
        named = f"the game {self.game}" if self.game else "a game"
        parts = [
            f"You play the role {self.role} in {named}. Its rules in the Game Description Language are:\n{self.rules}",
            *self._course(),
        ]
        if self._is_json or not self._has_list:
            parts.append(f"Turn {self.turn}.")
        else:
            listed = "\n".join(f"{number}. {move}" for number, move in enumerate(self.legal, 1))
            parts.append(f"Turn {self.turn}. Your legal moves:\n{listed}")
        if error:
            parts.append(f"Your last answer was refused: {error}.")
        if self._is_json:
            parts.append(f"Answer with your move as JSON that satisfies this JSON Schema:\n{json.dumps(self.schema())}")
        elif self._has_list:
            parts.append("Answer with one line that contains only your move, as it stands in the list, or its number.")
        else:
            parts.append("Answer with one line that contains only your move in KIF, the second argument of legal.")
        return "\n\n".join(parts)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of an answer; it enumerates the legal moves if the request has them."""
        move: dict[str, Any] = {"enum": self.legal} if self._has_list else {"type": "string"}
        return {"type": "object", "properties": {"move": move}, "required": ["move"], "additionalProperties": False}

    def move_of(self, answer: str) -> str:
        """Return the move of an answer in the requested form; it may be illegal, and is empty in another form."""
        if not self._is_json:
            return move_of_answer(answer, self.legal if self._has_list else ())
        fields = json_in(answer) if answer.startswith("{") else None
        name, move = fields[0] if fields is not None and len(fields) == 1 else ("", "")
        return move if name == "move" and isinstance(move, str) else ""

    def repaired_move(self, answer: str) -> str:
        """Return the legal move that an answer in another form names without doubt; empty if it names no move."""
        return repaired_move(answer, self.legal, is_numbered=self._has_list)

    @property
    def _has_list(self) -> bool:
        return self.command.moves == YES

    @property
    def _is_json(self) -> bool:
        return self.command.answer == JSON_ANSWER

    def _course(self) -> list[str]:
        """Return the paragraphs about the earlier turns and the state."""
        if self.percepts is None:
            lines = [f"{turn}. {' '.join(joint)}" for turn, joint in enumerate(self.history, 1)]
            heading = f"Moves so far, in each turn of {', '.join(self.roles)}:\n"
            return [
                *([heading + "\n".join(lines)] if lines else []),
                _STATE_HEADS[self.command.board] + (self.board or "\n".join(self.state or ())),
            ]
        lines = [
            f"{turn}. {move}; observed: {' '.join(seen) or 'nothing'}"
            for turn, ((move,), seen) in enumerate(zip(self.history, self.percepts, strict=True), 1)
        ]
        return ["Your moves so far, and what you observed after each:\n" + "\n".join(lines)] if lines else []


def move_of_answer(answer: str, legal: Sequence[str]) -> str:
    """Return the move that an answer names, by itself or by its number in the list; it may be illegal.

    >>> move_of_answer("2", ["(drop 1)", "(drop 4)"]), move_of_answer("(drop 9)", ["(drop 1)"])
    ('(drop 4)', '(drop 9)')
    >>> move_of_answer("2", ["3", "2"])
    '2'
    """
    is_number = answer.isascii() and answer.isdigit() and len(answer) < 10 and answer not in legal
    return legal[int(answer) - 1] if is_number and 1 <= int(answer) <= len(legal) else answer


def repaired_move(answer: str, legal: Sequence[str], *, is_numbered: bool = True) -> str:
    """Return the legal move that an answer in another form names without doubt; empty if it names no move.

    >>> moves = ["(mark 1 2)", "(mark 3 3)"]
    >>> forms = ["2. (mark 3 3)", "2.", "`(mark 3 3)`.", "Mark 3 3", "mark(3, 3)", '{"move": "2"}', "Answer: **2**"]
    >>> [repaired_move(form, moves) for form in forms] == ["(mark 3 3)"] * len(forms)
    True
    >>> [repaired_move(form, moves) for form in ("1. (mark 3 3)", "(mark 1 2) (mark 3 3)", "(mark 3 3", "3 3")]
    ['', '', '', '']
    """
    answer = "\n".join(last_block(answer))
    found = json_in(bare(answer))
    if isinstance(found, list) and found and all(isinstance(each, tuple) for each in found):
        values = [value for name, value in found if name.lower() == "move"]
        if len(values) != 1 or type(values[0]) not in (str, int):
            return ""
        answer = str(values[0])
    if (move := move_of_answer(answer.strip(MARKS), legal if is_numbered else ())) in legal:
        return move
    text = bare(answer)
    number, rest = split_number(text)
    moves = _same_words(text, legal)
    if number is None:
        number, rest = split_number(" ".join(_words(text)))
    if is_numbered and number is not None and 1 <= number <= len(legal):
        numbered = legal[number - 1]
        if rest:
            moves |= {numbered} & _same_words(bare(rest), legal)
        elif answer.lstrip()[:1] not in ("-", "+"):  # a sign or a bullet
            moves.add(numbered)
    return moves.pop() if len(moves) == 1 else ""


def _same_words(text: str, legal: Sequence[str]) -> set[str]:
    """Return the legal moves with the words of a text, which may lack parentheses."""
    words = _words(text)
    return {move for move in legal if words and _words(move) == words}


def _words(text: str) -> list[str]:
    """Return the words of one term in lower case; none if parentheses do not match, or if there are several terms."""
    words, depth, is_closed = [], 0, False
    for token in _TOKEN.findall(text.lower()):
        if is_closed or (token == "," and depth == 0):
            return []
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
            if depth < 0:
                return []
            is_closed = depth == 0 and text[:1] == "("
        elif token != ",":
            words.append(token)
    return words if depth == 0 else []


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
    def read(cls, document: object) -> TextAnswers:
        """Return the counts of an object with the names of the attributes; objects of old files lack `repaired`."""
        counts: TextAnswers = read_typed(cls, {"repaired": 0, **checked_object(document, set())})
        return counts

"""The requests to text players, one line of JSON with everything about a turn, and the moves in the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..common.answer_forms import MARKS, bare, json_in, last_block, split_number

# The version of the requests.
VERSION = 1

_TOKEN = re.compile(r"[(),]|[^\s(),]+")


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What a role may know in a turn; all names are the names of the player.

    Attributes:
        game: the name of the game; empty if the names are scrambled.
        role: the role of the player.
        roles: all roles, in the order of joint moves.
        rules: the rules, one per line.
        turn: the number of the turn, from 1.
        legal: the legal moves of the role.
        state: the fluents of the state; None in games with percepts.
        history: the joint moves so far; in games with percepts only the moves of the role.
        percepts: the percepts of the role after each turn; None in games without percepts.
    """

    game: str
    role: str
    roles: tuple[str, ...]
    rules: str
    turn: int
    legal: tuple[str, ...]
    state: tuple[str, ...] | None
    history: tuple[tuple[str, ...], ...]
    percepts: tuple[tuple[str, ...], ...] | None = None

    def line(self, seconds: float, attempt: int = 1, error: str = "") -> str:
        """Return the request as one line of JSON.

        Args:
            seconds: the remaining time in seconds.
            attempt: the number of the request in this turn, from 1.
            error: the reason why the answer to the last attempt was refused; empty for the first attempt.
        """
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
            "legal": self.legal,
        }
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
            f"Turn {self.turn}. Your legal moves:\n"
            + "\n".join(f"{number}. {move}" for number, move in enumerate(self.legal, 1)),
        ]
        if error:
            parts.append(f"Your last answer was refused: {error}.")
        parts.append("Answer with one line that contains only your move, as it stands in the list, or its number.")
        return "\n\n".join(parts)

    def _course(self) -> list[str]:
        """Return the paragraphs about the earlier turns and the state."""
        if self.percepts is None:
            lines = [f"{turn}. {' '.join(joint)}" for turn, joint in enumerate(self.history, 1)]
            heading = f"Moves so far, in each turn of {', '.join(self.roles)}:\n"
            return [
                *([heading + "\n".join(lines)] if lines else []),
                "The state is described by these facts:\n" + "\n".join(self.state or ()),
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


def repaired_move(answer: str, legal: Sequence[str]) -> str:
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
    if (move := move_of_answer(answer.strip(MARKS), legal)) in legal:
        return move
    text = bare(answer)
    number, rest = split_number(text)
    moves = _same_words(text, legal)
    if number is None:
        number, rest = split_number(" ".join(_words(text)))
    if number is not None and 1 <= number <= len(legal):
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

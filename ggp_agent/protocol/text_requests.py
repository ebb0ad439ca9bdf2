"""The requests to text players, one line of JSON with everything about a turn, and the moves in the answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# The version of the requests.
VERSION = 1


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

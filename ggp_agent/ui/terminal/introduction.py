"""The rules of a game for a user: goal, moves, end, and how to type moves.

Games of the catalogue have a guide; for other games only the roles and their first moves are known.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...game.game import State
from ...game.typed_moves import words_of

# Maximal number of moves in an example.
_MOVES = 4
_WIDEST = 100
# A move within a text; lines are not broken at its spaces.
_MOVE = re.compile(r"`([^`]*)`")
_KEPT = "\N{NO-BREAK SPACE}"
_WORD = re.compile(r"[^()\s]+")


@dataclass(frozen=True, slots=True)
class Introduction:
    """The rules of a game for a user."""

    goal: str
    moves: str
    end: str
    example: str  # a move of the initial state, as the program prints it
    typing: str  # a description of how to type moves

    def parts(self) -> list[tuple[str, str]]:
        """Return title and text of each part that is not empty."""
        parts = [("Goal", self.goal), ("Moves", self.moves), ("End", self.end), ("Typing", self.typing)]
        return [(title, text) for title, text in parts if text]


def introduction(start: State) -> Introduction:
    """Return the introduction of a game, given by its initial state."""
    guide, legal = start.game.guide, start.legal_moves()
    choosing = max(legal, key=lambda role: len(legal[role]))
    number = start.roles.index(choosing)
    printed = [start.machine.printed(number, move) for move in legal[choosing][:_MOVES]]
    example = max(printed, key=lambda move: "(" in move, default="")
    typing = typing_of(example)
    if guide is None:
        options = [f"{role} {_some(moves)}" for role, moves in legal.items() if len(moves) > 1]
        return Introduction("", f"first moves: {'; '.join(options)}" if options else "", "", example, typing)
    if start.machine.native is not None:
        typing = f"in {start.game.word} moves have another notation: {typing}"
    return Introduction(guide.goal, guide.moves, guide.end, example, typing)


def typing_of(move: str) -> str:
    """Describe how to type a move.

    >>> typing_of("(drop 1)")
    'the number of a move in the list, or the move: `(drop 1)`, `drop 1` or `DROP(1)`'
    >>> typing_of("a2-a3")
    'the number of a move in the list, or the move: `a2-a3` or `a2a3`'
    >>> typing_of("9-13")
    'the number of a move in the list, or the move: `9-13`'
    """
    if not move:
        return ""
    words = _WORD.findall(move)
    forms = [move]
    if move.startswith("(") and len(words) > 1:
        forms += [" ".join(words), f"{words[0].upper()}({' '.join(words[1:])})"]
    elif words_of(move.replace("-", "")) == words_of(move) and "-" in move:
        forms.append(move.replace("-", ""))
    forms = [f"`{form}`" for form in forms]
    named = forms[0] if len(forms) == 1 else f"{', '.join(forms[:-1])} or {forms[-1]}"
    return f"{'' if move.isdigit() else 'the number of a move in the list, or '}the move: {named}"


def paragraphs(parts: Iterable[tuple[str, str]], width: int) -> list[str]:
    """Return parts as lines of at most `width` columns, with their titles on the left.

    >>> paragraphs([("Goal", "three in a row"), ("End", "a full board")], 19)
    ['Goal   three in a', '       row', 'End    a full board']
    >>> paragraphs([("Moves", "drop a disc: `(drop 1)`")], 27)
    ['Moves   drop a disc:', '        (drop 1)']
    """
    parts = [(title, _MOVE.sub(lambda move: move[1].replace(" ", _KEPT), text)) for title, text in parts]
    indent = max((len(title) for title, _ in parts), default=0) + 3
    lines = []
    for title, text in parts:
        lines += textwrap.wrap(
            text,
            max(min(width, _WIDEST), indent + 1),
            initial_indent=title.ljust(indent),
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return [line.replace(_KEPT, " ") for line in lines]


def _some(moves: Sequence[str]) -> str:
    shown = ", ".join(moves[:_MOVES])
    return f"has {len(moves)}: {shown}" + (", .." if len(moves) > _MOVES else "")

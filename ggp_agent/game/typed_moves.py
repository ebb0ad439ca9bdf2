"""Find the legal move that a user typed.

>>> legal = ["(drop 1)", "(drop 2)", "pass"]
>>> [pick_move(text, legal, "red") for text in ("2", "(DROP  2)", "drop 2", "Drop(2)", "drop2", "pa")]
['(drop 2)', '(drop 2)', '(drop 2)', '(drop 2)', '(drop 2)', 'pass']
>>> [pick_move(text, ["(mark 1 2)", "(mark 2 1)"], "x") for text in ("1 2", "2,1", "MARK(1, 2)")]
['(mark 1 2)', '(mark 2 1)', '(mark 1 2)']
>>> pick_move("drop", legal, "red")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: drop is ambiguous: (drop 1), (drop 2)
>>> pick_move("dorp 1", legal, "red")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: dorp 1 is not legal here; red has (drop 1), (drop 2), pass
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile

from gdl import CompiledMachine, GdlError

from ..common.errors import UserError
from ..common.terminal_text import shortened
from .native.native_game import NativeGame
from .native.native_machine import own_notation_of, recognise, renamed

# The place between two cells that are written together, as in `b2b3`.
_BETWEEN_CELLS = re.compile(r"(?<=[0-9])(?=[a-z])")


class MoveNotations:
    """Translate moves, as users write them, to the notation of a machine.

    A native game and its rule sheet have different notations, such as `b2-b3` and `(move 2 2 2 3)`. A user may type
    either of them.

    >>> from gdl import NetworkMachine, parse_sheet
    >>> from kif_games import rules
    >>> notations = MoveNotations(NetworkMachine(parse_sheet(rules("breakthrough_6x6"))))
    >>> notations.spelled(0, "b2-b3"), notations.spelled(1, "( MOVE 1 5 1 4 )"), notations.spelled(0, "b9-b3")
    ('(move 2 2 2 3)', '(move 1 5 1 4)', 'b9-b3')
    """

    def __init__(self, machine: CompiledMachine) -> None:
        self._machine = machine

    def spelled(self, role: int, text: str) -> str:
        """Return a move in the notation of the machine; a text that is no move of any notation as it is."""
        try:
            own = self._machine.spelled(text)
        except GdlError:
            own = text
        if (native := own_notation_of(self._machine)) is not None:
            return _of_sheet(native.game, role, own)
        return own if self._native is None else _of_native_game(*self._native, role, text) or own

    @cached_property
    def _native(self) -> tuple[NativeGame, Mapping[str, str]] | None:
        """The native game of the rules, and the name in the sheet of each symbol of the reference sheet."""
        return recognise(self._machine.sheet)


def _of_native_game(game: NativeGame, names: Mapping[str, str], role: int, text: str) -> str | None:
    """Return the move of the sheet for a move in the notation of the native game; None if it is not one move."""
    typed = text.strip().lower()
    if not typed.isascii():
        return None
    number = max(game.core.read_move(role, each) for each in (typed, _BETWEEN_CELLS.sub("-", typed)))
    if number < 0 or not (printed := game.core.move_text(role, number)) or printed == "noop":
        return None
    moves = game.sheet_moves(game.roles[role], printed)
    return renamed(moves[0], names) if len(moves) == 1 else None


def _of_sheet(game: NativeGame, role: int, text: str) -> str:
    """Return the move of the native game for one move of its sheet; other texts as they are."""
    if not game.one_to_one or not text.isascii():
        return text
    term = text if text.startswith("(") else f"({text})"
    try:
        number = game.core.read_move(role, game.turn(game.roles[role], (term.lower(),)))
    except ValueError:
        return text
    return text if number < 0 else game.core.move_text(role, number)


# Number of legal moves that an error message names.
_MAX_NAMED_MOVES = 3


def some_moves(move: str, legal: Sequence[str]) -> str:
    """List the legal moves that are most similar to a move; an equal beginning counts most.

    >>> some_moves("a2-a3", ["a1-a2", "b2-b3", "a2-b3", "h2-h3", "h3-h4"])
    'a1-a2, a2-b3, b2-b3, .. (5)'
    """
    if len(legal) <= _MAX_NAMED_MOVES:
        return ", ".join(legal) or "none"
    matcher = difflib.SequenceMatcher(b=move)

    def nearness(other: str) -> float:
        matcher.set_seq1(other)
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(other, move, strict=False))
        return matcher.ratio() + len(list(shared)) / (len(move) or 1)

    near = sorted(legal, key=nearness, reverse=True)[:_MAX_NAMED_MOVES]
    return f"{', '.join(sorted(near))}, .. ({len(legal)})"


_MAX_DIGITS = 60

_TOKEN = re.compile(r"[()]|[^()\s]+")
# Runs of letters or digits. A sign belongs to a number unless it directly follows a word, as in 9-13.
_WORD = re.compile(r"(?<![^\W_])[+-][0-9]+|[0-9]+|[^\W\d_]+")


def pick_move(text: str, legal: Sequence[str], role: str, spelled: Callable[[str], str] | None = None) -> str:
    """Return the legal move that a user typed.

    A move may be typed as its number in the list, in upper or lower case, with any spacing and punctuation, without
    its name (`2 3` for `(mark 2 3)`), or as the beginning of exactly one legal move. The closest match is chosen. If
    the moves themselves are numbers, a number is the move.
    """
    echo = shortened(text)
    if are_numbered(legal) and text.isascii() and text.isdigit():
        if 1 <= int(text[:_MAX_DIGITS]) <= len(legal):
            return legal[int(text) - 1]
        raise UserError(f"there is no move {echo}; the moves of {role} have the numbers 1 to {len(legal)}")
    found = same_moves(text, legal, spelled)
    words = words_of(text)
    found = found or [move for move in legal if _key(move).startswith(_key(text))]
    if not found and words:
        found = [move for move in legal if _begins(words_of(move), words)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"{echo} is ambiguous: {some_moves(echo, found)}")
    raise UserError(f"{echo} is not legal here; {role} has {some_moves(echo, list(legal))}")


def same_moves(text: str, legal: Sequence[str], spelled: Callable[[str], str] | None = None) -> list[str]:
    """Return the legal moves that a whole text may mean; no text means a part of a move.

    >>> same_moves("Drop(2)", ["(drop 1)", "(drop 2)"]), same_moves("2", ["(drop 1)", "(drop 2)"])
    (['(drop 2)'], ['(drop 2)'])
    """
    if text in legal:
        return [text]
    key = _key(text)
    found = [move for move in legal if _key(move) == key]
    if not found and spelled is not None and (move := spelled(text)) in legal:
        found = [move]
    words = words_of(text)
    if not found and words:
        found = [move for move in legal if words_of(move) == words] or [
            move for move in legal if move.startswith("(") and words_of(move)[1:] == words
        ]
    return found


def are_numbered(legal: Sequence[str]) -> bool:
    """Return True if moves can be chosen by number: no move is a number itself."""
    return not any(move.isdigit() for move in legal)


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a move, in lower case and without punctuation.

    >>> words_of("(Move a 1, b_2)"), words_of("a2-a3"), words_of("9-13"), words_of("(add -1)")
    (['move', 'a', '1', 'b', '2'], ['a', '2', 'a', '3'], ['9', '13'], ['add', '-1'])
    """
    return _WORD.findall(text.lower())


def _begins(words: list[str], beginning: list[str]) -> bool:
    """Return True if words begin with other words; the last of these may be a part of a word."""
    *whole, last = beginning
    place = len(whole)
    return words[:place] == whole and len(words) > place and words[place].startswith(last)


def _key(text: str) -> str:
    """Return a normal form of a move without differences in case and spacing.

    >>> _key("( Move a 1 )"), _key("move A 1"), _key("noop")
    ('move a 1', 'move a 1', 'noop')
    """
    tokens = _TOKEN.findall(text.lower())
    if tokens[:1] == ["("]:
        del tokens[0]
        if tokens[-1:] == [")"]:
            del tokens[-1]
    return " ".join(tokens)

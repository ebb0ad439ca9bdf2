"""Moves as a person types them, and the list to choose from.

>>> legal = ["(drop 1)", "(drop 2)", "pass"]
>>> [pick_move(text, legal, "red") for text in ("2", "(DROP  2)", "drop 2", "Drop(2)", "drop2", "pa")]
['(drop 2)', '(drop 2)', '(drop 2)', '(drop 2)', '(drop 2)', 'pass']
>>> [pick_move(text, ["(mark 1 2)", "(mark 2 1)"], "x") for text in ("1 2", "2,1", "MARK(1, 2)")]
['(mark 1 2)', '(mark 2 1)', '(mark 1 2)']
>>> pick_move("drop", legal, "red")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: drop may mean (drop 1), (drop 2)
>>> pick_move("dorp 1", legal, "red")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: dorp 1 is not legal here; red has (drop 1), (drop 2), pass
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...common.errors import UserError
from ...game.move_list import some_moves

# Of what was typed, in messages.
_LONGEST_ECHO = 60
_GAP = 3

_TOKEN = re.compile(r"[()]|[^()\s]+")
# Runs of letters and of digits; a sign is part of a number that does not follow a word directly, as it does in 9-13.
_WORD = re.compile(r"(?<![^\W_])[+-][0-9]+|[0-9]+|[^\W\d_]+")


def pick_move(text: str, legal: Sequence[str], role: str, spelled: Callable[[str], str] | None = None) -> str:
    """Return the legal move that a person means.

    It may be typed as its number in the list; in any case, spacing and punctuation; without its name, `2 3` for
    `(mark 2 3)`; or as a beginning that no other legal move has. What is nearest to what was typed counts. Where moves
    are numbers themselves, a number is the move.

    Args:
        text: what was typed.
        legal: the moves, in the order of the list.
        role: whose move it is.
        spelled: tells another notation's name for a move, where the game has several.

    Raises:
        UserError: it is no legal move, or may be several; the message names those that look like it.
    """
    echo = text if len(text) <= _LONGEST_ECHO else f"{text[: _LONGEST_ECHO - 2]}.."
    if are_numbered(legal) and text.isascii() and text.isdigit():
        if 1 <= int(text[:_LONGEST_ECHO]) <= len(legal):
            return legal[int(text) - 1]
        raise UserError(f"there is no move {echo}; {role} has 1 to {len(legal)}")
    found = [move for move in legal if _key(move) == _key(text)]
    if not found and spelled is not None and spelled(text) in legal:
        found = [spelled(text)]
    words = words_of(text)
    if not found and words:
        found = [move for move in legal if words_of(move) == words] or [
            move for move in legal if move.startswith("(") and words_of(move)[1:] == words
        ]
    found = found or [move for move in legal if _key(move).startswith(_key(text))]
    if not found and words:
        found = [move for move in legal if _begins(words_of(move), words)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"{echo} may mean {some_moves(echo, found)}")
    raise UserError(f"{echo} is not legal here; {role} has {some_moves(echo, list(legal))}")


def are_numbered(legal: Sequence[str]) -> bool:
    """Tell whether moves are chosen by number, too: not where moves are numbers themselves."""
    return not any(move.isdigit() for move in legal)


def listed(legal: Sequence[str], width: int) -> str:
    """Print moves in columns, with their numbers.

    >>> print(listed(["a2-a3", "a2-b3", "b2-a3"], 24))
    1 a2-a3   3 b2-a3
    2 a2-b3
    """
    digits = len(str(len(legal)))
    texts = [f"{number:>{digits}} {move}" for number, move in enumerate(legal, start=1)]
    if not are_numbered(legal):
        texts = list(legal)
    longest = max(map(len, texts))
    columns = max(1, (width + _GAP) // (longest + _GAP))
    rows = -(-len(texts) // columns)
    return "\n".join(
        (" " * _GAP).join(text.ljust(longest) for text in texts[row::rows]).rstrip() for row in range(rows)
    )


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a move, without case and punctuation.

    >>> words_of("(Move a 1, b_2)"), words_of("a2-a3"), words_of("9-13"), words_of("(add -1)")
    (['move', 'a', '1', 'b', '2'], ['a', '2', 'a', '3'], ['9', '13'], ['add', '-1'])
    """
    return _WORD.findall(text.lower())


def _begins(words: list[str], beginning: list[str]) -> bool:
    """Tell whether words begin with others, of which the last may be part of a word."""
    *whole, last = beginning
    place = len(whole)
    return words[:place] == whole and len(words) > place and words[place].startswith(last)


def _key(text: str) -> str:
    """Bring what reads as the same move but for case and spacing into one form.

    >>> _key("( Move a 1 )"), _key("move A 1"), _key("noop")
    ('move a 1', 'move a 1', 'noop')
    """
    tokens = _TOKEN.findall(text.lower())
    if tokens[:1] == ["("]:
        del tokens[0]
        if tokens[-1:] == [")"]:
            del tokens[-1]
    return " ".join(tokens)

"""The kind of board of a game without an appearance, recognised by its fluents and moves.

Only kinds that the rules show are chosen: lines for marks `x` and `o`, a frame if all moves drop a disc into a column,
a draughts board for men and kings. All other boards of squares are chessboards.

>>> recognised_kind([("x",), ("o",), ("b",)], "square", {("b",)})
'paper'
>>> recognised_kind([("red",)], "hexagon", set())
'honeycomb'
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gdl import RuleSheet
from gdl.language.terms import Compound, relation

from .layout import Shape

_Words = tuple[str, ...]

_KING, _MEN, _MARKS = "king", {"man", "men", "checker", "pawn"}, {"x", "o"}
# Words of moves that drop a piece into a column, and of moves that do nothing.
_DROPS, _NOTHING = {"drop"}, {"noop", "pass", "wait"}


def recognised_kind(
    contents: Iterable[_Words], shape: Shape, empty: Collection[_Words], sheet: RuleSheet | None = None
) -> str:
    """Return the name of a kind of board."""
    if shape != "square":
        return "honeycomb"
    shown = [each for each in contents if each not in empty]
    last = {content[-1].lower() for content in shown}
    if last and last <= _MARKS:
        return "paper"
    if last and all(word.isdigit() for word in last):
        return "squares"
    if _KING in last and last & _MEN and last <= _MEN | {_KING}:
        return "draughts"
    return "frame" if sheet is not None and _drops_only(sheet) else "chess"


def _drops_only(sheet: RuleSheet) -> bool:
    """Return True if all moves are drops into a column, or nothing."""
    found: set[str] = set()
    for rule in sheet.rules:
        head = rule.head.sentence
        if not isinstance(head, Compound) or relation(head) != ("legal", 2):
            continue
        move = head.args[1]
        if isinstance(move, Compound) and len(move.args) == 1:
            found.add(move.name)
        elif move not in _NOTHING:
            return False
    return bool(found) and found <= _DROPS

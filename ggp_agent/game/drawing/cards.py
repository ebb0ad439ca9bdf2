"""Fluents that are no board: cards, dice and pegs, as a map with a slot for each card.

The value is the last argument; the name of the relation and all other arguments name the slot, `<holds,first>`.

- *Cards*: every value has the word of a rank or of a suit, or a relation with the word `holds`, `has`, `hand` or `card`
  has the values.
- *Dice*: the name of the relation has the word `die` or `dice`, and the values are 1 to 6; several values of `dice`.
- *Pegs*: every value is a colour, and the slots are numbered or the relation has several values.

>>> print(slots_map(["(holds ann king)", "(holds bob jack)", "(turn ann)"])[0])
ann holds  <holds,ann>
bob holds  <holds,bob>
>>> print(slots_map([f"(die {number} {pips})" for number in "12" for pips in "456"])[0])
die  <die,1> <die,2>
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .grid_board import axis_of, by_relation
from .symbols import COLOURS, is_card

_DICE = {"die", "dice"}
_HANDS = {"hold", "holds", "has", "have", "hand", "card", "cards"}
_PIPS = {*"123456"}
# Maximal number of slots of a relation, and of the cards of a slot without an owner, which may hold all of them.
_MAX_SLOTS, _MAX_VALUES = 24, 4
# The free columns between a label and the slots of its row.
_FREE = 2
# The words of a label; a letter before a digit would be a cell of the map.
_PART = re.compile(r"[A-Za-z]+|[0-9]+")


def is_of_dice(name: str) -> bool:
    """Return whether the name of a relation has the word `die` or `dice`."""
    return not _DICE.isdisjoint(name.lower().split("_"))


def slots_map(fluents: Iterable[str]) -> tuple[str, set[tuple[str, int]]]:
    """Return the map with all slots of cards, dice and pegs, and their relations; empty without any."""
    rows: dict[str, list[str]] = {}
    found: set[tuple[str, int]] = set()
    relations = sorted(by_relation(fluents).items())
    held = {each[1] for (name, arity), each_of in relations if arity == 2 and _is_hand(name) for each in each_of}
    for (name, arity), all_arguments in relations:
        columns = [set(column) for column in zip(*all_arguments, strict=True)]
        values = _values(name, columns, held)
        slots = {arguments[: arity - values] for arguments in all_arguments}
        is_grid = sum(axis_of(column) is not None for column in columns[: arity - values]) > 1
        is_pile = arity == values == 1 and len(all_arguments) > _MAX_VALUES and not is_of_dice(name)
        if not values or is_grid or is_pile or len(slots) > _MAX_SLOTS:
            continue
        found.add((name, arity))
        for slot in sorted(slots, key=lambda words: [(len(word), word) for word in words]):
            words = " ".join([*(word for word in slot if not word.isdigit()), name])
            rows.setdefault(" ".join(_PART.findall(words)), []).append(f"<{','.join([name, *slot])}>")
    width = max(map(len, rows), default=0) + _FREE
    return "\n".join(label.ljust(width) + " ".join(slots) for label, slots in rows.items()), found


def _is_hand(name: str) -> bool:
    return not _HANDS.isdisjoint(name.lower().split("_"))


def _values(name: str, columns: Sequence[set[str]], held: set[str]) -> int:
    """Return the number of the last arguments that are values; 0 for a relation of other things."""
    if is_of_dice(name):
        dice = next((place for place, column in enumerate(reversed(columns)) if not column <= _PIPS), len(columns))
        return dice if "dice" in name.lower() else min(dice, 1)
    if all(map(is_card, columns[-1])) or (len(columns) == 2 and _is_hand(name)):
        return 1
    if len(columns) == 1:
        return int(columns[0] <= held and not any(map(str.isdigit, columns[0])))
    if all(column <= COLOURS.keys() for column in columns):
        return len(columns)
    return int(len(columns) == 2 and axis_of(columns[0]) is not None and columns[1] <= COLOURS.keys())

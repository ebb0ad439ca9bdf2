"""Boards whose cells are named by one word, as a map: found in the first or last argument of a relation.

- *Joined coordinates*: letters before digits, as in `b2`. If every row has all columns, the letters count columns. Else
  each letter is a row, and the rows are centred.
- *Rings*: of two arguments one is a point of the compass, the other a ring.
- *A row of places*: in the initial state each place has exactly one content, such as the size of a heap, or one of each
  kind, such as the number of men of each colour; or several relations of one argument have the same values, such as
  the doors of a car and of a choice.

>>> print(named_map([f"(cell {letter}{digit} red)" for letter, digit in ("a1", "b1", "b2", "c1", "c2", "c3")]))
a      a1
b    b1  b2
c  c1  c2  c3
>>> heaps = [f"(heap {name} {size})" for name in "abc" for size in range(4)]
>>> print(named_map(heaps, ["(heap a 3)", "(heap b 1)", "(heap c 2)"]))
<a>  <b>  <c>
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence

from .grid_board import axis_of, by_relation, has_one_content, placings_of

_JOINED = re.compile(r"([a-z])([0-9]{1,2})")
_WORD = re.compile(r"[A-Za-z0-9]+")
# The smallest number of cells of each kind, and the maximal number of places in a row.
_FEWEST = 6
_FEWEST_PLACES = 3
_MOST_PLACES = 40
_IN_A_ROW = 12
# The largest number of kinds of contents of a place.
_MAX_KINDS = 4
# The points of the compass: steps to the right and down.
_COMPASS = {
    "nw": (-1, -1),
    "n": (0, -1),
    "ne": (1, -1),
    "w": (-1, 0),
    "e": (1, 0),
    "sw": (-1, 1),
    "s": (0, 1),
    "se": (1, 1),
}
# Rings with other names are in alphabetical order, from the inside.
_RINGS = ("inner", "middle", "outer")


def named_map(fluents: Iterable[str], initial: Iterable[str] = ()) -> str:
    """Return the map of the board with the most cells; empty without one."""
    at_first, relations = by_relation(initial), by_relation(fluents)
    maps = [""]
    # A relation with one fluent at first may be a counter; things that are related to each other are no places.
    pairs = [set[str]().union(*all_arguments) for (_, arity), all_arguments in relations.items() if arity == 2]
    single = [
        {name for (name,) in all_arguments}
        for relation, all_arguments in relations.items()
        if relation[1] == 1 and len(at_first.get(relation, ())) != 1
    ]
    maps += [
        _places(sorted(names, key=_natural))
        for names in single
        if single.count(names) > 1 and axis_of(names) and names not in pairs
    ]
    for (name, arity), all_arguments in relations.items():
        for placing in placings_of(name, arity, 1) * (arity > 1):
            maps.append(_joined({placing.split(arguments)[0][0] for arguments in all_arguments}))
        for placing in placings_of(name, arity, 2) * (arity > 2):
            maps.append(_rings({placing.split(arguments)[0] for arguments in all_arguments}))
        kinds, held = {each[2:] for each in all_arguments}, at_first.get((name, arity), set())
        if (
            arity in (2, 3)
            and len(kinds) <= _MAX_KINDS
            and all(
                has_one_content(*({each[:2] for each in one if each[2:] == kind} for one in (all_arguments, held)))
                for kind in kinds
            )
        ):
            maps.append(_places(sorted({arguments[0] for arguments in all_arguments}, key=_natural)))
    return max(maps, key=lambda text: len(text.split()))


def _joined(names: set[str]) -> str:
    found = [_JOINED.fullmatch(name) for name in names]
    cells = {(each[1], int(each[2])) for each in found if each}
    letters, digits = sorted({letter for letter, _ in cells}), sorted({digit for _, digit in cells})
    if not all(found) or len(cells) < _FEWEST or len(letters) < 2 or len(digits) < 2:
        return ""
    if len(cells) == len(letters) * len(digits):
        lines = [
            f"{digit:<3}" + " ".join(f"{letter}{digit}".ljust(3) for letter in letters) for digit in reversed(digits)
        ]
        return "\n".join([*lines, "   " + " ".join(letter.ljust(3) for letter in letters)])
    rows = [[f"{letter}{digit}" for digit in digits if (letter, digit) in cells] for letter in letters]
    widest, step = max(map(len, rows)), 2 * ((max(map(len, names)) + 2) // 2)
    return "\n".join(
        f"{letter}  {' ' * ((widest - len(row)) * step // 2)}{''.join(name.ljust(step) for name in row)}".rstrip()
        for letter, row in zip(letters, rows, strict=True)
    )


def _rings(cells: set[tuple[str, ...]]) -> str:
    rings = {ring for ring, _ in cells}
    if len(cells) < _FEWEST or not {point for _, point in cells} <= {*_COMPASS} or not all(map(_WORD.fullmatch, rings)):
        return ""
    ordered = [ring for ring in _RINGS if ring in rings] + sorted(rings.difference(_RINGS))
    centre, width = len(ordered), max(map(len, rings)) + 4
    lines = [[" "] * width * (2 * centre + 1) for _ in range(2 * centre + 1)]
    for distance, ring in enumerate(ordered, 1):
        first, last = centre - distance, centre + distance
        for line in range(first, last + 1):
            for column in (first, last) if line not in (first, centre, last) else ():
                lines[line][width * column] = "|"
        for line in (first, last):
            lines[line][width * first : width * last] = "-" * (last - first) * width
        for point, (x, y) in _COMPASS.items():
            if (ring, point) in cells:
                start, name = width * (centre + distance * x), f"{ring},{point}"
                lines[centre + distance * y][start : start + len(name)] = name
    return "\n".join("".join(line).rstrip() for line in lines)


def _places(names: Sequence[str]) -> str:
    if not _FEWEST_PLACES <= len(names) <= _MOST_PLACES or not all(map(_WORD.fullmatch, names)):
        return ""
    width = max(map(len, names)) + 4
    rows = [names[start : start + _IN_A_ROW] for start in range(0, len(names), _IN_A_ROW)]
    return "\n".join("".join(f"<{name}>".ljust(width) for name in row).rstrip() for row in rows)


def _natural(name: str) -> tuple[str, int, str]:
    """Return the key of an order in which p2 precedes p10."""
    letters = name.rstrip(string.digits)
    return letters, len(name) - len(letters), name

"""A drawn position: the lines of a board, where its cells stand in them, and what is told beside it.

>>> print(Drawing(("2 . x", "1 . .", "  a b"), ((0, 2, 3), (0, 4, 5), (1, 2, 3), (1, 4, 5)), ("turn o", "moves 1")))
2 . x   turn o
1 . .   moves 1
  a b
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_GAP = 3
# Columns of a terminal that are there for certain.
_WIDTH = 80

# Fluents that are told beside a board.
_MOST = 12

_NUMBER = re.compile(r"\(([^() ]+) ([0-9]{1,3})\)")

# Line, and where in it a cell begins and ends.
Span = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Drawing:
    """One drawn position.

    Attributes:
        lines: of the board.
        cells: where what stands on the cells is written, always in the same order of the cells.
        beside: what is told of the position besides, such as the turn and counters.
    """

    lines: tuple[str, ...]
    cells: tuple[Span, ...] = ()
    beside: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(self.whole_lines())

    def contents(self) -> list[str]:
        """Return what is written on each cell."""
        return [self.lines[line][start:end] for line, start, end in self.cells]

    def whole_lines(self) -> list[str]:
        """Return the lines with what is told beside the board; below it where there is no room."""
        if not self.beside:
            return list(self.lines)
        width = max(map(len, self.lines)) + _GAP
        if width + max(map(len, self.beside)) > _WIDTH:
            return [*self.lines, ", ".join(self.beside)]
        height = max(len(self.lines), len(self.beside))
        left = [*self.lines, *[""] * (height - len(self.lines))]
        right = [*self.beside, *[""] * (height - len(self.beside))]
        return [f"{one:<{width}}{other}".rstrip() for one, other in zip(left, right, strict=True)]


def told(fluents: Iterable[str], counters: Mapping[str, str] | None = None) -> list[str]:
    """Return fluents that are about no cell as they are told beside a board: the turn, scores, counters.

    They lose their outer parentheses, and numbers stand instead of their digits.

    >>> told(["(turn red)", "(score red 3)", "passed"])
    ['turn red', 'score red 3', 'passed']
    >>> told(["(moves 0)", "(moves 2)", "(turn red)"], {"moves": "binary"})
    ['moves 5', 'turn red']
    >>> told(["(ones 7)", "(tens 1)"], {"turns": "decimal"})
    ['turns 17']

    Args:
        fluents: in the order in which they are told.
        counters: names of numbers, and how their digits are written: `binary`, where `(moves 3)` stands for 2 to the
            power of 3 in the number `moves`; or `decimal`, by fluents `tens` and `ones`.
    """
    counters = counters or {}
    numbers = dict.fromkeys(counters, 0)
    decimal = next((name for name, how in counters.items() if how == "decimal"), None)
    others = []
    for fluent in fluents:
        found = _NUMBER.fullmatch(fluent)
        if found and counters.get(found[1]) == "binary":
            numbers[found[1]] += 1 << int(found[2])
        elif found and decimal and found[1] in ("tens", "ones"):
            numbers[decimal] += int(found[2]) * (10 if found[1] == "tens" else 1)
        else:
            others.append(fluent[1:-1] if fluent.startswith("(") and fluent.endswith(")") else fluent)
    facts = [*(f"{name} {number}" for name, number in numbers.items()), *others]
    if len(facts) > _MOST:
        facts[_MOST:] = [f"and {len(facts) - _MOST} more fluents"]
    return facts

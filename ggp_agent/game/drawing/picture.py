"""A drawn state: the lines of a board, the places of its cells, and facts next to the board.

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
# The minimal width of a terminal, in columns.
_WIDTH = 80

# Maximal number of fluents next to a board.
_MAX_FACTS = 12

_NUMBER = re.compile(r"\(([^() ]+) ([0-9]{1,3})\)")

# Line number, start and end column.
Span = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Drawing:
    """One drawn state."""

    lines: tuple[str, ...]  # the lines of the board
    cells: tuple[Span, ...] = ()  # the places of the cells' contents in the lines, in a fixed order of the cells
    beside: tuple[str, ...] = ()  # further facts, such as the turn and counters

    def __str__(self) -> str:
        return "\n".join(self.whole_lines())

    def contents(self) -> list[str]:
        """Return the text on each cell."""
        return [self.lines[line][start:end] for line, start, end in self.cells]

    def whole_lines(self) -> list[str]:
        """Return the lines with the facts on the right of the board, or below it if there is no room."""
        if not self.beside:
            return list(self.lines)
        width = max(map(len, self.lines)) + _GAP
        if width + max(map(len, self.beside)) > _WIDTH:
            return [*self.lines, ", ".join(self.beside)]
        height = max(len(self.lines), len(self.beside))
        left = [*self.lines, *[""] * (height - len(self.lines))]
        right = [*self.beside, *[""] * (height - len(self.beside))]
        return [f"{one:<{width}}{other}".rstrip() for one, other in zip(left, right, strict=True)]


def shown_facts(fluents: Iterable[str], counters: Mapping[str, str] | None = None) -> list[str]:
    """Return the fluents that describe no cell in the form shown next to a board: the turn, scores, counters.

    Outer parentheses are removed, and digits are combined to numbers.

    >>> shown_facts(["(turn red)", "(score red 3)", "passed"])
    ['turn red', 'score red 3', 'passed']
    >>> shown_facts(["(moves 0)", "(moves 2)", "(turn red)"], {"moves": "binary"})
    ['moves 5', 'turn red']
    >>> shown_facts(["(ones 7)", "(tens 1)"], {"turns": "decimal"})
    ['turns 17']
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
    if len(facts) > _MAX_FACTS:
        facts[_MAX_FACTS:] = [f"and {len(facts) - _MAX_FACTS} more fluents"]
    return facts

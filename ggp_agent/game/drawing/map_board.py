"""A board drawn on a map: a text in which words represent the cells.

A word is a cell if it contains a comma, has letters before digits, or is in brackets: `3,12` is the cell with the
coordinates 3 and 12, `a7` is a7 or the coordinates a and 7, `<a>` is a. All other text is printed unchanged.

>>> fluents = ["(man white a7)", "(man black d4)", "(turn white)"]
>>> print(MapBoard.of("7  a7---d7\\n4  a4   d4", fluents).draw(fluents))
7  w----.   turn white
4  .    b
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .grid_board import EMPTY, Placing, placings_of, read_fluent, signs_of
from .picture import Drawing, Span, shown_facts

_CELL = re.compile(r"<[A-Za-z0-9]+>|[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*")
_LETTERS_AND_DIGITS = re.compile(r"([A-Za-z]+)([0-9]+)")


@dataclass(frozen=True, slots=True)
class MapBoard:
    """The cells of a map, and the fluents that describe them."""

    lines: tuple[str, ...]  # the lines of the map
    spans: tuple[Span, ...]  # the places of the cells in the lines
    places: dict[tuple[str, ...], int]  # the number of each cell, by its coordinates
    # The coordinates of each relation that describes cells, by its name and number of arguments.
    placings: dict[tuple[str, int], Placing]
    signs: dict[tuple[str, ...], str]  # the signs of cell contents
    counters: Mapping[str, str]  # the counters of the game, as in `Guide`

    @classmethod
    def of(cls, text: str, known: Iterable[str], counters: Mapping[str, str] | None = None) -> MapBoard:
        """Read a map for a game with these known fluents."""
        lines = tuple(text.split("\n"))
        spans: list[Span] = []
        places: dict[tuple[str, ...], int] = {}
        for number, line in enumerate(lines):
            for found in _CELL.finditer(line):
                parts = tuple(found[0].strip("<>").split(","))
                split = _LETTERS_AND_DIGITS.fullmatch(parts[0]) if len(parts) == 1 else None
                if len(parts) == 1 and split is None and not found[0].startswith("<"):
                    continue  # not a cell
                places[parts] = len(spans)
                if split is not None:
                    places[split[1], split[2]] = len(spans)
                spans.append((number, found.start(), found.end()))
        relations: dict[tuple[str, int], list[tuple[str, ...]]] = {}
        for fluent in known:
            if read := read_fluent(fluent):
                relations.setdefault((read[0], len(read[1])), []).append(read[1])
        placed: dict[tuple[str, int], Placing] = {}
        counts = sorted({len(key) for key in places}, reverse=True)
        for (name, arity), all_arguments in relations.items():
            for placing in (each for count in counts for each in placings_of(name, arity, count)):
                if (name, arity) not in placed and all(placing.split(one)[0] in places for one in all_arguments):
                    placed[name, arity] = placing
        contents = {each.content(one) for key, each in placed.items() for one in relations[key]}
        return cls(lines, tuple(spans), places, placed, signs_of(contents) if contents else {}, counters or {})

    @property
    def legend(self) -> str:
        """The explanation of the signs; empty if all signs are the words themselves."""
        meanings = {sign: " ".join(content) for content, sign in self.signs.items() if sign != EMPTY}
        return ", ".join(f"{sign} = {words}" for sign, words in meanings.items() if sign != words)

    def contents(self, fluents: Iterable[str]) -> tuple[dict[int, list[tuple[str, ...]]], list[str]]:
        """Return the contents of the cells, by number, and the fluents that describe no cell."""
        held: dict[int, list[tuple[str, ...]]] = {}
        others = []
        for fluent in fluents:
            name, arguments = read_fluent(fluent) or ("", ())
            placing = self.placings.get((name, len(arguments)))
            place = None if placing is None else self.places.get(placing.split(arguments)[0])
            if placing is None or place is None:
                others.append(fluent)
            else:
                held.setdefault(place, []).append(placing.content(arguments))
        return held, others

    def draw(self, fluents: Iterable[str], before: object = None) -> Drawing:
        """Draw the board and the other fluents next to it; `before` is not used."""
        held, others = self.contents(fluents)
        lines = [""] * len(self.lines)
        ends = [0] * len(self.lines)  # the end of the copied part of each line
        cells = []
        for place, (number, start, end) in enumerate(self.spans):
            lines[number] += self.lines[number][ends[number] : start]
            ends[number] = end
            text = "/".join(self.signs.get(each) or "-".join(each) for each in held.get(place, ())) or EMPTY
            cells.append((number, len(lines[number]), len(lines[number]) + len(text)))
            filling = "-" if self.lines[number][end : end + 1] == "-" else " "
            lines[number] += text.ljust(end - start, filling)
        whole = [(line + source[end:]).rstrip() for line, source, end in zip(lines, self.lines, ends, strict=True)]
        return Drawing(tuple(whole), tuple(cells), tuple(shown_facts(others, self.counters)))

"""A board of rows and columns, found in the fluents.

A relation describes cells if its first two or its last two arguments are coordinates: consecutive numbers from 0 or 1,
or consecutive letters from `a`, and at least half of all pairs occur. The other arguments are the content of the cell.
The rules do not define the orientation: the first coordinate counts columns, the second counts rows from below. If only
the second coordinate is a letter, letters count columns, unless two groups of pieces stand on different letters at
first, as in shogi: then numbers count columns from the right, and letters count rows from above.

>>> fluents = ["(cell 1 1 x)", "(cell 1 2 blank)", "(cell 2 1 o)", "(cell 2 2 blank)", "(control x)"]
>>> grid = Grid.of(fluents, fluents)
>>> print(grid.draw(fluents))
2 . .   control x
1 x o
  1 2
>>> Grid.of(["(heap 3)", "(control x)"], []) is None
True
"""

from __future__ import annotations

import re
import string
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from .picture import Drawing, shown_facts

# Maximal width and height, in cells.
_LONGEST_SIDE = 26
# The fraction of all pairs of coordinates that must occur.
_COVERED = 0.5
# A relation whose cells have more numbers than this, such as the numbers of groups, is not shown on the board.
_MAX_NUMBERS = 40
# The smallest number of rows of a group of pieces that stands apart from another one.
_FEWEST_APART = 3
# Maximal number of signs in the legend.
_MEANINGS = 16
EMPTY = "."

_FLAT = re.compile(r"\(([^()]+)\)")
_NUMBERED = re.compile(r"([A-Za-z]*)([0-9]{1,4})")

# The arguments of a fluent.
_Arguments = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placing:
    """The place of the coordinates among the arguments of a relation: first or last.

    `named` is True if the name of the relation is a part of the cell's content; `keyed`: of the coordinates.
    """

    name: str
    arity: int
    first: bool
    count: int = 2
    named: bool = False
    keyed: bool = False

    def split(self, arguments: _Arguments) -> tuple[_Arguments, _Arguments]:
        """Return the coordinates of the cell, and the other arguments."""
        if self.first:
            return (self.name,) * self.keyed + arguments[: self.count], arguments[self.count :]
        return arguments[-self.count :], arguments[: -self.count]

    def content(self, arguments: _Arguments) -> _Arguments:
        """Return the content of the cell."""
        rest = self.split(arguments)[1]
        return (self.name, *rest) if self.named or not rest else rest


@dataclass(frozen=True, slots=True)
class CellBoard(ABC):
    """A board with numbered cells, which fluents describe."""

    places: dict[_Arguments, int]  # the number of each cell, by its coordinates in the rules
    placings: dict[tuple[str, int], Placing]  # the coordinates of each relation, by its name and number of arguments
    signs: dict[_Arguments, str]  # the signs of cell contents
    counters: Mapping[str, str]  # the counters of the game, as in `Guide`

    @abstractmethod
    def draw(self, fluents: Sequence[str], before: Sequence[str] | None = None) -> Drawing:
        """Draw the state with these true fluents; `before` are the fluents of the previously drawn state."""

    @property
    def legend(self) -> str:
        """The explanation of the signs; empty if all signs are the words themselves."""
        meanings = {sign: " ".join(content) for content, sign in self.signs.items() if sign != EMPTY}
        explained = [f"{sign} = {words}" for sign, words in meanings.items() if sign != words]
        if len(explained) > _MEANINGS:
            explained[_MEANINGS:] = [f"and {len(explained) - _MEANINGS} more"]
        return ", ".join(explained)

    def cell_of(self, fluent: str) -> tuple[int, _Arguments] | None:
        """Return the number of the cell that a fluent describes, and the content; None if it describes no cell."""
        name, arguments = read_fluent(fluent) or ("", ())
        placing = self.placings.get((name, len(arguments)))
        # If not all fluents were known, the coordinates may be outside the board.
        cell = None if placing is None else self.places.get(placing.split(arguments)[0])
        return None if placing is None or cell is None else (cell, placing.content(arguments))

    def contents(self, fluents: Iterable[str]) -> tuple[dict[int, list[_Arguments]], list[str]]:
        """Return the contents of the cells, by number, and the fluents that describe no cell."""
        held: dict[int, list[_Arguments]] = {}
        others = []
        for fluent in fluents:
            found = self.cell_of(fluent)
            if found is None:
                others.append(fluent)
            else:
                held.setdefault(found[0], []).append(found[1])
        return held, others

    def empty_b(self, initial: Iterable[str]) -> None:
        """Let the content `b` mean an empty cell if at least half of the cells have it initially."""
        held = [content for cell in self.contents(initial)[0].values() for content in cell]
        for content in self.signs:
            if content[-1] == "b" and 2 * held.count(content) >= len(set(self.places.values())):
                self.signs[content] = EMPTY

    def texts(self, fluents: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return the text of each cell, by number, and the facts that are shown next to the board."""
        held, others = self.contents(fluents)
        cells = range(max(self.places.values(), default=-1) + 1)
        texts = ["/".join(self.signs.get(each) or "-".join(each) for each in held.get(cell, ())) for cell in cells]
        return [text or EMPTY for text in texts], shown_facts(others, self.counters)


@dataclass(frozen=True, slots=True)
class Grid(CellBoard):
    """A grid of cells, numbered column by column from below."""

    columns: tuple[str, ...]  # the names of the columns, from the left
    rows: tuple[str, ...]  # the names of the rows, from below
    turned: bool  # True if the second coordinate counts columns: only it is a letter

    @classmethod
    def of(
        cls, fluents: Iterable[str], initial: Iterable[str], counters: Mapping[str, str] | None = None
    ) -> Self | None:
        """Find the largest grid among the fluents that may be true; None if there is no grid.

        The content `b` means an empty cell, as in many old sheets, if at least half of the cells have it initially.
        """
        relations, at_first = by_relation(fluents), by_relation(initial := list(initial))
        best: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        for (name, arity), all_arguments in relations.items():
            if arity == 2 and has_one_content(all_arguments, at_first.get((name, arity), set())):
                continue
            for placing in placings_of(name, arity):
                axes = _axes(placing, all_arguments)
                if axes is not None and (best is None or len(axes[0]) * len(axes[1]) > len(best[0]) * len(best[1])):
                    best = axes
        if best is None:
            return None
        placed: dict[tuple[str, int], Placing] = {}
        for (name, arity), all_arguments in relations.items():
            for placing in placings_of(name, arity):
                cells = [placing.split(arguments)[0] for arguments in all_arguments]
                fits = all(x in best[0] and y in best[1] for x, y in cells)
                if (name, arity) not in placed and fits and not _numbers_groups(placing, all_arguments):
                    placed[name, arity] = placing
        several = _share_cells([(each, relations[key]) for key, each in placed.items() if each.arity > 2])
        placed = {key: replace(each, named=several or each.arity == 2) for key, each in placed.items()}
        contents = {each.content(arguments) for key, each in placed.items() for arguments in relations[key]}
        turned = best[0][0].isdigit() and best[1][0].isalpha()
        columns, rows = best
        if turned and _stand_apart(placed, at_first):
            turned, columns, rows = False, columns[::-1], rows[::-1]
        elif turned:
            columns, rows = rows, columns
        pairs: list[_Arguments] = [(column, row) for column in columns for row in rows]
        places = {pair[::-1] if turned else pair: number for number, pair in enumerate(pairs)}
        signs = signs_of(contents)
        grid = cls(places, placed, signs, counters or {}, columns, rows, turned)
        grid.empty_b(initial)
        return grid

    def draw(self, fluents: Iterable[str], before: object = None) -> Drawing:
        """Draw the board and the other fluents next to it; `before` is not used."""
        texts, facts = self.texts(fluents)
        height = len(self.rows)
        table = [[row, *texts[number::height]] for number, row in enumerate(self.rows)]
        table = [*reversed(table), ["", *self.columns]]
        widths = [max(len(line[place]) for line in table) for place in range(len(self.columns) + 1)]
        starts = [sum(widths[:place]) + place for place in range(len(widths))]
        lines = [
            " ".join(text.rjust(width) if place == 0 else text.ljust(width) for place, (text, width) in row).rstrip()
            for row in (enumerate(zip(line, widths, strict=True)) for line in table)
        ]
        cells = [
            (number, starts[place], starts[place] + len(line[place]))
            for number, line in enumerate(table[:-1])
            for place in range(1, len(line))
        ]
        return Drawing(tuple(lines), tuple(cells), tuple(facts))


def read_fluent(fluent: str) -> tuple[str, _Arguments] | None:
    """Split a fluent with constant arguments into name and arguments; None for other fluents."""
    found = _FLAT.fullmatch(fluent)
    if found is None:
        return None
    name, *arguments = found[1].split()
    return (name, tuple(arguments)) if arguments else None


def by_relation(fluents: Iterable[str]) -> dict[tuple[str, int], set[_Arguments]]:
    """Return the arguments of fluents, by name and number of arguments."""
    found: dict[tuple[str, int], set[_Arguments]] = {}
    for name, arguments in filter(None, map(read_fluent, fluents)):
        found.setdefault((name, len(arguments)), set()).add(arguments)
    return found


def placings_of(name: str, arity: int, count: int = 2) -> list[Placing]:
    """List the possible places of `count` coordinates, the likelier one first."""
    if arity < count:
        return []
    return [Placing(name, arity, True, count)] + [Placing(name, arity, False, count)] * (arity > count)


def has_one_content(all_arguments: set[_Arguments], initial: set[_Arguments]) -> bool:
    """Return whether each first argument of a relation has one content at first, such as the size of a heap.

    >>> heaps = {(heap, str(size)) for heap in "ab" for size in range(9)}
    >>> has_one_content(heaps, {("a", "8"), ("b", "3")}), has_one_content(heaps, {("a", "8"), ("a", "3")})
    (True, False)
    """
    firsts = {arguments[0] for arguments in all_arguments}
    return len(initial) == len(firsts) > 1 and {arguments[0] for arguments in initial} == firsts


def _share_cells(placed: Sequence[tuple[Placing, set[_Arguments]]]) -> bool:
    """Return whether a cell may have contents of two relations."""
    cells = [{placing.split(arguments)[0] for arguments in all_arguments} for placing, all_arguments in placed]
    return sum(map(len, cells)) > len(set[_Arguments]().union(*cells))


def _stand_apart(placed: Mapping[tuple[str, int], Placing], initial: Mapping[tuple[str, int], set[_Arguments]]) -> bool:
    """Return whether a word of contents is only on smaller second coordinates than another one, three of each."""
    found: dict[str, set[str]] = {}
    for relation, placing in placed.items():
        for arguments in initial.get(relation, ()):
            cell, content = placing.split(arguments)
            for word in content:
                found.setdefault(word, set()).add(cell[1])
    groups = [each for each in found.values() if len(each) >= _FEWEST_APART]
    return any(max(one) < min(other) for one in groups for other in groups)


def _numbers_groups(placing: Placing, all_arguments: Iterable[_Arguments]) -> bool:
    """Return whether the content of the cells is one of many numbers."""
    contents = {placing.split(arguments)[1] for arguments in all_arguments}
    return len(contents) > _MAX_NUMBERS and all(len(each) == 1 and each[0].isdigit() for each in contents)


def _axes(placing: Placing, all_arguments: Iterable[_Arguments]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the names along both sides if the relation describes cells; None if a third coordinate is as long."""
    split = [placing.split(arguments) for arguments in all_arguments]
    cells = {cell for cell, _ in split}
    columns, rows = (axis_of(set(names), from_anywhere=True) for names in zip(*cells, strict=True))
    if columns is None or rows is None or len(cells) < _COVERED * len(columns) * len(rows):
        return None
    if columns == rows and all(x != y for x, y in cells):  # pairs of things, such as a block on another one
        return None
    others = list(zip(*(rest for _, rest in split), strict=True))
    sizes = (len(columns), len(rows))
    if len(others) > 1 and any(axis_of(set(values)) and len(set(values)) in sizes for values in others):
        return None
    return columns, rows


def axis_of(names: set[str], *, from_anywhere: bool = False) -> tuple[str, ...] | None:
    """Sort coordinates; None if the names are not coordinates.

    >>> axis_of({"3", "1", "2"}), axis_of({"b", "a"}), axis_of({"c1", "c2"}), axis_of({"x", "o"}), axis_of({"1", "4"})
    (('1', '2', '3'), ('a', 'b'), ('c1', 'c2'), None, None)
    >>> axis_of({"20", "10", "30"}), axis_of({"20", "10", "30"}, from_anywhere=True)
    (None, ('10', '20', '30'))
    >>> axis_of({"d", "c", "e"}), axis_of({"d", "c", "e"}, from_anywhere=True)
    (None, ('c', 'd', 'e'))
    """
    if not 2 <= len(names) <= _LONGEST_SIDE:
        return None
    numbers = [_NUMBERED.fullmatch(name) for name in names]
    if all(numbers) and len({found[1] for found in numbers if found}) == 1:
        ordered = sorted(names, key=lambda name: int(name.lstrip(string.ascii_letters)))
        places = [int(name.lstrip(string.ascii_letters)) for name in ordered]
        start, distance = min(places[0], 1), places[1] - places[0]
        if from_anywhere and len(places) > 2 and distance:
            start = places[0]
            places = [start + (place - start) // distance for place in places if (place - start) % distance == 0]
    elif all(len(name) == 1 and name.isascii() and name.isalpha() for name in names):
        ordered = sorted(names, key=str.lower)
        places = [ord(name.lower()) for name in ordered]
        start = places[0] if from_anywhere and len(places) > 2 else ord("a")
    else:
        return None
    return tuple(ordered) if places == list(range(start, start + len(ordered))) else None


def signs_of(contents: set[_Arguments]) -> dict[_Arguments, str]:
    """Shorten contents, word by word, as long as they remain distinct.

    >>> signs_of({("white", "king"), ("white", "knight"), ("black", "king")})
    {('black', 'king'): 'bki', ('white', 'king'): 'wki', ('white', 'knight'): 'wkn'}
    """
    words = [
        {content[place] for content in contents if place < len(content)} for place in range(max(map(len, contents)))
    ]
    return {
        content: EMPTY
        if content[-1] in ("blank", "empty")
        else "".join(_short(word, words[place]) for place, word in enumerate(content))
        for content in sorted(contents)
    }


def _short(word: str, words: set[str]) -> str:
    """Return the shortest prefix that no other word has."""
    for length in range(1, len(word)):
        if not any(other != word and other.startswith(word[:length]) for other in words):
            return word[:length]
    return word

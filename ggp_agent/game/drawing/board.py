"""Boards as text: of a native game, on a map of the catalogue, as a grid found in the fluents, or a list of fluents.

The list shows the true fluents, and later the changed fluents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gdl import MachineState, StateMachine
from kif_games import Guide

from ..native.native_game import NativeGame
from ..native.registry import native_game
from .cards import is_of_dice, slots_map
from .grid_board import CellBoard, Grid, Placing, by_relation, placings_of, signs_of
from .named_boards import named_map
from .nested_boards import nested_map
from .picture import Drawing, Span

# Lines below the board of a native game with further facts.
_BESIDE = re.compile(r"[a-z ]+: .*|[a-z]+ to move")
_WORD = re.compile(r"\S+")


class Board:
    """Draw the states of a machine as text; `legend` explains the signs, and is empty if no sign needs it."""

    def __init__(self, machine: StateMachine, guide: Guide | None = None) -> None:
        # `guide` is the guide of the game in the catalogue, which has its map and counters.
        self._machine = machine
        self._native = None if machine.native is None else native_game(machine.native)
        # The role that owns the pieces with a sign; signs of native games begin with the first letter of the role.
        self._owners = {role[0]: role for role in machine.roles}
        self.legend = ""
        if self._native is None:
            self._cells = fluent_board(machine.known_fluents(), machine.fluents(machine.initial()), guide)
            self.legend = self._cells.legend
            signs = self._cells.signs.items()
            owners = {sign: [word for word in content if word in machine.roles] for content, sign in signs}
            self._owners = {sign: roles[0] for sign, roles in owners.items() if roles}

    def draw(self, state: MachineState, before: MachineState | None = None) -> Drawing:
        """Draw a state; `before` is the previously drawn state, or None to draw everything."""
        if self._native is not None:
            assert isinstance(state, bytes)
            return native_drawing(self._native, state)
        earlier = None if before is None else self._machine.fluents(before)
        return self._cells.draw(self._machine.fluents(state), earlier)

    def owner(self, sign: str) -> str | None:
        """Return the role that owns the piece with this sign; None if no role owns it."""
        return self._owners.get(sign.partition("/")[0] if self._native is None else sign[:1].lower())


def fluent_board(known: Iterable[str], initial: Sequence[str], guide: Guide | None = None) -> CellBoard:
    """Return the board of a game, given its known fluents and its initial fluents; a list of fluents has no cells."""
    known = list(known)
    if guide is not None and guide.map:
        return MapBoard.of(guide.map, known, guide.counters)
    counters = {} if guide is None else guide.counters
    slots, drawn = slots_map(known)
    plain = [fluent for fluent in known if drawn.isdisjoint(by_relation([fluent]))] if drawn else known
    grid = Grid.of(plain, initial, counters)
    if any(is_of_dice(name) for name, _ in drawn) and not (grid and any(map(grid.cell_of, initial))):
        grid = None  # The bids of a game of dice are no board.
    maps = [text for text in (nested_map(plain, initial), named_map(plain, initial)) if text]
    for text in [*maps, *[""] * bool(slots and not grid)]:
        found = MapBoard.of("\n".join(filter(None, (text, slots))), known, counters)
        if grid is None or len(found.spans) > len(grid.places):
            found.empty_b(initial)
            return found
    return grid or _FluentList({}, {}, {}, counters)


def native_drawing(game: NativeGame, state: bytes) -> Drawing:
    """Draw a state of a native game."""
    lines = game.board(state).rstrip("\n").split("\n")
    beside: list[str] = []
    while lines and _BESIDE.fullmatch(lines[-1]):
        beside.insert(0, lines.pop())
    cells = [
        (number, found.start(), found.end())
        for number, line in enumerate(lines)
        for place, found in enumerate(_WORD.finditer(line))
        if place and line.lstrip()[:1].isdigit()
    ]
    return Drawing(tuple(lines), tuple(cells), tuple(beside))


class _FluentList(CellBoard):
    """No board: the true fluents, and later the changed fluents."""

    def draw(self, fluents: Sequence[str], before: Sequence[str] | None = None) -> Drawing:
        if before is None:
            return Drawing(tuple(fluents))
        lines = [f"- {fluent}" for fluent in sorted(set(before).difference(fluents))]
        lines += [f"+ {fluent}" for fluent in fluents if fluent not in set(before)]
        return Drawing(tuple(lines) or ("nothing changed",))


_CELL = re.compile(r"<[^<>\s]+>|[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*")
_LETTERS_AND_DIGITS = re.compile(r"([A-Za-z]+)([0-9]+)")


@dataclass(frozen=True, slots=True)
class MapBoard(CellBoard):
    """A board drawn on a map: a text in which words represent the cells.

    A word is a cell if it contains a comma, has letters before digits, or is in brackets: `3,12` is the cell with the
    coordinates 3 and 12, `a7` is a7 or the coordinates a and 7, `<a>` is a. The first part of `<die,2>` may be the name
    of a relation. All other text is printed unchanged.

    >>> fluents = ["(man white a7)", "(man black d4)", "(turn white)"]
    >>> print(MapBoard.of("7  a7---d7\\n4  a4   d4", fluents).draw(fluents))
    7  w----.   turn white
    4  .    b
    """

    lines: tuple[str, ...]  # the lines of the map
    spans: tuple[Span, ...]  # the places of the cells in the lines

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
        relations = by_relation(known)
        placed: dict[tuple[str, int], Placing] = {}
        counts = sorted({len(key) for key in places}, reverse=True)
        for (name, arity), all_arguments in relations.items():
            keyed = [Placing(name, arity, True, count, is_of_dice(name), True) for count in range(arity)]
            for placing in (*keyed, *(each for count in counts for each in placings_of(name, arity, count))):
                if (name, arity) not in placed and all(placing.split(one)[0] in places for one in all_arguments):
                    placed[name, arity] = placing
        contents = {each.content(one) for key, each in placed.items() for one in relations[key]}
        signs = signs_of(contents) if contents else {}
        for key, each in ((key, each) for key, each in placed.items() if each.keyed):  # cards have their words
            signs |= {content: " ".join(content) for content in map(each.content, relations[key])}
        return cls(places, placed, signs, counters or {}, lines, tuple(spans))

    def draw(self, fluents: Iterable[str], before: object = None) -> Drawing:
        """Draw the board and the other fluents next to it; `before` is not used."""
        texts, facts = self.texts(fluents)
        lines = [""] * len(self.lines)
        ends = [0] * len(self.lines)  # the end of the copied part of each line
        cells = []
        for text, (number, start, end) in zip(texts, self.spans, strict=True):
            lines[number] += self.lines[number][ends[number] : start]
            ends[number] = end
            cells.append((number, len(lines[number]), len(lines[number]) + len(text)))
            filling = "-" if self.lines[number][end : end + 1] == "-" else " "
            lines[number] += text.ljust(end - start, filling)
        whole = [(line + source[end:]).rstrip() for line, source, end in zip(lines, self.lines, ends, strict=True)]
        return Drawing(tuple(whole), tuple(cells), tuple(facts))

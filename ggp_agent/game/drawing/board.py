"""Boards as text: of a native game, on a map of the catalogue, as a grid found in the fluents, or a list of fluents.

The list shows the true fluents, and later the changed fluents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gdl import MachineState, StateMachine
from kif_games import Guide

from ..native.native_game import NativeGame
from ..native.registry import native_game
from .grid_board import EMPTY, Grid, Placing, placings_of, read_fluent, signs_of
from .picture import Drawing, Span, shown_facts

# Lines below the board of a native game with further facts.
_BESIDE = re.compile(r"[a-z ]+: .*|[a-z]+ to move")
_WORD = re.compile(r"\S+")


class Board(Protocol):
    """Draw states; `legend` explains the signs, and is empty if no sign needs an explanation."""

    legend: str

    def draw(self, state: MachineState, before: MachineState | None) -> Drawing:
        """Draw a state; `before` is the previously drawn state, or None to draw everything."""

    def owner(self, sign: str) -> str | None:
        """Return the role that owns the piece with this sign; None if no role owns it."""


class FluentBoard(Protocol):
    """Draw states that are given as fluents."""

    @property
    def legend(self) -> str:
        """Return the explanation of the signs; empty if no sign needs one."""

    @property
    def signs(self) -> Mapping[tuple[str, ...], str]:
        """Return the signs of cell contents, by the words of the fluents."""

    def draw(self, fluents: Sequence[str], before: Sequence[str] | None = None) -> Drawing:
        """Draw the state with these true fluents; `before` are the fluents of the previously drawn state."""


def board_of(machine: StateMachine, guide: Guide | None = None) -> Board:
    """Return the best available board of a game; `guide` is its guide in the catalogue (map and counters)."""
    if machine.native is not None:
        return _NativeBoard(native_game(machine.native))
    initial = machine.fluents(machine.initial())
    return _MachineBoard(machine, fluent_board(machine.known_fluents(), initial, guide))


def fluent_board(known: Iterable[str], initial: Sequence[str], guide: Guide | None = None) -> FluentBoard:
    """Return the board of a game, given its known fluents and its initial fluents."""
    known = list(known)
    if guide is not None and guide.map:
        return MapBoard.of(guide.map, known, guide.counters)
    counters = {} if guide is None else guide.counters
    return Grid.of(known, initial, counters) or _FluentList()


def module_drawing(module: NativeGame, state: bytes) -> Drawing:
    """Draw a state of a native game."""
    lines = module.board(state).rstrip("\n").split("\n")
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


class _NativeBoard:
    """The board of a native game; a sign begins with the first letter of the role that owns the piece."""

    legend = ""

    def __init__(self, game: NativeGame) -> None:
        self._module = game
        self._roles = {role[0]: role for role in game.roles}

    def draw(self, state: MachineState, before: MachineState | None) -> Drawing:
        assert isinstance(state, bytes)
        return module_drawing(self._module, state)

    def owner(self, sign: str) -> str | None:
        return self._roles.get(sign[:1].lower())


class _MachineBoard:
    """A board drawn from the fluents of a machine's state."""

    def __init__(self, machine: StateMachine, board: FluentBoard) -> None:
        self._machine = machine
        self._board = board
        self.legend = board.legend
        roles = set(machine.roles)
        self._owners = {
            sign: next((word for word in content if word in roles), None) for content, sign in board.signs.items()
        }

    def draw(self, state: MachineState, before: MachineState | None) -> Drawing:
        return self._board.draw(self._machine.fluents(state), None if before is None else self._machine.fluents(before))

    def owner(self, sign: str) -> str | None:
        return self._owners.get(sign.partition("/")[0])


class _FluentList:
    """No board: the true fluents, and later the changed fluents."""

    legend = ""
    signs: Mapping[tuple[str, ...], str] = {}

    def draw(self, fluents: Sequence[str], before: Sequence[str] | None = None) -> Drawing:
        if before is None:
            return Drawing(tuple(fluents))
        lines = [f"- {fluent}" for fluent in sorted(set(before).difference(fluents))]
        lines += [f"+ {fluent}" for fluent in fluents if fluent not in set(before)]
        return Drawing(tuple(lines) or ("nothing changed",))


_CELL = re.compile(r"<[A-Za-z0-9]+>|[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*")
_LETTERS_AND_DIGITS = re.compile(r"([A-Za-z]+)([0-9]+)")


@dataclass(frozen=True, slots=True)
class MapBoard:
    """A board drawn on a map: a text in which words represent the cells.

    A word is a cell if it contains a comma, has letters before digits, or is in brackets: `3,12` is the cell with the
    coordinates 3 and 12, `a7` is a7 or the coordinates a and 7, `<a>` is a. All other text is printed unchanged.

    >>> fluents = ["(man white a7)", "(man black d4)", "(turn white)"]
    >>> print(MapBoard.of("7  a7---d7\\n4  a4   d4", fluents).draw(fluents))
    7  w----.   turn white
    4  .    b
    """

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

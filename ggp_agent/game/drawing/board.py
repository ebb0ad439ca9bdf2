"""Boards as text: of a native game, on a map of the catalogue, as a grid found in the fluents, or a list of fluents.

The list shows the true fluents, and later the changed fluents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from gdl import CompiledMachine, MachineState
from kif_games import Guide

from ..native.native_game import NativeGame
from ..native.registry import native_game
from .grid_board import Grid
from .map_board import MapBoard
from .picture import Drawing

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


def board_of(machine: CompiledMachine, guide: Guide | None = None) -> Board:
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

    def __init__(self, machine: CompiledMachine, board: FluentBoard) -> None:
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

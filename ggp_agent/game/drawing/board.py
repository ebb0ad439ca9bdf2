"""Boards as text: that of a hand-coded game, one drawn on a map of the catalogue or from fluents like cells, or a list.

The list has the fluents that hold, and from then on those that changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from gdl import CompiledMachine, MachineState, NetworkMachine
from kif_games import Guide

from ..native.native_game import NativeGame
from ..native.native_machine import NativeMachine
from .grid_board import Grid
from .map_board import MapBoard
from .picture import Drawing

# Lines below the board of a hand-coded game that tell of the position besides.
_BESIDE = re.compile(r"[a-z ]+: .*|[a-z]+ to move")
_WORD = re.compile(r"\S+")


class Board(Protocol):
    """Draw positions; `legend` explains the signs, empty where they need no word."""

    legend: str

    def draw(self, state: MachineState, before: MachineState | None) -> Drawing:
        """Draw a state; `before` is the one that was drawn last, None to have all drawn."""

    def owner(self, sign: str) -> str | None:
        """Return the role that owns what a sign on a cell stands for, None where nobody does."""


class FluentBoard(Protocol):
    """Draw positions that are given as fluents."""

    @property
    def legend(self) -> str:
        """Explain the signs; empty where they need no word."""

    @property
    def signs(self) -> Mapping[tuple[str, ...], str]:
        """Return the signs of what may be on a cell, by the words that say so in fluents."""

    def draw(self, fluents: Sequence[str], before: Sequence[str] | None = None) -> Drawing:
        """Draw the state in which the fluents hold; `before` are those of the one that was drawn last."""


def board_of(machine: CompiledMachine, guide: Guide | None = None) -> Board:
    """Return the best board there is for a game; `guide` is that of the catalogue, for its map and counters."""
    if isinstance(machine, NativeMachine):
        return _NativeBoard(machine)
    initial = machine.fluents(machine.initial())
    return _MachineBoard(machine, fluent_board(known_fluents(machine), initial, guide))


def known_fluents(machine: CompiledMachine) -> list[str]:
    """List the fluents that are known to hold in some state; where the machine knows no others, the initial ones."""
    if isinstance(machine, NativeMachine):
        return machine.module.known_fluents()
    if isinstance(machine, NetworkMachine):
        return [*machine.fluent_names, *machine.constant_fluents]
    return machine.fluents(machine.initial())


def fluent_board(known: Iterable[str], initial: Sequence[str], guide: Guide | None = None) -> FluentBoard:
    """Return the board for a game of which these fluents are known, and those of the initial state."""
    known = list(known)
    if guide is not None and guide.map:
        return MapBoard.of(guide.map, known, guide.counters)
    counters = {} if guide is None else guide.counters
    return Grid.of(known, initial, counters) or _FluentList()


def module_drawing(module: NativeGame, state: bytes) -> Drawing:
    """Draw a state of a hand-coded game."""
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
    """The board of a hand-coded game; signs begin with the first letter of the role that owns them."""

    legend = ""

    def __init__(self, machine: NativeMachine) -> None:
        self._module = machine.module
        self._roles = {role[0]: role for role in machine.roles}

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
    """No board: the fluents that hold, and later those that changed."""

    legend = ""
    signs: Mapping[tuple[str, ...], str] = {}

    def draw(self, fluents: Sequence[str], before: Sequence[str] | None = None) -> Drawing:
        if before is None:
            return Drawing(tuple(fluents))
        lines = [f"- {fluent}" for fluent in sorted(set(before).difference(fluents))]
        lines += [f"+ {fluent}" for fluent in fluents if fluent not in set(before)]
        return Drawing(tuple(lines) or ("nothing has changed",))

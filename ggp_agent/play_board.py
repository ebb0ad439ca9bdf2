"""Boards as text: that of a hand-coded game, one drawn from fluents like cells, or the fluents that changed."""

from __future__ import annotations

from typing import Protocol

from gdl import CompiledMachine, NetworkMachine, State

from .modules import ModuleMachine
from .play_grid import Grid


class Board(Protocol):
    """Print positions; `legend` explains the signs, empty where they need no word."""

    legend: str

    def text(self, state: State, before: State | None) -> str:
        """Print a state; `before` is the one that was printed last, None to have all printed."""


def board_of(machine: CompiledMachine) -> Board:
    """Return the best board there is for a game."""
    if isinstance(machine, ModuleMachine):
        return _ModuleBoard(machine)
    known = initial = machine.fluents(machine.initial())
    if isinstance(machine, NetworkMachine):
        known = [*machine.fluent_names, *machine.constant_fluents]
    grid = Grid.of(known, initial)
    return _FluentList(machine) if grid is None else _GridBoard(machine, grid)


class _ModuleBoard:
    """The board of a hand-coded game."""

    legend = ""

    def __init__(self, machine: ModuleMachine) -> None:
        self._module = machine.module

    def text(self, state: State, before: State | None) -> str:
        assert isinstance(state, bytes)
        return self._module.board(state).rstrip("\n")


class _GridBoard:
    """A board drawn from fluents."""

    def __init__(self, machine: CompiledMachine, grid: Grid) -> None:
        self._machine = machine
        self._grid = grid
        self.legend = grid.legend

    def text(self, state: State, before: State | None) -> str:
        return self._grid.draw(self._machine.fluents(state))


class _FluentList:
    """No board: the fluents that hold, and later those that changed."""

    legend = ""

    def __init__(self, machine: CompiledMachine) -> None:
        self._machine = machine

    def text(self, state: State, before: State | None) -> str:
        now = self._machine.fluents(state)
        if before is None:
            return "\n".join(now)
        earlier = set(self._machine.fluents(before))
        lines = [f"- {fluent}" for fluent in sorted(earlier.difference(now))]
        lines += [f"+ {fluent}" for fluent in now if fluent not in earlier]
        return "\n".join(lines) or "nothing has changed"

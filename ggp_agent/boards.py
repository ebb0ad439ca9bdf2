"""Boards as text: that of a hand-coded game, one drawn from fluents like cells, or the fluents that changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from gdl import CompiledMachine, NetworkMachine, State

from .grid_boards import Grid
from .modules import ModuleMachine


class Board(Protocol):
    """Print positions; `legend` explains the signs, empty where they need no word."""

    legend: str

    def text(self, state: State, before: State | None) -> str:
        """Print a state; `before` is the one that was printed last, None to have all printed."""


class FluentBoard(Protocol):
    """Print positions that are given as fluents."""

    @property
    def legend(self) -> str:
        """Explain the signs; empty where they need no word."""

    def draw(self, fluents: Sequence[str], before: Sequence[str] | None = None) -> str:
        """Print the state in which the fluents hold; `before` are those of the one that was printed last."""


def board_of(machine: CompiledMachine) -> Board:
    """Return the best board there is for a game."""
    if isinstance(machine, ModuleMachine):
        return _ModuleBoard(machine)
    initial = machine.fluents(machine.initial())
    return _MachineBoard(machine, fluent_board(known_fluents(machine), initial))


def known_fluents(machine: CompiledMachine) -> list[str]:
    """List the fluents that are known to hold in some state; where the machine knows no others, the initial ones."""
    if isinstance(machine, NetworkMachine):
        return [*machine.fluent_names, *machine.constant_fluents]
    return machine.fluents(machine.initial())


def fluent_board(known: Iterable[str], initial: Sequence[str]) -> FluentBoard:
    """Return the board for a game of which these fluents are known, and those of the initial state."""
    return Grid.of(list(known), initial) or _FluentList()


class _ModuleBoard:
    """The board of a hand-coded game."""

    legend = ""

    def __init__(self, machine: ModuleMachine) -> None:
        self._module = machine.module

    def text(self, state: State, before: State | None) -> str:
        assert isinstance(state, bytes)
        return self._module.board(state).rstrip("\n")


class _MachineBoard:
    """A board drawn from the fluents of a machine's state."""

    def __init__(self, machine: CompiledMachine, board: FluentBoard) -> None:
        self._machine = machine
        self._board = board
        self.legend = board.legend

    def text(self, state: State, before: State | None) -> str:
        return self._board.draw(self._machine.fluents(state), None if before is None else self._machine.fluents(before))


class _FluentList:
    """No board: the fluents that hold, and later those that changed."""

    legend = ""

    def draw(self, fluents: Sequence[str], before: Sequence[str] | None = None) -> str:
        if before is None:
            return "\n".join(fluents)
        lines = [f"- {fluent}" for fluent in sorted(set(before).difference(fluents))]
        lines += [f"+ {fluent}" for fluent in fluents if fluent not in set(before)]
        return "\n".join(lines) or "nothing has changed"

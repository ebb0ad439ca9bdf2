"""The states of one state machine as SVG, the cells of its moves, and the cells on which a win depends."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from html import escape

from gdl import CompiledMachine, GdlError, MachineState, ReasonerMachine
from kif_games import Guide

from ..native.native_machine import NOOP, NativeMachine
from .appearance import Appearance
from .svg_board import Picture, SvgBoard

# The size of a list of fluents: units of the document, and lines of text.
_LIST_SIZE, _LIST_LINES = 480, 24

_NAME = re.compile(r"[a-z][0-9]+")


class GameDrawing:
    """Draw the states of a machine.

    >>> from ggp_agent.game.native.native_machine import NativeMachine
    >>> from ggp_agent.game.native.registry import native_game
    >>> drawing = GameDrawing(NativeMachine(native_game("breakthrough_6x6")))
    >>> drawing.cells_of("white", "(move 1 2 2 3)"), drawing.cells_of("black", "noop")
    (['a2', 'b3'], [])
    """

    def __init__(
        self, machine: CompiledMachine, guide: Guide | None = None, appearance: Appearance | None = None
    ) -> None:
        self._machine = machine
        self._native = machine if isinstance(machine, NativeMachine) else None
        self._skips_i = appearance is not None and appearance.skips_i
        names = {} if self._native is None else self._native.game.cell_names_by_sheet()
        names = {key: self._shown(name) for key, name in names.items()}
        initial = machine.fluents(machine.initial())
        known = [*machine.known_fluents(), *initial]
        self._board = SvgBoard.of(machine.roles, known, initial, guide, machine.sheet, names, appearance)

    def picture(self, state: MachineState, before: MachineState | None = None, moves: Sequence[str] = ()) -> Picture:
        """Draw a state; mark the changes from the state before and the cells of the joint move between them."""
        pairs = zip(self._machine.roles, moves, strict=False)
        touched = [cell for role, move in pairs for cell in self.cells_of(role, move)]
        earlier = None if before is None else self._machine.fluents(before)
        return self._board.picture(self._machine.fluents(state), earlier, touched)

    def picture_of_possible(
        self, probabilities: Mapping[str, float], role: str = "", move: str | None = None
    ) -> Picture:
        """Draw what is known of a state, as `SvgBoard` does; mark the cells of the latest move of the role."""
        touched = [] if move is None else self.cells_of(role, move)
        return self._board.picture_of_possible(probabilities, touched)

    def svg(self, state: MachineState, before: MachineState | None = None, moves: Sequence[str] = ()) -> str:
        """Draw a state as an SVG document, as `picture` does; if the game has no board, its true fluents."""
        return self.picture(state, before, moves).svg or _listed(self._machine.fluents(state))

    def printed(self, role: str, move: str) -> str:
        """Return a move with the names of cells that are written on the board.

        >>> from ggp_agent.game.native.native_machine import NativeMachine
        >>> from ggp_agent.game.native.registry import native_game
        >>> GameDrawing(NativeMachine(native_game("breakthrough_6x6"))).printed("white", "(move 1 2 2 3)")
        'a2-b3'
        """
        return self._shown(self._machine.printed(self._machine.roles.index(role), move))

    def _shown(self, text: str) -> str:
        """Return a text of a native game with the column letters of the board."""
        if not self._skips_i:
            return text
        return _NAME.sub(lambda name: chr(ord(name[0][0]) + (name[0][0] >= "i")) + name[0][1:], text)

    def by_text(self, role: str, moves: Sequence[str]) -> dict[str, str]:
        """Return moves of a role, each by the text that `printed` gives."""
        return {self.printed(role, move): move for move in moves}

    def cells_of(self, role: str, move: str) -> list[str]:
        """Return the cells that a move names, in order."""
        if self._native is None:
            return self._board.cells_of(move, role)
        if move == NOOP:
            return []
        cells: list[str] = []
        printed = self._machine.printed(self._machine.roles.index(role), move)
        for part in self._native.game.sheet_moves(role, printed):
            cells += [cell for cell in self._board.cells_of(part, role) if cell not in cells[-1:]]
        # A move of the sheet may name only a row or a column where the move of the native game names the cell.
        return cells or [name for name in _NAME.findall(self._shown(printed)) if name in self._board.cell_names]

    def target_of(self, role: str, move: str, state: MachineState) -> list[str]:
        """Return the cells that a move names; if it names a column, the lowest empty cell of the column.

        >>> from gdl import load_machine, parse_sheet
        >>> from kif_games import rules
        >>> machine = load_machine(parse_sheet(rules("connect_four")), "network")
        >>> after = machine.next(machine.initial(), ["(drop 4)", "noop"])
        >>> GameDrawing(machine).target_of("yellow", "(drop 4)", after)
        ['4,2']
        """
        cells = self.cells_of(role, move)
        if cells or self._native is not None:
            return cells
        return self._board.lowest_empty(move, self._machine.fluents(state))

    def cells_of_fluent(self, fluent: str) -> list[str]:
        """Return the cells that a fluent names, in order."""
        return self._board.cells_of(fluent)

    @property
    def legend(self) -> dict[str, str]:
        """The meaning of each letter on a piece without a symbol."""
        return self._board.legend

    def column_of(self, move: str) -> list[str]:
        """Return the cells of a column if the move names only this column; else nothing."""
        return self._board.column_of(move) if self._native is None else []


# The width of a picture in a notebook, in pixels, and the style sheet of its dark mode.
_NOTEBOOK_WIDTH = 320
_STYLE = re.compile(r"<style>[^<]*</style>")


def for_notebook(svg: str) -> str:
    """Return a drawing with a fixed width and without its dark mode, because the page around it may be light.

    >>> for_notebook('<svg xmlns="x"><style>a{}</style></svg>')
    '<svg width="320" xmlns="x"></svg>'
    """
    return _STYLE.sub("", svg).replace("<svg ", f'<svg width="{_NOTEBOOK_WIDTH}" ', 1)


def _listed(fluents: Sequence[str]) -> str:
    """Return the fluents as an SVG document, one per line; a note counts the fluents that do not fit."""
    lines = list(fluents[:_LIST_LINES])
    if len(fluents) > _LIST_LINES:
        lines[-1] = f"and {len(fluents) - _LIST_LINES + 1} more"
    height = _LIST_SIZE // (_LIST_LINES + 1)
    texts = "".join(
        f'<text x="{height}" y="{(number + 1) * height}">{escape(line)}</text>' for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LIST_SIZE} {_LIST_SIZE}">'
        f'<rect width="{_LIST_SIZE}" height="{_LIST_SIZE}" fill="#faf3e3"/>'
        f'<g font-family="monospace" font-size="{height * 3 // 4}" fill="#5c5138">{texts}</g></svg>'
    )


# Returns the cells that a fluent names, in order.
_CellsOf = Callable[[str], list[str]]
# The shortest line.
_SHORTEST_LINE = 3
# Time limit in seconds of processor time, and the largest number of marks.
_DECISIVE_SECONDS = 0.5
_MAX_MARKS = 200


def decisive_cells(machine: CompiledMachine, cells_of: _CellsOf, state: MachineState) -> list[str]:
    """Return the cells of at least three equal marks on which a win depends; empty if they are not clear.

    A mark is decisive if the goal of the winner is no longer 100 when the fluent of the mark is removed. So the cells
    follow from the rules, and not from the name of the game. In a game of lines they are the line; its middle, if it is
    longer than necessary. The cells of two lines that were completed together are not decisive, except where they
    cross. Kinds of marks that are on the board from the beginning are not considered: such a game is not one of lines.
    """
    goals = {role: machine.goal(state, role) for role in machine.roles}
    winners = [role for role, goal in goals.items() if goal == 100]
    if len(goals) < 2 or len(winners) != 1 or not machine.terminal(state):
        return []
    fluents = machine.fluents(state)
    kinds = {fluent: _kind(cells_of, fluent) for fluent in fluents}
    at_first = {_kind(cells_of, fluent) for fluent in machine.fluents(machine.initial())}
    marks = [fluent for fluent, kind in kinds.items() if kind and kind not in at_first]
    if not _SHORTEST_LINE <= len(marks) <= _MAX_MARKS:
        return []
    try:
        # Other machines do not represent states that cannot be reached.
        reasoner = machine if isinstance(machine, ReasonerMachine) else ReasonerMachine(machine.sheet)
        decisive = _decisive(reasoner, fluents, marks, winners[0])
    except GdlError:
        return []
    if len(decisive) < _SHORTEST_LINE or len({kinds[fluent] for fluent in decisive}) > 1:
        return []
    return [cells_of(fluent)[0] for fluent in decisive]


def _kind(cells_of: _CellsOf, fluent: str) -> tuple[str, ...]:
    """Return the words of a fluent of one cell without the coordinates of the cell; empty for other fluents."""
    words = fluent.strip("()").split()
    cells = cells_of(fluent)
    if len(cells) != 1:
        return ()
    parts = enumerate(words)
    return tuple(word for place, word in parts if _cells_without(cells_of, words, place) == cells or place == 0)


def _cells_without(cells_of: _CellsOf, words: Sequence[str], place: int) -> list[str]:
    return cells_of(f"({' '.join([*words[:place], *words[place + 1 :]])})")


def _decisive(machine: ReasonerMachine, fluents: Sequence[str], marks: Sequence[str], winner: str) -> list[str]:
    """Return the marks without which the winner would not have the goal 100; none if this takes too long."""
    until = time.thread_time() + _DECISIVE_SECONDS
    found = []
    for mark in marks:
        if time.thread_time() > until:
            return []
        rest = machine.state(fluent for fluent in fluents if fluent != mark)
        if machine.goal(rest, winner) != 100:
            found.append(mark)
    return found

"""The cells of a finished game without whose marks it would not be won, such as a line of three.

A mark is decisive if the goal of the winner is no longer 100 when the fluent of the mark is removed. So the cells
follow from the rules, and not from the name of the game. In a game of lines they are the line; its middle, if it is
longer than necessary. The cells of two lines that were completed together are not decisive, except where they cross.
Kinds of marks that are on the board from the beginning are not considered: such a game is not a game of lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from gdl import CompiledMachine, GdlError, MachineState, ReasonerMachine

# Returns the cells that a fluent names, in order.
_CellsOf = Callable[[str], list[str]]
# The shortest line.
_SHORTEST = 3
# Time limit in seconds of processor time, and the largest number of marks.
_SECONDS = 0.5
_MAX_MARKS = 200


def decisive_cells(machine: CompiledMachine, cells_of: _CellsOf, state: MachineState) -> list[str]:
    """Return the cells of at least three equal marks on which a win depends; empty if they are not clear."""
    goals = {role: machine.goal(state, role) for role in machine.roles}
    winners = [role for role, goal in goals.items() if goal == 100]
    if len(goals) < 2 or len(winners) != 1 or not machine.terminal(state):
        return []
    fluents = machine.fluents(state)
    kinds = {fluent: _kind(cells_of, fluent) for fluent in fluents}
    at_first = {_kind(cells_of, fluent) for fluent in machine.fluents(machine.initial())}
    marks = [fluent for fluent, kind in kinds.items() if kind and kind not in at_first]
    if not _SHORTEST <= len(marks) <= _MAX_MARKS:
        return []
    try:
        # Other machines do not represent states that cannot be reached.
        reasoner = machine if isinstance(machine, ReasonerMachine) else ReasonerMachine(machine.sheet)
        decisive = _decisive(reasoner, fluents, marks, winners[0])
    except GdlError:
        return []
    if len(decisive) < _SHORTEST or len({kinds[fluent] for fluent in decisive}) > 1:
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
    until = time.thread_time() + _SECONDS
    found = []
    for mark in marks:
        if time.thread_time() > until:
            return []
        rest = machine.state(fluent for fluent in fluents if fluent != mark)
        if machine.goal(rest, winner) != 100:
            found.append(mark)
    return found

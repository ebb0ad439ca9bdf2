"""Nested search with policy adaptation (`csrc/simulation/nested_adaptation.hpp`); it proves nothing."""

from __future__ import annotations

from collections.abc import Sequence

from gdl import RuleSheet, StopFlag
from gdl._simulation import NestedAdaptation

from ..common.terminal_text import amount
from .breadth_first import TURN, state_space
from .circuit import UnservedError
from .line import KnownGoal, Report

# Bytes for each move and lane: its weight, the exponential of the weight, and lists of legal moves.
_MOVE_BYTES = 16


def nested(sheet: RuleSheet, before: Sequence[str], memory_mb: int, report: Report) -> None:
    """Search for lines until the best possible goal is reached, or without end."""
    space = state_space(sheet, before, memory_mb)
    simulator = space.machine.simulator()
    moves = len(space.machine.move_names(0))
    if simulator.lanes * moves * _MOVE_BYTES > memory_mb << 20:
        raise UnservedError(f"policies for {moves:,} moves take more than {memory_mb:,} MB")
    search = NestedAdaptation(simulator, space.start, space.target, 1)
    best = -1
    ended = False
    while not ended:
        ended = search.run(TURN, StopFlag())
        if search.best is not None and search.best > best:
            best = search.best
            report(KnownGoal(best, space.line(search), space.target, amount(search.lines, "line")))

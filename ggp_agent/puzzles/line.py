"""Lines of moves of a game of one role: what is known about the best goal, and the check of a line."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdl import StateMachine


@dataclass(frozen=True, slots=True)
class KnownGoal:
    """The result of a solver so far."""

    goal: int  # the goal at the end of the line, 0..100
    # A line from the initial state to a terminal state, as KIF; empty if none is known, or if the initial state is
    # terminal.
    moves: tuple[str, ...]
    ceiling: int  # an upper bound of the goal of all lines
    progress: str = ""  # the progress of the search, in words

    @property
    def proven(self) -> bool:
        """True if no line is better."""
        return self.goal >= self.ceiling


Report: TypeAlias = Callable[[KnownGoal], None]


def is_followed(goal: int, *, proven: bool, promised: float | None) -> bool:
    """Return True if a match follows a line."""
    return goal > 0 and (proven or promised is None or promised <= goal)


def goal_after(machine: StateMachine, moves: Sequence[str], until: float = math.inf) -> int | None:
    """Play a line on a machine of one role; return the goal at its end."""
    role = machine.roles[0]
    state = machine.initial()
    for move in moves:
        if time.monotonic() >= until or machine.terminal(state) or not machine.is_legal(state, role, move):
            return None
        state = machine.next(state, [move])
    if not machine.terminal(state):
        return None
    return machine.goal(state, role) or 0

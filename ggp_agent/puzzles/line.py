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
    """The result of a solver so far.

    Attributes:
        goal: the goal at the end of the line, 0..100.
        moves: a line from the initial state to a terminal state, as KIF; empty if none is known, or if the initial
            state is terminal.
        ceiling: an upper bound of the goal of all lines.
        progress: the progress of the search, in words.
    """

    goal: int
    moves: tuple[str, ...]
    ceiling: int
    progress: str = ""

    @property
    def proven(self) -> bool:
        """True if no line is better."""
        return self.goal >= self.ceiling


Report: TypeAlias = Callable[[KnownGoal], None]


def is_followed(goal: int, *, proven: bool, promised: float | None) -> bool:
    """Return True if a match follows a line.

    Args:
        goal: the goal at the end of the line.
        proven: True if no line is better.
        promised: the mean goal of the best move in the tree search, 0..100; None without a search.
    >>> is_followed(60, proven=False, promised=50.0), is_followed(60, proven=False, promised=70.0)
    (True, False)
    """
    return goal > 0 and (proven or promised is None or promised <= goal)


def goal_after(machine: StateMachine, moves: Sequence[str], until: float = math.inf) -> int | None:
    """Play a line on a machine of one role; return the goal at its end.

    Args:
        machine: the state machine of the game.
        moves: the moves from the initial state, as KIF.
        until: the time limit, as `time.monotonic()`.

    Returns:
        None if a move is not legal, if the line ends before or after the game, or if the time is over; 0 if the
        terminal state has no goal value.
    """
    role = machine.roles[0]
    state = machine.initial()
    for move in moves:
        if time.monotonic() >= until or machine.terminal(state) or not machine.is_legal(state, role, move):
            return None
        state = machine.next(state, [move])
    if not machine.terminal(state):
        return None
    return machine.goal(state, role) or 0

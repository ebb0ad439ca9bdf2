"""Lines of moves of a game of one role, what is known of its best goal, and the walk that checks a line."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdl import StateMachine


@dataclass(frozen=True, slots=True)
class KnownGoal:
    """What a way of solving has found out so far.

    Attributes:
        goal: what the line reaches, 0..100.
        moves: a line from the initial state to a terminal one, as KIF; empty where none is known, unless the game
            ends at once.
        ceiling: no line reaches a higher goal than this.
        told: how far the search went, in words.
    """

    goal: int
    moves: tuple[str, ...]
    ceiling: int
    told: str = ""

    @property
    def proven(self) -> bool:
        """Whether no line is better."""
        return self.goal >= self.ceiling


Report: TypeAlias = Callable[[KnownGoal], None]


def is_followed(goal: int, *, proven: bool, promised: float | None) -> bool:
    """Tell whether a match follows a line.

    Args:
        goal: what the line ends with.
        proven: whether no line is better.
        promised: the mean goal, 0..100, that the tree search sees behind its best move; None where it sees nothing.

    >>> is_followed(60, proven=False, promised=50.0), is_followed(60, proven=False, promised=70.0)
    (True, False)
    """
    return goal > 0 and (proven or promised is None or promised <= goal)


def goal_after(machine: StateMachine, moves: Sequence[str], until: float = math.inf) -> int | None:
    """Walk a line on a machine of one role; return the goal it ends with.

    Args:
        machine: of the game.
        moves: from the initial state on, as KIF.
        until: when to give up, by `time.monotonic()`.

    Returns:
        None where a move is not legal, the game ends before the line does, or does not end with it, and where there is
        not the time to see it; 0 where the terminal state has no goal value.
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

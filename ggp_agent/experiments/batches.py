"""The number of pairs of games of each task of a cluster.

A task should take 10 to 60 seconds: shorter ones cost too much overhead, and longer ones lose too much with a node. The
time of a pair is unknown at first, so the first task of a cell has one pair, and each task at most sixteen times as
many as the largest before. The worker measures the time. Side by side with others a pair takes less time than alone, so
tasks rather take less time than expected.
"""

from __future__ import annotations

import time

from ..arena.match_plan import MatchPlan
from ..arena.workers import Handout, MatchTask

_TARGET_SECONDS = 20.0
_GROWTH = 16
# The largest part of the remaining time of a run for one task: other tasks are queued before it.
_SHARE_OF_TIME = 1 / 4


class BatchSizes:
    """Choose the number of pairs of the next task of each cell.

    >>> sizes = BatchSizes()
    >>> sizes.pairs(0, share=200)
    1
    >>> sizes.ended(0, games=2, seconds=0.5)
    >>> sizes.pairs(0, share=198)
    16
    >>> sizes.ended(0, games=32, seconds=6.4)
    >>> sizes.pairs(0, share=180), sizes.pairs(0, share=3), sizes.pairs(1, share=180)
    (50, 2, 1)
    """

    def __init__(self, end: float | None = None) -> None:
        self._end = end
        self._seconds: dict[int, float] = {}
        self._most: dict[int, int] = {}

    def pairs(self, cell: int, share: int) -> int:
        """Return the number of pairs of the next task, at least 1."""
        target = _TARGET_SECONDS
        if self._end is not None:
            target = min(target, _SHARE_OF_TIME * (self._end - time.monotonic()))
        fitting = target / max(self._seconds.get(cell, target), 1e-6)
        return int(max(1, min(fitting, self._most.get(cell, 1), -(-share // 2))))

    def ended(self, cell: int, games: int, seconds: float) -> None:
        """Use the time of a finished task."""
        pairs = -(-games // 2)
        self._seconds[cell] = seconds / pairs
        self._most[cell] = max(self._most.get(cell, 1), _GROWTH * pairs)


def take_pairs(handout: Handout, task: MatchTask, pairs: int) -> tuple[MatchPlan, ...]:
    """Return the missing games of a number of pairs.

    Games of a pair are adjacent; if only the first game of a pair is missing, the next pair comes with it.
    """
    plans: list[MatchPlan] = []
    rounds: set[int] = set()
    while len(rounds) < pairs or plans[-1].number % 2 == 0:
        plan = handout.next_plan(task)
        if plan is None:
            break
        plans.append(plan)
        rounds.add(plan.round)
    return tuple(plans)

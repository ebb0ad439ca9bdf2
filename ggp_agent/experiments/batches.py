"""How many pairs of games a task of a cluster gets.

A task shall take 10 to 60 seconds: shorter ones cost more to hand out than they do, and of longer ones more is lost
with a node. What a pair takes is not known beforehand, so the first task of a cell is one pair, and each may have
sixteen times as many as the longest before. The clock of the worker tells; where matches go on side by side, a pair
among many takes less than a pair alone, so a task takes less than was expected rather than more.
"""

from __future__ import annotations

import time

from ..arena.match_plan import MatchPlan
from ..arena.workers import Handout, MatchTask

_TARGET_SECONDS = 20.0
_GROWTH = 16
# Of the time that is left to a run, so much may go to one task: others wait before it.
_SHARE_OF_TIME = 1 / 4


class BatchSizes:
    """Choose the number of pairs of the next task of each cell.

    Args:
        end: of the run, by `time.monotonic`; None where there is none.

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
        """Return how many pairs the next task gets, at least 1.

        Args:
            cell: its number.
            share: of a core in the games that are still to be handed out.
        """
        target = _TARGET_SECONDS
        if self._end is not None:
            target = min(target, _SHARE_OF_TIME * (self._end - time.monotonic()))
        fitting = target / max(self._seconds.get(cell, target), 1e-6)
        return int(max(1, min(fitting, self._most.get(cell, 1), -(-share // 2))))

    def ended(self, cell: int, games: int, seconds: float) -> None:
        """Learn from a task that has ended.

        Args:
            cell: its number.
            games: that it played.
            seconds: that it took.
        """
        pairs = -(-games // 2)
        self._seconds[cell] = seconds / pairs
        self._most[cell] = max(self._most.get(cell, 1), _GROWTH * pairs)


def take_pairs(handout: Handout, task: MatchTask, pairs: int) -> tuple[MatchPlan, ...]:
    """Take the games of so many pairs, of each pair all that are still to be played.

    The games of a pair come one after the other; where only the first is left, those of the next pair come with it.
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

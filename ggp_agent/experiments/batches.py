"""How many pairs of games a task of a cluster gets.

A task shall take 10 to 60 seconds: shorter ones cost more to hand out than they do, and of longer ones more is lost
with a node. What a pair takes is not known beforehand, so the first task of a cell is one pair, and each may be four
times as long as the longest before. The clock of the worker tells; where matches go on side by side, a pair among many
takes less than a pair alone.
"""

from __future__ import annotations

import time

from ..study.arena.schedule import MatchPlan
from ..study.arena.workers import Handout, MatchTask

_TARGET_SECONDS = 20.0
_GROWTH = 4
# Of the time that is left to a run, so much may go to one task: others wait before it.
_SHARE_OF_TIME = 1 / 4


class BatchSizes:
    """Choose the number of pairs of the next task of each cell.

    Args:
        end: of the run, by `time.monotonic`; None where there is none.

    >>> sizes = BatchSizes()
    >>> sizes.pairs(0, games=400, cores=2)
    1
    >>> sizes.ended(0, games=2, seconds=0.5)
    >>> sizes.pairs(0, games=398, cores=2)
    4
    >>> sizes.ended(0, games=8, seconds=8.0)
    >>> sizes.pairs(0, games=390, cores=2), sizes.pairs(0, games=6, cores=2), sizes.pairs(1, games=6, cores=2)
    (10, 2, 1)
    """

    def __init__(self, end: float | None = None) -> None:
        self._end = end
        self._seconds: dict[int, float] = {}
        self._most: dict[int, int] = {}

    def pairs(self, cell: int, games: int, cores: int) -> int:
        """Return how many pairs the next task gets, at least 1.

        Args:
            cell: its number.
            games: that are still to be handed out.
            cores: that share them.
        """
        target = _TARGET_SECONDS
        if self._end is not None:
            target = min(target, _SHARE_OF_TIME * (self._end - time.monotonic()))
        pairs = -(-games // 2)
        fitting = target / max(self._seconds.get(cell, target), 1e-6)
        return int(max(1, min(fitting, self._most.get(cell, 1), -(-pairs // cores))))

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
    """Take the games of so many pairs, of each pair all that are still to be played."""
    plans: list[MatchPlan] = []
    rounds: set[int] = set()
    while (plan := handout.next_plan(task)) is not None:
        rounds.add(plan.round)
        if len(rounds) > pairs:
            handout.give_back(task, [plan])
            break
        plans.append(plan)
    return tuple(plans)

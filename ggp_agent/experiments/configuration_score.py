"""Play one configuration after the other against a base, on several games, in processes of this machine.

An evaluation may be given up halfway, where its first half says enough. Processes go on with the next one then, and do
not wait for each other.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import dataclass, field

from ..arena.arena import Contestant
from ..arena.comparison import compare
from ..arena.match_plan import MatchPlan, schedule
from ..arena.match_result import MatchResult
from ..arena.scores import Score
from ..arena.workers import MatchTask, WorkerProgress, play_in_processes
from ..common.errors import UserError
from ..game.game import Game

# With fewer games of each, half of them say too little.
_LEAST_FOR_HALVES = 40


@dataclass(slots=True)
class ConfigurationScore:
    """The games of a configuration against a base.

    Attributes:
        number: for the caller.
        contestants: the configuration, and the base.
        seed: of its games; with equal simulations it settles them all.
        games: of each game, an even number.
        scores: of the configuration, by the word of the game.
        played: games, also those that do not count.
        given_up: whether it ended halfway.
    """

    number: int
    contestants: tuple[Contestant, Contestant]
    seed: int
    games: int
    scores: dict[str, Score] = field(default_factory=dict)
    played: int = 0
    given_up: bool = False
    _parts: deque[tuple[int, int]] = field(default_factory=deque)
    _open: int = 0
    _matches: dict[str, list[MatchResult]] = field(default_factory=dict)

    @property
    def score(self) -> Score:
        """The score over all games together."""
        return sum(self.scores.values(), Score())

    @property
    def share(self) -> float:
        """The mean of the scores of the games, 0 .. 1."""
        return sum(score.share for score in self.scores.values()) / len(self.scores)


def evaluate(
    games: Sequence[Game],
    more: Callable[[], ConfigurationScore | None],
    hopeless: Callable[[ConfigurationScore], bool],
    jobs: int,
    told: Callable[[WorkerProgress], None],
    idle: Callable[[], None],
) -> Generator[ConfigurationScore, None, None]:
    """Play evaluations and yield each as it ends.

    Args:
        games: that each is played on.
        more: gives the next one; None where there are no more.
        hopeless: tells halfway whether one is to be given up.
        jobs: processes.
        told: of what was done, now and then.
        idle: called about twice a second; what it raises ends the iteration.

    Raises:
        UserError: no game counts, or the search cannot play one.
        ValueError: chance alone plays a game.
        RuntimeError: processes died again and again.
    """
    handout = _EvaluationHandout(games, more)
    with contextlib.closing(play_in_processes(handout, jobs, told, idle)) as playing:
        for task, match in playing:
            evaluation = handout.ended(task, match, hopeless)
            if evaluation is not None:
                yield evaluation


class _EvaluationHandout:
    """Games of evaluations; each task is a part of one of them on one game."""

    def __init__(self, games: Sequence[Game], more: Callable[[], ConfigurationScore | None]) -> None:
        self._games = games
        self._more = more
        self._tasks: dict[int, tuple[MatchTask, ConfigurationScore, deque[MatchPlan]]] = {}
        self._waiting: deque[int] = deque()
        self._number = 0

    def next_task(self, others: Collection[int] = ()) -> MatchTask | None:
        """Return a part that nobody plays, one of another evaluation, or what is left of one that others play."""
        if not self._waiting and (evaluation := self._more()) is not None:
            self._begin(evaluation)
        if self._waiting:
            return self._tasks[self._waiting.popleft()][0]
        return next((task for task, _, plans in self._tasks.values() if plans), None)

    def next_plan(self, task: MatchTask) -> MatchPlan | None:
        """Return another game."""
        plans = self._tasks[task.number][2] if task.number in self._tasks else None
        return plans.popleft() if plans else None

    def give_back(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        """Take back games."""
        self._tasks[task.number][2].extend(plans)

    def ended(
        self, task: MatchTask, match: MatchResult, hopeless: Callable[[ConfigurationScore], bool]
    ) -> ConfigurationScore | None:
        """Take in a game; return its evaluation if that has ended with it."""
        evaluation = self._tasks[task.number][1]
        evaluation._matches[task.game.word].append(match)
        evaluation.played += 1
        evaluation._open -= 1
        if evaluation._open:
            return None
        for game in self._games:
            result = compare(game.sheet.roles(), evaluation._matches[game.word], 0, 1)
            if not result.score.games:
                raise UserError(f"{game.word}: no game counts: {result.errors[0]}")
            evaluation.scores[game.word] = result.score
        self._tasks = {number: each for number, each in self._tasks.items() if each[1] is not evaluation}
        if evaluation._parts:
            evaluation.given_up = hopeless(evaluation)
            if not evaluation.given_up:
                self._queue(evaluation)
                return None
        return evaluation

    def _begin(self, evaluation: ConfigurationScore) -> None:
        games = evaluation.games
        half = games // 4 * 2 if games >= _LEAST_FOR_HALVES else games
        evaluation._parts.extend((begin, end) for begin, end in ((0, half), (half, games)) if begin < end)
        evaluation._matches.update({game.word: [] for game in self._games})
        self._queue(evaluation)

    def _queue(self, evaluation: ConfigurationScore) -> None:
        """Put the next part of an evaluation in line."""
        begin, end = evaluation._parts.popleft()
        for game in self._games:
            plans = list(schedule(game.sheet.roles(), contestants=2, matches=evaluation.games, seed=evaluation.seed))
            task = MatchTask(self._number, game, evaluation.contestants, end - begin)
            self._tasks[task.number] = task, evaluation, deque(plans[begin:end])
            self._waiting.append(task.number)
            self._number += 1
            evaluation._open += end - begin

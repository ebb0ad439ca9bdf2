"""Play many configurations against a base, one after the other, in several games, in processes of this machine.

A configuration may be stopped halfway if its first half has a bad result. The processes do not wait for each other.
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

# With fewer games the result of half of them says too little.
_LEAST_FOR_HALVES = 40


@dataclass(slots=True)
class ConfigurationScore:
    """The games of a configuration against a base."""

    number: int  # number for the caller
    contestants: tuple[Contestant, Contestant]  # the configuration and the base
    seed: int  # seed of the games; with limited simulations it determines all of them
    games: int  # number of games of each game, even
    scores: dict[str, Score] = field(default_factory=dict)  # scores of the configuration, by the word of the game
    played: int = 0  # number of games so far, including games that do not count
    given_up: bool = False  # whether it was stopped halfway
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
    on_progress: Callable[[WorkerProgress], None],
    idle: Callable[[], None],
) -> Generator[ConfigurationScore, None, None]:
    """Play configurations and yield each when its games have ended."""
    handout = _EvaluationHandout(games, more)
    with contextlib.closing(play_in_processes(handout, jobs, on_progress, idle)) as playing:
        for task, match in playing:
            evaluation = handout.ended(task, match, hopeless)
            if evaluation is not None:
                yield evaluation


class _EvaluationHandout:
    """Games of configurations; each task is a part of the games of one configuration in one game."""

    def __init__(self, games: Sequence[Game], more: Callable[[], ConfigurationScore | None]) -> None:
        self._games = games
        self._more = more
        self._tasks: dict[int, tuple[MatchTask, ConfigurationScore, deque[MatchPlan]]] = {}
        self._waiting: deque[int] = deque()
        self._number = 0

    def next_task(self, others: Collection[int] = ()) -> MatchTask | None:
        """Return a part that no process plays, a part of another configuration, or the rest of a part."""
        if not self._waiting and (evaluation := self._more()) is not None:
            self._begin(evaluation)
        if self._waiting:
            return self._tasks[self._waiting.popleft()][0]
        return next((task for task, _, plans in self._tasks.values() if plans), None)

    def next_plan(self, task: MatchTask) -> MatchPlan | None:
        """Return another game of a task, or None."""
        plans = self._tasks[task.number][2] if task.number in self._tasks else None
        return plans.popleft() if plans else None

    def give_back(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        """Put games back."""
        self._tasks[task.number][2].extend(plans)

    def ended(
        self, task: MatchTask, match: MatchResult, hopeless: Callable[[ConfigurationScore], bool]
    ) -> ConfigurationScore | None:
        """Count a game; return its configuration if this was the last one."""
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
        """Queue the next part of a configuration."""
        begin, end = evaluation._parts.popleft()
        for game in self._games:
            plans = list(schedule(game.sheet.roles(), contestants=2, matches=evaluation.games, seed=evaluation.seed))
            task = MatchTask(self._number, game, evaluation.contestants, end - begin)
            self._tasks[task.number] = task, evaluation, deque(plans[begin:end])
            self._waiting.append(task.number)
            self._number += 1
            evaluation._open += end - begin

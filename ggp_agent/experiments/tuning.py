"""Optimise parameters of the search: optuna proposes values, games of the arena measure them.

A trial has values and a score: the base configuration with these values against the base itself. Trials are stored in
optuna's own storage, one SQLite file that its tools can read. A run resumes from there: trials in progress at the end
of the last run are played again with the same values.

The score of the best of many trials is too high, because the luckiest one is selected. So the winner plays the base
again with seeds that no trial had, and only that result is reported as the value of the parameters.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sqlite3
import time
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from ..arena.arena import Contestant
from ..arena.comparison import compare
from ..arena.match_result import MatchPlan, MatchResult, schedule
from ..arena.scores import Score, wilson_interval
from ..arena.workers import MatchTask, WorkerProgress, play_in_processes
from ..common import charts
from ..common.database import owned
from ..common.errors import UserError
from ..common.interrupts import interrupts_held
from ..game.game import Game
from ..mcts.config import SearchConfig
from .parameters import Parameter, Value, values_of, with_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

# With fewer games the result of half of them says too little.
_MIN_FOR_HALVES = 40


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
        half = games // 4 * 2 if games >= _MIN_FOR_HALVES else games
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


_NAME = "ggp-agent tune"
_PLAN, _SCORES, _FINAL = "plan", "scores", "final"
# Trial number N uses seed block N + 1; the final games use block 0.
_SEEDS = 1 << 32


@dataclass(frozen=True, slots=True)
class TuningPlan:
    """The plan of a tuning; trials of equal plans are comparable."""

    games: tuple[Game, ...]  # different games, at least one
    base: SearchConfig  # configuration of the opponent, and of the trials before their values are set
    parameters: tuple[Parameter, ...]  # different parameters, at least one
    simulations: int | None  # simulations per move, or None; see `Contestant`
    milliseconds: float | None  # processor time per move, or None; one of the two is set
    games_per_trial: int  # number of games of each game, even
    seed: int  # seed of all random numbers

    def __post_init__(self) -> None:
        self.contestants({})

    def contestants(self, values: dict[str, Value]) -> tuple[Contestant, Contestant]:
        """Return the base with the values, and the base."""
        limits = (self.simulations, self.milliseconds)
        return Contestant("tried", with_values(self.base, values), *limits), Contestant("base", self.base, *limits)

    def document(self) -> dict[str, Any]:
        """Return the values that determine the results as JSON types."""
        return {
            "games": [f"{game.word} {game.address}" for game in self.games],
            "parameters": sorted(map(str, self.parameters)),
            "base": self.base.changes(),
            "simulations": self.simulations,
            "milliseconds": self.milliseconds,
            "games per trial": self.games_per_trial,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """A finished trial."""

    number: int  # number of the trial, from 0
    values: dict[str, Value]  # values of the parameters
    scores: dict[str, Score]  # scores by the word of the game
    given_up: bool  # whether it was stopped halfway because of a bad score

    @property
    def share(self) -> float:
        """The mean of the scores of the games, 0 .. 1, which is optimised."""
        return sum(score.share for score in self.scores.values()) / len(self.scores)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean."""
        return wilson_interval(self.share, sum(score.games for score in self.scores.values()))


class TuningWatcher(Protocol):
    """Receiver of the progress of a tuning."""

    def trial_ended(self, trial: TrialRecord, best: TrialRecord | None) -> None:
        """Called after every trial."""

    def refresh(self, moves: int) -> None:
        """Called about twice per second, with the number of moves searched so far."""


def require_optuna() -> ModuleType:
    """Import optuna, disable its log, and return it."""
    if importlib.util.find_spec("optuna") is None:
        raise UserError("tuning needs optuna; install it with pip install optuna")
    import optuna

    optuna.logging.disable_default_handler()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    return optuna


class Tuning:
    """The trials of a plan, in a file."""

    def __init__(self, path: Path, plan: TuningPlan) -> None:
        self._optuna = require_optuna()
        self.path = path
        self.plan = plan
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            stack.enter_context(owned(path, "adding trials to this file"))
            known = _require_storage(path)
            self._storage = stack.enter_context(_storage(self._optuna, path))
            with self._one_line_errors():
                self._study = self._begin(known)
                self._resume()
            self._closing = stack.pop_all()

    def __enter__(self) -> Tuning:
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.close()

    def _begin(self, known: bool) -> Study:
        """Return the optuna study of this plan; make it if there is none."""
        optuna = self._optuna
        document = self.plan.document()
        names = optuna.get_all_study_names(self._storage)
        if names and _NAME not in names:
            raise UserError(f"{self.path}: the file has other studies of optuna; name another file")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            study: Study = optuna.create_study(
                storage=self._storage, study_name=_NAME, direction="maximize", load_if_exists=True
            )
            seen = len(study.get_trials(deepcopy=False))
            # With equal seeds the sampler would propose the first values of the last run again.
            study.sampler = optuna.samplers.TPESampler(
                seed=(self.plan.seed + seen) % _SEEDS, multivariate=True, constant_liar=True
            )
        kept = study.user_attrs.get(_PLAN)
        if kept is None:
            study.set_user_attr(_PLAN, document)
            own = values_of(self.plan.base, self.plan.parameters)
            if all(parameter.allows(own[parameter.key]) for parameter in self.plan.parameters):
                study.enqueue_trial(own)
        elif kept != json.loads(json.dumps(document)):
            what = next(key for key in document if kept.get(key) != document[key])
            raise UserError(
                f"{self.path}: its trials have other {what}: {_words(kept.get(what))}, not {_words(document[what])}; "
                "name another file"
            )
        return study

    def _resume(self) -> None:
        """Queue the trials that were in progress at the end of the last run."""
        states = self._optuna.trial.TrialState
        for trial in self._study.get_trials(deepcopy=False, states=(states.RUNNING,)):
            self._study.tell(trial.number, state=states.FAIL)
            if trial.params:
                self._study.enqueue_trial(trial.params)

    def trials(self) -> list[TrialRecord]:
        """Return all finished trials, in the order in which they began."""
        states = self._optuna.trial.TrialState
        ended = self._study.get_trials(deepcopy=False, states=(states.COMPLETE, states.PRUNED))
        return [_record(trial) for trial in ended if _SCORES in trial.user_attrs]

    def best(self) -> TrialRecord | None:
        """Return the trial with the highest score, without trials stopped halfway; None if there is none."""
        return _best(self.trials())

    def run(self, trials: int, jobs: int, minutes: float | None, watcher: TuningWatcher) -> None:
        """Play trials up to the given total number."""
        ended = self.trials()
        asked: dict[int, Trial] = {}
        end = None if minutes is None else time.monotonic() + 60 * minutes

        def more() -> ConfigurationScore | None:
            if len(ended) + len(asked) >= trials:
                return None
            with self._one_line_errors():
                trial = self._study.ask()
                values = {parameter.key: parameter.suggest(trial) for parameter in self.plan.parameters}
            asked[trial.number] = trial
            return self._evaluation(trial.number, values, self.plan.games_per_trial, trial.number + 1)

        def hopeless(evaluation: ConfigurationScore) -> bool:
            best = _best(ended)
            _, high = wilson_interval(evaluation.share, evaluation.score.games)
            return best is not None and high < best.share

        with contextlib.suppress(_TuningTimeIsUp):
            for evaluation in self._evaluate(more, hopeless, jobs, watcher, end):
                trial = asked.pop(evaluation.number)
                with interrupts_held(), self._one_line_errors():
                    ended.append(self._keep(trial, evaluation))
                watcher.trial_ended(ended[-1], _best(ended))

    def _keep(self, trial: Trial, evaluation: ConfigurationScore) -> TrialRecord:
        states = self._optuna.trial.TrialState
        trial.set_user_attr(_SCORES, _counts(evaluation.scores))
        if evaluation.given_up:
            trial.report(evaluation.share, evaluation.played)
            self._study.tell(trial, state=states.PRUNED)
        else:
            self._study.tell(trial, evaluation.share)
        return TrialRecord(trial.number, trial.params, evaluation.scores, evaluation.given_up)

    def final(self, trial: TrialRecord, games: int, jobs: int, watcher: TuningWatcher) -> TrialRecord:
        """Play the values of a trial against the base with new seeds, or return the stored result."""
        kept = self._study.user_attrs.get(_FINAL)
        if kept is not None and (kept["trial"], kept["games"]) == (trial.number, games):
            return TrialRecord(trial.number, trial.values, _scores(kept["scores"]), False)
        waiting = [self._evaluation(trial.number, trial.values, games, 0)]
        (evaluation,) = self._evaluate(
            lambda: waiting.pop() if waiting else None, lambda evaluation: False, jobs, watcher, None
        )
        with interrupts_held(), self._one_line_errors():
            found = {"trial": trial.number, "games": games, "scores": _counts(evaluation.scores)}
            self._study.set_user_attr(_FINAL, found)
        return TrialRecord(trial.number, trial.values, evaluation.scores, False)

    def _evaluation(self, number: int, values: dict[str, Value], games: int, stream: int) -> ConfigurationScore:
        return ConfigurationScore(number, self.plan.contestants(values), self.plan.seed * _SEEDS + stream, games)

    def _evaluate(
        self,
        more: Callable[[], ConfigurationScore | None],
        hopeless: Callable[[ConfigurationScore], bool],
        jobs: int,
        watcher: TuningWatcher,
        end: float | None,
    ) -> Iterator[ConfigurationScore]:
        """Play configurations, without waiting for each other, and yield each when its games have ended."""
        moves = 0

        def on_progress(progress: WorkerProgress) -> None:
            nonlocal moves
            moves += progress.moves

        def idle() -> None:
            watcher.refresh(moves)
            if end is not None and time.monotonic() >= end:
                raise _TuningTimeIsUp

        handout = _EvaluationHandout(self.plan.games, more)
        with contextlib.closing(play_in_processes(handout, jobs, on_progress, idle)) as playing:
            for task, match in playing:
                if (evaluation := handout.ended(task, match, hopeless)) is not None:
                    yield evaluation

    @contextlib.contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        """Replace errors of the storage by a message of one line."""
        from sqlalchemy.exc import SQLAlchemyError  # comes with optuna

        try:
            yield
        except (self._optuna.exceptions.StorageInternalError, SQLAlchemyError, sqlite3.Error) as error:
            raise _unusable(self.path, error) from None


class _TuningTimeIsUp(Exception):  # noqa: N818
    """Report that the time limit of a run is over."""


def _best(trials: Sequence[TrialRecord]) -> TrialRecord | None:
    complete = [trial for trial in trials if not trial.given_up]
    return max(complete, key=lambda trial: trial.share, default=None)


def _record(trial: FrozenTrial) -> TrialRecord:
    return TrialRecord(trial.number, trial.params, _scores(trial.user_attrs[_SCORES]), trial.state.name == "PRUNED")


def _counts(scores: dict[str, Score]) -> dict[str, list[int]]:
    return {game: [score.wins, score.draws, score.losses] for game, score in scores.items()}


def _scores(counts: dict[str, list[int]]) -> dict[str, Score]:
    return {game: Score(*each) for game, each in counts.items()}


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _require_storage(path: Path) -> bool:
    """Return whether the file exists; raise an error if it is not an optuna storage, before optuna adds its tables."""
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        return False
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise UserError(f"{path}: this is not an optuna storage ({error}); name another file") from None
    if not {"studies", "trials", "version_info"} <= tables:
        raise UserError(f"{path}: this is not an optuna storage; name another file")
    return True


@contextlib.contextmanager
def _storage(optuna: ModuleType, path: Path) -> Iterator[Any]:
    from sqlalchemy import URL, exc  # comes with optuna

    url = URL.create("sqlite", database=str(path)).render_as_string()
    try:
        storage = optuna.storages.RDBStorage(url, engine_kwargs={"connect_args": {"timeout": 30}})
    except (RuntimeError, exc.SQLAlchemyError) as error:
        raise _unusable(path, error) from None
    try:
        yield storage
    finally:
        storage.remove_session()
        storage.engine.dispose()


def _unusable(path: Path, error: Exception) -> UserError:
    """Return the error of a storage as a message of one line, with its cause if there is one."""
    cause = getattr(error.__cause__ or error, "orig", None) or error
    return UserError(f"{path}: file unusable: {str(cause).strip().splitlines()[0]}; finished trials are stored")


def draw_history(trials: Sequence[TrialRecord], final: TrialRecord | None, title: str, kind: str) -> bytes:
    """Draw the score of each trial with its 95 % interval, the best so far, and the winner's with new seeds."""

    def plot(figure: Figure, axes: Axes) -> None:
        axes.axhline(50, color="#444444", linewidth=0.8)
        for given_up, colour, marker, label in (
            (False, charts.BLUE, "o", "trial"),
            (True, charts.GREY, "x", "trial stopped halfway"),
        ):
            shown = [trial for trial in trials if trial.given_up == given_up]
            if shown:
                axes.errorbar(
                    [trial.number for trial in shown],
                    [100 * trial.share for trial in shown],
                    yerr=_bars(shown),
                    fmt=marker,
                    color=colour,
                    ecolor=colour,
                    elinewidth=0.6,
                    markersize=4,
                    label=label,
                )
        complete = [(trial.number, 100 * trial.share) for trial in trials if not trial.given_up]
        if complete:
            places, shares = zip(*complete, strict=True)
            axes.step(
                [*places, trials[-1].number],
                list(accumulate([*shares, shares[-1]], max)),
                where="post",
                color=charts.ORANGE,
                label="best so far (too high: the luckiest is chosen)",
            )
        if final is not None:
            low, high = final.interval
            axes.axhspan(100 * low, 100 * high, color=charts.GREEN, alpha=0.15)
            axes.axhline(100 * final.share, color=charts.GREEN, label="winner with new seeds, 95 % confidence interval")
        axes.set_xlabel("trial")
        axes.set_ylabel("score against the base, per cent")
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)

    return charts.draw(plot, (8.5, 4.5), kind)[kind]


def _bars(trials: Sequence[TrialRecord]) -> list[list[float]]:
    """Return the lengths of the intervals below and above the scores, in per cent."""
    return [
        [100 * (trial.share - trial.interval[0]) for trial in trials],
        [100 * (trial.interval[1] - trial.share) for trial in trials],
    ]

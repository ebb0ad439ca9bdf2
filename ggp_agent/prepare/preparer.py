"""Top-two Thompson sampling: which candidate is better than the default within so much time?

A round is some games of one candidate against the default from one random opening, every seat taken by both. What games
say of a candidate is a beta distribution of its chance to win (belief.py). Who plays the next round is drawn: a chance
for each candidate from its distribution, and the highest has it; in half of the rounds the highest of another draw in
which another one comes first. So rounds go to the best and what may yet be better, hardly to what has lost some. All
games count in the end, with a prior that pays for the luck of the best.

What wins with milliseconds need not win with seconds, as matches have them: in quad `playout.policy=rank` scored 90 %
of 20 games at 30 ms a move, 50 % at 60 and 25 % of 12 at 200. So in the last 30 % of the time moves are longer: up to
ten times, as far as there is time for 12 games. The candidate of which most is believed plays them, the others' games
and its own before counting less by then, until it has had these games or less is believed of it than of another; where
one half or less is believed of all, that is the end. Where moves would not even be twice as long the first part goes
on.

The one of which most is believed is chosen, among those that win more than they lose with a probability of 85 %.

A first game of the default against itself tells how long a game is; the processor time of a move is what lets 60 games
be played in the first part, but 6 ms at least, and 20 ms at most. Where 20 games of 6 ms moves do not fit, nothing is
tried. Shorter moves would favour what needs not learn first: in knightthrough `playout.policy=rank` hardly gains at 4
ms.

Top-two Thompson sampling: Russo, "Simple Bayesian algorithms for best-arm identification", Operations Research 68(6),
2020. docs/notebook/preparation.md compares it with successive halving and a separate test of the best.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gdl import CompiledMachine

from ..arena.match_plan import MatchPlan
from ..arena.scores import Score
from ..game.roles import roles_to_play
from ..mcts.config import SearchConfig
from .candidate_games import RoundPlayer, TrialStoppedError, opening_plies, rounds
from .candidates import CANDIDATES, DEFAULT, configured, lacks_evaluation
from .preparation import CandidateResult, Preparation, nearest
from .preparation_store import tuned

logger = logging.getLogger(__name__)

# Below so many seconds nothing is tried.
LEAST_SECONDS = 4.0

# Where longer moves begin, and the games of the first part at most.
_LONGER_FROM = 0.7
_MOST_GAMES = 400
# How often another candidate than the first in a draw is taken, and draws in which it has to come first.
_SECOND_SHARE = 0.5
_MOST_DRAWS = 20

# Games with longer moves, and how many times as long these are at most and at the least.
_LONGER_GAMES = 12
_MOST_TIMES = 10.0
_LEAST_TIMES = 2.0

# Games that the time of a move is chosen for, and that have to fit at the least.
_GAMES = 60
_LEAST_GAMES = 20
_LEAST_MS = 6.0
_MOST_MS = 20.0
_LEAST_PART = 0.5
# What the first game may take of the time.
_FIRST_GAME_SHARE = 0.2


@dataclass(eq=False, slots=True)
class _Contender:
    """A candidate under trial; what it has played is changed under the lock of the chooser."""

    config: SearchConfig
    plans: Iterator[list[MatchPlan]]
    trial: CandidateResult
    longer_begun: int = 0  # games


class Preparer:
    """Choose among the candidates and the default by games in threads of this process.

    Args:
        machine: of the game; only read here, the threads take others of the same game.
        base: the default, with the memory that all searches of the trials together may take.
        seconds: how long it may take.
        jobs: threads that play.
        by_processor: whether seconds are processor time of each thread, which other work on the machine does not
            shorten, rather than those of the clock on the wall.
        seed: of openings and searches.
        stopped: asked often; true ends the trials at once with what is known.
        candidates: words of configurations, by default `CANDIDATES` and before them what was tuned for the game; those
            with a found evaluation are left out where the machine has none.
    """

    def __init__(
        self,
        machine: CompiledMachine,
        base: SearchConfig,
        *,
        seconds: float,
        jobs: int = 1,
        by_processor: bool = False,
        seed: int = 1,
        stopped: Callable[[], bool] = lambda: False,
        candidates: Sequence[str] | None = None,
    ) -> None:
        if candidates is None:
            of_game = tuned(machine)
            candidates = CANDIDATES if of_game is None else (of_game.word, *CANDIDATES)
        memory_mb = max(1, base.memory_mb // (jobs * max(1, len(roles_to_play(machine.roles)))))
        self._machine = machine
        self._base = replace(base, memory_mb=memory_mb)
        self._seconds = seconds
        self._jobs = jobs
        self._by_processor = by_processor
        self._stopped = stopped
        self._lock = threading.Lock()
        self._seed = seed
        self._began = time.monotonic()
        self._cpu_seconds = 0.0
        self._milliseconds = _LEAST_MS
        self._longer_ms = 0.0  # once longer moves have begun
        self._plies = 0
        self._game_seconds = 0.0  # of processor time, with moves of `_LEAST_MS`
        self._contenders = [
            _Contender(config, iter(()), CandidateResult(word))
            for word in candidates
            if word != DEFAULT and not lacks_evaluation(machine, config := configured(word, self._base))
        ]
        self._draws = random.Random(seed)
        self._begun = 0  # games of the first part

    def choose(self) -> Preparation:
        """Play the trials, and return the choice; whatever fails leaves the default."""
        self._began = time.monotonic()
        obstacle = self._prepare()
        if not obstacle:
            threads = [threading.Thread(target=self._work, name="trials", daemon=True) for _ in range(self._jobs)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return self._choice(obstacle)

    # ---- before the trials

    def _prepare(self) -> str:
        """Find out how long a game is, and with it the time of a move; return why there can be no trials."""
        if self._seconds < LEAST_SECONDS:
            return f"{self._seconds:.1f} s are too short to try others, which takes {LEAST_SECONDS:g} s or more"
        if len(self._machine.roles) == 1:
            return "a game of one role is solved rather than played against others"
        if not self._contenders:
            return "there is nothing to try"
        try:
            machine = self._machine.another()
            self._plies = opening_plies(machine)
            for contender in self._contenders:
                contender.plans = rounds(machine, self._seed)
            return self._time_a_game(machine)
        except TrialStoppedError:
            if self._stopped():
                return "the trials were stopped before they had begun"
            return f"a game takes more than {_FIRST_GAME_SHARE * self._seconds:.1f} s, too long to try others"
        except Exception as error:
            return f"the first trial fails: {_told(error)}"

    def _time_a_game(self, machine: CompiledMachine) -> str:
        most = _FIRST_GAME_SHARE * self._seconds
        began, cpu_began = time.monotonic(), time.thread_time()

        def too_long() -> bool:
            spent = time.thread_time() - cpu_began if self._by_processor else time.monotonic() - began
            return self._stopped() or spent > most

        player = self._round_player(machine, self._base, _LEAST_MS, too_long)
        player.play(next(rounds(machine, self._seed))[:1])
        wall, self._cpu_seconds = time.monotonic() - began, time.thread_time() - cpu_began
        left = (1 - self._share_spent()) * self._seconds * self._jobs
        self._game_seconds = game = max(self._cpu_seconds, 1e-4)
        if left < _LEAST_GAMES * game:
            return f"a game takes {game:.2f} s, too long to try others in {self._seconds:.1f} s"
        # On a busy machine not all of the time is ours; one game is too short to tell how much.
        ours = 1.0 if self._by_processor else min(1.0, max(_LEAST_PART, self._cpu_seconds / max(wall, 1e-4)))
        self._milliseconds = min(_MOST_MS, max(_LEAST_MS, _LEAST_MS * _LONGER_FROM * left * ours / (_GAMES * game)))
        return ""

    def _round_player(
        self, machine: CompiledMachine, candidate: SearchConfig, milliseconds: float, stopped: Callable[[], bool]
    ) -> RoundPlayer:
        return RoundPlayer(
            machine, candidate, self._base, milliseconds=milliseconds, plies=self._plies, stopped=stopped
        )

    # ---- the trials, in several threads

    def _share_spent(self) -> float:
        if self._by_processor:
            return self._cpu_seconds / (self._seconds * self._jobs)
        return (time.monotonic() - self._began) / self._seconds

    def _over(self) -> bool:
        return self._stopped() or self._share_spent() >= 1

    def _work(self) -> None:
        """Play rounds until time is over or all is decided."""
        machine = self._machine.another()
        players: dict[tuple[str, float], RoundPlayer] = {}
        while (task := self._next()) is not None:
            contender, plans, milliseconds = task
            began = time.thread_time()
            score, failure = Score(), ""
            try:
                key = contender.trial.word, milliseconds
                if key not in players:
                    players[key] = self._round_player(machine, contender.config, milliseconds, self._over)
                score = players[key].play(plans)
            except TrialStoppedError:
                pass
            except Exception as error:  # of this configuration alone
                failure = _told(error)
            self._note(contender, score, milliseconds, time.thread_time() - began, failure)

    def _next(self) -> tuple[_Contender, list[MatchPlan], float] | None:
        """Return who plays a round, its games and the milliseconds of their moves; None where all is decided."""
        with self._lock:
            field = [contender for contender in self._contenders if not contender.trial.dropped]
            if self._over() or not field:
                return None
            if not self._longer_ms and (self._share_spent() > _LONGER_FROM or self._begun >= _MOST_GAMES):
                self._longer_ms = self._affordable_longer_ms()
            contender = self._most_promising(field) if self._longer_ms else self._drawn(field)
            plans = None if contender is None else next(contender.plans, None)
            if contender is None or plans is None:
                return None
            if self._longer_ms:
                contender.longer_begun += len(plans)
                return contender, plans, self._longer_ms
            self._begun += len(plans)
            return contender, plans, self._milliseconds

    def _drawn(self, field: list[_Contender]) -> _Contender | None:
        """Draw who plays with short moves."""
        if self._begun >= _MOST_GAMES:
            return None
        first = self._first_in_draw(field)
        if len(field) > 1 and self._draws.random() < _SECOND_SHARE:
            for _ in range(_MOST_DRAWS):
                if (second := self._first_in_draw(field)) is not first:
                    return second
        return first

    def _first_in_draw(self, field: list[_Contender]) -> _Contender:
        return max(field, key=lambda contender: contender.trial.belief.draw(self._draws))

    def _most_promising(self, field: list[_Contender]) -> _Contender | None:
        """Return who plays with longer moves; None where that is decided."""
        best = max(field, key=lambda contender: contender.trial.longer_belief.mean)
        is_open = best.longer_begun < _LONGER_GAMES and best.trial.longer_belief.mean > 0.5
        return best if is_open and best.trial.score.games else None

    def _affordable_longer_ms(self) -> float:
        """Return the time of the longer moves that there is time for; 0 where there is too little."""
        left = (1 - self._share_spent()) * self._seconds * self._jobs
        games = sum(contender.trial.score.games for contender in self._contenders)
        game_seconds = self._cpu_seconds / games if games else self._game_seconds
        longer = min(_MOST_TIMES, left / (_LONGER_GAMES * max(game_seconds, 1e-6))) * self._milliseconds
        return longer if longer >= _LEAST_TIMES * self._milliseconds else 0.0

    def _note(self, contender: _Contender, score: Score, milliseconds: float, cpu_seconds: float, failure: str) -> None:
        """Take down what came of a round."""
        with self._lock:
            self._cpu_seconds += cpu_seconds
            trial = contender.trial
            if failure and not trial.dropped:
                logger.warning("%s is dropped from the trials: %s", trial.word, failure)
                trial = replace(trial, dropped=failure)
            if milliseconds == self._longer_ms:
                trial = replace(trial, longer=trial.longer + score, longer_ms=milliseconds)
            else:
                trial = replace(trial, score=trial.score + score)
            contender.trial = trial

    # ---- the end

    def _choice(self, obstacle: str) -> Preparation:
        trials = tuple(contender.trial for contender in self._contenders)
        best = nearest(trials)
        if not obstacle and best is None:
            obstacle = "time was over before any other had been tested"
            if trials and all(trial.dropped for trial in trials):
                obstacle = "no other works in this game"
        score = best.score if best is not None else Score()
        word = best.word if best is not None and best.is_better else DEFAULT
        return Preparation(word, score, self._milliseconds, self._cpu_seconds, trials, obstacle)


def _told(error: Exception) -> str:
    """Say in one line what failed."""
    first = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__

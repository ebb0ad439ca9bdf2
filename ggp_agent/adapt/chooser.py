"""Successive halving, then a test: which candidate is clearly better than the default within so much time?

Every round is some games of one candidate against the default from one random opening, every seat taken by both. Of the
time that there is

    the first 40 %    all candidates play, always the one with the fewest rounds, 30 rounds each at most;
    up to 60 %        those with the highest scores so far go on, a third of them, but two at least, to 60 rounds;
    the rest          the best of these plays games that count alone (the final test), so that luck before does not.

A candidate that scores below one half in 16 games of the final test makes room for the next. Ties go to the candidate
that stands first.

What wins with milliseconds need not win with seconds, as matches have them: in quad `playout.policy=rank` scored 90 %
of 20 games at 30 ms a move, 50 % at 60 and 25 % of 12 at 200; other things win by more. So one that scores 55 % or more
in 24 games of the final test, or so much that the lower end of its 95 % interval is above 65 %, plays 8 games with
moves up to ten times as long, as far as there is time for them, and makes room for the next where the upper end of the
interval is below 70 % there, as after 3 wins and 5 losses (`choice.is_belied`). Where there is no time for 8 games with
moves twice as long it plays none.

One is chosen that is clearly better in both together (`choice.is_clear`): 65 % or more, and the lower end of the 95 %
interval above 50 %. Where it is not yet, the final test goes on, to 80 games at the most.

A first game of the default against itself tells how long a game is; the processor time of a move is what lets 100 games
be played in the time, but 6 ms at least, and 10 ms at most. Where 30 games of 6 ms moves do not fit, nothing is tried.
The final test is nearer to a match where there is time for that: its moves get what lets 40 games be played in the last
part, five times as much as before at most.
Shorter moves would favour what needs not learn first: in knightthrough `playout.policy=rank` hardly gains at 4 ms.

Successive halving: Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from gdl import CompiledMachine

from ..games import roles_to_play
from ..search.config import SearchConfig
from ..study.arena.schedule import MatchPlan
from ..study.scores import Score
from .candidates import CANDIDATES, DEFAULT, configured, lacks_evaluation
from .choice import CLEAR_SHARE, Choice, Trial, is_belied, is_clear
from .store import tuned
from .trial import RoundPlayer, TrialStoppedError, opening_plies, rounds

logger = logging.getLogger(__name__)

# Below so many seconds nothing is tried.
LEAST_SECONDS = 4.0

# Where the second and the last part of the time begin, and the part of the field that goes on.
_SECOND_FROM = 0.4
_FINAL_FROM = 0.6
_GO_ON = 1 / 3
# Rounds that a candidate plays at most in each of the parts before the last.
_MOST_ROUNDS = 30

# Games of the final test: from when on it may be given up, and at most.
_GAMES_TO_GIVE_UP = 16
_MOST_FINAL_GAMES = 80
# Games of it that its moves are chosen for, and how many times as long as before these are at most.
_LIKELY_FINAL_GAMES = 40
_MOST_TIMES_IN_FINAL = 5.0
# Games of it before longer moves are tried, and the score from which on they are.
_FINAL_GAMES = 24
_PROMISING = 0.55

# Games with longer moves, and how many times as long these are at most and at the least.
_LONGER_GAMES = 8
_MOST_TIMES = 10.0
_LEAST_TIMES = 2.0

# Games that the time of a move is chosen for, and that have to fit at the least.
_GAMES = 100
_LEAST_GAMES = 30
_LEAST_MS = 6.0
_MOST_MS = 10.0
_LEAST_PART = 0.5
# What the first game may take of the time.
_FIRST_GAME_SHARE = 0.2


class _Stage(Enum):
    """What a game counts for: the score of a contender that it joins."""

    FIRST = "score"
    FINAL = "final"
    LONGER = "longer"


@dataclass(eq=False, slots=True)
class _Contender:
    """A candidate under trial; the scores are changed under the lock of the chooser."""

    word: str
    config: SearchConfig
    plans: Iterator[list[MatchPlan]]
    begun: int = 0
    score: Score = field(default_factory=Score)
    final: Score = field(default_factory=Score)
    longer: Score = field(default_factory=Score)
    longer_ms: float = 0.0
    longer_begun: int = 0  # games
    dropped: str = ""

    def trial(self) -> Trial:
        return Trial(self.word, self.score, self.final, self.longer, self.longer_ms, self.dropped)


class Chooser:
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
        self._final_ms = _LEAST_MS
        self._plies = 0
        self._game_seconds = 0.0  # of processor time, with moves of `_LEAST_MS`
        self._contenders = [
            _Contender(word, config, iter(()))
            for word in candidates
            if word != DEFAULT and not lacks_evaluation(machine, config := configured(word, self._base))
        ]
        self._field = list(self._contenders)
        self._part = 0

    def choose(self) -> Choice:
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
        self._milliseconds = min(_MOST_MS, max(_LEAST_MS, _LEAST_MS * left * ours / (_GAMES * game)))
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
            contender, plans, stage = task
            milliseconds = self._time_of_move(contender, stage)
            began = time.thread_time()
            score, failure = Score(), ""
            try:
                key = contender.word, milliseconds
                if key not in players:
                    players[key] = self._round_player(machine, contender.config, milliseconds, self._over)
                score = players[key].play(plans)
            except TrialStoppedError:
                pass
            except Exception as error:  # of this configuration alone
                failure = _told(error)
            self._note(contender, score, stage, time.thread_time() - began, failure)

    def _time_of_move(self, contender: _Contender, stage: _Stage) -> float:
        if stage is _Stage.FIRST:
            return self._milliseconds
        return self._final_ms if stage is _Stage.FINAL else contender.longer_ms

    def _next(self) -> tuple[_Contender, list[MatchPlan], _Stage] | None:
        """Return what is to be played next, and what it counts for; None where nothing is."""
        with self._lock:
            if self._over():
                return None
            part = self._due_part()
            if part > self._part:
                self._part = part
                self._shrink()
            if self._part == 2:
                contender, stage = self._due_test()
            else:
                contender, stage = min(self._field, key=lambda each: each.begun, default=None), _Stage.FIRST
            plans = None if contender is None else next(contender.plans, None)
            if contender is None or plans is None:
                return None
            if stage is _Stage.LONGER:
                contender.longer_begun += len(plans)
            else:
                contender.begun += 1
            return contender, plans, stage

    def _due_test(self) -> tuple[_Contender | None, _Stage]:
        """Return who plays in the last part, and for what; None where all is decided."""
        while self._field:
            contender = self._field[0]
            final, longer = contender.final, contender.longer
            if _is_hopeless(final) or is_belied(longer):
                del self._field[0]
                continue
            is_open = final.games < _FINAL_GAMES and final.interval[0] <= CLEAR_SHARE
            if not is_open and final.share >= _PROMISING and contender.longer_begun < _LONGER_GAMES:
                contender.longer_ms = contender.longer_ms or self._longer_ms()
                if contender.longer_ms > 0:
                    return contender, _Stage.LONGER
            if (is_clear(final + longer) and not is_open) or final.games >= _MOST_FINAL_GAMES:
                break
            return contender, _Stage.FINAL
        return None, _Stage.FINAL

    def _longer_ms(self) -> float:
        """Return the time of the longer moves that there is time for; 0 where there is too little."""
        longer = min(_MOST_TIMES * self._milliseconds, self._affordable(_LONGER_GAMES))
        return longer if longer >= _LEAST_TIMES * self._final_ms else 0.0

    def _affordable(self, games: int) -> float:
        """Return the milliseconds a move with which so many games fit into the time that is left."""
        left = (1 - self._share_spent()) * self._seconds * self._jobs
        return _LEAST_MS * left / (games * self._game_seconds)

    def _due_part(self) -> int:
        """Return which part of the trials it is time for, from 0."""
        share = self._share_spent()
        if share > _FINAL_FROM:
            return 2
        complete = all(each.begun >= _MOST_ROUNDS * (self._part + 1) for each in self._field)
        return max(int(share > _SECOND_FROM), min(2, self._part + complete))

    def _shrink(self) -> None:
        """Order the field by the scores, with a draw more on both sides, best first, and keep its better part."""
        self._field.sort(key=lambda each: -(each.score.points + 1) / (each.score.games + 2))
        if self._part == 2:
            most = _MOST_TIMES_IN_FINAL * self._milliseconds
            self._final_ms = min(most, max(self._milliseconds, self._affordable(_LIKELY_FINAL_GAMES)))
        if self._part == 1:
            del self._field[max(2, round(_GO_ON * len(self._contenders))) :]

    def _note(self, contender: _Contender, score: Score, stage: _Stage, cpu_seconds: float, failure: str) -> None:
        """Take down what came of a round."""
        with self._lock:
            self._cpu_seconds += cpu_seconds
            setattr(contender, stage.value, getattr(contender, stage.value) + score)
            if failure and not contender.dropped:
                logger.warning("%s is dropped from the trials: %s", contender.word, failure)
                contender.dropped = failure
                if contender in self._field:
                    self._field.remove(contender)

    # ---- the end

    def _choice(self, obstacle: str) -> Choice:
        trials = tuple(contender.trial() for contender in self._contenders)
        tested = [trial for trial in trials if trial.final.games and not trial.dropped]
        best = max(tested, key=lambda trial: (trial.is_better, trial.final.share), default=None)
        if not obstacle and best is None:
            obstacle = "time was over before any other had been tested"
            if self._contenders and all(contender.dropped for contender in self._contenders):
                obstacle = "no other works in this game"
        score = best.final if best is not None else Score()
        word = best.word if best is not None and best.is_better else DEFAULT
        return Choice(word, score, self._final_ms, self._cpu_seconds, trials, obstacle)


def _is_hopeless(score: Score) -> bool:
    return score.games >= _GAMES_TO_GIVE_UP and score.share < 0.5


def _told(error: Exception) -> str:
    """Say in one line what failed."""
    first = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__

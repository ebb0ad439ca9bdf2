"""Choose a configuration by test games with top-two Thompson sampling.

A round consists of games between one candidate and the default from one random opening, with all assignments of roles.
The probability that a candidate wins has a beta distribution (choice.py). The candidate of the next round is drawn: a
probability for each candidate from its distribution; the highest plays. In half of the rounds the draw is repeated
until another candidate wins, which plays instead. So good and uncertain candidates play most rounds, bad ones few. All
games count in the result; the prior compensates for the luck of the best.

Before the first game, these probabilities are predicted from the scores in similar games (`ScoredSheets`). If there is
no time for test games, the prediction alone chooses.

The best configuration at milliseconds per move may not be the best at seconds per move: in quad `playout.policy=rank`
scored 90 % of 20 games at 30 ms a move, 50 % at 60 ms and 25 % of 12 games at 200 ms. So in the last 30 % of the time
moves are up to ten times as long, as far as there is time for 12 games. The candidate with the highest mean plays them,
until it has played 12 or another candidate has a higher mean; games with short moves count less from then on. The test
ends if no mean is above 0.5. If moves would not be twice as long, short moves continue instead.

The candidate with the highest mean is chosen among the candidates that win more than they lose with a probability of
85 %.

A first game of the default against itself measures the length of a game. The processor time of a move then allows 60
games in the first part, within 6 .. 20 ms. If 20 games at 6 ms do not fit, there are no test games. Shorter moves would
favour configurations that do not learn: in knightthrough `playout.policy=rank` gains little at 4 ms. If a network was
learned for the game, 16 games determine the time, 6 games must fit, and the network plays the first four.

Top-two Thompson sampling: Russo, "Simple Bayesian algorithms for best-arm identification", Operations Research 68(6),
2020. docs/methods/preparation.md compares it with successive halving and a separate test of the best.
"""

from __future__ import annotations

import csv
import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import cache
from importlib.resources import files
from itertools import islice

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine, MachineState, NumberedMachine

from ..arena.arena import Arena, Contestant
from ..arena.comparison import compare
from ..arena.match_result import MatchPlan, schedule
from ..arena.scores import Score
from ..evaluation import LEARNED
from ..game.roles import roles_to_play
from ..mcts.config import SearchConfig
from .candidates import CANDIDATES, DEFAULT, NETWORK, configured, lacks_evaluation
from .choice import PRIOR, CandidateResult, Choice, nearest, tuned
from .game_features import GameFeatures, measure_features

# The probability that a candidate wins, before its first test game: a prediction from similar games.
#
# scored_sheets.csv has the features (game_features.py) of public rule sheets, and the scores of the candidates in test
# games (`tools/measure_candidates.py`). Let z_1 .. z_m be the features of a game, divided by their deviations over
# these sheets, z_k1 .. z_km the features of sheet k, n_k the number of games of a candidate in sheet k, and p_k its
# share of their points. The prior is
#
#     w_k = exp(-((z_1 - z_k1)^2 + .. + (z_m - z_km)^2) / (2 h^2 m)),    e_k = n_k c / (n_k + c)
#     prior wins = s p + sum of w_k e_k p_k,    prior losses = s (1 - p) + sum of w_k e_k (1 - p_k)
#
# with the share p of the points of all games in all sheets (kernel regression: Nadaraya, 1964; Watson, 1964). If wins
# and losses together are above S, both are scaled to a sum of S. So the games of similar sheets count like test games
# of the game itself, and for a game without similar sheets only the mean remains. The width h, the largest number of
# games c of a sheet, the strength s of the mean and the largest strength S gave good predictions of each sheet by the
# others (docs/methods/preparation.md).

# The candidates with test games in all rows of scored_sheets.csv, by the names of their columns. Networks of 20
# CPU-seconds have played in some sheets, with 200 ms a move (tools/measure_learning.py). The others depend on an
# evaluation, or differ little from the default.
PLAYED = {"rank": CANDIDATES[0], "rank_mild": CANDIDATES[1], "grave": CANDIDATES[2]}
SCORED = {**PLAYED, LEARNED: NETWORK}
RESULTS = ("wins", "draws", "losses")
FEATURES = tuple(field.name for field in fields(GameFeatures))

# A prior that does not depend on the game, from the scores in twelve games (docs/methods/preparation.md).
_FIXED = {CANDIDATES[3]: (14.4, 15.6)}

# h, c, s and S of the formula.
_WIDTH = 0.15
_PRIOR_MAX_GAMES = 20.0
_STRENGTH = 10.0
_MAX_STRENGTH = 16.0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoredSheets:
    """Test games of the candidates in rule sheets."""

    names: tuple[str, ...]  # names of the sheets
    features: Floats  # features of each sheet, [sheets, features]
    points: Mapping[str, Floats]  # points of each candidate by name of the column, [sheets]
    games: Mapping[str, Floats]  # numbers of games of each candidate by name of the column, [sheets]

    @classmethod
    def read(cls, text: str) -> ScoredSheets:
        """Read the text of a CSV file with the columns `game`, the features, and results such as `rank_wins`.

        A candidate has no games in a row if its columns are empty or missing.
        """
        rows = list(csv.DictReader(text.splitlines()))
        counts = {
            name: np.array([[float(row.get(f"{name}_{result}") or 0) for result in RESULTS] for row in rows])
            for name in SCORED
        }
        return cls(
            tuple(row["game"] for row in rows),
            np.array([[float(row[name]) for name in FEATURES] for row in rows]),
            {name: count @ [1.0, 0.5, 0.0] for name, count in counts.items()},
            {name: count.sum(axis=1) for name, count in counts.items()},
        )

    def similarities(self, features: Floats) -> Floats:
        """Return the weights w_k of the sheets for a game: [features] -> [sheets]."""
        distances = (self.features - features) / self.features.std(axis=0)
        weights: Floats = np.exp(-(distances**2).mean(axis=1) / (2 * _WIDTH**2))
        return weights

    def prior(self, name: str, weights: Floats) -> tuple[float, float]:
        """Return wins and losses of a candidate before the first game, with weights of the sheets, [sheets]."""
        games, points = self.games[name], self.points[name]
        if not games.any():
            return PRIOR
        mean = float(points.sum() / games.sum())
        effective = weights * _PRIOR_MAX_GAMES / (games + _PRIOR_MAX_GAMES)
        wins = _STRENGTH * mean + float(effective @ points)
        losses = _STRENGTH * (1 - mean) + float(effective @ (games - points))
        share = min(1.0, _MAX_STRENGTH / (wins + losses))
        return share * wins, share * losses


@cache
def scored_sheets() -> ScoredSheets:
    """Return the test games of the package."""
    return ScoredSheets.read(files(__package__).joinpath("scored_sheets.csv").read_text())


def prior_of_score(score: Score) -> tuple[float, float]:
    """Return wins and losses for a score in earlier games of the game itself.

    One win and one loss are added, and both count as at most S games together.

    >>> prior_of_score(Score(wins=3, losses=1)), prior_of_score(Score(wins=158))
    ((4.0, 2.0), (15.9, 0.1))
    """
    wins, losses = score.points + 1, score.games - score.points + 1
    share = min(1.0, _MAX_STRENGTH / (wins + losses))
    return share * wins, share * losses


def prior_of(word: str, features: GameFeatures | None) -> tuple[float, float]:
    """Return wins and losses of a candidate before its first test game.

    >>> prior_of("playout.policy=nst", None)
    (2.0, 2.0)
    """
    name = next((name for name, played in SCORED.items() if played == word), None)
    # A game whose features cannot be found in time is slow, and learns little.
    if name is None or (features is None and word == NETWORK):
        return _FIXED.get(word, PRIOR)
    known = scored_sheets()
    weights = np.zeros(len(known.names)) if features is None else known.similarities(np.array(astuple(features)))
    return known.prior(name, weights)


logger = logging.getLogger(__name__)

# The shortest preparation in seconds.
MIN_SECONDS = 4.0

# The part of the time for features of the game, and the number of seconds that suffice.
_FEATURES_SHARE = 0.15
_FEATURES_SECONDS = 2.0
# The part of the time before longer moves, and the largest number of games in it.
_LONGER_FROM = 0.7
_MAX_GAMES = 400
# The part of the rounds that the second candidate of a draw plays, and the largest number of draws for it.
_SECOND_SHARE = 0.5
_MAX_DRAWS = 20

# The number of games with longer moves, and the range of the factor of their length.
_LONGER_GAMES = 12
_MAX_TIMES = 10.0
_MIN_TIMES = 2.0

# The number of games with short moves that the time of a move is chosen for, the smallest number, and the range of
# time.
_GAMES = 60
_MIN_GAMES = 20
# With a learned network few games suffice: it wins or loses most of them.
_GAMES_WITH_NETWORK, _MIN_GAMES_WITH_NETWORK = 16, 6
# The games that a network plays first, because few sheets predict its score.
_FIRST_OF_NETWORK = 4
_MIN_MS = 6.0
_MAX_MS = 20.0
# The smallest part of the processor's time that is assumed for this process.
_MIN_PART = 0.5
# The part of the time that the first game may take.
_FIRST_GAME_SHARE = 0.2


@dataclass(eq=False, slots=True)
class _Contender:
    """A candidate with its results, which change under the lock of the preparer."""

    config: SearchConfig
    plans: Iterator[list[MatchPlan]]
    result: CandidateResult
    longer_begun: int = 0  # number of games


class Preparer:
    """Choose among the candidates and the default by test games in threads of this process."""

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
        self._tuned = tuned(machine) if candidates is None else None
        if candidates is None:
            candidates = CANDIDATES if self._tuned is None else (self._tuned.word, *CANDIDATES)
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
        self._milliseconds = _MIN_MS
        self._longer_ms = 0.0  # once longer moves have begun
        self._plies = 0
        self._game_seconds = 0.0  # of processor time, with moves of `_MIN_MS`
        self._contenders = [
            _Contender(config, iter(()), CandidateResult(word))
            for word in candidates
            if word != DEFAULT and not lacks_evaluation(machine, config := configured(word, self._base))
        ]
        self._draws = random.Random(seed)
        self._begun = 0  # games of the first part
        with_network = any(contender.result.word == NETWORK for contender in self._contenders)
        self._games, self._min_games = (
            (_GAMES_WITH_NETWORK, _MIN_GAMES_WITH_NETWORK) if with_network else (_GAMES, _MIN_GAMES)
        )

    def choose(self) -> Choice:
        """Play the test games and return the result; after an error of a candidate the default remains."""
        self._began = time.monotonic()
        obstacle = self._prepare()
        if not obstacle:
            threads = [threading.Thread(target=self._work, name="preparation", daemon=True) for _ in range(self._jobs)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return self._choice(obstacle)

    def predict(self) -> Choice:
        """Return the choice from similar games alone, within 15 % of the time limit."""
        return self._choice(self._predict() or "no test games were played")

    # ---- before the test games

    def _prepare(self) -> str:
        """Set the priors and the time of a move; return the reason why there can be no test games."""
        if obstacle := self._predict():
            return obstacle
        if self._seconds < MIN_SECONDS:
            return f"{self._seconds:.1f} s are too short for test games, which take {MIN_SECONDS:g} s or more"
        try:
            machine = self._machine.another()
            self._plies = opening_plies(machine)
            for contender in self._contenders:
                contender.plans = rounds(machine, self._seed)
            return self._time_a_game(machine)
        except RoundStoppedError:
            if self._stopped():
                return "preparation was stopped before the first test game ended"
            return f"a game takes more than {_FIRST_GAME_SHARE * self._seconds:.1f} s, too long for test games"
        except Exception as error:
            return f"the first test game failed: {_summary(error)}"

    def _predict(self) -> str:
        """Measure the features of the game and set the priors; return the reason why there are no candidates."""
        if len(self._machine.roles) == 1:
            return "games of one role are solved instead of compared"
        if not self._contenders:
            return "there are no candidates"
        features, cpu_began = None, time.thread_time()
        if isinstance(self._machine, NumberedMachine):
            seconds = min(_FEATURES_SECONDS, _FEATURES_SHARE * self._seconds)
            features = measure_features(self._machine, seconds=seconds, seed=self._seed, stopped=self._stopped)
        for contender in self._contenders:
            word = contender.result.word
            of_game = None if self._tuned is None or self._tuned.word != word else self._tuned.score
            prior = prior_of(word, features) if of_game is None else prior_of_score(of_game)
            contender.result = replace(contender.result, prior=prior)
        self._cpu_seconds = time.thread_time() - cpu_began
        return ""

    def _time_a_game(self, machine: CompiledMachine) -> str:
        most = _FIRST_GAME_SHARE * self._seconds
        began, cpu_began = time.monotonic(), time.thread_time()

        def too_long() -> bool:
            spent = time.thread_time() - cpu_began if self._by_processor else time.monotonic() - began
            return self._stopped() or spent > most

        player = self._round_player(machine, self._base, _MIN_MS, too_long)
        player.play(next(rounds(machine, self._seed))[:1])
        wall, spent = time.monotonic() - began, time.thread_time() - cpu_began
        self._cpu_seconds += spent
        left = (1 - self._share_spent()) * self._seconds * self._jobs
        self._game_seconds = game = max(spent, 1e-4)
        if left < self._min_games * game:
            return f"a game takes {game:.2f} s, too long for test games in {self._seconds:.1f} s"
        # On a busy machine this process gets a part of the time; one short game does not measure this part exactly.
        ours = 1.0 if self._by_processor else min(1.0, max(_MIN_PART, spent / max(wall, 1e-4)))
        self._milliseconds = min(_MAX_MS, max(_MIN_MS, _MIN_MS * _LONGER_FROM * left * ours / (self._games * game)))
        return ""

    def _round_player(
        self, machine: CompiledMachine, candidate: SearchConfig, milliseconds: float, stopped: Callable[[], bool]
    ) -> RoundPlayer:
        return RoundPlayer(
            machine, candidate, self._base, milliseconds=milliseconds, plies=self._plies, stopped=stopped
        )

    # ---- the test games, in several threads

    def _share_spent(self) -> float:
        if self._by_processor:
            return self._cpu_seconds / (self._seconds * self._jobs)
        return (time.monotonic() - self._began) / self._seconds

    def _over(self) -> bool:
        return self._stopped() or self._share_spent() >= 1

    def _work(self) -> None:
        """Play rounds until time is over or the result is decided."""
        machine = self._machine.another()
        players: dict[tuple[str, float], RoundPlayer] = {}
        while (task := self._next()) is not None:
            contender, plans, milliseconds = task
            began = time.thread_time()
            score, failure = Score(), ""
            try:
                key = contender.result.word, milliseconds
                if key not in players:
                    players[key] = self._round_player(machine, contender.config, milliseconds, self._over)
                score = players[key].play(plans)
            except RoundStoppedError:
                pass
            except Exception as error:  # the configuration fails; the others continue
                failure = _summary(error)
            self._record(contender, score, milliseconds, time.thread_time() - began, failure)

    def _next(self) -> tuple[_Contender, list[MatchPlan], float] | None:
        """Return the candidate, the games and the milliseconds per move of the next round; None if there is none."""
        with self._lock:
            field = [contender for contender in self._contenders if not contender.result.dropped]
            if self._over() or not field:
                return None
            if not self._longer_ms and (self._share_spent() > _LONGER_FROM or self._begun >= _MAX_GAMES):
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
        """Draw a candidate for short moves; None after the last game."""
        if self._begun >= _MAX_GAMES:
            return None
        network = next((contender for contender in field if contender.result.word == NETWORK), None)
        if network is not None and self._begun < _FIRST_OF_NETWORK:
            return network
        first = self._first_in_draw(field)
        if len(field) > 1 and self._draws.random() < _SECOND_SHARE:
            for _ in range(_MAX_DRAWS):
                if (second := self._first_in_draw(field)) is not first:
                    return second
        return first

    def _first_in_draw(self, field: list[_Contender]) -> _Contender:
        return max(field, key=lambda contender: contender.result.belief.draw(self._draws))

    def _most_promising(self, field: list[_Contender]) -> _Contender | None:
        """Return the candidate for longer moves; None if the result is decided."""
        best = max(field, key=lambda contender: contender.result.longer_belief.mean)
        is_open = best.longer_begun < _LONGER_GAMES and best.result.longer_belief.mean > 0.5
        return best if is_open and best.result.score.games else None

    def _affordable_longer_ms(self) -> float:
        """Return the milliseconds of longer moves that the remaining time allows; 0 if moves would hardly be longer."""
        left = (1 - self._share_spent()) * self._seconds * self._jobs
        games = sum(contender.result.score.games for contender in self._contenders)
        game_seconds = self._cpu_seconds / games if games else self._game_seconds
        longer = min(_MAX_TIMES, left / (_LONGER_GAMES * max(game_seconds, 1e-6))) * self._milliseconds
        return longer if longer >= _MIN_TIMES * self._milliseconds else 0.0

    def _record(
        self, contender: _Contender, score: Score, milliseconds: float, cpu_seconds: float, failure: str
    ) -> None:
        """Record the result of a round."""
        with self._lock:
            self._cpu_seconds += cpu_seconds
            result = contender.result
            if failure and not result.dropped:
                logger.warning("%s is excluded from the test games: %s", result.word, failure)
                result = replace(result, dropped=failure)
            if milliseconds == self._longer_ms:
                result = replace(result, longer=result.longer + score, longer_ms=milliseconds)
            else:
                result = replace(result, score=result.score + score)
            contender.result = result

    # ---- the end

    def _choice(self, obstacle: str) -> Choice:
        results = tuple(contender.result for contender in self._contenders)
        best = nearest(results)
        if not obstacle and best is None:
            obstacle = "time was over before a candidate had finished a round"
            if results and all(result.dropped for result in results):
                obstacle = "no other configuration works in this game"
        score = best.score if best is not None else Score()
        word = best.word if best is not None and best.is_better else DEFAULT
        return Choice(word, score, self._milliseconds, self._cpu_seconds, results, obstacle)


def _summary(error: Exception) -> str:
    """Return type and first line of an error."""
    first = next(iter(str(error).splitlines()), "")
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


# ---- rounds of test games

# The largest number of games of a candidate; the time suffices for far fewer.
_MAX_PLANNED = 10_000
# Numbers of random opening moves: the first one that leaves a game is used.
_OPENINGS = (4, 2, 0)


class RoundStoppedError(Exception):
    """Report that a round was stopped."""


def opening_plies(machine: CompiledMachine) -> int:
    """Return the number of random moves at the beginning of a test game; 0 if the game is over after two."""
    arena = Arena(machine, _contestants(SearchConfig(), SearchConfig(), 1.0))
    plan = next(schedule(machine.roles, contestants=2, matches=2, seed=1))
    for plies in _OPENINGS:
        try:
            replace(arena, opening_plies=plies).opening(plan)
        except ValueError:  # the game ends during the opening
            continue
        return plies
    return 0


class RoundPlayer:
    """Play rounds of games between a configuration and the default: all assignments of roles with one opening."""

    def __init__(
        self,
        machine: CompiledMachine,
        candidate: SearchConfig,
        default: SearchConfig,
        *,
        milliseconds: float,
        plies: int,
        stopped: Callable[[], bool],
    ) -> None:
        self.moves = 0  # number of moves searched so far
        self._arena = Arena(machine, _contestants(candidate, default, milliseconds), plies)
        self._stopped = stopped

    def play(self, plans: list[MatchPlan], start: MachineState | None = None) -> Score:
        """Play a round and return the score of the candidate; a game that does not end is not counted."""
        arena = replace(self._arena, start=start)
        return compare(arena.machine.roles, list(arena.play(plans, 1, self._moved)), 0, 1).score

    def _moved(self, moves: int) -> None:
        self.moves += moves
        if self._stopped():
            raise RoundStoppedError


def rounds(machine: CompiledMachine, seed: int) -> Iterator[list[MatchPlan]]:
    """Yield the games of each round."""
    plans = schedule(machine.roles, contestants=2, matches=_MAX_PLANNED, seed=seed)
    while plan := list(islice(plans, 2)):
        yield plan


def _contestants(candidate: SearchConfig, default: SearchConfig, milliseconds: float) -> tuple[Contestant, ...]:
    """Return both contestants; each searches in one thread."""
    return tuple(
        Contestant(name, replace(config, threads=None), milliseconds=milliseconds)
        for name, config in (("candidate", candidate), ("default", default))
    )

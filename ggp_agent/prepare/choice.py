"""The result of preparation, the choice: the configuration for a game, and the reason. Choices are stored.

>>> found = Choice("playout.policy=rank", Score(wins=33, losses=7), 5.0, 31.0, ())
>>> print(found)
playout.policy=rank, which scored 82.5 % (68.1 .. 91.3) against the default in 40 games at 5 ms a move
>>> Choice.from_json(found.to_json()) == found
True
>>> print(replace(found, word=NETWORK))
learned, which scored 82.5 % (68.1 .. 91.3) against the default in 40 games at 5 ms a move
>>> print(found.after(Score(wins=1, losses=9)))
the default: playout.policy=rank won 1 of 10 rounds against the default in a match

The probability p that a candidate wins a game against the default has a beta distribution, updated by games
against the default (a draw is half a win and half a loss):

    p ~ Beta(a, b),    a = prior wins + wins + draws / 2,    b = prior losses + losses + draws / 2

The prior is predicted from similar games (preparer.py), or two wins and two losses. It pulls the mean of few games
towards the prediction, which compensates for the luck of the best of several candidates.

Results at milliseconds per move predict results of longer moves only partly. If there are games with longer moves, all
other games together count as at most `SHORT_GAMES`, in their proportion.

>>> few, many = WinProbability.of(Score(wins=3, losses=1)), WinProbability.of(Score(wins=30, losses=10))
>>> round(few.mean, 3), few.is_better(), round(many.mean, 3), many.is_better()
(0.625, False, 0.727, True)
>>> WinProbability.of(Score(wins=30, losses=10), Score(wins=2, losses=6)).is_better()
False

Choices are stored beside the compiled games. The key consists of the structure of the rules, the kind of machine, the
kernel and the version of the candidates. Copies of a game with other names share one choice. Unreadable choices are
ignored. A second file contains the time limit of the latest run that prepared the game beforehand, and the reason if it
played no test games.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Self

from gdl import CompiledMachine
from gdl.compile.cache import Beside, Cache, default_cache
from gdl.compile.structure import structure_of
from gdl.json_text import read_typed

from ..arena.scores import Score
from ..common.terminal_text import amount
from ..evaluation import LEARNED
from ..game.load import safe_name
from .candidates import CANDIDATES, DEFAULT, NETWORK, TUNED, TUNED_MS, TUNED_WORDS, VERSION

# Wins and losses before the first game, without a prediction.
PRIOR = (2.0, 2.0)

# The largest number of games that games with short moves count as, beside games with longer moves. With short moves a
# network has an advantage, because play-outs need many simulations: its games with short moves always count as few.
SHORT_GAMES = 12.0
_SHORT_GAMES_OF_NETWORK = 6.0

# What the mean of a network counts more than the means of other candidates, if both are better than the default. Games
# against the default hardly distinguish two candidates that win most of them, and the training of a network continues.
_LEAD_OF_NETWORK = 0.1

# The 85 % quantile of the normal distribution, and for a network, whose training continues, the 70 % quantile.
_QUANTILE_85, _QUANTILE_OF_NETWORK = 1.0364, 0.5244

# If the upper end of the interval of all its games is below this score, a candidate is at most slightly better.
_SLIGHTLY_BETTER = 0.7

_NO_GAMES = Score()


@dataclass(frozen=True, slots=True)
class WinProbability:
    """A beta distribution of the probability to win."""

    wins: float  # parameter a, above 0
    losses: float  # parameter b, above 0

    @classmethod
    def of(
        cls,
        short: Score,
        longer: Score | None = None,
        prior: tuple[float, float] = PRIOR,
        most_short: float = math.inf,
    ) -> Self:
        """Return the distribution after test games; games with short moves count as at most `most_short` games."""
        most = most_short if longer is None else min(most_short, SHORT_GAMES)
        share = min(1.0, most / max(1, short.games))
        later = longer or Score()
        return cls(
            prior[0] + share * short.points + later.points,
            prior[1] + share * (short.games - short.points) + (later.games - later.points),
        )

    @property
    def mean(self) -> float:
        """The expected score, 0 .. 1."""
        return self.wins / (self.wins + self.losses)

    def is_better(self, quantile: float = _QUANTILE_85) -> bool:
        """Return whether the mean is above one half by this multiple of the standard deviation.

        With the default the probability to win more than to lose is at least 85 % (normal approximation).
        """
        mean = self.mean
        deviation = math.sqrt(mean * (1 - mean) / (self.wins + self.losses + 1))
        return mean - 0.5 >= quantile * deviation

    def draw(self, source: random.Random) -> float:
        """Draw a probability to win."""
        return source.betavariate(self.wins, self.losses)


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """The test games of one candidate against the default."""

    word: str  # the candidate
    score: Score = _NO_GAMES  # score with short moves
    longer: Score = _NO_GAMES  # score with longer moves
    longer_ms: float = 0.0  # processor time of each longer move
    dropped: str = ""  # the error that excluded the candidate; empty without one
    prior: tuple[float, float] = PRIOR  # wins and losses before the first game, above 0

    @property
    def belief(self) -> WinProbability:
        """The distribution of the probability to win, from all games."""
        return self._belief(self.longer if self.longer.games else None)

    @property
    def longer_belief(self) -> WinProbability:
        """The distribution for longer moves, also if the candidate has played no such games."""
        return self._belief(self.longer)

    def _belief(self, longer: Score | None) -> WinProbability:
        most_short = _SHORT_GAMES_OF_NETWORK if self.word == NETWORK else math.inf
        return WinProbability.of(self.score, longer, self.prior, most_short)

    @property
    def is_better(self) -> bool:
        """Whether the candidate is better than the default with a probability of at least 85 %, a network of 70 %."""
        quantile = _QUANTILE_OF_NETWORK if self.word == NETWORK else _QUANTILE_85
        return not self.dropped and self.belief.is_better(quantile)

    @property
    def longer_in_words(self) -> str:
        """The score with longer moves, as text to append to the other score; empty without such games."""
        return f"; {in_words(self.longer)} at {self.longer_ms:.3g} ms" if self.longer.games else ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The configuration for one game, with the test games behind it."""

    word: str  # the configuration: a word of `CANDIDATES`, a tuned configuration, or `DEFAULT`
    score: Score  # score with short moves of the chosen or best candidate; no games without one
    milliseconds: float  # processor time of each short move
    cpu_seconds: float  # processor time of all test games
    trials: tuple[CandidateResult, ...]  # result of each candidate
    # The reason why no test games were played; empty if there were some. The configuration is then the default, or a
    # candidate that is expected to be better from similar games.
    obstacle: str = ""
    checked: str = ""  # the candidate that was compared with the default in a match; empty without one
    rounds: Score = _NO_GAMES  # counted rounds of this comparison

    @property
    def is_default(self) -> bool:
        """Whether the default stays."""
        return self.word == DEFAULT

    @property
    def rival(self) -> str | None:
        """The candidate to compare with the default in a match, the chosen one or the best if the result is open."""
        if self.checked or not self.is_default:
            return self.checked or self.word
        return None if self.is_settled or (near := nearest(self.trials)) is None else near.word

    def after(self, rounds: Score) -> Choice:
        """Return the result after rounds in a match in which the rival was compared with the default."""
        assert self.rival is not None
        word = self.rival if rounds.share > 0.5 else DEFAULT
        return replace(self, word=word, checked=self.rival, rounds=rounds)

    @property
    def is_worth_keeping(self) -> bool:
        """Whether the result helps other matches."""
        return not self.is_default or (not self.obstacle and self.score.games > 0)

    @property
    def is_settled(self) -> bool:
        """Whether more games would hardly change the result, because games chose one or no candidate is much better."""
        if self.checked:
            return True
        if not self.is_default:
            return self.score.games > 0
        near = nearest(self.trials)
        return near is not None and (near.score + near.longer).interval[1] < _SLIGHTLY_BETTER

    def __str__(self) -> str:
        """Return the configuration and the reason in one line."""
        return self._in_words.replace(NETWORK, LEARNED)

    @property
    def _in_words(self) -> str:
        if self.checked:
            won = f"{self.rounds.wins} of {self.rounds.games} rounds against the default in a match"
            return f"the default: {self.checked} won {won}" if self.is_default else f"{self.checked}, which won {won}"
        if not self.is_default:
            return f"{self.word}, which {self._reason}"
        if self.obstacle:
            return f"the default: {self.obstacle}"
        near = nearest(self.trials)
        if near is None:
            return "the default: no candidate has played"
        why = "no better with longer moves" if replace(near, longer=_NO_GAMES).is_better else "not clearly better"
        return f"the default; {near.word} was next best: {in_words(near.score)}{near.longer_in_words}, which is {why}"

    @property
    def _reason(self) -> str:
        """The score of the chosen candidate, or what is expected of it without games."""
        if self.score.games:
            longer = "".join(trial.longer_in_words for trial in self.trials if trial.word == self.word)
            return f"scored {in_words(self.score)} at {self.milliseconds:.3g} ms a move{longer}"
        share = max((trial.belief.mean for trial in self.trials if trial.word == self.word), default=0.5)
        expected = f"is expected to score {100 * share:.0f} % against the default, from similar games"
        return f"{expected} ({self.obstacle})" if self.obstacle else expected

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON types."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: object) -> Self:
        """Read the output of `to_json`; raise ValueError for anything else."""
        found: Self = read_typed(cls, values)
        if found.word != DEFAULT and found.word not in CANDIDATES and found.word not in TUNED_WORDS:
            raise ValueError(f"{found.word!r} is not a candidate")
        if any(min(trial.prior) <= 0 for trial in found.trials):
            raise ValueError("the prior has wins and losses above 0")
        return found


def nearest(trials: Iterable[CandidateResult]) -> CandidateResult | None:
    """Return the best candidate; candidates that are better than the default come first.

    A network comes before other candidates that are hardly better.

    None if no candidate has played, and none is expected to be better.
    """
    known = [trial for trial in trials if not trial.dropped and (trial.is_better or (trial.score + trial.longer).games)]
    by_longer = any(trial.longer.games for trial in known)

    def rank(trial: CandidateResult) -> tuple[bool, float]:
        mean = (trial.longer_belief if by_longer else trial.belief).mean
        return trial.is_better, mean + (_LEAD_OF_NETWORK if trial.is_better and trial.word == NETWORK else 0.0)

    return max(known, key=rank, default=None)


def in_words(score: Score) -> str:
    """Return a score against the default in per cent, with its interval.

    >>> in_words(Score(wins=3, losses=1))
    '75.0 % (30.1 .. 95.4) against the default in 4 games'
    """
    low, high = score.interval
    return (
        f"{100 * score.share:.1f} % ({100 * low:.1f} .. {100 * high:.1f}) against the default "
        f"in {amount(score.games, 'game')}"
    )


@dataclass(frozen=True, slots=True)
class _BeforehandRun:
    """The latest run that prepared a game beforehand."""

    seconds: float
    obstacle: str


_CHOICES = Beside.of_json("preparation", f"choice{VERSION}", Choice.from_json, Choice.to_json)
_RUNS: Beside[_BeforehandRun] = Beside.of_json(
    "run of preparation", f"choice{VERSION}-run", partial(read_typed, _BeforehandRun)
)


class ChoiceStore:
    """The results of preparation of this user."""

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or default_cache()

    def read(self, machine: CompiledMachine) -> Choice | None:
        """Return the stored choice for a game on this kind of machine and kernel; None without a stored choice.

        Without a stored result, a native game has the result of tuning (`tuned`).
        """
        return _CHOICES.read(self._cache, _key(machine)) or tuned(machine)

    def keep(self, machine: CompiledMachine, choice: Choice) -> bool:
        """Store a result if it helps other matches; return whether it was stored.

        A result without test games does not replace another one. A result that keeps the default does not replace a
        tuned configuration, which is based on 100 games or more.
        """
        if not choice.is_worth_keeping or (choice.is_default and tuned(machine) is not None):
            return False
        if not choice.score.games and self.read(machine) is not None:
            return False
        self.write(machine, choice)
        return True

    def keep_run(self, machine: CompiledMachine, choice: Choice, seconds: float) -> bool:
        """Store the result of preparing a game beforehand as `keep` does, and how much time it had."""
        kept = self.keep(machine, choice)
        before = _RUNS.read(self._cache, _key(machine))
        # A choice that was not stored leaves the earlier one, which may have had more time.
        if kept or before is None or before.seconds < seconds:
            _RUNS.write(self._cache, _key(machine), _BeforehandRun(seconds, choice.obstacle))
        return kept

    def prepared(self, machine: CompiledMachine, seconds: float) -> Choice | None:
        """Return the result for a game that was prepared beforehand with at least this time; None for other games."""
        run = _RUNS.read(self._cache, _key(machine))
        if run is None or run.seconds < seconds:
            return None
        known, obstacle = self.read(machine), run.obstacle
        return Choice(DEFAULT, Score(), 0.0, 0.0, (), obstacle) if known is None and obstacle else known

    def write(self, machine: CompiledMachine, choice: Choice) -> None:
        """Store a result in place of an earlier one."""
        _CHOICES.write(self._cache, _key(machine), choice)


def tuned(machine: CompiledMachine) -> Choice | None:
    """Return the tuned configuration of a native game; None if the default was not beaten, and for other games."""
    if machine.native is None or (found := TUNED.get(machine.native)) is None:
        return None
    word, score = found
    return Choice(word, score, TUNED_MS, 0.0, (CandidateResult(word, score),))


def _key(machine: CompiledMachine) -> str:
    native = machine.native
    key = structure_of(machine.sheet).key if native is None else safe_name(f"fast_{native}")
    return f"{key}-{machine.kind.replace(' ', '_')}-{machine.simulator(64).isa}"

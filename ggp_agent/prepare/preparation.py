"""The result of preparation: the configuration for a game, and the reason.

>>> found = Preparation("playout.policy=rank", Score(wins=33, losses=7), 5.0, 31.0, ())
>>> print(found)
playout.policy=rank, which scored 82.5 % (68.1 .. 91.3) against the default in 40 games at 5 ms a move
>>> Preparation.from_json(found.to_json()) == found
True
>>> print(found.after(Score(wins=1, losses=9)))
the default: playout.policy=rank won 1 of 10 rounds against the default in a match
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from gdl.json_text import read_typed

from ..arena.scores import Score
from ..common.terminal_text import amount
from .belief import PRIOR, WinProbability
from .candidates import CANDIDATES
from .open_configuration import DEFAULT
from .tuned import TUNED_WORDS

# If the upper end of the interval of all its games is below this score, a candidate is at most slightly better.
_SLIGHTLY_BETTER = 0.7

_NO_GAMES = Score()


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
        return WinProbability.of(self.score, longer, self.prior)

    @property
    def is_better(self) -> bool:
        """Whether the candidate is better than the default with a probability of at least 85 %."""
        return not self.dropped and self.belief.is_better

    @property
    def longer_in_words(self) -> str:
        """The score with longer moves, as text to append to the other score; empty without such games."""
        return f"; {in_words(self.longer)} at {self.longer_ms:.3g} ms" if self.longer.games else ""


@dataclass(frozen=True, slots=True)
class Preparation:
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

    def after(self, rounds: Score) -> Preparation:
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
        return f"the default: {near.word} scored {in_words(near.score)}{near.longer_in_words}, which is {why}"

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

    None if no candidate has played, and none is expected to be better.
    """
    known = [trial for trial in trials if not trial.dropped and (trial.is_better or (trial.score + trial.longer).games)]
    by_longer = any(trial.longer.games for trial in known)

    def rank(trial: CandidateResult) -> tuple[bool, float]:
        return trial.is_better, (trial.longer_belief if by_longer else trial.belief).mean

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

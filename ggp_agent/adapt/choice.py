"""What trials have chosen for a game, and why.

>>> found = Choice("playout.policy=rank", Score(wins=33, losses=7), 5.0, 31.0, ())
>>> print(found)
playout.policy=rank, which scored 82.5 % (68.1 .. 91.3) against the default in 40 games at 5 ms a move
>>> Choice.from_json(found.to_json()) == found
True
>>> print(found.after(Score(wins=1, losses=9)))
the default: playout.policy=rank won 1 of 10 rounds against the default in a match
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..study.scores import Score
from .candidates import CANDIDATES, DEFAULT
from .tuned import TUNED_WORDS

# A candidate is clearly better where it scores so much, and the lower end of the interval is above one half.
CLEAR_SHARE = 0.65
# So many games with longer moves say something.
_TELLING = 4
# Where the upper end of the interval is below this a candidate is hardly clearly better.
_HARDLY = 0.7

_NO_GAMES = Score()


def is_clear(score: Score) -> bool:
    """Tell whether a score against the default is reason enough to leave it.

    >>> is_clear(Score(wins=26, losses=14)), is_clear(Score(wins=28, losses=12)), is_clear(Score(wins=3))
    (False, True, False)
    """
    return score.games > 0 and score.share >= CLEAR_SHARE and score.interval[0] > 0.5


def is_belied(longer: Score) -> bool:
    """Tell whether the games with longer moves say that a candidate is hardly clearly better there.

    >>> is_belied(Score(wins=3, losses=5)), is_belied(Score(losses=3)), is_belied(Score(wins=2, losses=4))
    (True, False, False)
    """
    return longer.games >= _TELLING and longer.interval[1] < _HARDLY


@dataclass(frozen=True, slots=True)
class Trial:
    """What one candidate did against the default.

    Attributes:
        word: of the candidate.
        score: in the games that led to the final test.
        final: in the games of the final test, which are others; none where it did not come so far.
        longer: in games with longer moves that follow a promising final test.
        longer_ms: processor time of every move there.
        dropped: why it was given up; empty where it was not.
    """

    word: str
    score: Score = _NO_GAMES
    final: Score = _NO_GAMES
    longer: Score = _NO_GAMES
    longer_ms: float = 0.0
    dropped: str = ""

    @property
    def is_better(self) -> bool:
        """Whether it is clearly better than the default in all these games, and longer moves do not belie it."""
        return not self.dropped and is_clear(self.final + self.longer) and not is_belied(self.longer)

    @property
    def longer_in_words(self) -> str:
        """What it scored with longer moves, to stand behind the final test; empty where it played no such games."""
        return f"; {in_words(self.longer)} at {self.longer_ms:.3g} ms" if self.longer.games else ""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Trial:
        """Read what `to_json` has written; KeyError, TypeError or ValueError where it is something else."""
        return cls(
            str(told["word"]),
            _score(told["score"]),
            _score(told["final"]),
            _score(told["longer"]),
            float(told["longer_ms"]),
            str(told["dropped"]),
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice among the configurations for one game.

    Attributes:
        word: of the configuration, one of `CANDIDATES`, of those that were tuned, or `DEFAULT`.
        score: of the final test, of the candidate that came closest; no games where there was none.
        milliseconds: processor time of every move in the final test.
        cpu_seconds: processor time of all trials.
        trials: of each candidate.
        obstacle: why nothing could be tried; empty where something was.
        checked: the candidate that rounds in a match have spoken for or against; empty where none have.
        rounds: of it there, those that were not even.
    """

    word: str
    score: Score
    milliseconds: float
    cpu_seconds: float
    trials: tuple[Trial, ...]
    obstacle: str = ""
    checked: str = ""
    rounds: Score = _NO_GAMES

    @property
    def is_default(self) -> bool:
        """Whether the default stays."""
        return self.word == DEFAULT

    @property
    def rival(self) -> str | None:
        """The candidate to compare with the default in play: the chosen one, or the nearest if it is left open."""
        if self.checked or not self.is_default:
            return self.checked or self.word
        return None if self.is_settled or (nearest := self._nearest) is None else nearest.word

    def after(self, rounds: Score) -> Choice:
        """Return the choice as rounds in play, in which its rival was compared with the default, would have it."""
        assert self.rival is not None
        word = self.rival if rounds.share > 0.5 else DEFAULT
        return replace(self, word=word, checked=self.rival, rounds=rounds)

    @property
    def _nearest(self) -> Trial | None:
        """Of the candidates that came to the final test the one that scored most there."""
        tested = [trial for trial in self.trials if trial.final.games and not trial.dropped]
        return max(tested, key=lambda trial: trial.final.share, default=None)

    @property
    def is_worth_keeping(self) -> bool:
        """Whether another match need not find it out again."""
        return not self.obstacle and self.score.games > 0

    @property
    def is_settled(self) -> bool:
        """Whether more games would hardly change it: one was chosen, or the nearest is hardly clearly better."""
        if self.checked or not self.is_default:
            return True
        return self.score.games > 0 and self.score.interval[1] < _HARDLY

    def __str__(self) -> str:
        """Say what was chosen, and why."""
        if self.obstacle:
            return f"the default: {self.obstacle}"
        if self.checked:
            won = f"{self.rounds.wins} of {self.rounds.games} rounds against the default in a match"
            return f"the default: {self.checked} won {won}" if self.is_default else f"{self.checked}, which won {won}"
        if not self.is_default:
            longer = "".join(trial.longer_in_words for trial in self.trials if trial.word == self.word)
            return f"{self.word}, which scored {in_words(self.score)} at {self.milliseconds:.3g} ms a move{longer}"
        nearest = self._nearest
        if nearest is None:
            return "the default: no candidate came to the final test"
        why = "no better with longer moves" if is_clear(nearest.final) else "not clearly better"
        told = in_words(nearest.final) + nearest.longer_in_words
        return f"the default: {nearest.word} scored {told}, which is {why}"

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self) | {"trials": [trial.to_json() for trial in self.trials]}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Choice:
        """Read what `to_json` has written.

        Raises:
            KeyError, TypeError, ValueError: it is something else, or names a configuration that is no candidate.
        """
        word = told["word"]
        if word != DEFAULT and word not in CANDIDATES and word not in TUNED_WORDS:
            raise ValueError(f"{word!r} is no candidate")
        return cls(
            word,
            _score(told["score"]),
            float(told["milliseconds"]),
            float(told["cpu_seconds"]),
            tuple([Trial.from_json(trial) for trial in told["trials"]]),
            str(told["obstacle"]),
            str(told["checked"]),
            _score(told["rounds"]),
        )


def in_words(score: Score) -> str:
    """Say a score against the default, in per cent with its interval.

    >>> in_words(Score(wins=3, losses=1))
    '75.0 % (30.1 .. 95.4) against the default in 4 games'
    """
    low, high = score.interval
    return (
        f"{100 * score.share:.1f} % ({100 * low:.1f} .. {100 * high:.1f}) against the default "
        f"in {score.games} game{'s' * (score.games != 1)}"
    )


def _score(told: Mapping[str, Any]) -> Score:
    counts = [told["wins"], told["draws"], told["losses"]]
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        raise ValueError(f"{told} is no score")
    return Score(*counts)

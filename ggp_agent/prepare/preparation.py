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

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from gdl.json_text import checked_count, checked_list, checked_number, checked_object, checked_text

from ..arena.scores import Score
from .belief import PRIOR, Belief
from .candidates import CANDIDATES, DEFAULT, PRIORS
from .tuned import TUNED_WORDS

# Where the upper end of the interval of all its games is below this a candidate is hardly better by much.
_HARDLY = 0.7

_NO_GAMES = Score()


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """What one candidate did against the default.

    Attributes:
        word: of the candidate.
        score: with short moves.
        longer: with longer moves.
        longer_ms: processor time of every move there.
        dropped: why it was given up; empty where it was not.
    """

    word: str
    score: Score = _NO_GAMES
    longer: Score = _NO_GAMES
    longer_ms: float = 0.0
    dropped: str = ""

    @property
    def belief(self) -> Belief:
        """What its games say of it."""
        return self._belief(self.longer if self.longer.games else None)

    @property
    def longer_belief(self) -> Belief:
        """What they say of it with longer moves, whether it has played such games or not."""
        return self._belief(self.longer)

    def _belief(self, longer: Score | None) -> Belief:
        return Belief.of(self.score, longer, PRIORS.get(self.word, PRIOR))

    @property
    def is_better(self) -> bool:
        """Whether it is better than the default in all likelihood."""
        return not self.dropped and self.belief.is_better

    @property
    def longer_in_words(self) -> str:
        """What it scored with longer moves, to stand behind the other score; empty where it played no such games."""
        return f"; {in_words(self.longer)} at {self.longer_ms:.3g} ms" if self.longer.games else ""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> CandidateResult:
        """Read what `to_json` has written; ValueError where it is something else."""
        told = checked_object(told, {field.name for field in fields(cls)})
        return cls(
            checked_text(told["word"]),
            _score(told["score"]),
            _score(told["longer"]),
            checked_number(told["longer_ms"]),
            checked_text(told["dropped"]),
        )


@dataclass(frozen=True, slots=True)
class Preparation:
    """A choice among the configurations for one game.

    Attributes:
        word: of the configuration, one of `CANDIDATES`, of those that were tuned, or `DEFAULT`.
        score: with short moves, of the candidate that is chosen or comes closest; no games where there was none.
        milliseconds: processor time of every move there.
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
    trials: tuple[CandidateResult, ...]
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
        return None if self.is_settled or (near := nearest(self.trials)) is None else near.word

    def after(self, rounds: Score) -> Preparation:
        """Return the choice as rounds in play, in which its rival was compared with the default, would have it."""
        assert self.rival is not None
        word = self.rival if rounds.share > 0.5 else DEFAULT
        return replace(self, word=word, checked=self.rival, rounds=rounds)

    @property
    def is_worth_keeping(self) -> bool:
        """Whether another match need not find it out again."""
        return not self.obstacle and self.score.games > 0

    @property
    def is_settled(self) -> bool:
        """Whether more games would hardly change it: one was chosen, or the nearest is hardly better by much."""
        if self.checked or not self.is_default:
            return True
        near = nearest(self.trials)
        return near is not None and (near.score + near.longer).interval[1] < _HARDLY

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
        near = nearest(self.trials)
        if near is None:
            return "the default: no candidate has played"
        why = "no better with longer moves" if replace(near, longer=_NO_GAMES).is_better else "not clearly better"
        return f"the default: {near.word} scored {in_words(near.score)}{near.longer_in_words}, which is {why}"

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self) | {"trials": [trial.to_json() for trial in self.trials]}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Preparation:
        """Read what `to_json` has written.

        Raises:
            ValueError: it is something else, or names a configuration that is no candidate.
        """
        told = checked_object(told, {field.name for field in fields(cls)})
        word = checked_text(told["word"])
        if word != DEFAULT and word not in CANDIDATES and word not in TUNED_WORDS:
            raise ValueError(f"{word!r} is no candidate")
        return cls(
            word,
            _score(told["score"]),
            checked_number(told["milliseconds"]),
            checked_number(told["cpu_seconds"]),
            tuple(map(CandidateResult.from_json, checked_list(told["trials"]))),
            checked_text(told["obstacle"]),
            checked_text(told["checked"]),
            _score(told["rounds"]),
        )


def nearest(trials: Iterable[CandidateResult]) -> CandidateResult | None:
    """Return the one of which most is believed, among those that are better if any are; None where none has played."""
    played = [trial for trial in trials if (trial.score + trial.longer).games and not trial.dropped]
    by_longer = any(trial.longer.games for trial in played)

    def believed(trial: CandidateResult) -> tuple[bool, float]:
        return trial.is_better, (trial.longer_belief if by_longer else trial.belief).mean

    return max(played, key=believed, default=None)


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


def _score(told: object) -> Score:
    counts = checked_object(told, {"wins", "draws", "losses"})
    return Score(*(checked_count(counts[name]) for name in ("wins", "draws", "losses")))

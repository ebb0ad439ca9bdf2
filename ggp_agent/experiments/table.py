"""The table of a study: its scores, each beside what is published, and what follows from both in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..arena.scores import Score
from .runner import CellState
from .study_file import Published, Study

# So many games are enough, whatever part they are of those that are wanted.
_MANY = 200


@dataclass(frozen=True, slots=True)
class TableEntry:
    """What is known of one cell.

    Attributes:
        game, variant, column: its names.
        score: of the variant.
        published: what a paper has in this place.
        played, wanted: games, and those that are planned.
        errors: games that do not count.
        verdict: of a sequential test, `H0` or `H1`; empty where there was none or it is not decided.
        turns: of a game, on average.
        x: where the variant stands on the axis of a curve.
        kind: of the positions that are judged; empty where matches are played.
    """

    game: str
    variant: str
    column: str
    score: Score
    published: Published | None
    played: int
    wanted: int
    errors: int
    verdict: str
    turns: float
    x: float | None
    kind: str = ""

    @property
    def row(self) -> str:
        """What its row of the table is called."""
        return f"{self.game}, {self.kind}" if self.kind else self.game

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score, in per cent."""
        low, high = self.score.interval
        return 100 * low, 100 * high

    @property
    def percent(self) -> float:
        """The score in per cent."""
        return 100 * self.score.share

    @property
    def is_judged(self) -> bool:
        """Whether enough is played: of games side by side the shortest end first, and one side may win those."""
        return self.score.games > 0 and (self.played >= min(self.wanted / 10, _MANY) or bool(self.verdict))

    @property
    def side(self) -> int:
        """1 where the whole interval is above 50 %, -1 where it is below, else 0; 0 where too little is played."""
        if not self.is_judged:
            return 0
        low, high = self.interval
        return (low > 50) - (high < 50)

    @property
    def differs(self) -> int:
        """The same against the interval of the published value."""
        if self.published is None or not self.is_judged:
            return 0
        low, high = self.interval
        return (low > self.published.value + self.published.half) - (high < self.published.value - self.published.half)

    @property
    def published_side(self) -> int:
        """The same as `side` for the published value."""
        if self.published is None:
            return 0
        return (self.published.value - self.published.half > 50) - (self.published.value + self.published.half < 50)


def entries(study: Study, states: Sequence[CellState]) -> list[TableEntry]:
    """Return what is known of each cell, in the order of the study."""
    return [
        TableEntry(
            game=study.game_label(state.cell.game),
            variant=study.variant_label(state.cell.variant),
            column=state.cell.column,
            score=state.score,
            published=state.cell.published,
            played=len(state.matches),
            wanted=state.games,
            errors=len(state.errors),
            verdict=state.verdict,
            turns=sum(match.turns for match in state.matches) / max(1, len(state.matches)),
            x=study.x(state.cell.variant),
            kind=state.cell.kind,
        )
        for state in states
    ]


def findings(table: Sequence[TableEntry]) -> list[str]:
    """Say what the scores are against those that are published, a sentence for each cell that differs.

    >>> one = Entry("Cannon", "a'", "1 s", Score(80, 0, 20), Published(62.8, 1.3), 100, 100, 0, "", 70.0, None)
    >>> findings([one])[0]
    "Cannon, a', 1 s: 80.0 % (71.1 .. 86.7) is above the published 62.8 ± 1.3, on the same side of 50 %."
    >>> findings([one])[1]
    'Of 1 published value that differs significantly from 50 %, 1 has the same sign here, 1 significantly.'
    """
    told = []
    for entry in table:
        if entry.differs and entry.published is not None:
            side = {1: "on the same side of 50 %", -1: "on the other side of 50 %", 0: "not told from 50 %"}
            agreement = entry.side * entry.published_side if entry.published_side else None
            tail = "; the published one is not told from 50 %" if agreement is None else f", {side[agreement]}"
            low, high = entry.interval
            told.append(
                f"{entry.game}, {entry.variant}, {entry.column}: {entry.percent:.1f} % ({low:.1f} .. {high:.1f}) is "
                f"{'above' if entry.differs > 0 else 'below'} the published "
                f"{entry.published.value:g} ± {entry.published.half:g}{tail}."
            )
    return told + _signs(table)


def _signs(table: Sequence[TableEntry]) -> list[str]:
    significant = [entry for entry in table if entry.published_side and entry.is_judged]
    if not significant:
        return []
    same = [entry for entry in significant if (entry.percent - 50) * entry.published_side > 0]
    sure = sum(entry.side == entry.published_side for entry in same)
    against = [entry for entry in significant if entry.side == -entry.published_side]
    count = len(significant)
    line = (
        f"Of {count} published value{'s' * (count != 1)} that differ{'s' * (count == 1)} significantly from 50 %, "
        f"{len(same)} {'has' if len(same) == 1 else 'have'} the same sign here, {sure} significantly"
    )
    if against:
        named = ", ".join(f"{each.game} ({each.variant}, {each.column})" for each in against)
        line += f"; significantly the other: {named}"
    return [line + "."]

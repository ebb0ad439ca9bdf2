"""The table of a study: scores beside published values, the conclusions in words, and the table as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..arena.scores import Score, difference_interval, p_value, pair_interval
from ..game.game import move_limit
from .runner import CellState
from .study_file import Cell, Published, Study

# This number of games allows conclusions, even if it is a small part of the planned games.
_ENOUGH_GAMES = 200

# The expected share of false ones among the scores of a table that are significant after the correction.
_FALSE_DISCOVERIES = 0.05

# The units of limits per move.
LIMIT_UNITS = ("simulations", "ms")
# The name of a column that does not state a number of simulations.
_TIME_OR_NUMBER = re.compile(r"[0-9,]+( seconds?)?")

_NOT_SIGNIFICANT = "not significantly different from 50 %"


@dataclass(frozen=True, slots=True)
class TableEntry:
    """The result of one cell."""

    game: str  # label of the game
    variant: str  # label of the variant
    column: str  # name of the budget
    score: Score  # score of the variant
    published: Published | None  # the published value, or None
    played: int  # number of games so far
    wanted: int  # number of planned games
    errors: int  # number of games that do not count
    verdict: str  # accepted hypothesis of a sequential test, `H0` or `H1`; empty without one
    turns: float  # mean number of turns of a game
    x: float | None  # place of the variant on the axis of a curve, or None
    kind: str = ""  # kind of the positions; empty for matches
    test: str = ""  # state of the sequential test in one line; empty without one
    uninformative: str = ""  # reason why the score says nothing about the variant; empty if it does
    move_limit: int = 0  # number of moves after which every game ends; 0 without such a rule
    at_limit: int = 0  # number of games with this number of moves
    # `above`, `below`, `equal` or an empty string, by a test that is valid although results affected the order of
    # games; None if they did not.
    decision: str | None = None
    # Values of the cell when its games were played, if they are not the present ones; else None.
    earlier: dict[str, Any] | None = None
    limit: str = ""  # limit per move of the variant, such as `250 simulations`
    pairs: tuple[int, ...] = ()  # numbers of complete pairs with 0, 1/2, 1, 3/2 and 2 points

    @property
    def row(self) -> str:
        """The name of its row in the table."""
        return f"{self.game}, {self.kind}" if self.kind else self.game

    @property
    def limit_label(self) -> str:
        """The name of its column, or the limit itself if the column has the time of a paper or only a number.

        Studies of papers name their columns by the seconds of the paper and play with a number of simulations.
        """
        return self.limit if self.limit and _TIME_OR_NUMBER.fullmatch(self.column) else self.column

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score, in per cent; by the results of pairs, if there are complete pairs."""
        low, high = pair_interval(self.score, self.pairs)
        return 100 * low, 100 * high

    @property
    def percent(self) -> float:
        """The score in per cent."""
        return 100 * self.score.share

    @property
    def is_judged(self) -> bool:
        """Whether the score is informative and there are enough games for conclusions.

        Short games end first, and one side may win more of them.
        """
        if self.uninformative:
            return False
        return self.score.games > 0 and (self.played >= min(self.wanted / 10, _ENOUGH_GAMES) or bool(self.verdict))

    @property
    def side(self) -> int:
        """1 if the score is significantly above 50 %, -1 if it is below, otherwise 0; 0 with too few games."""
        if self.decision is not None:
            return (self.decision == "above") - (self.decision == "below")
        if not self.is_judged:
            return 0
        low, high = self.interval
        return (low > 50) - (high < 50)

    @property
    def p(self) -> float:
        """The probability of such a score, or a clearer one, if both sides are equal."""
        return p_value(self.score, self.pairs)

    @property
    def differs(self) -> int:
        """1 if the interval is above the published interval, -1 if it is below, otherwise 0; 0 with too few games."""
        if self.published is None or not self.is_judged:
            return 0
        low, high = self.interval
        return (low > self.published.value + self.published.half) - (high < self.published.value - self.published.half)

    @property
    def sign(self) -> str:
        """Whether the sign of the published value, the side of 50 %, is the same here; empty without games or value."""
        if self.published is None or self.score.games == 0:
            return ""
        if self.uninformative:
            return "uninformative"
        if not self.is_judged:
            return "too few games"
        if self.published_side == 0:
            return "significant only here" if self.side else "neither is significant"
        return {1: "reproduced", 0: "not significant here", -1: "contrary"}[self.side * self.published_side]

    @property
    def published_side(self) -> int:
        """1 if the published interval is above 50 %, -1 if it is below, otherwise 0."""
        return 0 if self.published is None else self.published.side


def entries(study: Study, states: Sequence[CellState]) -> list[TableEntry]:
    """Return the result of each cell, in the order of the study."""
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
            test=state.test_text(),
            uninformative=study.uninformative(state.cell.game) or state.without_difference,
            move_limit=(limit := move_limit(state.cell.game)),
            at_limit=sum(match.turns >= limit for match in state.matches) if limit else 0,
            decision=state.decision(),
            earlier=state.earlier if state.matches else None,
            limit=_limit(state.cell),
            pairs=tuple(state.dependent_pairs),
        )
        for state in states
    ]


def _limit(cell: Cell) -> str:
    """Return the limit per move of the variant of a cell."""
    if cell.tested.simulations is not None:
        return f"{cell.tested.simulations:,} {LIMIT_UNITS[0]}"
    return f"{cell.tested.milliseconds:g} {LIMIT_UNITS[1]}"


def findings(table: Sequence[TableEntry]) -> list[str]:
    """Compare scores with published values: a sentence for each cell that does not agree, and one on the signs.

    >>> one = TableEntry("Cannon", "a'", "1 s", Score(80, 0, 20), Published(62.8, 1.3), 100, 100, 0, "", 70.0, None)
    >>> findings([one])[0]
    "Cannon, a', 1 s: 80.0 % (71.1 .. 86.7) is above the published 62.8 ± 1.3, on the same side of 50 %."
    >>> findings([one])[1]
    'Of 1 published value that differs significantly from 50 %, 1 has the same sign here, 1 significantly.'
    """
    lines = []
    for entry in table:
        if entry.differs and entry.published is not None:
            side = {1: "on the same side of 50 %", -1: "on the other side of 50 %", 0: _NOT_SIGNIFICANT}
            agreement = entry.side * entry.published_side if entry.published_side else None
            tail = f"; the published value is {_NOT_SIGNIFICANT}" if agreement is None else f", {side[agreement]}"
            low, high = entry.interval
            lines.append(
                f"{entry.game}, {entry.variant}, {entry.limit_label}: {entry.percent:.1f} % ({low:.1f} .. {high:.1f}) "
                f"is {'above' if entry.differs > 0 else 'below'} the published "
                f"{entry.published.value:g} ± {entry.published.half:g}{tail}."
            )
    return lines + _signs(table)


def lost_by_correction(table: Sequence[TableEntry]) -> list[TableEntry]:
    """Return the significant scores that are not significant among the scores of a table.

    The false discovery rate is 5 % (Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995).
    Scores that are judged by a sequential test do not count.
    """
    from scipy.stats import false_discovery_control  # the import takes a second

    judged = [entry for entry in table if entry.is_judged and entry.decision is None]
    adjusted = false_discovery_control([entry.p for entry in judged]) if judged else ()
    return [entry for entry, p in zip(judged, adjusted, strict=True) if entry.side and p > _FALSE_DISCOVERIES]


def differences(study: Study, table: Sequence[TableEntry]) -> list[tuple[str, str, str]]:
    """Compare the variants that the study names in `compare`: row, variants, difference in points with its interval."""
    rows = []
    by_place = {(entry.row, entry.column, entry.variant): entry for entry in table if entry.is_judged}
    for one, other in study.compared:
        for (row, column, variant), entry in by_place.items():
            second = by_place.get((row, column, study.variant_label(other)))
            if variant == study.variant_label(one) and second is not None:
                low, high = difference_interval(entry.percent, entry.interval, second.percent, second.interval)
                mark = "**" if low > 0 or high < 0 else ""
                text = f"{mark}{entry.percent - second.percent:+.1f}{mark} ({low:+.1f} .. {high:+.1f})"
                rows.append((row, f"{variant} against {second.variant}, {entry.limit_label}", text))
    return rows


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
        named = ", ".join(f"{each.game} ({each.variant}, {each.limit_label})" for each in against)
        line += f"; significantly the other: {named}"
    return [line + "."]


_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "±": r"$\pm$",
        "†": r"$\dagger$",
        "‡": r"$\ddagger$",
        "§": r"\S{}",
    }
)


def latex_text(text: str) -> str:
    r"""Return a text in one line, with the special characters of LaTeX escaped.

    >>> print(latex_text("Cannon_2: a' & 50 %"))
    Cannon\_2: a' \& 50 \%
    """
    return " ".join(text.split()).translate(_ESCAPES)


def latex_table(study: Study, table: Sequence[TableEntry]) -> str:
    """Return a table with a row for each cell: score, 95 % interval, number of games, and the published value.

    The document needs `\\usepackage{booktabs}`. A score that differs significantly from 50 % is bold; a dagger marks a
    score whose interval does not overlap the published interval.
    """
    return "\n".join(_lines(study, [entry for entry in table if entry.score.games])) + "\n"


def _lines(study: Study, table: Sequence[TableEntry]) -> Iterator[str]:
    published = any(entry.published for entry in table)
    count = "positions" if study.judges_positions else "games"
    heads = ["game", "variant", "per move", r"\%", r"95 \% interval", count] + ["published"] * published
    yield from (r"\begin{table}", r"\centering", f"\\caption{{{_caption(study, table)}}}")
    yield f"\\label{{tab:{study.name.replace('_', '-')}}}"
    yield f"\\begin{{tabular}}{{lllrrr{'r' * published}}}"
    yield from (r"\toprule", _row(heads), r"\midrule")
    game = None
    for entry in table:
        if game not in (None, entry.row):
            yield r"\addlinespace"
        yield _row(_cells(entry, first=entry.row != game, published=published, bold=not study.judges_positions))
        game = entry.row
    yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}")


def _cells(entry: TableEntry, *, first: bool, published: bool, bold: bool) -> list[str]:
    low, high = entry.interval
    score = f"\\textbf{{{entry.percent:.1f}}}" if entry.side and bold else f"{entry.percent:.1f}"
    score += r"$^\dagger$" * bool(entry.differs)
    cells = [latex_text(entry.row) if first else "", latex_text(entry.variant), latex_text(entry.limit_label)]
    cells += [score, f"{low:.1f}--{high:.1f}", f"{entry.score.games:,}"]
    if published:
        value = entry.published
        cells.append("" if value is None else f"${value.value:g} \\pm {value.half:g}$")
    return cells


def _caption(study: Study, table: Sequence[TableEntry]) -> str:
    if study.judges_positions:
        text = "Per cent of the positions in which a right move is chosen, with 95 % confidence intervals (Wilson)."
    else:
        text = (
            "Wins plus half the draws in per cent, with 95 % confidence intervals by pairs of games. Bold: "
            "significantly different from 50 %."
        )
    caption = f"{latex_text(study.title)}. {latex_text(text)}"
    if any(entry.differs for entry in table):
        caption += r" $^\dagger$: the interval does not overlap the published interval."
    return caption


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"

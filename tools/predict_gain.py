"""Compare the gain of the Relative Bonus with the simulations of each rule sheet: python tools/predict_gain.py

The games are read from a database of the study `bonus_sheets`, by default the stored one in docs/results. The first
table has a row for each sheet, the second table has the tests. docs/results/relative_bonus.md defines gain, predictors
and tests.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, mean, stdev
from typing import Any

import numpy as np
from scipy.stats import permutation_test, rankdata, spearmanr, zscore
from stored_results import restore

from ggp_agent.arena.scores import Z
from ggp_agent.common.errors import UserError
from ggp_agent.common.report import markdown_table
from ggp_agent.experiments.report import StudyReport
from ggp_agent.experiments.study_file import Study
from ggp_agent.experiments.study_store import StudyStore
from ggp_agent.experiments.table import TableEntry

STUDY, BUDGET = "bonus_sheets", "desk"
# The study with the gains of the paper, and the variant with the bonus of STUDY.
PAPER, PAPER_VARIANT = "quality_table2", "k2"
PREDICTORS = ("correlation", "variation", "excess")
PERMUTATIONS = 100_000
# A function of the gains of all sheets, an array of shape (..., sheets), with one value for each set of gains.
Statistic = Callable[[Any], Any]
# Sheets with fewer games are left out. A regression needs a number of sheets.
MIN_GAMES, MIN_SHEETS = 100, 10
# The side without the bonus, and the share of tied pairs from which a sheet says little.
PLAIN = 1
MAX_TIED = 0.9
# The game whose gain was known before.
KNOWN = "battle"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A rule sheet with its games."""

    entry: TableEntry
    predictors: tuple[float, ...]

    @property
    def gain(self) -> float:
        """The score of the side with the bonus in per cent, minus 50."""
        return self.entry.percent - 50

    @property
    def tied(self) -> float:
        """The share of pairs of games in which both sides have one point."""
        return self.entry.pairs[2] / sum(self.entry.pairs)

    def row(self) -> tuple[str, ...]:
        """Return the row of the table."""
        low, high = self.entry.interval
        score = f"{self.entry.percent:.1f} ({low:.1f} .. {high:.1f})"
        numbers = (f"{value:.3f}" for value in self.predictors)
        return self.entry.game, str(self.entry.score.games), score, f"{100 * self.tied:.0f}", *numbers


def sheets(database: Path) -> Iterator[Sheet]:
    """Yield the sheets of a database."""
    study = Study.load(STUDY, BUDGET)
    with StudyStore(database) as store:
        table = {(entry.game, entry.variant): entry for entry in StudyReport.of(study, store).table}
        for cell in study.cells:
            entry = table[study.game_label(cell.game), study.variant_label(cell.variant)]
            plain = [
                role
                for seats, roles in store.samples(cell)
                for seat, role in zip(seats, roles, strict=True)
                if seat == PLAIN and "length" in role
            ]
            if entry.score.games < MIN_GAMES or not plain:
                continue
            plies = mean((match.turns + 1) / 2 for match in store.matches(cell))
            yield Sheet(
                entry,
                (
                    mean(abs(role.get("length_correlation", 0.0)) for role in plain),
                    mean(role["length_deviation"] / role["length"] for role in plain),
                    mean(role["length"] for role in plain) / plies - 1,
                ),
            )


def q_squared(x: Any, gains: Any, weights: Any) -> Any:
    """Return 1 - SSE / SST, where weighted least squares without a sheet predicts the gain of the sheet.

    SSE is the weighted sum of squared errors, and SST the sum for predictions by the mean of the other sheets.

    Args:
        x: predictors, array of shape (sheets, predictors).
        gains: array of shape (..., sheets).
        weights: array of shape (sheets,), positive.

    Returns:
        An array of shape (...).
    """
    root = np.sqrt(weights)
    ones = np.ones((len(weights), 1))
    # One regression gives all errors: e / (1 - h), h the diagonal of the matrix that maps gains to predictions.
    sums = []
    for columns in (np.hstack([ones, x]), ones):
        weighted = root[:, None] * columns
        to_predictions = weighted @ np.linalg.pinv(weighted)
        errors = (root * gains) @ (np.eye(len(weights)) - to_predictions) / (1 - np.diag(to_predictions))
        sums.append((errors**2).sum(axis=-1))
    return 1 - sums[0] / sums[1]


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm, Scandinavian Journal of Statistics 6, 1979)."""
    corrected, largest = [0.0] * len(values), 0.0
    for done, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - done) * values[place]))
        corrected[place] = largest
    return corrected


def p_and_value(statistic: Statistic, gains: Any, alternative: str) -> tuple[float, float]:
    """Return the p-value of a statistic of the gains among random permutations, and its value."""
    found = permutation_test(
        (gains,),
        lambda data, axis: statistic(data),
        permutation_type="pairings",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        batch=10_000,
        alternative=alternative,
        random_state=2014,
    )
    return float(found.pvalue), float(found.statistic)


def rank_correlation(values: Any) -> Statistic:
    """Return the rank correlation (Spearman) of the values with the gains, as a function of the ranks of the gains."""
    ranks = zscore(rankdata(values)) / len(values)
    return lambda of_gains: zscore(of_gains, axis=-1) @ ranks


def tests(name: str, group: Sequence[Sheet], gains: Any, weights: Any) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the tests of a group of sheets, with a gain and a weight for each sheet."""
    x = zscore(np.array([sheet.predictors for sheet in group]), ddof=1)
    root = np.sqrt(weights)
    slopes = np.linalg.lstsq(root[:, None] * np.insert(x, 0, 1, axis=1), root * gains)[0][1:]
    ones = [p_and_value(rank_correlation(column), rankdata(gains), "two-sided") for column in x.T]
    corrected = holm([p for p, _ in ones])
    for predictor, (_, value), p, slope in zip(PREDICTORS, ones, corrected, slopes, strict=True):
        yield name, str(len(group)), predictor, f"{value:.2f}", f"{slope:+.1f}", f"{p:.2g}"
    p, value = p_and_value(lambda permuted: q_squared(x, permuted, weights), gains, "greater")
    yield name, str(len(group)), "all three", f"Q² = {value:.2f}", "", f"{p:.2g}"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", nargs="?", type=Path, help="a database of the study (default: the stored one)")
    path = parser.parse_args().database
    published = {game: value for game, variant, value in Study.load(PAPER).published if variant == PAPER_VARIANT}
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = list(sheets(path or restore(f"{STUDY}-{BUDGET}", Path(folder))))
    except UserError as error:
        parser.error(str(error))
    both = [sheet for sheet in found if sheet.entry.game in published]
    if len(both) < MIN_SHEETS:
        parser.error(
            f"{len(both)} sheets of the paper have {MIN_GAMES} games with statistics; the tests need {MIN_SHEETS}"
        )
    heads = ("sheet", "games", "score, %", "tied, %", *PREDICTORS)
    print(*markdown_table(heads, (sheet.row() for sheet in sorted(found, key=lambda sheet: -sheet.gain))), sep="\n")
    errors = [(high - low) / 2 / Z for low, high in (sheet.entry.interval for sheet in found)]
    print(
        f"\nStandard deviation of the gains: {stdev(sheet.gain for sheet in found):.1f} points; "
        f"of sampling errors: {fmean(error**2 for error in errors) ** 0.5:.1f}.\n"
    )
    groups = {
        "all": found,
        f"without {KNOWN}": [sheet for sheet in found if sheet.entry.game != KNOWN],
        "few ties": [sheet for sheet in found if sheet.tied <= MAX_TIED],
    }
    rows = [
        row
        for name, group in groups.items()
        for row in tests(
            name,
            group,
            np.array([sheet.gain for sheet in group]),
            np.array([float(sheet.entry.score.games) for sheet in group]),
        )
    ]
    values = [published[sheet.entry.game] for sheet in both]
    rows += tests(
        "paper's gains",
        both,
        np.array([value.value - 50 for value in values]),
        np.array([1 / value.half**2 for value in values]),
    )
    agreement = spearmanr([sheet.gain for sheet in both], [value.value for value in values])
    print(f"Rank correlation of gains here and in the paper: {agreement.statistic:.2f} (p = {agreement.pvalue:.2g}).\n")
    of_tests = ("group", "sheets", "predictor", "rank correlation", "slope, points", "p")
    print(*markdown_table(of_tests, rows, {1, 3, 4, 5}), sep="\n")


if __name__ == "__main__":
    main()

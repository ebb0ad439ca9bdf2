"""Compare two runs of bench.

Speeds of two machines are divided by their calibration scores. A change counts only if it is larger than the spread of
both runs, because two runs may differ as much as the repeats of one.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .bench_record import BenchRecord
from .measure import BenchResult

# Calibrations that differ by more than this part belong to two machines, or to one machine that changed its speed.
UNSTEADY = 0.1

_Figure = Callable[[BenchResult], tuple[float | None, float | None]]

FIGURES: dict[str, _Figure] = {
    "play-outs": lambda result: (result.playouts_per_cpu_s, result.playouts_spread_percent),
    "simulations": lambda result: (result.simulations_per_cpu_s, result.simulations_spread_percent),
}
# The longer searches of two runs are compared if both searched for the same time.
LONG_FIGURE = "long simulations"


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one speed of one game."""

    game: str
    then: float | None  # earlier speed per CPU-second; None if it was not measured
    now: float | None  # later speed per CPU-second; None if it was not measured
    ratio: float | None  # later by earlier speed; None if one of them is 0 or missing
    normalised: float | None  # ratio of the speeds divided by the calibrations if the machines differ, otherwise None
    verdict: str  # `faster` or `slower` if the change exceeds both spreads, otherwise empty

    @property
    def counted(self) -> float | None:
        """The ratio to judge the program by, normalised if the machines differ."""
        return self.ratio if self.normalised is None else self.normalised


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changes of all games that two runs have in common, in the order of the later run."""

    # Changes by kind of speed: `play-outs` and `simulations`, and `long simulations` if both runs measured longer
    # searches of the same time.
    changes: dict[str, tuple[Change, ...]]
    machines_differ: bool  # whether speeds are normalised
    only_then: tuple[str, ...]  # games of the earlier run only
    only_now: tuple[str, ...]  # games of the later run only

    def mean(self, figure: str) -> float | None:
        """Return the geometric mean of the ratios; None without ratios."""
        ratios = [change.counted for change in self.changes[figure] if change.counted is not None]
        return statistics.geometric_mean(ratios) if ratios else None


def compare(then: Sequence[BenchRecord], now: Sequence[BenchRecord]) -> Comparison:
    """Compare two runs game by game."""
    earlier = {record.result.game: record for record in then}
    later = {record.result.game: record for record in now}
    pairs = [(earlier[game], record) for game, record in later.items() if game in earlier]
    differ = machines_differ([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    changes = {
        name: tuple(_change(old.result, new.result, figure, differ) for old, new in pairs)
        for name, figure in FIGURES.items()
    }
    long = [(old.result, new.result) for old, new in pairs if _same_long_search(old.result, new.result)]
    if long:
        changes[LONG_FIGURE] = tuple(_change(old, new, _long_search, differ) for old, new in long)
    return Comparison(
        changes=changes,
        machines_differ=differ,
        only_then=tuple(game for game in earlier if game not in later),
        only_now=tuple(game for game in later if game not in earlier),
    )


def machines_differ(then: Sequence[BenchRecord], now: Sequence[BenchRecord]) -> bool:
    """Return whether the processors have different names or median calibrations more than 10 % apart."""
    if not then or not now:
        return False
    if {record.host.cpu for record in then} != {record.host.cpu for record in now}:
        return True
    scores = [statistics.median(record.result.calibration for record in run) for run in (then, now)]
    return max(scores) > (1 + UNSTEADY) * min(scores)


def _same_long_search(then: BenchResult, now: BenchResult) -> bool:
    return then.search_seconds is not None and then.search_seconds == now.search_seconds


def _long_search(result: BenchResult) -> tuple[float | None, float | None]:
    return result.long_simulations_per_cpu_s, result.long_simulations_spread_percent


def _change(then: BenchResult, now: BenchResult, figure: _Figure, normalise: bool) -> Change:
    (before, before_spread), (after, after_spread) = figure(then), figure(now)
    ratio = after / before if before and after else None
    normalised = None
    if normalise and ratio is not None and then.calibration and now.calibration:
        normalised = ratio * then.calibration / now.calibration
    counted = ratio if normalised is None else normalised
    return Change(then.game, before, after, ratio, normalised, _verdict(counted, before_spread, after_spread))


def _verdict(ratio: float | None, *spreads: float | None) -> str:
    """Return whether a ratio exceeds the spreads, as a word.

    >>> _verdict(1.2, 10.0, 19.0), _verdict(1.2, 10.0, 21.0), _verdict(0.8, 10.0, 19.0), _verdict(1.2, None, 10.0)
    ('faster', '', 'slower', '')
    """
    known = [spread for spread in spreads if spread is not None]
    if ratio is None or len(known) < len(spreads):
        return ""
    allowed = 1 + max(known) / 100
    if ratio > allowed:
        return "faster"
    return "slower" if ratio * allowed < 1 else ""

"""Output of bench for users: a growing table, progress, the comparison of two runs, a bar chart."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..common import charts
from ..common.progress import BarDisplay
from ..common.terminal_text import amount, table
from .bench_record import BenchRecord
from .compare import UNSTEADY, Change, Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEADS = ("game", "kernel", "load s", "memory MB", "play-outs/s", "spread", "states/s", "length", "search/s", "spread")
_WIDTHS = (-22, 13, 7, 10, 13, 7, 15, 8, 13, 7)
_LONG_HEADS = ("long search/s", "spread")
_LONG_WIDTHS = (15, 7)


class BenchDisplay(BarDisplay):
    """Print a row for each measured game; on a terminal, show the current game below.

    The first row is preceded by the machine and the column headings.
    """

    def __init__(self, games: int, *, quiet: bool = False) -> None:
        super().__init__("bench", games, quiet=quiet, stdout=True)
        self._begun = False

    def measured(self, record: BenchRecord) -> None:
        """Print the row of a game."""
        self.advance()
        result = record.result
        long = result.search_seconds is not None
        widths = _WIDTHS + _LONG_WIDTHS * long
        if not self._begun:
            self._begun = True
            self.line(f"{record.host}; ggp-agent {record.version}, {record.date}")
            every = f"{amount(result.repeats, 'repeat')} of {result.seconds / result.repeats:g} s"
            self.line(f"one thread, all speeds per CPU-second, medians of {every}")
            if long:
                self.line(f"long search: {result.search_seconds:g} s in each repeat, in one tree")
            self.line(_row(_HEADS + _LONG_HEADS * long, widths))
        cells: tuple[str, ...] = (
            result.game,
            f"{result.kernel or result.machine} {result.lanes}",
            f"{result.load_cpu_s:.2f}",
            f"{result.peak_rss_mb:,.0f}",
            _speed(result.playouts_per_cpu_s),
            _percent(result.playouts_spread_percent),
            _speed(result.states_per_cpu_s),
            f"{result.mean_length:.2f}" if result.mean_length else "-",
            _speed(result.simulations_per_cpu_s),
            _percent(result.simulations_spread_percent),
        )
        if long:
            cells += (
                _speed(result.long_simulations_per_cpu_s),
                _percent(result.long_simulations_spread_percent),
            )
        self.line(_row(cells, widths))


def calibration_line(records: Sequence[BenchRecord]) -> str:
    """Return the calibration of the machine over all games as text."""
    low, middle, high = _calibrations(records)
    return f"calibration {middle:.2f} ({low:.2f} to {high:.2f})"


def unsteadiness(records: Sequence[BenchRecord]) -> str:
    """Return a warning if the speed of the machine changed during the run; otherwise an empty string."""
    if not records:
        return ""
    low, _, high = _calibrations(records)
    if high <= (1 + UNSTEADY) * low:
        return ""
    return (
        f"the machine is unsteady: its calibration was between {low:.2f} and {high:.2f}, "
        "and speeds may be off by as much"
    )


def print_comparison(comparison: Comparison, earlier: Sequence[BenchRecord], records: Sequence[BenchRecord]) -> None:
    """Print the changes since an earlier run: a table for each kind of speed, means, and games of one run only."""
    then = earlier[0]
    print(f"\nthen: {then.host}; ggp-agent {then.version}, {then.date}; {calibration_line(earlier)}")
    for figure, changes in comparison.changes.items():
        if not changes:
            continue
        normalised = comparison.machines_differ
        heads = (f"{figure}/s", "then", "now", "ratio", *(["normalised"] if normalised else []), "verdict")
        print(f"\n{table(heads, [_cells(change, normalised) for change in changes], right=heads[1:])}")
        mean = comparison.mean(figure)
        if mean is not None:
            of = "normalised ratios" if normalised else "ratios"
            print(f"geometric mean of the {of}: {mean:.3f}")
    print()
    if comparison.machines_differ:
        print("the machines differ: normalised ratios compare speeds divided by the calibration")
    kernels = {_kernels(earlier), _kernels(records)}
    if len(kernels) > 1:
        print(f"the kernels differ: {_kernels(earlier)} then, {_kernels(records)} now")
    for names, where in ((comparison.only_now, "not in the earlier run"), (comparison.only_then, "not measured now")):
        if names:
            print(f"{where}: {', '.join(names)}")


def against_document(comparison: Comparison | None, game: str) -> dict[str, Any]:
    """Return the additional JSON key of a compared game: `against`, by kind of speed; None if the game is new."""
    if comparison is None:
        return {}
    found = {
        figure: {
            "then": change.then,
            "ratio": change.ratio,
            "normalised": change.normalised,
            "verdict": change.verdict,
        }
        for figure, changes in comparison.changes.items()
        for change in changes
        if change.game == game
    }
    return {"against": found or None}


def _cells(change: Change, normalised: bool) -> tuple[str, ...]:
    ratios = [change.ratio, *([change.normalised] if normalised else [])]
    shown = ("-" if ratio is None else f"{ratio:.2f}" for ratio in ratios)
    return (change.game, _speed(change.then), _speed(change.now), *shown, change.verdict)


def _calibrations(records: Sequence[BenchRecord]) -> tuple[float, float, float]:
    """Return the lowest, the median and the highest calibration score of a run."""
    scores = [
        score for record in records for score in (record.result.calibration_before, record.result.calibration_after)
    ]
    return min(scores), statistics.median(scores), max(scores)


def _kernels(records: Sequence[BenchRecord]) -> str:
    return ", ".join(sorted({f"{each.result.kernel or each.result.machine} {each.result.lanes}" for each in records}))


def _speed(speed: float | None) -> str:
    """Return a speed as text; slow ones with decimals.

    >>> _speed(1234567.8), _speed(12.34), _speed(0.0), _speed(None)
    ('1,234,568', '12.3', '0', '-')
    """
    if speed is None:
        return "-"
    return f"{speed:,.0f}" if speed >= 100 or speed == 0 else f"{speed:.3g}"


def _percent(spread: float | None) -> str:
    return "-" if spread is None else f"{spread:.0f} %"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return cells as a row with columns; columns with a negative width are left-aligned."""
    return "".join(
        f"{cell:<{-width}}" if width < 0 else f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)
    )


# One colour is darker, so they differ in print, too.
_PLAYOUTS, _SIMULATIONS = charts.BLUE, charts.ORANGE


def draw_chart(records: Sequence[BenchRecord], kind: str) -> bytes:
    """Return a bar chart of play-outs and simulations per CPU-second, the fastest game on top, logarithmic."""
    from matplotlib.ticker import FuncFormatter

    ordered = sorted(records, key=lambda record: record.result.playouts_per_cpu_s)
    places = range(len(ordered))
    playouts = [record.result.playouts_per_cpu_s for record in ordered]
    simulations = [record.result.simulations_per_cpu_s or 0.0 for record in ordered]

    def plot(figure: Figure, axes: Axes) -> None:
        height = 0.38
        above, below = [place + height / 2 for place in places], [place - height / 2 for place in places]
        axes.barh(above, playouts, height, color=_PLAYOUTS, label="random play-outs")
        axes.barh(below, simulations, height, color=_SIMULATIONS, label="search simulations")
        axes.set_xscale("log")
        axes.set_xlim(*_limits([speed for speed in playouts + simulations if speed > 0]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda speed, _: f"{speed:,.0f}"))
        axes.set_yticks(list(places), [record.result.game for record in ordered])
        axes.set_ylim(-0.6, len(ordered) - 0.4)
        axes.set_xlabel("per CPU-second of one thread (logarithmic)")
        axes.set_ylabel("game")
        axes.grid(axis="x", color="#cccccc", linewidth=0.6)
        figure.legend(loc="outside upper center", ncols=2, frameon=False)
        figure.text(0.5, -0.01, caption(records), ha="center", va="top", fontsize=8, color="#444444")

    return charts.draw(plot, (8.5, 1.6 + 0.3 * len(ordered)), kind)[kind]


def _limits(speeds: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the axis: a power of ten with room for the slowest bar, and twice the fastest speed.

    >>> _limits([20.0, 300.0]), _limits([10.0]), _limits([])
    ((10.0, 600.0), (1.0, 20.0), (1.0, 10.0))
    """
    if not speeds:
        return 1.0, 10.0
    return 10.0 ** math.floor(math.log10(min(speeds) / 1.5)), 2 * max(speeds)


def caption(records: Sequence[BenchRecord]) -> str:
    """Return the computer, the kernels with their numbers of games, the version and the date as text."""
    first = records[0]
    games = Counter(map(_kernel, records))
    counted = [f"{kernel}: {amount(count, 'game')}" for kernel, count in games.most_common()]
    kernels = f"kernel {_kernel(first)}" if len(games) == 1 else f"kernels {'; '.join(counted)}"
    return f"{first.host}\n{kernels}\nggp-agent {first.version}, {first.date[:10]}"


def _kernel(record: BenchRecord) -> str:
    return f"{record.result.kernel}, {record.result.lanes} lanes" if record.result.kernel else record.result.machine

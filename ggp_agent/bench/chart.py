"""A bar chart of the speeds of games."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..common import charts
from ..common.terminal_text import amount
from .bench_record import BenchRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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

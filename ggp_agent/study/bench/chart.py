"""A bar chart of the speeds of games."""

from __future__ import annotations

import importlib.util
import io
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ...errors import UserError
from .record import BenchRecord

FORMATS = ("svg", "png", "pdf")

# Two of the colours that Okabe and Ito (2008) chose for all kinds of colour vision; one is darker in print, too.
_PLAYOUTS, _SIMULATIONS = "#0072B2", "#E69F00"


def require_chart(path: Path) -> None:
    """Make sure that a chart can be drawn, before a long measurement.

    Raises:
        UserError: the name has another ending than the formats have, or matplotlib is missing.
    """
    if path.suffix.lower().removeprefix(".") not in FORMATS:
        raise UserError(f"{path}: a chart is a file .{', .'.join(FORMATS)}")
    if importlib.util.find_spec("matplotlib") is None:
        raise UserError("a chart needs matplotlib; install it with pip install '.[bench]' in the folder of the program")


def draw_chart(records: Sequence[BenchRecord], kind: str) -> bytes:
    """Draw play-outs and simulations per CPU-second of each game, the fastest on top, on a logarithmic axis.

    Args:
        records: at least one; machine and date of the first are in the caption, and the kernels of all.
        kind: one of the formats.
    """
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    ordered = sorted(records, key=lambda record: record.result.playouts_per_cpu_s)
    places = range(len(ordered))
    playouts = [record.result.playouts_per_cpu_s for record in ordered]
    simulations = [record.result.simulations_per_cpu_s or 0.0 for record in ordered]
    # Text stays text in SVG, and equal figures give equal files.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ggp-agent", "font.size": 10}):
        figure = Figure(figsize=(8.5, 1.6 + 0.3 * len(ordered)), layout="constrained")
        axes = figure.add_subplot()
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
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper center", ncols=2, frameon=False)
        figure.text(0.5, -0.01, caption(records), ha="center", va="top", fontsize=8, color="#444444")
        data = io.BytesIO()
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        figure.savefig(data, format=kind, metadata=metadata, bbox_inches="tight", facecolor="white", dpi=100)
    return data.getvalue()


def _limits(speeds: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the axis: it begins with a power of ten and leaves some length to the bar of the slowest.

    >>> _limits([20.0, 300.0]), _limits([10.0]), _limits([])
    ((10.0, 600.0), (1.0, 20.0), (1.0, 10.0))
    """
    if not speeds:
        return 1.0, 10.0
    return 10.0 ** math.floor(math.log10(min(speeds) / 1.5)), 2 * max(speeds)


def caption(records: Sequence[BenchRecord]) -> str:
    """Say on what the figures were measured; kernels and widths with the number of their games where they differ."""
    first = records[0]
    games = Counter(map(_kernel, records))
    counted = [f"{kernel}: {count} game{'s' * (count > 1)}" for kernel, count in games.most_common()]
    kernels = f"kernel {_kernel(first)}" if len(games) == 1 else f"kernels {'; '.join(counted)}"
    return f"{first.host}\n{kernels}\nggp-agent {first.version}, {first.date[:10]}"


def _kernel(record: BenchRecord) -> str:
    return f"{record.result.kernel}, {record.result.lanes} lanes" if record.result.kernel else record.result.machine

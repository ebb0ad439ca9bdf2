"""Formats, colours and drawing of all charts."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import UserError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "png", "pdf")

# Colours of Okabe and Ito (2008), for all kinds of colour vision.
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
GREY = "#888888"

# No metadata that changes between runs, such as the time of drawing.
_METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def format_of(path: Path) -> str:
    """Return the format for the suffix of a name."""
    return path.suffix.lower().removeprefix(".")


def require_charts(path: Path | None = None) -> None:
    """Check that a chart can be drawn, before a long computation; with a path, also that its format is known."""
    if path is not None and format_of(path) not in FORMATS:
        raise UserError(f"{path}: a chart must have the suffix .{', .'.join(FORMATS)}")
    if not can_draw():
        raise UserError("a chart needs matplotlib; install it with pip install matplotlib")


def can_draw() -> bool:
    """Return True if matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw(plot: Callable[[Figure, Axes], None], size: tuple[float, float], *kinds: str) -> dict[str, bytes]:
    """Draw a chart in some formats."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ggp-agent", "font.size": 10}):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        plot(figure, axes)
        charts = {}
        for kind in kinds:
            data = io.BytesIO()
            metadata = _METADATA.get(kind)
            figure.savefig(data, format=kind, metadata=metadata, bbox_inches="tight", facecolor="white", dpi=110)
            charts[kind] = data.getvalue()
    return charts

"""How the averages of random play-out search approach what they converge to, as a chart (Li, 2018, Figure 4)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from fractions import Fraction

from .random_playouts import Averages

# Colours that Okabe and Ito (2008) chose for all kinds of colour vision.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def draw_convergence(averages: Sequence[Averages], exact: Mapping[str, Fraction], title: str, kind: str) -> bytes:
    """Draw the average of each move over the play-outs, and as a black line what it converges to.

    Args:
        averages: at least one.
        exact: the expected score of each move.
        title: above it.
        kind: `svg`, `png` or `pdf`.
    """
    import matplotlib
    from matplotlib.figure import Figure

    # Text stays text in SVG, and equal figures give equal files.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ggp-agent", "font.size": 10}):
        figure = Figure(figsize=(7.0, 4.5), layout="constrained")
        axes = figure.add_subplot()
        for number, (move, score) in enumerate(exact.items()):
            axes.axhline(float(score), color="black", linewidth=0.8)
            known = [each for each in averages if move in each.scores]
            axes.plot(
                [each.playouts for each in known],
                [each.scores[move] for each in known],
                color=_COLOURS[number % len(_COLOURS)],
                linewidth=1.2,
                label=f"{move}: {score}",
            )
        axes.set_xlabel("play-outs")
        axes.set_ylabel("average score")
        axes.set_title(title, fontsize=11)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, title="move: expected score")
        data = io.BytesIO()
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        figure.savefig(data, format=kind, metadata=metadata, bbox_inches="tight", facecolor="white", dpi=110)
    return data.getvalue()

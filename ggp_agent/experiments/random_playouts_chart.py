"""A chart of the averages of random play-out search and their exact limits (Li, 2018, Figure 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..common import charts
from .random_playouts import Averages

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_convergence(averages: Sequence[Averages], exact: Mapping[str, Fraction], title: str, kind: str) -> bytes:
    """Draw the average of each move over the play-outs, and its limit as a black line."""

    def plot(_figure: Figure, axes: Axes) -> None:
        for number, (move, score) in enumerate(exact.items()):
            axes.axhline(float(score), color="black", linewidth=0.8)
            known = [each for each in averages if move in each.scores]
            axes.plot(
                [each.playouts for each in known],
                [each.scores[move] for each in known],
                color=charts.COLOURS[number % len(charts.COLOURS)],
                linewidth=1.2,
                label=f"{move}: {score}",
            )
        axes.set_xlabel("play-outs")
        axes.set_ylabel("average score")
        axes.set_title(title, fontsize=11)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.legend(frameon=False, title="move: expected score")

    return charts.draw(plot, (7.0, 4.5), kind)[kind]

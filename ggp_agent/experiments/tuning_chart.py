"""The history of a tuning as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from ..common import charts
from .tuning import TrialRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COMPLETE, _GIVEN_UP, _BEST, _FINAL = charts.BLUE, charts.GREY, charts.ORANGE, charts.GREEN


def draw_history(trials: Sequence[TrialRecord], final: TrialRecord | None, title: str, kind: str) -> bytes:
    """Draw the score of each trial with its 95 % interval, the best so far, and the winner's with new seeds."""

    def plot(figure: Figure, axes: Axes) -> None:
        axes.axhline(50, color="#444444", linewidth=0.8)
        for given_up, colour, marker, label in (
            (False, _COMPLETE, "o", "trial"),
            (True, _GIVEN_UP, "x", "trial stopped halfway"),
        ):
            shown = [trial for trial in trials if trial.given_up == given_up]
            if shown:
                axes.errorbar(
                    [trial.number for trial in shown],
                    [100 * trial.share for trial in shown],
                    yerr=_bars(shown),
                    fmt=marker,
                    color=colour,
                    ecolor=colour,
                    elinewidth=0.6,
                    markersize=4,
                    label=label,
                )
        complete = [(trial.number, 100 * trial.share) for trial in trials if not trial.given_up]
        if complete:
            places, shares = zip(*complete, strict=True)
            axes.step(
                [*places, trials[-1].number],
                list(accumulate([*shares, shares[-1]], max)),
                where="post",
                color=_BEST,
                label="best so far (too high: the luckiest is chosen)",
            )
        if final is not None:
            low, high = final.interval
            axes.axhspan(100 * low, 100 * high, color=_FINAL, alpha=0.15)
            axes.axhline(100 * final.share, color=_FINAL, label="winner with new seeds, 95 % confidence interval")
        axes.set_xlabel("trial")
        axes.set_ylabel("score against the base, per cent")
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)

    return charts.draw(plot, (8.5, 4.5), kind)[kind]


def _bars(trials: Sequence[TrialRecord]) -> list[list[float]]:
    """Return the lengths of the intervals below and above the scores, in per cent."""
    return [
        [100 * (trial.share - trial.interval[0]) for trial in trials],
        [100 * (trial.interval[1] - trial.share) for trial in trials],
    ]

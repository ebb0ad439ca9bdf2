"""Charts of test positions: detection rates by game, and processor times of searches and minimaxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..common import charts
from .figures import FORMATS
from .position_times import Times
from .table import TableEntry

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLES = (":", "--", "-")


def draw_detection(table: Sequence[TableEntry], title: str) -> dict[str, bytes]:
    """Draw the detection rate by game: a panel for each kind of positions, a line for each variant and column."""
    shown = [entry for entry in table if entry.score.games]
    kinds, games, variants, columns = (
        list(dict.fromkeys(getattr(entry, name) for entry in shown)) for name in ("kind", "game", "variant", "column")
    )
    by_place = {(entry.kind, entry.game, entry.variant, entry.column): entry for entry in shown}

    def plot(figure: Figure, axes: Axes) -> None:
        panels = _panels(figure, axes, len(kinds))
        for axes, kind in zip(panels, kinds, strict=True):
            for number, variant in enumerate(variants):
                for column, style in zip(columns, _STYLES[-len(columns) :] * len(columns), strict=False):
                    line = [by_place.get((kind, game, variant, column)) for game in games]
                    known = [(place, entry) for place, entry in enumerate(line) if entry is not None]
                    if not known:
                        continue
                    axes.plot(
                        [place for place, _ in known],
                        [entry.percent for _, entry in known],
                        marker="o",
                        markersize=3,
                        linestyle=style,
                        color=charts.COLOURS[number % len(charts.COLOURS)],
                        label=f"{variant}, {column}",
                    )
            axes.set_xticks(range(len(games)), games, rotation=45, ha="right")
            axes.set_title(kind, fontsize=10)
            axes.set_ylim(0, 103)
            axes.grid(color="#dddddd", linewidth=0.6)
        panels[0].set_ylabel("detected, per cent of positions")
        figure.suptitle(title, fontsize=11)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)

    return charts.draw(plot, (2.6 * len(kinds) + 1, 4.6), *FORMATS)


# Times are stored in milliseconds; shorter ones are stored as 0, which a logarithmic axis cannot show.
_LEAST_MS = 0.5


def draw_times(times: Sequence[Times], title: str) -> dict[str, bytes]:
    """Draw the distribution functions of the processor times (Li, 2018, Figure 18), a panel for each game."""
    games = list(dict.fromkeys(each.game for each in times))

    def plot(figure: Figure, axes: Axes) -> None:
        panels = _panels(figure, axes, len(games))
        for axes, game in zip(panels, games, strict=True):
            of_game = [each for each in times if each.game == game]
            columns = list(dict.fromkeys(each.column for each in of_game))
            last = [each for each in of_game if each.column == columns[-1]]
            for number, each in enumerate(last):
                colour = charts.COLOURS[number % len(charts.COLOURS)]
                for values, style, what in ((each.searches, "-", ""), (each.minimaxes, ":", ", minimax alone")):
                    if values:
                        shares = [(place + 1) / len(values) for place in range(len(values))]
                        shown = [max(value, _LEAST_MS) for value in values]
                        axes.step(
                            shown, shares, where="post", color=colour, linestyle=style, label=f"{each.variant}{what}"
                        )
            axes.set_xscale("log")
            axes.set_xlabel("processor milliseconds")
            axes.set_title(f"{game}, {columns[-1]}", fontsize=10)
            axes.grid(color="#dddddd", linewidth=0.6)
        panels[0].set_ylabel("share of the positions")
        figure.suptitle(title, fontsize=11)
        handles = {
            label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, frameon=False, fontsize=8)

    return charts.draw(plot, (2.6 * len(games) + 1, 4.2), *FORMATS)


def _panels(figure: Figure, axes: Axes, count: int) -> list[Axes]:
    """Replace the axes by panels side by side."""
    axes.remove()
    panels = list(figure.subplots(1, count, sharey=True, squeeze=False)[0])
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
    return panels

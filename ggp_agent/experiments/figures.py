"""Charts of a study: all scores beside published values, and curves over a parameter or a budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..common import charts
from .table import LIMIT_UNITS, TableEntry

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
# Markers of the columns of a study.
_MARKERS = "os^Dv"
# Maximal number of variants that a legend names.
_NAMED_VARIANTS = 8


def draw_scores(table: Sequence[TableEntry], title: str) -> dict[str, bytes]:
    """Draw the score of each cell with its interval, and the published value below it."""
    shown = [entry for entry in table if entry.score.games]
    limits = list(dict.fromkeys(entry.limit_label for entry in shown))
    variants = list(dict.fromkeys(entry.variant for entry in shown))
    colours = {variant: charts.COLOURS[number % len(charts.COLOURS)] for number, variant in enumerate(variants)}
    published = any(entry.published for entry in shown)
    per_move = f"; {limits[0]} per move" if len(limits) == 1 and limits[0].endswith(LIMIT_UNITS) else ""

    def plot(figure: Figure, axes: Axes) -> None:
        places, names = [], []
        place = 0.0
        for game in dict.fromkeys(entry.game for entry in shown):
            for entry in (each for each in shown if each.game == game):
                _plot_entry(axes, entry, place, colours[entry.variant])
                places.append(place)
                names.append(f"{entry.game}: {entry.variant}{f', {entry.limit_label}' if len(limits) > 1 else ''}")
                place -= 1
            place -= 0.5
        axes.axvline(50, color="black", linewidth=0.8)
        axes.set_yticks(places, names)
        axes.set_xlabel(f"score in per cent, with 95 % confidence interval{per_move}")
        axes.set_title(title, fontsize=11)
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        by_name = colours if len(variants) <= _NAMED_VARIANTS else {"here": "black"}
        for name, colour in by_name.items():
            axes.plot([], [], "o-", color=colour, label=f"here, {name}" if published and name != "here" else name)
        if published:
            axes.plot([], [], "D-", color=charts.GREY, markersize=4, label="published")
        if published or 1 < len(variants) <= _NAMED_VARIANTS:
            figure.legend(loc="outside lower center", ncols=3, frameon=False)

    return charts.draw(plot, (8.5, 1.4 + 0.32 * len(shown)), *FORMATS)


def _plot_entry(axes: Axes, entry: TableEntry, place: float, colour: str) -> None:
    """Draw the score of a cell at a place of the vertical axis, and the published value below it."""
    axes.plot(entry.interval, [place, place], color=colour, linewidth=2)
    axes.plot(entry.percent, place, "o", color=colour, markersize=6)
    if entry.published is not None:
        value, half = entry.published.value, entry.published.half
        axes.plot([value - half, value + half], [place - 0.28] * 2, color=charts.GREY, linewidth=2)
        axes.plot(value, place - 0.28, "D", color=charts.GREY, markersize=4)


def draw_curves(table: Sequence[TableEntry], title: str, axis: str) -> dict[str, bytes]:
    """Draw the scores over the parameter of the variants, one line for each game and column."""
    lines: dict[str, list[TableEntry]] = {}
    played = [entry for entry in table if entry.x is not None and entry.score.games]
    games = list(dict.fromkeys(entry.game for entry in played))
    columns = list(dict.fromkeys(entry.column for entry in played))
    for entry in played:
        labelled = len(columns) > 1 or entry.limit_label != entry.column
        name = f"{entry.game}, {entry.limit_label}" if labelled else entry.game
        lines.setdefault(name, []).append(entry)

    places = [entry.x or 0.0 for line in lines.values() for entry in line]
    # Lines are shifted a little to either side, so that their intervals do not cover each other.
    shift = (max(places) - min(places)) / 150

    def plot(figure: Figure, axes: Axes) -> None:
        for number, (name, line) in enumerate(lines.items()):
            line.sort(key=lambda entry: entry.x or 0.0)
            x: list[Any] = [(entry.x or 0.0) + shift * (number - (len(lines) - 1) / 2) for entry in line]
            y = [entry.percent for entry in line]
            below = [entry.percent - entry.interval[0] for entry in line]
            above = [entry.interval[1] - entry.percent for entry in line]
            game, column = games.index(line[0].game), columns.index(line[0].column)
            # A colour for each game, and a marker for each column; with one game, a colour for each column.
            several = len(games) > 1
            colour = charts.COLOURS[(game if several else column) % len(charts.COLOURS)]
            marker = _MARKERS[column % len(_MARKERS)] if several else _MARKERS[0]
            axes.errorbar(
                x,
                y,
                yerr=[below, above],
                fmt=f"{marker}-",
                markersize=4,
                elinewidth=0.8,
                capsize=2,
                color=colour,
                label=name,
            )
        axes.axhline(50, color="black", linewidth=0.8)
        axes.set_xlabel(axis)
        axes.set_ylabel("score in per cent, with 95 % confidence interval")
        axes.set_title(title, fontsize=11)
        axes.grid(color="#dddddd", linewidth=0.6)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)

    return charts.draw(plot, (7.0, 4.5 + 0.2 * math.ceil(len(lines) / 2)), *FORMATS)

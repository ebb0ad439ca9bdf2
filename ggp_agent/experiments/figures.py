"""Charts of a study: scores beside published values, curves over a parameter or a budget, detection rates, times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..common import charts
from .runner import CellState
from .study_file import Study
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


@dataclass(frozen=True, slots=True)
class Times:
    """The times of one game, variant and column, of all kinds of positions together, in processor milliseconds."""

    game: str  # label of the game
    variant: str  # label of the variant
    column: str  # name of the limit per move
    searches: tuple[float, ...]  # times of searches including the minimax, ascending
    minimaxes: tuple[float, ...]  # times of the minimax, ascending; without times below half a millisecond


def times_of(study: Study, states: Sequence[CellState]) -> list[Times]:
    """Return the times of all cells that have any."""
    gathered: dict[tuple[str, str, str], tuple[list[float], list[float]]] = {}
    for state in states:
        cell = state.cell
        names = study.game_label(cell.game), study.variant_label(cell.variant), cell.column
        searches, minimaxes = gathered.setdefault(names, ([], []))
        for match in state.matches:
            own = match.plan.seats.index(0)
            searches.append(1000 * match.cpu_seconds[own])
            if match.cpu_seconds[1 - own] > 0:
                minimaxes.append(1000 * match.cpu_seconds[1 - own])
    return [
        Times(*names, tuple(sorted(searches)), tuple(sorted(minimaxes)))
        for names, (searches, minimaxes) in gathered.items()
        if searches
    ]


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
_MIN_MS = 0.5


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
                        shown = [max(value, _MIN_MS) for value in values]
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

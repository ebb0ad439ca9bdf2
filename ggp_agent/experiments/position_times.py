"""Processor times of searches of test positions, and of the sudden-death minimax in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .runner import CellState
from .study_file import Study


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


def time_rows(times: Sequence[Times]) -> Iterator[list[str]]:
    """Yield the rows of a table: names, and median, 90 % quantile and maximum of each kind of time, in milliseconds."""
    yield [
        "game",
        "variant",
        "per move",
        "search: median",
        "90 %",
        "maximum",
        "minimax of 0.5 ms and more in",
        "median",
        "90 %",
        "maximum",
    ]
    for each in times:
        share = f"{len(each.minimaxes):,} of {len(each.searches):,}"
        yield [each.game, each.variant, each.column, *_quantiles(each.searches), share, *_quantiles(each.minimaxes)]


def _quantiles(values: Sequence[float]) -> list[str]:
    """Return median, 90 % quantile and maximum of ascending values as text.

    >>> _quantiles([1.0, 2.0, 3.0]), _quantiles([])
    (['2', '3', '3'], ['', '', ''])
    """
    if not values:
        return [""] * 3
    last = len(values) - 1
    return [f"{values[round(share * last)]:.3g}" for share in (0.5, 0.9, 1.0)]

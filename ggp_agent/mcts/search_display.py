"""Display the state of a search: a live line while it runs, and a table of the moves of a role."""

from __future__ import annotations

from collections.abc import Callable

from rich.table import Table
from rich.text import Text

from ..common.progress import plain_table
from ..common.terminal_text import amount
from .search_result import SearchResult, bounds_text, choosing_roles, percent
from .searcher import Searcher


def progress_text(searcher: Searcher) -> str:
    """Return the progress of a search in one line."""
    found = searcher.statistics()
    text = f"{amount(found.simulations, 'simulation')} in {found.seconds:.1f} s"
    if found.seconds > 0:
        text += f", {found.simulations / found.seconds:,.0f} a second"
    for role in choosing_roles(found):
        best = found.moves[role][0]
        text += f"; {role} {best.move} {best.value:.0f}"
    return text


def moves_table(found: SearchResult, role: str, rows: int, printed: Callable[[str], str] = str) -> Table:
    """Return a table of the best moves of a role, each as `printed` gives it, with at most the given number of rows.

    The column `network` has the probabilities of a learned network, if the search has one.
    """
    moves = found.moves[role][:rows]
    learned = any(move.probability is not None for move in moves)
    heads = (role, "visits", "share", *(["network"] if learned else []), "value", "proven")
    table = plain_table(*heads, header_style="bold")
    for move in moves:
        share = percent(move.visits / found.visits if found.visits else None)
        value = f"{move.value:.1f}" if move.visits else "-"
        network = [percent(move.probability)] if learned else []
        table.add_row(Text(printed(move.move)), f"{move.visits:,}", share, *network, value, bounds_text(move.bounds))
    return table

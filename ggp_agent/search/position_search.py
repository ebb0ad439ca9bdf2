"""One search of one position, for those who need no tree afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .config import SearchConfig
from .statistics import Statistics

if TYPE_CHECKING:
    from ..state import State


def search(
    state: State,
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    config: SearchConfig | None = None,
) -> Statistics:
    """Search a position until the first limit.

    Args:
        state: the position.
        seconds: by the clock on the wall, at least 0.
        simulations: so many are completed, at least 0.
        config: of the search; the default where it is None.

    Raises:
        ValueError: no limit is given, or one is negative; or the configuration asks for what this game has not, such as
            more lanes or an evaluation.
    """
    if simulations is None and seconds is None:
        raise ValueError("say how long to search: simulations=..., seconds=..., or both")
    return state.searcher(config).run(simulations=simulations, seconds=seconds)

"""A General Game Playing agent: it is handed the rules of a game as text and plays it over HTTP.

From Python, a match between random players, and what the search thinks of a position:

>>> import random
>>> import ggp_agent as ggp
>>> state = ggp.load_game("tic_tac_toe").initial_state()
>>> while not state.is_terminal:
...     state = state.play(*(random.choice(moves) for moves in state.legal_moves().values()))
>>> sum(state.goals.values())
100
>>> result = ggp.search(ggp.load_game("tic_tac_toe").initial_state(), simulations=1000)
>>> len(result.moves["x"]), sum(move.visits for move in result.moves["x"]) == result.visits
(9, True)

What stands below is read in when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdl import GdlError

    from .errors import IllegalMoveError, UserError
    from .games import Game, load_game
    from .lanes import Lanes
    from .search import SearchConfig, Searcher
    from .search import Statistics as SearchResult
    from .search.position_search import search
    from .state import State

__all__ = [
    "Game",
    "GdlError",
    "IllegalMoveError",
    "Lanes",
    "SearchConfig",
    "SearchResult",
    "Searcher",
    "State",
    "UserError",
    "__version__",
    "load_game",
    "search",
]

__version__ = "0.2.0"

_PLACE_OF = {
    "Game": (".games", "Game"),
    "GdlError": ("gdl", "GdlError"),
    "IllegalMoveError": (".errors", "IllegalMoveError"),
    "Lanes": (".lanes", "Lanes"),
    "SearchConfig": (".search", "SearchConfig"),
    "SearchResult": (".search", "Statistics"),
    "Searcher": (".search", "Searcher"),
    "State": (".state", "State"),
    "UserError": (".errors", "UserError"),
    "load_game": (".games", "load_game"),
}


def __getattr__(name: str) -> object:
    """Read in the module that a name of the face is from."""
    if name == "search":  # the package of this name, which can be called
        return import_module(".search", __name__)
    if name not in _PLACE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, own = _PLACE_OF[name]
    found = getattr(import_module(module, __name__), own)
    globals()[name] = found
    return found

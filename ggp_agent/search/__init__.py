"""Monte-Carlo tree search: the Python face of `csrc/search`.

config, configurations   what is searched how: one object, from TOML or from the words of a command line
limits                   when a run ends
in_flight                how many simulations are under way in slow games
position_search          one search of one position
searcher, threads        the search of one match, in one thread or several
statistics               what a search has found out, in numbers and in words
weights_file             evaluations of the states of a rule sheet
sheet_search             whole turns of a hand-coded game, for rules that make a turn of several moves
rewards                  the rewards of the papers, outside a search
display                  what a search knows, for people

What stands below is read in when it is first asked for: the front of a player needs the configuration alone. The
package itself can be called, as `ggp_agent.search(state, ...)`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .config import SearchConfig
    from .searcher import Searcher
    from .statistics import MoveStatistics, Statistics

__all__ = ["MoveStatistics", "SearchConfig", "Searcher", "Statistics"]

_MODULE_OF = {
    "MoveStatistics": "statistics",
    "SearchConfig": "config",
    "Searcher": "searcher",
    "Statistics": "statistics",
}


def __getattr__(name: str) -> object:
    """Read in the module that a name of the face is from."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = found
    return found


class _Search(ModuleType):
    """A package that can be called as `position_search.search`: imported, it takes that name in its parent."""

    def __call__(self, *arguments: Any, **limits: Any) -> Statistics:
        from .position_search import search

        return search(*arguments, **limits)


sys.modules[__name__].__class__ = _Search

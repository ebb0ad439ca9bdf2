"""Choose how to search a game, by short matches between a few configurations before the first move.

candidates   the configurations that are tried, and when a configuration leaves the choice open
trial        a round of games between a candidate and the default
chooser      which candidate plays how many rounds, and which one is better than the default
belief       what games say of a candidate
choice       what was chosen, and why
in_play      whether it holds in the positions of the match
store        choices on disk, beside the compiled games
tuned        what hand-coded games begin with

What stands below is read in when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .choice import Choice
    from .chooser import Chooser
    from .store import ChoiceStore

__all__ = ["Choice", "ChoiceStore", "Chooser"]

_MODULE_OF = {"Choice": "choice", "ChoiceStore": "store", "Chooser": "chooser"}


def __getattr__(name: str) -> object:
    """Read in the module that a name of the face is from."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = found
    return found

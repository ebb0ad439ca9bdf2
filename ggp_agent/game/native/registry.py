"""All native games. A new game needs a line here and a line in `csrc/games/registry.cpp`."""

from __future__ import annotations

import difflib
from functools import cache

from ... import _games
from ...common.errors import UserError
from .amazons import Amazons
from .atari_go import AtariGo
from .breakthrough import Breakthrough
from .cannon import Cannon
from .checkers import Checkers
from .chinese_checkers import ChineseCheckers
from .go import Go
from .gomoku import Gomoku
from .kalah import Kalah
from .lines_of_action import LinesOfAction
from .native_game import NativeGame
from .pentalath import Pentalath

_CLASSES: dict[str, type[NativeGame]] = {
    "amazons": Amazons,
    "amazons_8x8": Amazons,
    "amazons_6x6": Amazons,
    "atari_go": AtariGo,
    "breakthrough": Breakthrough,
    "breakthrough_6x6": Breakthrough,
    "cannon": Cannon,
    "checkers": Checkers,
    "checkers_25": Checkers,
    "chinese_checkers": ChineseCheckers,
    "go_19x19": Go,
    "go_9x9": Go,
    "go_5x5": Go,
    **{f"gomoku_{size}x{size}": Gomoku for size in (5, 7, 9, 11, 15)},
    "kalah": Kalah,
    "lines_of_action": LinesOfAction,
    "pentalath": Pentalath,
}


@cache
def native_games() -> dict[str, NativeGame]:
    """Return all native games by name.

    >>> [name for name in native_games() if name.startswith("break")]
    ['breakthrough', 'breakthrough_6x6']
    """
    return {name: _CLASSES[name](core) for name, core in _games.modules().items()}


def native_game(name: str) -> NativeGame:
    """Return the native game with this name."""
    if name not in native_games():
        near = difflib.get_close_matches(name, native_games(), n=3, cutoff=0.6)
        advice = f"did you mean {' or '.join(f'fast:{each}' for each in near)}?" if near else "native games: "
        raise UserError(f"no native game is called {name!r}; {advice}{'' if near else ', '.join(native_games())}")
    return native_games()[name]

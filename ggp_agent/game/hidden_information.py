"""Recognise games with hidden information (GDL-II), and refuse them in commands that do not support them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.language.percepts import hides_information

from ..common.errors import HiddenInformationError

if TYPE_CHECKING:
    from .game import Game


def has_hidden_information(game: Game) -> bool:
    """Return whether a role may not know the state; rules are compiled if needed."""
    return hides_information(game.sheet) and game.machine().hides_information


def require_perfect_information(game: Game, what: str) -> None:
    """Refuse a game in which a role may not know the state."""
    if has_hidden_information(game):
        raise HiddenInformationError(game.word, what)

"""Refusal of games with hidden information (GDL-II) by commands that do not support them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl.language.percepts import hides_information

from ..common.errors import HiddenInformationError

if TYPE_CHECKING:
    from .game import Game


def require_perfect_information(game: Game, what: str) -> None:
    """Refuse a game in which a role may not know the state.

    The rules are compiled if their form does not answer the question.

    Args:
        game: the game.
        what: the part of the program that does not support such games, such as "arena".

    Raises:
        HiddenInformationError: the game hides information.
        GdlError: the rules are invalid.
    """
    if hides_information(game.sheet) and game.machine().hides_information:
        raise HiddenInformationError(game.word, what)

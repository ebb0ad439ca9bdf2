"""What a report says about the ends of a game: rules that were added to the usual ones, and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kif_games import catalogue, guide

from .native.registry import native_game

if TYPE_CHECKING:
    from .game import Game

# The beginning of the word of a native game.
_FAST = "fast:"


def added_rules(word: str) -> str:
    """Return the added rules of a native game, or how a game of the catalogue ends; empty if there is nothing to say.

    >>> added_rules("fast:cannon")
    'a draw after 1,000 moves'
    >>> added_rules("connect_four")
    'The game ends with the first line of four, or when all seven columns are full.'
    """
    if word.startswith(_FAST):
        return native_game(word.removeprefix(_FAST)).added_rules
    return " ".join(guide(word).end.split()) if word in catalogue() else ""


def move_limit(word: str) -> int:
    """Return the number of moves after which every game ends; 0 if no rule limits it, or for a rule sheet.

    >>> move_limit("fast:go_9x9"), move_limit("connect_four")
    (162, 0)
    """
    return native_game(word.removeprefix(_FAST)).move_limit if word.startswith(_FAST) else 0


def turn_limit(game: Game) -> int | None:
    """Return the number of turns that no match of a game exceeds; None if it is unknown.

    It is known for native games with a limit, and for the rules of the catalogue.

    >>> from ggp_agent.game.load import load_game
    >>> turn_limit(load_game("fast:go_9x9")), turn_limit(load_game("connect_four"))
    (162, 42)
    """
    limit = move_limit(game.word)
    if limit or game.guide is None:
        return limit or None
    name = game.name if game.module is None else native_game(game.module).reference_sheet
    return catalogue()[name].max_turns

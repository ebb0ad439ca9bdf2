"""What a report says about the ends of a game: rules that were added to the usual ones, and limits."""

from __future__ import annotations

from kif_games import catalogue, guide

from .native.registry import native_game

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

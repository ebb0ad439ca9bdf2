"""The title of a recorded game for people: of the catalogue, or readable words."""

from __future__ import annotations

import re

from kif_games import catalogue

from .record_rules import rules_name

# The identifiers of matches of GGP-Base: name of the event, game, time in milliseconds.
_IDENTIFIER = re.compile(r"[^.]+\.(.+)\.[0-9]{10,}")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def title_of(game: str, match_id: str = "") -> str:
    """Return the title of a game.

    >>> title_of("tic_tac_toe"), title_of("fast:breakthrough"), title_of("my_game"), title_of("fast:go_9x9")
    ('Tic-tac-toe', 'Breakthrough', 'My game', 'Go 9x9')
    >>> title_of("", "host.tic_tac_toe.1795576052143"), title_of("", "some match"), title_of("connectFour")
    ('Tic-tac-toe', 'some match', 'Connect Four')
    """
    if not game:
        named = _IDENTIFIER.fullmatch(match_id)
        if named is None:
            return match_id
        game = named[1]
    name = rules_name(game.replace("fast:", "fast_"))
    for word in (name, _CAPITAL.sub("_", name).lower()):
        if word in catalogue():
            return catalogue()[word].title
    words = _CAPITAL.sub(" ", name.removeprefix("fast_")).replace("_", " ").strip()
    return words[:1].upper() + words[1:]

"""The title of a recorded game for people, of the catalogue or readable words; and the words for a result."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gdl.language.terms import is_chance
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


def result_words(goals: Mapping[str, int | None]) -> str:
    """Return the result of a game in words; the role of chance is left out.

    >>> result_words({"red": 0, "yellow": 100}), result_words({"red": 50, "yellow": 50})
    ('yellow wins, 100 : 0', 'a draw, 50 : 50')
    >>> result_words({"red": 50, "green": 75, "blue": 25}), result_words({"robot": 80})
    ('green wins: red 50, green 75, blue 25', 'robot reaches 80 of 100')
    >>> result_words({"red": 50, "green": 50, "blue": 0})
    'red and green are equal: red 50, green 50, blue 0'
    >>> result_words({"red": 50, "blue": None})
    'the game is over: red 50, blue none'
    """
    played = {role: goal for role, goal in goals.items() if not is_chance(role)}
    listed = ", ".join(f"{role} {'none' if goal is None else goal}" for role, goal in played.items())
    known = {role: goal for role, goal in played.items() if goal is not None}
    if not known or len(known) < len(played):
        return f"the game is over: {listed}" if listed else "the game is over"
    highest = max(known.values())
    best = [role for role, goal in known.items() if goal == highest]
    if len(known) == 1:
        return f"{best[0]} reaches {highest} of 100"
    if len(known) == 2:
        pair = f"{highest} : {min(known.values())}"
        return f"{best[0]} wins, {pair}" if len(best) == 1 else f"a draw, {pair}"
    if len(best) == 1:
        return f"{best[0]} wins: {listed}"
    equal = "a draw" if len(best) == len(known) else f"{', '.join(best[:-1])} and {best[-1]} are equal"
    return f"{equal}: {listed}"

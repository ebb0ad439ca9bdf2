"""The result of a game in words."""

from __future__ import annotations

from collections.abc import Mapping

from gdl.language.chance import is_chance


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

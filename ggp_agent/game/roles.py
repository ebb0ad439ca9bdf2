"""The roles that players take, and messages about their turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdl.language.terms import RANDOM_ROLE, is_chance

from ..common.terminal_text import amount

__all__ = ["RANDOM_ROLE", "chance_number", "is_chance", "roles_to_play"]


def roles_to_play(roles: Iterable[str]) -> tuple[str, ...]:
    """Return the roles that players take, in order: all roles except chance.

    >>> roles_to_play(("dealer", "random", "guest"))
    ('dealer', 'guest')
    """
    return tuple(role for role in roles if not is_chance(role))


def chance_number(roles: Sequence[str]) -> int:
    """Return the number of the role of chance, -1 without one.

    >>> chance_number(("dealer", "RANDOM", "guest")), chance_number(("white", "black"))
    (1, -1)
    """
    return next((number for number, role in enumerate(roles) if is_chance(role)), -1)


def after_turns(turns: int) -> str:
    """Return the words for a state that is reached after a number of turns.

    >>> after_turns(0), after_turns(1), after_turns(1200)
    ('at the start', 'after 1 turn', 'after 1,200 turns')
    """
    return f"after {amount(turns, 'turn')}" if turns else "at the start"


def no_legal_move(role: str, turns: int) -> str:
    """Return the message for a state in which a role has no legal move, although the game is not over.

    >>> no_legal_move("white", 2)
    'white has no legal move after 2 turns, yet the game is not over; correct the rules'
    """
    return f"{role} has no legal move {after_turns(turns)}, yet the game is not over; correct the rules"

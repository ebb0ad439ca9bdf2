"""The roles that players take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdl.language.chance import RANDOM_ROLE, is_chance

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

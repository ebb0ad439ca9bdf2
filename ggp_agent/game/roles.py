"""Roles of players and the role of chance."""

from __future__ import annotations

from collections.abc import Iterable

# The role that is played by chance.
RANDOM_ROLE = "random"


def is_chance(role: str) -> bool:
    """Return True if the role is chance; upper and lower case are the same.

    >>> is_chance("Random"), is_chance("white")
    (True, False)
    """
    return role.lower() == RANDOM_ROLE


def roles_to_play(roles: Iterable[str]) -> tuple[str, ...]:
    """Return the roles that players take, in order: all roles except chance.

    >>> roles_to_play(("dealer", "random", "guest"))
    ('dealer', 'guest')
    """
    return tuple(role for role in roles if not is_chance(role))

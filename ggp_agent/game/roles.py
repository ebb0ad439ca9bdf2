"""Roles of players and the role of chance."""

from __future__ import annotations

from collections.abc import Iterable

# The role that chance plays, not a player.
RANDOM_ROLE = "random"


def is_chance(role: str) -> bool:
    """Tell whether a role is chance; sheets spell it as they like.

    >>> is_chance("Random"), is_chance("white")
    (True, False)
    """
    return role.lower() == RANDOM_ROLE


def roles_to_play(roles: Iterable[str]) -> tuple[str, ...]:
    """Return the roles that players take: all but chance, in order.

    >>> roles_to_play(("dealer", "random", "guest"))
    ('dealer', 'guest')
    """
    return tuple(role for role in roles if not is_chance(role))

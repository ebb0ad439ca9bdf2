"""The roles that players take."""

from __future__ import annotations

from collections.abc import Iterable

from gdl.language.chance import RANDOM_ROLE, is_chance

__all__ = ["RANDOM_ROLE", "is_chance", "roles_to_play"]


def roles_to_play(roles: Iterable[str]) -> tuple[str, ...]:
    """Return the roles that players take, in order: all roles except chance.

    >>> roles_to_play(("dealer", "random", "guest"))
    ('dealer', 'guest')
    """
    return tuple(role for role in roles if not is_chance(role))

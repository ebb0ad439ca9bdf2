"""The role of chance."""

from __future__ import annotations

# The role that is played by chance.
RANDOM_ROLE = "random"


def is_chance(role: str) -> bool:
    """Return True if a role is chance; upper and lower case are the same.

    >>> is_chance("Random"), is_chance("white")
    (True, False)
    """
    return role.lower() == RANDOM_ROLE

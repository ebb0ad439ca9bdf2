"""Seat rotation: from match to match all players move one seat on, so that each takes every seat once.

>>> list(moving_on(("a", "b"), ("x", "random", "o")))
[('a', None, 'b'), ('b', None, 'a')]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeVar

from ..game.roles import is_chance

T = TypeVar("T")


def moving_on(
    players: Sequence[T], roles: Sequence[str], seating: Sequence[int] | None = None
) -> Iterator[tuple[T | None, ...]]:
    """Yield as many seatings as there are players; each player takes every seat once."""
    if seating is None:
        seating = range(len(players))
    for shift in range(len(players)):
        taken = iter(players[(place + shift) % len(players)] for place in seating)
        yield tuple(None if is_chance(role) else next(taken) for role in roles)


def even_seatings(roles: int, players: int) -> Iterator[tuple[int, ...]]:
    """Yield the seatings with player 0 in the first role that divide the roles evenly among the players.

    >>> list(even_seatings(3, 2))
    [(0, 0, 1), (0, 1, 0), (0, 1, 1)]
    """
    least, most = roles // players, -(-roles // players)
    for rest in itertools.product(range(players), repeat=roles - 1):
        seating = (0, *rest)
        if all(least <= seating.count(one) <= most for one in range(players)):
            yield seating

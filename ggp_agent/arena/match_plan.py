"""The plan of a comparison: roles and random numbers of each match.

A round has one match per contestant. Within a round every contestant takes every role once: from match to match all
move one seat on. Opening and seeds belong to the round and the role, so they stay the same. So no role and no opening
favours a contestant, and a round of equal deterministic contestants is even. In games of three or more roles, the first
seatings of the rounds go through all that divide the roles as evenly as possible.

>>> [plan.seats for plan in schedule(("white", "black"), contestants=2, matches=4, seed=1)]
[(0, 1), (1, 0), (0, 1), (1, 0)]
>>> [plan.seats for plan in schedule(("a", "b", "c"), contestants=2, matches=4, seed=1)]
[(0, 0, 1), (1, 1, 0), (0, 1, 0), (1, 0, 1)]
>>> [plan.seats for plan in schedule(("solver",), contestants=2, matches=2, seed=1)]
[(0,), (1,)]
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..game.roles import is_chance, roles_to_play


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """The plan of one match."""

    number: int  # number of the match, from 0
    round: int  # number of the round, from 0; the matches of a round are compared with each other
    seed: int  # seed of the comparison
    seats: tuple[int | None, ...]  # number of the contestant of each role; None for chance

    def contestant(self, role: int) -> int:
        """Return the number of the contestant of a role, which is not chance."""
        seat = self.seats[role]
        assert seat is not None
        return seat

    def stream(self, purpose: str) -> random.Random:
        """Return a random source for a purpose, the same for all matches of the round."""
        return random.Random(f"{self.seed} {self.round} {purpose}")


def schedule(roles: Sequence[str], *, contestants: int, matches: int, seed: int) -> Iterator[MatchPlan]:
    """Yield the plans of the matches."""
    if matches <= 0 or matches % contestants:
        raise ValueError(f"the number of games must be a multiple of {contestants}, so that each takes every seat")
    played = len(roles_to_play(roles))
    if not played:
        raise ValueError("chance is the only role of this game")
    seatings = itertools.cycle(even_seatings(played, contestants))
    for round_ in range(matches // contestants):
        for shift, seats in enumerate(moving_on(range(contestants), roles, next(seatings))):
            yield MatchPlan(round_ * contestants + shift, round_, seed, seats)


# ---- rotation of seats

T = TypeVar("T")


def moving_on(
    players: Sequence[T], roles: Sequence[str], seating: Sequence[int] | None = None
) -> Iterator[tuple[T | None, ...]]:
    """Yield as many seatings as there are players; each player takes every seat once.

    >>> list(moving_on(("a", "b"), ("x", "random", "o")))
    [('a', None, 'b'), ('b', None, 'a')]
    """
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

"""Who sits where in which match of a comparison, and with which random numbers.

Matches come in rounds of one per contestant. Within a round every contestant takes every role once, by moving all one
seat on from match to match; opening and seeds, which belong to the round and the roles, stay. So no seat and no opening
favours anyone, and with equal deterministic contestants a round comes out even. In games of three roles and more the
first seating of the next rounds goes through all that share the roles out as evenly as can be.

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

from ..game.roles import roles_to_play
from .seat_rotation import even_seatings, moving_on


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Say how one match is set up.

    Attributes:
        number: of the match, from 0.
        round: from 0; the matches of a round are compared with each other.
        seed: of the round, whatever else it is made of.
        seats: the contestant of each role, by number; None where chance plays.
    """

    number: int
    round: int
    seed: int
    seats: tuple[int | None, ...]

    def stream(self, purpose: str) -> random.Random:
        """Return random numbers for a purpose, the same for all matches of the round."""
        return random.Random(f"{self.seed} {self.round} {purpose}")


def schedule(roles: Sequence[str], *, contestants: int, matches: int, seed: int) -> Iterator[MatchPlan]:
    """Set up so many matches.

    Raises:
        ValueError: the matches are no multiple of the contestants, or no role is left for a contestant.
    """
    if matches <= 0 or matches % contestants:
        raise ValueError(f"the number of games must be a multiple of {contestants}, so that all take every seat")
    played = len(roles_to_play(roles))
    if not played:
        raise ValueError("chance alone plays this game")
    seatings = itertools.cycle(even_seatings(played, contestants))
    for round_ in range(matches // contestants):
        for shift, seats in enumerate(moving_on(range(contestants), roles, next(seatings))):
            yield MatchPlan(round_ * contestants + shift, round_, seed, seats)

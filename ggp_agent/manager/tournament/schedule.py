"""Schedules: the players of each match and their roles.

A meeting is a group of players, one per role of a game. It has as many matches as players: the roles rotate, so that
each player plays each role once. In games with three or more roles, the cyclic order of the players differs from round
to round.

In a round of a *round robin*, every group of players meets in every game. In a round of a *gauntlet*, every group
that contains the challenger meets. Games of one role are played by each player alone. The matches of a round are in
random order, so intermediate results are meaningful. Later rounds do not change earlier ones.

>>> [fixture.seats for fixture in meeting(0, ("a", "b"), ("x", "o"), "g", 1)]
[('a', 'b'), ('b', 'a')]
>>> [fixture.seats for fixture in meeting(0, ("a",), ("solver", "random"), "g", 1)]
[('a', None)]
"""

from __future__ import annotations

import hashlib
import itertools
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...arena.seat_rotation import moving_on
from ...game.roles import roles_to_play

ROUND_ROBIN, GAUNTLET, SWISS, ELIMINATION = SCHEDULES = ("round-robin", "gauntlet", "swiss", "elimination")


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match of the schedule."""

    round: int  # the number of the round, from 0
    game: str  # the name of the game
    seats: tuple[str | None, ...]  # the player of each role, in the order of the rules; None for chance
    seed: int  # the seed of the manager's random moves; equal in all matches of a meeting


def groups_of(players: Sequence[str], size: int, challenger: str = "") -> Iterator[tuple[str, ...]]:
    """Yield the groups of players that meet: all, or only groups with the challenger if `size` is above 1."""
    for group in itertools.combinations(players, size):
        if not challenger or challenger in group or size == 1:
            yield group


def meeting(round_: int, group: Sequence[str], roles: Sequence[str], game: str, seed: int) -> Iterator[Fixture]:
    """Yield the matches of one meeting; `group` has one player per role that is not chance."""
    own_seed = int.from_bytes(hashlib.sha256(f"{seed} {round_} {game} {sorted(group)}".encode()).digest()[:4])
    first, *others = group
    orders = math.factorial(len(others))
    around = (first, *next(itertools.islice(itertools.permutations(others), round_ % orders, None)))
    for seats in moving_on(around, roles):
        yield Fixture(round_, game, seats, own_seed)


def schedule_round(
    round_: int, games: Mapping[str, Sequence[str]], groups: Mapping[int, Iterable[Sequence[str]]], seed: int
) -> list[Fixture]:
    """Return all matches of a round."""
    listed = {size: list(of_size) for size, of_size in groups.items()}
    fixtures = [
        fixture
        for game, roles in games.items()
        for group in listed[len(roles_to_play(roles))]
        for fixture in meeting(round_, group, roles, game, seed)
    ]
    random.Random(f"{seed} {round_} order").shuffle(fixtures)
    return fixtures

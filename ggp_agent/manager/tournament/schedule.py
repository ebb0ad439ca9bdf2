"""Who meets whom in which game, and who sits where.

A meeting is a group of as many players as a game has roles to play. It is played once for each of them: from match to
match all move one seat on, so that each takes every role once. In games of three roles and more the order around the
table, which moving on keeps, is another one in every round.

In a round of a *round robin* every group of players meets in every game; in a round of a *gauntlet* every group with
the challenger. Games of one role are played by each player alone. The matches of a round come in an order drawn by its
seed: so the table of results is meaningful at any time, and rounds added later change nothing before.

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

ROUND_ROBIN, GAUNTLET, SWISS = SCHEDULES = ("round-robin", "gauntlet", "swiss")


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match as it is set up.

    Attributes:
        round: from 0.
        game: its name.
        seats: the player of each role, in the order of the rules; None where chance plays.
        seed: of what the manager draws; the matches of a meeting have the same.
    """

    round: int
    game: str
    seats: tuple[str | None, ...]
    seed: int


def groups_of(players: Sequence[str], size: int, challenger: str = "") -> Iterator[tuple[str, ...]]:
    """List the groups of players that meet, all or those with the challenger; alone, everybody plays in any case."""
    for group in itertools.combinations(players, size):
        if not challenger or challenger in group or size == 1:
            yield group


def meeting(round_: int, group: Sequence[str], roles: Sequence[str], game: str, seed: int) -> Iterator[Fixture]:
    """Set up the matches of one meeting; there are as many players as roles that are not chance."""
    own_seed = int.from_bytes(hashlib.sha256(f"{seed} {round_} {game} {sorted(group)}".encode()).digest()[:4])
    first, *others = group
    orders = math.factorial(len(others))
    around = (first, *next(itertools.islice(itertools.permutations(others), round_ % orders, None)))
    for seats in moving_on(around, roles):
        yield Fixture(round_, game, seats, own_seed)


def schedule_round(
    round_: int, games: Mapping[str, Sequence[str]], groups: Mapping[int, Iterable[Sequence[str]]], seed: int
) -> list[Fixture]:
    """Set up all matches of a round.

    Args:
        round_: its number, from 0.
        games: the roles of each game.
        groups: who meets, by the number of players that a game takes.
        seed: of the order and of the matches.
    """
    listed = {size: list(of_size) for size, of_size in groups.items()}
    fixtures = [
        fixture
        for game, roles in games.items()
        for group in listed[len(roles_to_play(roles))]
        for fixture in meeting(round_, group, roles, game, seed)
    ]
    random.Random(f"{seed} {round_} order").shuffle(fixtures)
    return fixtures

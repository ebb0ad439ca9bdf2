"""The plan of a comparison: roles and random numbers of each match. The result of a match, and the file of results.

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
import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from ..common.errors import UserError
from ..game.roles import is_chance, roles_to_play
from ..protocol.text_turns import TextAnswers


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


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of one match."""

    plan: MatchPlan  # the plan of the match
    turns: int  # number of joint moves
    opening: int  # number of random joint moves at the beginning
    goals: tuple[int | None, ...]  # goal of each role; None if the rules define none
    simulations: tuple[int, ...]  # number of simulations of each role in all its moves
    # Processor time of the searches of each role, estimated if matches are played side by side. Text players have 0.
    cpu_seconds: tuple[float, ...]
    error: str  # the reason why the match does not count; empty if it counts
    moves: tuple[tuple[str, ...], ...] = ()  # the joint moves, as KIF in role order; empty if they were not kept
    adjudicated: bool = False  # whether the searches agreed on the goals before the terminal state
    # The percepts of each joint move, a tuple for each role; empty if the game does not hide information, or if they
    # were not kept.
    percepts: tuple[tuple[tuple[str, ...], ...], ...] = ()
    # Counts of the answers of each role, None for roles without a text player; empty without text players.
    answers: tuple[TextAnswers | None, ...] = ()
    # Statistics of the simulations of each role, means over its searches (`samples.py`); empty if they were not kept.
    samples: tuple[Mapping[str, float], ...] = ()

    def mean_goal(self, contestant: int) -> float:
        """Return the mean goal, 0..100, of the roles of a contestant."""
        goals = [goal for goal, seat in zip(self.goals, self.plan.seats, strict=True) if seat == contestant]
        return sum(goal or 0 for goal in goals) / len(goals)

    def answers_of(self, contestant: int) -> TextAnswers:
        """Return the counts of the answers of a contestant."""
        seats = zip(self.plan.seats, self.answers, strict=False)
        return sum((each for seat, each in seats if seat == contestant and each is not None), TextAnswers())


# ---- results in a file


class RecordFile:
    """Write matches to a new file as they end.

    Each line is written in one call before the next match is awaited, so the file has whole lines even if the program
    is killed.
    """

    def __init__(self, path: Path, game: str, roles: Sequence[str], contestants: Sequence[str]) -> None:
        self._game = game
        self._roles = list(roles)
        self._names = list(contestants)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            raise UserError(f"{path}: the file exists already; name a new file for the record") from None

    def write(self, match: MatchResult) -> None:
        """Write one match."""
        line = json.dumps(self.document(match), ensure_ascii=False, separators=(",", ":")) + "\n"
        data = line.encode()
        while data:
            data = data[os.write(self._handle, data) :]

    def document(self, match: MatchResult) -> dict[str, Any]:
        """Return the object of one match; seats are names of contestants, None for chance."""
        plan = match.plan
        return {
            "game": self._game,
            "match": plan.number,
            "round": plan.round,
            "seed": plan.seed,
            "roles": self._roles,
            "seats": [None if seat is None else self._names[seat] for seat in plan.seats],
            "opening": match.opening,
            "turns": match.turns,
            "goals": match.goals,
            "simulations": match.simulations,
            "cpu_seconds": [round(seconds, 6) for seconds in match.cpu_seconds],
            "error": match.error,
            "adjudicated": match.adjudicated,
            "moves": match.moves,
            **({"percepts": match.percepts} if match.percepts else {}),
            **({"answers": [each and asdict(each) for each in match.answers]} if match.answers else {}),
        }

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._handle)

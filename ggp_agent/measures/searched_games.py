"""Games between equal searches, with the value of each state for each role.

Games are played in waves. If the time ends within a wave, its games are dropped, because short games end first.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine

from ..arena.arena import Arena, Contestant
from ..arena.arena_match import ArenaMatch
from ..arena.comparison import compare
from ..arena.match_plan import MatchPlan, schedule
from ..arena.match_result import MatchResult
from ..arena.role_players import RoleChoice
from ..arena.scores import Score
from ..game.roles import is_chance
from ..mcts.config import SearchConfig
from ..mcts.search_result import RootStatistics
from ..mcts.searcher import Searcher

# The number of games of a wave, even: if more lanes cost nothing, and for the first wave if each lane costs time.
_WAVE, _SMALL_WAVE = 64, 4

# The values of all roles in one search: turn, number of the searching role, values 0..1.
Course = list[tuple[int, int, list[float]]]


@dataclass(frozen=True, slots=True)
class SearchedGame:
    """One game of equal searches; players are the roles without chance."""

    turns: int  # number of joint moves
    goals: tuple[int, ...]  # goal of each player, -1 without a goal
    first: int  # number of the player who searched first, -1 if no player searched
    movers: tuple[int, ...]  # number of the player who searched in each row of `values`; the first of several, [rows]
    # Value of each player, 0..1, in the turns in which a player searched, [rows, players].
    values: npt.NDArray[np.float64]


class _TimeOverError(Exception):
    """The time for a wave of games is over."""


def play_searched_games(
    machine: CompiledMachine,
    games: int,
    *,
    simulations: int,
    seed: int,
    until: float,
    played: Callable[[int], None],
) -> tuple[list[SearchedGame], str]:
    """Play games in which all roles search with the same number of simulations per move."""
    courses: defaultdict[int, Course] = defaultdict(list)

    def store(match: ArenaMatch, role: int, choice: RoleChoice) -> None:
        found = choice.found
        assert found is not None
        values = [_value(found, each) for each in range(len(found.roles))]
        courses[match.plan.number].append((match.turns, role, values))

    setting = Arena(machine, (Contestant("a", SearchConfig(), simulations),), on_choice=store)
    plans = schedule(machine.roles, contestants=1, matches=games, seed=seed)
    results = _in_waves(setting, plans, until, played)
    players = [role for role, name in enumerate(machine.roles) if not is_chance(name)]
    valid = [result for result in results if not result.error]
    error = next((result.error for result in results if result.error), "")
    return [_searched(result, courses[result.plan.number], players) for result in valid], error


def play_doubling(
    machine: CompiledMachine,
    games: int,
    *,
    simulations: int,
    seed: int,
    until: float,
    played: Callable[[int], None],
) -> Score:
    """Return the score of twice the simulations per move against the given number, with swapped roles.

    The arguments are as in `play_searched_games`; the number of games is even.
    """
    contestants = tuple(Contestant(str(each), SearchConfig(), each) for each in (2 * simulations, simulations))
    plans = schedule(machine.roles, contestants=2, matches=games, seed=seed)
    return compare(machine.roles, _in_waves(Arena(machine, contestants), plans, until, played), 0, 1).score


def seconds_per_move(machine: CompiledMachine, simulations: int, most: float) -> float:
    """Return the seconds of a search of the initial state, extrapolated if it takes longer than `most` seconds."""
    searcher = Searcher(machine, SearchConfig(in_flight=1))
    result = searcher.run(simulations=simulations, seconds=most)
    if result.seconds < most:
        return result.seconds
    return result.seconds * simulations / max(1, result.simulations)


def _in_waves(
    setting: Arena, plans: Iterable[MatchPlan], until: float, played: Callable[[int], None]
) -> list[MatchResult]:
    """Play matches in waves until the time is over; return the results of complete waves by number."""

    def check(_: int) -> None:
        if time.monotonic() > until:
            raise _TimeOverError

    results: list[MatchResult] = []
    remaining = iter(plans)
    size = _WAVE if setting.machine.in_flight is None else _SMALL_WAVE
    while wave := list(islice(remaining, size)):
        try:
            complete = list(setting.play(wave, setting.seats_side_by_side(len(wave)), check))
        except _TimeOverError:
            break
        results += complete
        played(len(results))
        size = _WAVE
    return sorted(results, key=lambda result: result.plan.number)


def _searched(result: MatchResult, course: Course, players: Sequence[int]) -> SearchedGame:
    """Return a game with the values of its players; searches of one turn are averaged."""
    movers: list[int] = []
    rows: list[npt.NDArray[np.float64]] = []
    for _, searches in groupby(course, key=lambda search: search[0]):
        listed = list(searches)
        movers.append(players.index(listed[0][1]))
        rows.append(np.mean([[values[role] for role in players] for _, _, values in listed], axis=0))
    goals = [result.goals[role] for role in players]
    return SearchedGame(
        turns=result.turns,
        goals=tuple(-1 if goal is None else goal for goal in goals),
        first=movers[0] if movers else -1,
        movers=tuple(movers),
        values=np.array(rows).reshape(-1, len(players)),
    )


def _value(found: RootStatistics, role: int) -> float:
    """Return the value of a role at a root, 0..1: the proven goal, or the mean goal of the simulations."""
    low, high = found.roles[role].bounds
    return low / 100 if low == high else min(max((found.roles[role].mean + 1) / 2, 0.0), 1.0)

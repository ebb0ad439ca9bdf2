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
from ..arena.match_result import MatchPlan, MatchResult, schedule
from ..arena.role_players import RoleChoice
from ..arena.scores import Score
from ..game.roles import is_chance
from ..mcts.config import SearchConfig
from ..mcts.search_result import RootStatistics
from ..mcts.searcher import Searcher
from .estimates import ONE_ROLE, Estimate, Measure, Undefined, mean_estimate, result_measures

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


# Measures from games of equal searches.
#
# The formulas follow Browne (Automatic Generation and Evaluation of Recombination Games, 2009) and Browne and Maire
# (IEEE Transactions on Computational Intelligence and AI in Games 2, 2010), with the values of the search in place of
# their hand-made evaluations. v_p(n) is the value of player p, 0..1, in the n-th of N turns in which a player
# searched; the leader of a turn has the highest value, at least `MARGIN` above the second.

# A smaller difference of two values is noise of the search.
MARGIN = 0.05
_COURSE = ("drama", "lead_changes", "killer_moves", "uncertainty", "decisive_turns")


def undefined_measures(simulations: int, reason: str) -> dict[str, Measure]:
    """Return all measures of games with a number of simulations per move, each undefined for a reason."""
    found: dict[str, Measure] = {f"length_{simulations}": Undefined(reason)}
    found |= dict.fromkeys(result_measures([], [], str(simulations)), Undefined(reason))
    return found | {f"{name}_{simulations}": Undefined(reason) for name in _COURSE}


def searched_measures(games: Sequence[SearchedGame], simulations: int) -> dict[str, Measure]:
    """Return all measures of games by key, in the order of the output."""
    found: dict[str, Measure] = {f"length_{simulations}": mean_estimate([game.turns for game in games])}
    found |= result_measures([game.goals for game in games], [game.first for game in games], str(simulations))
    return found | {f"{name}_{simulations}": measure for name, measure in _course_measures(games).items()}


def doubling_measure(score: Score, simulations: int) -> dict[str, Measure]:
    """Return the gain in Elo points by twice the simulations per move."""
    key = f"elo_per_doubling_{simulations}"
    if not score.games:
        return {key: Undefined("no games were completed in the time")}
    if score.share in (0, 1):
        side = f"{2 * simulations:,}" if score.share else f"{simulations:,}"
        return {key: Undefined(f"{side} simulations won all {score.games} games")}
    low, high = score.elo_interval
    return {key: Estimate(score.elo, low, high)}


def _course_measures(games: Sequence[SearchedGame]) -> dict[str, Measure]:
    if len(games[0].goals) < 2:
        return dict.fromkeys(_COURSE, ONE_ROLE)
    played = [game for game in games if len(game.values)]
    won = [game for game in played if winner(game) is not None]
    several = [game for game in played if len(game.values) > 1]
    no_winner, no_choice = Undefined("no game had a single winner"), Undefined("no role has a choice")
    short = Undefined("no game had two turns with a choice")
    return {
        "drama": mean_estimate([drama(game) for game in won]) if won else no_winner,
        "lead_changes": mean_estimate([lead_changes(game) for game in several]) if several else short,
        "killer_moves": mean_estimate([killer_move(game) for game in several]) if several else short,
        "uncertainty": mean_estimate([uncertainty(game) for game in played]) if played else no_choice,
        "decisive_turns": mean_estimate([decisive_turns(game) for game in won]) if won else no_winner,
    }


def winner(game: SearchedGame) -> int | None:
    """Return the number of the player whose goal is higher than all others; None without one."""
    highest = max(game.goals)
    return game.goals.index(highest) if game.goals.count(highest) == 1 else None


def drama(game: SearchedGame) -> float:
    """Return the mean of sqrt(v_q - v_w) over the turns in which a player q is ahead of the later winner w, else 0."""
    won = winner(game)
    assert won is not None
    behind = game.values.max(axis=1) - game.values[:, won]
    behind = behind[behind > MARGIN]
    return float(np.sqrt(behind).mean()) if len(behind) else 0.0


def lead_changes(game: SearchedGame) -> float:
    """Return the number of turns with another leader than before, divided by N - 1; turns without a leader keep it."""
    top = np.sort(game.values, axis=1)
    leads = (game.values.argmax(axis=1))[top[:, -1] - top[:, -2] > MARGIN]
    return float((leads[1:] != leads[:-1]).sum()) / (len(game.values) - 1)


def killer_move(game: SearchedGame) -> float:
    """Return the largest gain by an own move: the largest v_p(n + 1) - v_p(n) for the mover p of turn n, at least 0."""
    movers = np.array(game.movers[:-1])
    rows = np.arange(len(movers))
    return float(max(0.0, (game.values[rows + 1, movers] - game.values[rows, movers]).max()))


def uncertainty(game: SearchedGame) -> float:
    """Return the mean over all turns of 1 minus the difference between the highest and the second value."""
    top = np.sort(game.values, axis=1)
    return float(np.mean(1 - (top[:, -1] - top[:, -2])))


def decisive_turns(game: SearchedGame) -> float:
    """Return the share of turns after the first in which the winner's value exceeds all values that losers ever have.

    Ludii's concept "DecisivenessMoves": the largest value of a player who did not win is the threshold.
    """
    won = winner(game)
    assert won is not None
    threshold = np.delete(game.values, won, axis=1).max()
    above: npt.NDArray[np.intp] = np.flatnonzero(game.values[:, won] > threshold)
    return float((len(game.values) - 1 - above[0]) / len(game.values)) if len(above) else 0.0

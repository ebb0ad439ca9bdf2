"""Compare configurations of the search by many matches of one game with swapped roles.

>>> from gdl import NetworkMachine, parse_sheet
>>> from kif_games import rules
>>> machine = NetworkMachine(parse_sheet(rules("tic_tac_toe")))
>>> quick = SearchConfig.from_toml("selection.exploration = 0.7")
>>> result = arena(machine, SearchConfig(), quick, games=4, simulations=200)
>>> result.games, sum((result.score.wins, result.score.draws, result.score.losses)), len(result.matches[0].moves) >= 5
(4, 4, True)

Equal simulations give equal results, on every computer and with every number of processes:

>>> again = arena(machine, SearchConfig(), quick, games=4, simulations=200)
>>> [match.moves for match in again.matches] == [match.moves for match in result.matches]
True

`Arena` and `play_matches` accept any number of contestants; `compare` sums up two of them. For a study over several
games, loop over machines: contestants, games and seed determine the matches, and each `MatchResult` has its plan.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass

from gdl import CompiledMachine

from ..mcts.config import SearchConfig
from .arena import Arena, Contestant, game_of
from .match_result import MatchResult, schedule
from .scores import Score, pair_interval
from .sprt import count_pairs
from .workers import MatchTask, OneTask, play_in_processes


@dataclass(frozen=True, slots=True)
class ArenaResult:
    """The result of contestant a against contestant b.

    In a game of one role the two matches of a round are compared, so there are half as many results as games.

    Attributes:
        score: score of a; the higher mean goal of the own roles wins.
        by_role: score of a in the games in which it had this role; empty in games of one role.
        goals: mean goal, 0..100, of a and of b.
        matches: matches that count.
        errors: reasons of the matches that do not count.
        pairs: numbers of complete pairs with 0, 1/2, 1, 3/2 and 2 points of a.
    """

    score: Score
    by_role: dict[str, Score]
    goals: tuple[float, float]
    matches: tuple[MatchResult, ...]
    errors: tuple[str, ...]
    pairs: Sequence[int]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score, 0..1, by the results of pairs."""
        return pair_interval(self.score, self.pairs)

    @property
    def games(self) -> int:
        """The number of matches that count."""
        return len(self.matches)

    @property
    def lengths(self) -> tuple[float, int, int]:
        """Mean, smallest and largest number of joint moves of a match; zeros without matches."""
        lengths = [match.turns for match in self.matches]
        return (sum(lengths) / len(lengths), min(lengths), max(lengths)) if lengths else (0.0, 0, 0)


def arena(
    machine: CompiledMachine,
    a: SearchConfig,
    b: SearchConfig,
    *,
    games: int,
    simulations: int | None = None,
    milliseconds: float | None = None,
    opening_plies: int = 0,
    seed: int = 1,
    jobs: int = 1,
) -> ArenaResult:
    """Play two configurations against each other and return the result.

    Args:
        machine: the machine of the game.
        a: the first configuration; its seed is ignored.
        b: the second configuration; its seed is ignored.
        games: number of games, even; each opening is played with both seatings.
        simulations: number of simulations per move. Configurations that do not set `in_flight` then use 1.
        milliseconds: processor time of one thread per move, instead of simulations.
        opening_plies: number of random joint moves at the beginning, the same moves for both seatings.
        seed: seed of all random numbers.
        jobs: number of processes.

    Raises:
        ValueError: a number is out of its range, or both or none of simulations and milliseconds are given.
    """
    contestants = tuple(Contestant(name, config, simulations, milliseconds) for name, config in (("a", a), ("b", b)))
    setting = Arena(machine, contestants, opening_plies)
    return compare(machine.roles, play_matches(setting, games=games, seed=seed, jobs=jobs), 0, 1)


def play_matches(
    setting: Arena,
    *,
    games: int,
    seed: int = 1,
    jobs: int = 1,
    moved: Callable[[int], None] = lambda number: None,
) -> Generator[MatchResult, None, None]:
    """Play matches between all contestants and yield each result as the match ends.

    Args:
        setting: the common parameters of the matches.
        games: number of games, a multiple of the number of contestants.
        seed: seed of all random numbers; with limited simulations it determines every match.
        jobs: number of processes; 1 plays in this process.
        moved: called with the number of moves that were searched since the last call.

    Raises:
        ValueError: `games` is not possible, or chance is the only role.
    """
    plans = schedule(setting.machine.roles, contestants=len(setting.contestants), matches=games, seed=seed)
    if jobs == 1:
        yield from setting.play(plans, setting.seats_side_by_side(games), moved)
        return
    task = MatchTask(
        0,
        setting.game or game_of(setting.machine),
        setting.contestants,
        -(-games // jobs),
        setting.opening_plies,
        setting.in_flight,
        setting.adjudication,
    )
    playing = play_in_processes(OneTask(task, plans), min(jobs, games), lambda progress: moved(progress.moves))
    with contextlib.closing(playing):
        for _, match in playing:
            yield match


def compare(roles: Sequence[str], matches: Iterable[MatchResult], a: int, b: int) -> ArenaResult:
    """Return the result of the matches between contestants number a and b."""
    met = sorted(
        (match for match in matches if a in match.plan.seats or b in match.plan.seats),
        key=lambda match: match.plan.number,
    )
    errors = tuple(f"match {match.plan.number}: {match.error}" for match in met if match.error)
    valid = [match for match in met if not match.error]
    played = {role for match in valid for role, seat in enumerate(match.plan.seats) if seat is not None}
    if len(played) == 1:
        return _compare_alone(valid, errors, a, b)
    both = [match for match in valid if a in match.plan.seats and b in match.plan.seats]
    leads = [(match.plan.round, match.mean_goal(a) - match.mean_goal(b)) for match in both]
    return ArenaResult(
        score=Score.of(lead for _, lead in leads),
        by_role={
            roles[role]: Score.of(
                match.mean_goal(a) - match.mean_goal(b) for match in both if match.plan.seats[role] == a
            )
            for role in sorted(played)
        },
        goals=(_mean(match.mean_goal(a) for match in both), _mean(match.mean_goal(b) for match in both)),
        matches=tuple(both),
        errors=errors,
        pairs=_pairs(leads),
    )


def _compare_alone(valid: Sequence[MatchResult], errors: tuple[str, ...], a: int, b: int) -> ArenaResult:
    """Compare the two matches of each round in a game of one role."""
    goals = {
        contestant: {match.plan.round: match.mean_goal(contestant) for match in valid if contestant in match.plan.seats}
        for contestant in (a, b)
    }
    leads = [(number, goals[a][number] - goals[b][number]) for number in goals[a] if number in goals[b]]
    return ArenaResult(
        score=Score.of(lead for _, lead in leads),
        by_role={},
        goals=(_mean(goals[a].values()), _mean(goals[b].values())),
        matches=tuple(valid),
        errors=errors,
        pairs=_pairs([*leads, *leads]),
    )


def _pairs(leads: Iterable[tuple[int, float]]) -> list[int]:
    """Count pairs by their points; `leads` are the rounds of games with the difference of the goals."""
    rounds: dict[int, list[float]] = {}
    for number, lead in leads:
        rounds.setdefault(number, []).append(Score.of([lead]).share)
    return count_pairs((each[0], each[1]) for each in rounds.values() if len(each) == 2)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0

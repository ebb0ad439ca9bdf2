"""Measure one game: load it, play random and searched games within a time limit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine, GdlError

from ..arena.scores import Score, Z
from ..common.errors import UserError, one_line
from ..common.terminal_text import amount
from ..game.game import Game
from ..game.lanes import outcomes
from ..game.load import load_game
from ..game.roles import is_chance, roles_to_play
from .estimates import (
    Estimate,
    Measure,
    Undefined,
    effective_number,
    log10_mean_estimate,
    mean_estimate,
    share_estimate,
)
from .measure_definitions import RANDOM, definitions
from .random_games import Hashes, Numbers, RandomGames, play_random_games
from .rule_features import rule_features
from .searched_games import SearchedGame, play_doubling, play_searched_games, seconds_per_move

# Measures from random games: length, branching, results, sizes of game tree and state space.
#
# Sizes. Knuth (Mathematics of Computation 29, 1975) estimates the size of a tree from random paths: if a path meets
# b_1, b_2, .. branches, b_1 b_2 .. b_d is an unbiased estimate of the number of leaves, and 1 + b_1 + b_1 b_2 + .. of
# the number of nodes. A branch is a legal joint move of all roles. In long games few paths dominate the mean; the
# interval then is too narrow and the estimate usually too small.
#
# States. Chao (Biometrics 43, 1987) estimates a lower bound of the number of species from samples: with m games, S
# different states, Q_1 states that occurred in one game and Q_2 in two,
#
#     S + (m - 1) / m * Q_1 (Q_1 - 1) / (2 (Q_2 + 1)).
#
# Results. The outcome of a role is 1 / k if k roles share the highest goal and the role is one of them, else 0: in
# games of two roles 1 for a win and 1/2 for a draw.

ONE_ROLE = Undefined("the game has one role")
NO_END = "no game ended within the turn limit"


def random_measures(games: RandomGames, roles: Sequence[str]) -> dict[str, Measure]:
    """Return all measures of random games by key, in the order of the output."""
    endless = games.games - int(games.ended.sum())
    found: dict[str, Measure] = {
        "length_random": mean_estimate(games.lengths),
        "unfinished_random": share_estimate(~games.ended),
        "branching": _branching(games),
        "simultaneous": Estimate(float(games.simultaneous)),
        "chance": Estimate(float(games.chance)),
    }
    if endless:
        tree: Measure = Undefined(f"{endless:,} of {games.games:,} random games did not end within the turn limit")
        found |= {"log10_games": tree, "log10_nodes": tree}
    else:
        found["log10_games"] = log10_mean_estimate(games.log_leaves)
        found["log10_nodes"] = log10_mean_estimate(games.log_nodes)
    found["log10_states"] = _states(games.visits, games.visited_games)
    players = [number for number, role in enumerate(roles) if not is_chance(role)]
    ended = games.ended
    return found | result_measures(games.goals[ended][:, players], _places(games.first[ended], players), "random")


def result_measures(goals: npt.ArrayLike, first: npt.ArrayLike, strength: str) -> dict[str, Measure]:
    """Return the measures of the results of games: draws, decisive games, advantage of the first player, balance."""
    keys = [f"{name}_{strength}" for name in ("draws", "decisive", "first_player", "balance", "goal")]
    given, starting = np.asarray(goals, np.int64), np.asarray(first, np.int64)
    if not len(given):
        return dict.fromkeys(keys, Undefined(NO_END))
    if given.shape[1] == 0:
        return dict.fromkeys(keys, Undefined("chance is the only role"))
    valued = np.maximum(given, 0)
    goal = mean_estimate(valued[:, 0])
    if given.shape[1] == 1:
        return {**dict.fromkeys(keys[:-1], ONE_ROLE), keys[-1]: goal}
    share = outcomes(valued)
    best = share.max(axis=1)
    chose = starting >= 0
    outcome = share[chose, starting[chose]]
    values: list[Measure] = [
        share_estimate(best < 1 / given.shape[1] + 1e-9),
        share_estimate(best > 1 - 1e-9),
        share_estimate(outcome) if len(outcome) else Undefined("no role has a choice"),
        _balance(share),
        goal,
    ]
    return dict(zip(keys, values, strict=True))


def _branching(games: RandomGames) -> Measure:
    """Return the mean number of legal moves of a role that has a choice, in the games that have choices."""
    chose = games.decisions > 0
    if not chose.any():
        return Undefined("no role has a choice")
    return mean_estimate(games.options[chose] / games.decisions[chose])


def _balance(share: npt.NDArray[np.float64]) -> Estimate:
    """Return 1 minus the difference between the highest and the lowest mean outcome of the players."""
    means = share.mean(axis=0)
    gap = mean_estimate(share[:, means.argmax()] - share[:, means.argmin()])
    if gap.low is None or gap.high is None:
        return Estimate(1 - gap.value)
    smallest = 0.0 if gap.low <= 0 <= gap.high else min(abs(gap.low), abs(gap.high))
    return Estimate(1 - gap.value, max(0.0, 1 - max(abs(gap.low), abs(gap.high))), 1 - smallest)


def _states(visits: Hashes, games: int) -> Measure:
    """Return log10 of Chao's lower bound of the number of states, with the interval of Chao (1987)."""
    if not games:
        return Undefined("no states were stored")
    _, counts = np.unique(visits, return_counts=True)
    seen, once, twice = len(counts), int((counts == 1).sum()), int((counts == 2).sum())
    share = (games - 1) / games
    unseen = share * once * (once - 1) / (2 * (twice + 1))
    if unseen <= 0:
        return Estimate(*[math.log10(seen)] * 3)
    if twice:
        ratio = once / twice
        variance = twice * (share * ratio**2 / 2 + share**2 * (ratio**3 + ratio**4 / 4))
    else:
        variance = share * once * (once - 1) / 2 + share**2 * once * (2 * once - 1) ** 2 / 4
        variance -= share**2 * once**4 / (4 * (seen + unseen))
    spread = math.exp(Z * math.sqrt(math.log1p(max(0.0, variance) / unseen**2)))
    return Estimate(math.log10(seen + unseen), math.log10(seen + unseen / spread), math.log10(seen + unseen * spread))


def _places(first: Numbers, players: Sequence[int]) -> Numbers:
    """Return the numbers of roles as numbers of players, -1 for -1."""
    places = {role: place for place, role in enumerate(players)}
    return np.array([places.get(role, -1) for role in first.tolist()], np.int64)


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


# The description of the work when the game is loaded.
LOADED = "loaded"
# The share of the time of a game that random games may use.
_RANDOM_SHARE = 0.4
# The multiple of the remaining time beyond which searched games do not begin.
_FAR_TOO_LONG = 3.0
# The share of the remaining time for estimating the time of a search.
_PILOT_SHARE = 0.05
# With a smaller effective number of games the interval of Knuth's estimate is marked as too narrow.
_FEW_GAMES = 30


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """The parameters of all measurements."""

    games: int = 1000  # number of random games, at least 1
    searched: int = 20  # number of searched games for each number of simulations; 0 for none
    simulations: tuple[int, ...] = (100,)  # numbers of simulations per move
    doublings: int = 0  # number of games between N and 2N simulations, even; 0 for none
    max_turns: int = 1000  # largest number of turns of a random game
    seconds: float = 10.0  # time limit of a game after it is loaded
    seed: int = 1  # seed of all random numbers

    @property
    def strengths(self) -> tuple[int, ...]:
        """The numbers of simulations that are measured, in ascending order."""
        return tuple(sorted(set(self.simulations))) if self.searched else ()


@dataclass(frozen=True, slots=True)
class GameMeasures:
    """The measures of one game."""

    game: str  # name of the game
    machine: str  # kind of the state machine
    roles: tuple[str, ...]  # roles in the order of the rules
    games: int  # number of random games that were played
    measures: Mapping[str, Measure]  # measures by key, in the order of `definitions`
    rules: Mapping[str, float]  # features of the rules by key
    notes: tuple[str, ...] = field(default=())  # remarks about incomplete measurements, one line each

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the game."""
        return {
            "game": self.game,
            "machine": self.machine,
            "roles": list(self.roles),
            "games": self.games,
            "measures": {key: one.document() for key, one in self.measures.items()},
            "rules": {key: float(f"{value:.6g}") for key, value in self.rules.items()},
            "notes": list(self.notes),
        }


def measure_game(word: str, options: MeasureOptions, phase: Callable[[str], None]) -> GameMeasures:
    """Measure a game.

    Measures that are not defined for the game, or that had no time, are `Undefined` with the reason.
    """
    phase("load")
    game = load_game(word)
    machine = game.machine()
    phase(LOADED)
    return _Measurement(game, machine, options, phase).result()


class _Measurement:
    """The measurement of one game; it collects measures and notes."""

    def __init__(
        self, game: Game, machine: CompiledMachine, options: MeasureOptions, phase: Callable[[str], None]
    ) -> None:
        self._game = game
        self._machine = machine
        self._options = options
        self._phase = phase
        self._notes: list[str] = []
        self._measures: dict[str, Measure] = {}
        self._games = 0
        self._mean_length = 0.0

    def result(self) -> GameMeasures:
        """Play all games and return the measures."""
        options = self._options
        started = time.monotonic()
        strengths = options.strengths
        self._random(started + (_RANDOM_SHARE if strengths else 1.0) * options.seconds)
        parts = len(strengths) * (2 if options.doublings else 1)
        until = started + options.seconds
        for simulations in strengths:
            self._searched(simulations, _part_of(until, parts))
            parts -= 1
            if options.doublings:
                self._doubled(simulations, _part_of(until, parts))
                parts -= 1
        order = definitions(strengths, doublings=options.doublings > 0)
        return GameMeasures(
            game=self._game.word,
            machine=self._machine.kind,
            roles=self._machine.roles,
            games=self._games,
            measures={key: self._measures[key] for key in order},
            rules=rule_features(self._game.sheet),
            notes=tuple(self._notes),
        )

    def _random(self, until: float) -> None:
        options = self._options
        try:
            games = self._random_games(until)
            reason = f"no random games were completed in {options.seconds:g} s"
        except (GdlError, UserError, ValueError) as error:
            games, reason = None, one_line(UserError(str(error)))
        if games is None:
            self._measures |= dict.fromkeys(definitions((), doublings=False), Undefined(reason))
            return
        self._games = games.games
        self._mean_length = float(games.lengths.mean())
        if games.games < options.games:
            self._notes.append(f"{games.games:,} of {options.games:,} random games, because the time is limited")
        self._measures |= random_measures(games, self._machine.roles)
        effective = effective_number(games.log_leaves)
        if effective < _FEW_GAMES and games.ended.all():
            self._notes.append(
                f"the sizes of the game tree depend on about {effective:.0f} of {games.games:,} games; "
                "their intervals are too narrow"
            )

    def _random_games(self, until: float) -> RandomGames | None:
        options = self._options
        self._phase(amount(options.games, "random game"))
        return play_random_games(
            self._game,
            self._machine,
            options.games,
            max_turns=options.max_turns,
            seed=options.seed,
            until=until,
            played=self._counter("random games", options.games),
        )

    def _searched(self, simulations: int, until: float) -> None:
        options = self._options
        what = f"games with {simulations:,} simulations"
        if reason := self._unsearchable(simulations, until):
            self._measures |= undefined_measures(simulations, reason)
            return
        self._phase(f"{options.searched:,} {what}")
        games, error = play_searched_games(
            self._machine,
            options.searched,
            simulations=simulations,
            seed=options.seed,
            until=until,
            played=self._counter(what, options.searched),
        )
        if not games:
            reason = error or f"no {what} per move were completed in the time"
            self._measures |= undefined_measures(simulations, reason)
            return
        if len(games) < options.searched:
            self._notes.append(f"{len(games):,} of {options.searched:,} {what}{f': {error}' if error else ''}")
        self._measures |= searched_measures(games, simulations)

    def _doubled(self, simulations: int, until: float) -> None:
        options = self._options
        searched = self._measures[f"length_{simulations}"]
        reason = searched.reason if isinstance(searched, Undefined) else self._unsearchable(2 * simulations, until)
        if len(roles_to_play(self._machine.roles)) < 2:
            reason = reason or "the game has one role"
        if reason:
            self._measures[f"elo_per_doubling_{simulations}"] = Undefined(reason)
            return
        what = f"games of {2 * simulations:,} against {simulations:,} simulations"
        self._phase(f"{options.doublings:,} {what}")
        score = play_doubling(
            self._machine,
            options.doublings,
            simulations=simulations,
            seed=options.seed,
            until=until,
            played=self._counter(what, options.doublings),
        )
        if score.games < options.doublings:
            self._notes.append(f"{score.games:,} of {options.doublings:,} {what}")
        self._measures |= doubling_measure(score, simulations)

    def _unsearchable(self, simulations: int, until: float) -> str:
        """Return the reason why no games with these simulations are played; empty if they are played.

        Searches side by side cannot be interrupted, so games that would take far too long do not begin. A search of the
        initial state estimates their time; later searches take half as long on average.
        """
        if self._machine.hides_information:
            return "the game hides information from its roles"
        if not roles_to_play(self._machine.roles):
            return "chance is the only role"
        length = self._measures[f"length_{RANDOM}"]
        if isinstance(length, Undefined):
            return length.reason
        endless = self._measures[f"unfinished_{RANDOM}"]
        if not isinstance(endless, Undefined) and endless.value == 1:
            return "no random game ended within the turn limit"
        left = until - time.monotonic()
        if left <= 0:
            return "no time was left"
        try:
            needed = self._mean_length / 2 * seconds_per_move(self._machine, simulations, _PILOT_SHARE * left)
        except OverflowError as problem:  # more moves than a search can number
            return str(problem)
        if needed > _FAR_TOO_LONG * left:
            return f"a game with {simulations:,} simulations per move would take about {needed:,.0f} s"
        return ""

    def _counter(self, what: str, total: int) -> Callable[[int], None]:
        return lambda played: self._phase(f"{played:,} of {total:,} {what}")


def _part_of(until: float, parts: int) -> float:
    """Return the end of the next of some equal parts of the remaining time."""
    now = time.monotonic()
    return now + max(0.0, until - now) / parts

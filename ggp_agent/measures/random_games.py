"""Uniformly random games, with the numbers from which measures are computed.

In each turn every role, also chance, draws one of its legal moves uniformly. A batch of games is complete: if the time
ends within a batch, its games are dropped, because short games end first and would make the sample too short.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine, NumberedMachine

from ..arena.scores import Z
from ..game.game import Game
from ..game.lanes import Lanes
from ..game.play import lane_turns, stuck_role, turns
from ..game.roles import is_chance, no_legal_move
from .estimates import Estimate, Measure, Undefined, log10_mean_estimate, mean_estimate, result_measures, share_estimate

# The largest number of games that are played side by side, and of bytes for their legal moves.
_MAX_LANES = 256
_LEGAL_BYTES = 1 << 26
# The largest number of visited states to store; later games do not count for the number of states.
MAX_VISITS = 10_000_000
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

T = TypeVar("T", bound=np.generic)

Numbers = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class RandomGames:
    """Random games of one game; the first index of all arrays is the game."""

    lengths: Numbers  # number of turns, [games]
    ended: npt.NDArray[np.bool_]  # whether the game reached a terminal state within the turn limit, [games]
    decisions: Numbers  # number of choices: pairs of a turn and a role, not chance, with several legal moves, [games]
    options: Numbers  # number of legal moves in all choices together, [games]
    log_leaves: npt.NDArray[np.float64]  # natural logarithm of the product of the numbers of legal joint moves, [games]
    # Natural logarithm of the sum of these products over all turns, including 1 for the root, [games].
    log_nodes: npt.NDArray[np.float64]
    goals: Numbers  # goal of each role, -1 without a goal and in games without an end, [games, roles]
    first: Numbers  # number of the first role that had a choice, -1 if no role had one, [games]
    visits: Hashes  # hashes of the states of each game, each state once per game, in one array
    visited_games: int  # number of the games whose states are in `visits`
    simultaneous: bool  # whether several roles, not chance, had a choice in the same turn
    chance: bool  # whether chance had a choice

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.lengths)


def play_random_games(
    game: Game,
    machine: CompiledMachine,
    games: int,
    *,
    max_turns: int,
    seed: int,
    until: float,
    played: Callable[[int], None],
) -> RandomGames | None:
    """Play random games from the initial state, on lanes if the machine has some; None if no batch was completed."""
    lanes = _lanes_of_games(game, machine, games) if isinstance(machine, NumberedMachine) else None
    batches: list[RandomGames] = []
    while (done := sum(batch.games for batch in batches)) < games:
        keeps_states = sum(len(batch.visits) for batch in batches) < MAX_VISITS
        if lanes is None:
            batch = _play_game(machine, random.Random(f"{seed} {done}"), max_turns, until, keeps_states)
        else:
            lanes.reset()
            lanes.seed(seed + done)
            batch = _play_batch(lanes, max_turns, until, keeps_states, games - done)
        if batch is None:
            break
        batches.append(batch)
        played(done + batch.games)
    return _joined(batches) if batches else None


def _lanes_of_games(game: Game, machine: NumberedMachine, games: int) -> Lanes:
    """Return lanes for random games, as many as the memory of their legal moves allows."""
    moves = sum(len(machine.move_names(role)) for role in range(len(machine.roles)))
    return Lanes.of_machine(game, machine, max(1, min(_MAX_LANES, games, _LEGAL_BYTES // max(1, moves))))


def _joined(batches: list[RandomGames]) -> RandomGames:
    """Return the games of several batches, at least one, as one object."""

    def column(name: str) -> npt.NDArray[np.generic]:
        return np.concatenate([getattr(batch, name) for batch in batches])

    arrays = ("lengths", "ended", "decisions", "options", "log_leaves", "log_nodes", "goals", "first", "visits")
    return RandomGames(
        **{name: column(name) for name in arrays},  # type: ignore[arg-type]
        visited_games=sum(batch.visited_games for batch in batches),
        simultaneous=any(batch.simultaneous for batch in batches),
        chance=any(batch.chance for batch in batches),
    )


def state_hashes(states: Hashes) -> Hashes:
    """Return a 64-bit hash of each packed state: uint64, [n, words] -> [n]."""
    found = np.zeros(len(states), np.uint64)
    for word in states.T:
        found = (found ^ word) * _MULTIPLIER
        found ^= found >> np.uint64(29)
    return found


def _play_batch(lanes: Lanes, max_turns: int, until: float, keeps_states: bool, games: int) -> RandomGames | None:
    """Play one game in each lane and return the first games; None if the time ended before."""
    counts: list[Numbers] = []
    lengths = np.zeros(lanes.n, np.int64)
    hashes: list[Hashes] = []
    for active, _ in lane_turns(lanes, max_turns):
        if time.monotonic() > until:
            return None
        if keeps_states:
            hashes.append(state_hashes(lanes.store()))
        counts.append(np.stack([lanes.legal(role).sum(axis=0, dtype=np.int64) for role in lanes.roles]))
        for role, legal in zip(lanes.roles, counts[-1], strict=True):
            if (active & (legal == 0)).any():
                raise ValueError(no_legal_move(role, int(lengths.max())))
        lengths += active
    if keeps_states:
        hashes.append(state_hashes(lanes.store()))
    table = np.array(counts, np.int64).reshape(-1, len(lanes.roles), lanes.n)
    return _summed(lanes.roles, table, lengths, lanes.terminal, lanes.goals.T, hashes, games)


def _play_game(
    machine: CompiledMachine, draw: random.Random, max_turns: int, until: float, keeps_states: bool
) -> RandomGames | None:
    """Play one game; return None if the time ended before."""
    counts: list[int] = []

    def choose(_: str, legal: list[str]) -> str:
        counts.append(len(legal))
        return draw.choice(legal)

    states = [machine.initial()]
    for _, state in islice(turns(machine, choose), max_turns):
        states.append(state)
        if time.monotonic() > until:
            return None
    length = len(states) - 1
    if length < max_turns and (role := stuck_role(machine, states[-1])):
        raise ValueError(no_legal_move(role, length))
    ended = machine.terminal(states[-1])
    goals = [machine.goal(states[-1], role) if ended else None for role in machine.roles]
    return _summed(
        machine.roles,
        np.array(counts, np.int64).reshape(length, len(machine.roles), 1),
        np.array([length]),
        np.array([ended]),
        np.array([[-1 if goal is None else goal for goal in goals]]),
        [np.array([hash(state) & (2**64 - 1)], np.uint64) for state in states] if keeps_states else [],
        1,
    )


def _summed(
    roles: Sequence[str],
    counts: Numbers,
    lengths: Numbers,
    ended: npt.NDArray[np.bool_],
    goals: npt.NDArray[np.integer],
    hashes: Sequence[Hashes],
    games: int,
) -> RandomGames:
    """Return the first of n games.

    The arrays are numbers of legal moves, [turns, roles, n], 0 after the end of a game; turns and ends, [n]; goals,
    [n, roles]; and if states are stored, the hashes of the states before and after all turns, [turns + 1, n].
    """
    chances = np.array([[is_chance(role)] for role in roles])
    choices = counts > 1
    chosen = choices & ~chances
    # One row for each role in each turn, after a row for the initial state.
    sums = np.cumsum(_in_order(np.log(np.maximum(counts, 1))), axis=0)[:: len(roles)]
    place = _in_order(chosen).argmax(axis=0)
    active = np.arange(len(counts))[:, np.newaxis] < lengths
    arrays = {
        "lengths": lengths,
        "ended": ended.copy(),
        "decisions": chosen.sum(axis=(0, 1)),
        "options": (counts * chosen).sum(axis=(0, 1)),
        "log_leaves": sums[-1],
        "log_nodes": np.logaddexp.reduce(sums[1:], axis=0, where=active, initial=0.0),
        "goals": goals.astype(np.int64),
        "first": np.where(place > 0, (place - 1) % len(roles), -1),
    }
    visits = [np.zeros(0, np.uint64)]
    if hashes:
        table = np.stack(hashes)
        visits += [np.unique(table[: length + 1, lane]) for lane, length in enumerate(lengths[:games].tolist())]
    return RandomGames(
        **{name: values[:games] for name, values in arrays.items()},
        visits=np.concatenate(visits),
        visited_games=len(visits) - 1,
        simultaneous=bool((chosen.sum(axis=1) > 1).any()),
        chance=bool((choices & chances).any()),
    )


def _in_order(table: npt.NDArray[T]) -> npt.NDArray[T]:
    """Return a table of [turns, roles, n] as [1 + turns * roles, n], with zeros in the first row."""
    n = table.shape[2]
    return np.concatenate([np.zeros((1, n), table.dtype), table.reshape(-1, n)])


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


def _branching(games: RandomGames) -> Measure:
    """Return the mean number of legal moves of a role that has a choice, in the games that have choices."""
    chose = games.decisions > 0
    if not chose.any():
        return Undefined("no role has a choice")
    return mean_estimate(games.options[chose] / games.decisions[chose])


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

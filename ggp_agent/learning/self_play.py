"""Games of a network against itself: what a run of learning needs of them, games in threads, and their positions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from gdl import NetworkMachine

from .. import _learning, _search
from ..evaluation import LEARNED
from ..evaluation.features import Samples
from ..evaluation.learned_network import LearnedNetwork
from ..game.roles import is_chance
from ..mcts.search_result import RootStatistics
from ..mcts.side_by_side import GameSearches, LaneBlocks, play_side_by_side
from .options import SelfPlayOptions, learned_config

# The memory of the tree of one game.
_TREE_MB = 16


@dataclass(frozen=True, slots=True, eq=False)
class SelfPlayResult:
    """What one call of `SelfPlayGames.play` has played."""

    positions: Positions  # the positions of the games that have ended
    games: int  # the number of these games
    simulations: int  # the number of their simulations

    @classmethod
    def joined(cls, parts: Sequence[SelfPlayResult], roles: int) -> SelfPlayResult:
        """Return all games of some results, in arrays of this process."""
        positions = Positions.joined([part.positions for part in parts]) if parts else Positions.none(roles)
        return cls(positions, sum(part.games for part in parts), sum(part.simulations for part in parts))


class SelfPlayGames(Protocol):
    """Games of a network against itself, played by threads of this process or by other machines.

    Attributes:
        workers: the number of threads or processes that play.
        cpu_seconds: processor time of other processes, in total.
    """

    workers: int
    cpu_seconds: float

    def set_network(self, network: LearnedNetwork) -> None:
        """Continue with another network of the same shape."""

    def play(self, positions: int, stopped: Callable[[], bool]) -> SelfPlayResult:
        """Play until finished games have about a number of positions, or until `stopped()` becomes true."""

    def close(self) -> None:
        """End the threads or processes."""


class SelfPlayThreads:
    """Threads that share the work of a generation; games continue from call to call."""

    def __init__(
        self, machine: NetworkMachine, network: LearnedNetwork, options: SelfPlayOptions, threads: int
    ) -> None:
        self.workers = threads
        self.cpu_seconds = 0.0  # there are no other processes
        self._roles = len(machine.roles)
        self._simulators: list[_learning.LearnedSimulator] = []
        self._workers: list[_search.SelfPlay] = []
        lanes = next(width for width in (64, 128, 256, 512) if width >= options.games)
        game = network.in_core()
        config = learned_config(1, memory_mb=_TREE_MB)
        for number in range(threads):
            wide, scout = (_learning.LearnedSimulator(machine.simulator(width), game, LEARNED) for width in (lanes, 64))
            seeded = replace(options, seed=options.seed * 1_000 + number)
            self._workers.append(_search.SelfPlay(wide, scout, config, seeded))
            self._simulators += [wide, scout]
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="self-play")

    def set_network(self, network: LearnedNetwork) -> None:
        """Continue with another network of the same shape."""
        game = network.in_core()
        for simulator in self._simulators:
            simulator.set_game(game)

    def set_start(self, state: bytes, share: float) -> None:
        """Begin a share of the games from now on in a packed state."""
        for worker in self._workers:
            worker.set_start(state, share)

    def play(self, positions: int, stopped: Callable[[], bool], threads: int | None = None) -> SelfPlayResult:
        """Play until finished games have about a number of positions, or until `stopped()` becomes true.

        With `threads` only the games of the first threads continue.
        """
        workers = self._workers[:threads]
        share = -(-positions // len(workers))
        futures = [self._pool.submit(worker.play, share, stopped) for worker in workers]
        found = [future.result() for future in futures]
        return SelfPlayResult.joined(
            [
                SelfPlayResult(Positions.from_core(each, self._roles), each["games"], each["simulations"])
                for each in found
            ],
            self._roles,
        )

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


# ---- positions

_Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """Positions of finished games; n positions, g groups and m moves.

    A group is the legal moves of one role that chooses in a position, with the probabilities that the search gave them.
    Positions of short searches have no groups: only their values are learned.
    """

    states: _Array  # packed states, uint64, [n, words]; fluent f is bit f % 64 of word f // 64
    movers: _Array  # the number of the only role that chooses, -1 if there are several; int32, [n]
    results: _Array  # the reward of each role at the end of the game, -1 .. 1; float32, [n, roles]
    searched: _Array  # the value of each role that the search found, -1 .. 1; float32, [n, roles]
    group_ends: _Array  # the end of the groups of each position; uint32, [n]
    group_roles: _Array  # the role of each group; int32, [g]
    move_ends: _Array  # the end of the moves of each group; uint32, [g]
    move_numbers: _Array  # the numbers of the moves; int32, [m]
    probabilities: _Array  # the probabilities of the moves, whose sum is 1 in each group; float32, [m]

    def __len__(self) -> int:
        return len(self.movers)

    @classmethod
    def from_core(cls, found: Mapping[str, Any], roles: int) -> Positions:
        """Return the arrays that `_search.SelfPlay.play` returns as bytes."""
        arrays: dict[str, _Array] = {name: np.frombuffer(found[name], kind) for name, kind in _KINDS.items()}
        count = len(arrays["movers"])
        arrays["states"] = arrays["states"].reshape(count, -1 if count else 1)
        for name in ("results", "searched"):
            arrays[name] = arrays[name].reshape(count, roles)
        return cls(**arrays)

    @classmethod
    def of_playouts(cls, samples: Samples) -> Positions:
        """Return states of play-outs with the rewards of their ends, without groups."""
        rewards = samples.goals.astype(np.float32) / 50 - 1
        ends = np.zeros(len(samples), np.uint32)
        return replace(
            cls.none(samples.goals.shape[1]),
            states=samples.states,
            movers=samples.movers,
            results=rewards,
            searched=rewards,
            group_ends=ends,
        )

    @classmethod
    def none(cls, roles: int) -> Positions:
        """Return no positions."""
        return cls.from_core(dict.fromkeys(_KINDS, b""), roles)

    @classmethod
    def joined(cls, parts: Sequence[Positions]) -> Positions:
        """Return all positions of some parts, at least one, in their order."""
        parts = [part for part in parts if len(part)] or parts[:1]  # an empty part does not know the width of states
        groups = np.cumsum([0, *(len(part.group_roles) for part in parts)])
        moves = np.cumsum([0, *(len(part.move_numbers) for part in parts)])
        arrays = {field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)}
        arrays["group_ends"] = np.concatenate(
            [part.group_ends + np.uint32(first) for part, first in zip(parts, groups, strict=False)]
        )
        arrays["move_ends"] = np.concatenate(
            [part.move_ends + np.uint32(first) for part, first in zip(parts, moves, strict=False)]
        )
        return cls(**arrays)

    def arrays(self) -> dict[str, _Array]:
        """Return the arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, _Array], roles: int) -> Positions:
        """Read the output of `arrays`."""
        if set(arrays) != set(_KINDS):
            raise ValueError("an array of the positions is missing")
        for name, kind in _KINDS.items():
            if arrays[name].dtype != kind or arrays[name].ndim != _DIMENSIONS.get(name, 1):
                raise ValueError(f"the array {name} has another type or shape")
        count = len(arrays["movers"])
        if any(len(arrays[name]) != count for name in ("states", "results", "searched", "group_ends")):
            raise ValueError("the arrays of the positions have different lengths")
        if arrays["results"].shape[1] != roles or arrays["searched"].shape[1] != roles:
            raise ValueError("the positions have another number of roles")
        if len(arrays["group_roles"]) != len(arrays["move_ends"]):
            raise ValueError("the arrays of the groups have different lengths")
        if len(arrays["move_numbers"]) != len(arrays["probabilities"]):
            raise ValueError("the arrays of the moves have different lengths")
        return cls(**{name: np.ascontiguousarray(arrays[name]) for name in _KINDS})


_KINDS: dict[str, type] = {
    "states": np.uint64,
    "movers": np.int32,
    "results": np.float32,
    "searched": np.float32,
    "group_ends": np.uint32,
    "group_roles": np.int32,
    "move_ends": np.uint32,
    "move_numbers": np.int32,
    "probabilities": np.float32,
}
_DIMENSIONS = {"states": 2, "results": 2, "searched": 2}


# Pairs of games with the same opening and exchanged seats, simulations of a move, and the longest game.
_PAIRS, _SIMULATIONS, _MAX_PLIES = 16, 64, 400
_OPENING_PLIES = 4
_NEW, _OLD = "new", "old"


def elo_of_score(score: float, games: int) -> float:
    """Return the Elo difference of a score, 0 .. 1, with half a point for each side added.

    >>> round(elo_of_score(0.75, 100)), round(elo_of_score(1.0, 10))
    (189, 529)
    """
    share = (score * games + 0.5) / (games + 1)
    return 400 * math.log10(share / (1 - share))


def score_between(
    machine: NetworkMachine, new: _learning.LearnedGame, old: _learning.LearnedGame, seed: int
) -> tuple[float, int]:
    """Play test games between two networks of a game of at least two roles, not counting chance.

    The newer network plays the first role or the second role, and the older one plays all others. Chance is drawn.
    """
    lanes, scout = (
        _learning.LearnedSimulator(_learning.LearnedSimulator(machine.simulator(64), new, _NEW), old, _OLD)
        for _ in range(2)
    )
    searches = _search.SideBySide(lanes, scout)
    games = (_test_game(machine, searches, number, seed) for number in range(2 * _PAIRS))
    scores = list(play_side_by_side(searches, LaneBlocks([1], 64), games, 2 * _PAIRS))
    return sum(scores) / len(scores), len(scores)


def _test_game(machine: NetworkMachine, searches: _search.SideBySide, number: int, seed: int) -> GameSearches[float]:
    """Return the score of the new network, by goals; games 2k and 2k + 1 have one opening and exchanged seats."""
    playing = [role for role, name in enumerate(machine.roles) if not is_chance(name)]
    seat = playing[number % 2]
    draw = random.Random(seed * 1_000 + number // 2)
    searchers = {name: searches.searcher(learned_config(1, name=name, memory_mb=16)) for name in (_NEW, _OLD)}
    player_of = {role: _NEW if role == seat else _OLD for role in playing}
    state, opening = machine.initial(), draw.randint(1, _OPENING_PLIES)
    for ply in range(_MAX_PLIES):
        if machine.terminal(state):
            break
        legal = [machine.legal_numbers(state, role) for role in range(len(machine.roles))]
        choosing = [role for role in playing if len(legal[role]) > 1] if ply >= opening else []
        found: dict[str, RootStatistics] = {}
        for name in sorted({player_of[role] for role in choosing}):
            yield searchers[name], _SIMULATIONS
            found[name] = searchers[name].statistics()
        joint = [
            int(found[player_of[role]].roles[role].moves["move"][0]) if role in choosing else draw.choice(moves)
            for role, moves in enumerate(legal)
        ]
        for searcher in searchers.values():
            searcher.advance(joint)
        state = searchers[_NEW].root_state
    if not machine.terminal(state):
        return 0.5
    goals = {role: max(machine.goals(state, machine.roles[role]), default=0) for role in playing}
    own = goals.pop(seat)
    return 0.5 if own == max(goals.values()) else float(own > max(goals.values()))

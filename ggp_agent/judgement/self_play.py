"""States that searches have looked into while they played against themselves, and what they think of them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine, State

from ..games import roles_to_play
from ..search.config import SearchConfig
from ..search.searcher import Searcher
from ..search.statistics import Statistics

# Of a game that goes on for long the rest says little that is new.
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """How a search plays against itself.

    Attributes:
        simulations: of every move, at most.
        cpu_seconds: of every move, at most.
        least_visits: of the states that are kept.
        epsilon: probability that a role makes a random move instead, 0 .. 1.
    """

    simulations: int = 150
    cpu_seconds: float = 0.1
    least_visits: int = 5
    epsilon: float = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class SearchedStates:
    """States of trees, those of one game together.

    Attributes:
        states: packed, shape (n, words).
        rewards: mean of each role, -1 .. 1, within what is proven; shape (n, roles).
        games: of each state its number, from 0, ascending; shape (n,).
        moves: that were searched.
    """

    states: npt.NDArray[np.uint64]
    rewards: npt.NDArray[np.float32]
    games: npt.NDArray[np.int32]
    moves: int

    def __len__(self) -> int:
        return len(self.states)


def play_against_itself(
    machine: CompiledMachine,
    config: SearchConfig,
    how: SelfPlay,
    *,
    rows: int,
    cpu_seconds: float,
    seed: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> SearchedStates:
    """Play games in this thread, and keep what the trees know.

    Args:
        machine: of the game.
        config: of the search of all roles.
        how: they play.
        rows: after which it ends.
        cpu_seconds: that it may take, about.
        seed: of searches and random moves.
        stopped: asked before every move; true ends it with what there is.
    """
    until = time.thread_time() + cpu_seconds
    draw = random.Random(seed)
    found: list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]] = []
    games: list[int] = []
    kept = moves = game = 0
    while kept < rows and time.thread_time() < until and not stopped():
        searcher = Searcher(machine, replace(config, seed=draw.getrandbits(63), threads=None))
        state: State = machine.initial()
        for _ in range(_LONGEST):
            if machine.terminal(state) or kept >= rows or time.thread_time() >= until or stopped():
                break
            statistics = searcher.run(simulations=how.simulations, cpu_seconds=how.cpu_seconds)
            if statistics.simulations:
                moves += 1
                states, rewards, _ = searcher.known_nodes(how.least_visits)
                found.append((states, rewards))
                games.append(game)
                kept += len(states)
            joint = _joint_move(machine, state, statistics, how.epsilon, draw)
            searcher.advance(joint)
            state = machine.next(state, joint)
        game += 1
    words, roles = len(machine.initial()) // 8, len(machine.roles)
    return SearchedStates(
        np.concatenate([np.zeros((0, words), np.uint64), *(states for states, _ in found)]),
        np.concatenate([np.zeros((0, roles), np.float32), *(rewards for _, rewards in found)]),
        np.repeat(np.array(games, np.int32), [len(states) for states, _ in found]),
        moves,
    )


def _joint_move(
    machine: CompiledMachine, state: State, statistics: Statistics, epsilon: float, draw: random.Random
) -> list[str]:
    """Return the best move of each role, or a random one: with probability epsilon, and always of chance."""
    players = roles_to_play(machine.roles)
    joint = []
    for role, best in zip(machine.roles, statistics.best, strict=True):
        legal = machine.legal(state, role)
        at_random = role not in players or draw.random() < epsilon
        joint.append(draw.choice(legal) if at_random or best not in legal else best)
    return joint

"""States from the search trees of self-play games, with their values."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gdl import CompiledMachine, LaneSimulator

from ... import _search
from ...game.roles import is_chance
from ...mcts.config import SearchConfig, lanes_for
from ...mcts.search_result import RootStatistics

# The largest number of turns of a game; later states add little.
_MOST_TURNS = 200
# The part of the games that begin in a state of a random play-out, so that all phases of the game occur.
_FROM_PLAYOUTS = 0.5


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """Parameters of self-play."""

    config: SearchConfig  # configuration of the search of all roles, with `in_flight`
    simulations: int = 150  # number of simulations per move
    least_visits: int = 5  # smallest number of visits of the states to keep
    epsilon: float = 0.15  # probability that a role makes a random move, 0 .. 1


@dataclass(frozen=True, slots=True, eq=False)
class SearchedStates:
    """States of trees."""

    states: npt.NDArray[np.uint64]  # packed states, shape (n, words)
    rewards: npt.NDArray[np.float32]  # mean reward of each role, -1 .. 1, within the proven bounds; shape (n, roles)
    games: npt.NDArray[np.int32]  # number of the game of each state, from 0, shape (n,)
    moves: int  # number of searched moves

    def __len__(self) -> int:
        return len(self.states)


def known_states(
    tree: _search.Searcher, roles: int, least_visits: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
    """Return states below the root of a tree that is not being searched, with their statistics."""
    states, rewards, visits = tree.known_nodes(least_visits)
    counts = np.frombuffer(visits, np.uint32)
    return (
        np.frombuffer(states, np.uint64).reshape(len(counts), len(tree.root_state) // 8),
        np.frombuffer(rewards, np.float32).reshape(len(counts), roles),
        counts,
    )


def play_against_itself(
    machine: CompiledMachine,
    how: SelfPlay,
    starts: npt.NDArray[np.uint64],
    *,
    rows: int,
    cpu_seconds: float,
    seed: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> SearchedStates:
    """Play games side by side in the calling thread and keep states of their trees."""
    until = time.thread_time() + cpu_seconds
    return _Games(machine, how, starts, seed).play(rows, lambda: stopped() or time.thread_time() > until)


class _Games:
    """Games that share the lanes of a simulator, as many as fit."""

    def __init__(self, machine: CompiledMachine, how: SelfPlay, starts: npt.NDArray[np.uint64], seed: int) -> None:
        assert how.config.in_flight is not None
        self._how = how
        self._starts = starts
        self._draw = random.Random(seed)
        self._chances = [is_chance(role) for role in machine.roles]
        lanes = max(machine.simulator().lanes, lanes_for(how.config.in_flight))
        self._places = range(0, lanes - how.config.in_flight + 1, how.config.in_flight)
        self._searches = _search.SideBySide(machine.simulator(lanes), machine.simulator(64))
        self._referee: LaneSimulator = machine.simulator(64)
        self._begun = 0
        self._states: list[npt.NDArray[np.uint64]] = []
        self._rewards: list[npt.NDArray[np.float32]] = []
        self._games: list[npt.NDArray[np.int32]] = []

    def play(self, rows: int, over: Callable[[], bool]) -> SearchedStates:
        """Play until there are enough states or `over` returns true."""
        running: dict[_search.Searcher, tuple[int, int, int]] = {}  # number of the game, its turns, its first lane
        kept = moves = 0
        for place in self._places:
            searcher, number = self._begin()
            running[searcher] = number, 0, place
            self._searches.start(searcher, place, self._how.simulations)
        while kept < rows and not over():
            for searcher in self._searches.run(over):
                number, turns, place = running.pop(searcher)
                moves += 1
                kept += self._keep(searcher, number)
                turns = self._go_on(searcher, turns)
                if turns > _MOST_TURNS:
                    searcher, number = self._begin()
                    turns = 0
                running[searcher] = number, turns, place
                self._searches.start(searcher, place, self._how.simulations)
        self._searches.stop()
        words, roles = self._referee.state_words, len(self._chances)
        return SearchedStates(
            np.concatenate([np.zeros((0, words), np.uint64), *self._states]),
            np.concatenate([np.zeros((0, roles), np.float32), *self._rewards]),
            np.concatenate([np.zeros(0, np.int32), *self._games]),
            moves,
        )

    def _begin(self) -> tuple[_search.Searcher, int]:
        """Return the searcher of another game and the number of the game."""
        searcher = self._searches.searcher(replace(self._how.config, seed=self._draw.getrandbits(63), threads=None))
        if len(self._starts) and self._draw.random() < _FROM_PLAYOUTS:
            searcher.set_root(self._starts[self._draw.randrange(len(self._starts))].tobytes())
        self._begun += 1
        return searcher, self._begun - 1

    def _keep(self, searcher: _search.Searcher, number: int) -> int:
        """Store the states of a tree and return their number."""
        states, rewards, _ = known_states(searcher, len(self._chances), self._how.least_visits)
        self._states.append(states)
        self._rewards.append(rewards)
        self._games.append(np.full(len(states), number, np.int32))
        return len(states)

    def _go_on(self, searcher: _search.Searcher, turns: int) -> int:
        """Play to the next turn in which a player has a choice; return its number, _MOST_TURNS + 1 after the end."""
        found: RootStatistics | None = searcher.statistics()
        while turns <= _MOST_TURNS:
            self._referee.evaluate(searcher.root_state)
            if self._referee.terminal():
                break
            legal = [self._referee.legal(role) for role in range(len(self._chances))]
            if not all(legal):
                break
            has_choice = any(len(own) > 1 and not chance for own, chance in zip(legal, self._chances, strict=True))
            if found is None and has_choice:
                return turns
            searcher.advance([self._move(role, own, found) for role, own in enumerate(legal)])
            found = None
            turns += 1
        return _MOST_TURNS + 1

    def _move(self, role: int, legal: list[int], found: RootStatistics | None) -> int:
        """Return the best move of a role, or a random one: with probability epsilon, and for chance always."""
        if len(legal) == 1:
            return legal[0]
        if found is None or self._chances[role] or self._draw.random() < self._how.epsilon:
            return self._draw.choice(legal)
        moves = found.roles[role].moves["move"]
        return int(moves[0]) if len(moves) else self._draw.choice(legal)

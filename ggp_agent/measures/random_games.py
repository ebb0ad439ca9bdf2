"""Uniformly random games on lanes, with the numbers from which measures are computed.

In each turn every role, also chance, draws one of its legal moves uniformly. A batch of games is complete: if the time
ends within a batch, its games are dropped, because short games end first and would make the sample too short.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..game.lanes import Lanes
from ..game.roles import is_chance
from ..game.turn_words import no_legal_move

# The largest number of games that are played side by side, and of bytes for their legal moves.
_MOST_LANES = 256
_LEGAL_BYTES = 1 << 26
# The largest number of visited states to store; later games do not count for the number of states.
MAX_VISITS = 10_000_000
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

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
    lanes: Lanes, games: int, *, max_turns: int, seed: int, until: float, played: Callable[[int], None]
) -> RandomGames | None:
    """Play random games from the initial state."""
    batches: list[RandomGames] = []
    visits = 0
    while (done := sum(batch.games for batch in batches)) < games:
        lanes.reset()
        lanes.seed(seed + done)
        batch = _Batch(lanes, keeps_states=visits < MAX_VISITS)
        if not batch.play(max_turns, until):
            break
        batches.append(batch.result(min(lanes.n, games - done)))
        visits += len(batches[-1].visits)
        played(done + batches[-1].games)
    return joined(batches) if batches else None


def lanes_of_games(moves: int, games: int) -> int:
    """Return the number of lanes for random games, within the memory of the legal moves."""
    return max(1, min(_MOST_LANES, games, _LEGAL_BYTES // max(1, moves)))


def joined(batches: list[RandomGames]) -> RandomGames:
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


class _Batch:
    """One game in each lane, from the initial state."""

    def __init__(self, lanes: Lanes, *, keeps_states: bool) -> None:
        n = lanes.n
        self._lanes = lanes
        self._keeps_states = keeps_states
        self._chance = [is_chance(role) for role in lanes.roles]
        self._lengths = np.zeros(n, np.int64)
        self._decisions, self._options = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self._log_leaves, self._log_nodes = np.zeros(n), np.zeros(n)
        self._first = np.full(n, -1, np.int64)
        self._states: list[Hashes] = []
        self._simultaneous = self._has_chance = False

    def play(self, max_turns: int, until: float) -> bool:
        """Play all games to their ends or to the turn limit; return False if the time ended before."""
        lanes = self._lanes
        self._look()
        for _ in range(max_turns):
            active = ~lanes.terminal
            if not active.any():
                return True
            if time.monotonic() > until:
                return False
            self._count(active)
            lanes.step_random()
            self._lengths += active
            self._look()
        return True

    def result(self, games: int) -> RandomGames:
        """Return the first games of the batch."""
        lanes = self._lanes
        visits = np.zeros(0, np.uint64)
        if self._states:
            table = np.stack(self._states)
            each = [np.unique(table[: length + 1, lane]) for lane, length in enumerate(self._lengths[:games].tolist())]
            visits = np.concatenate(each)
        return RandomGames(
            lengths=self._lengths[:games],
            ended=lanes.terminal[:games].copy(),
            decisions=self._decisions[:games],
            options=self._options[:games],
            log_leaves=self._log_leaves[:games],
            log_nodes=self._log_nodes[:games],
            goals=lanes.goals.T[:games].astype(np.int64),
            first=self._first[:games],
            visits=visits,
            visited_games=games if self._states else 0,
            simultaneous=self._simultaneous,
            chance=self._has_chance,
        )

    def _look(self) -> None:
        if self._keeps_states:
            self._states.append(state_hashes(self._lanes.store()))

    def _count(self, active: npt.NDArray[np.bool_]) -> None:
        """Add the legal moves of the current states to the sums of the active lanes."""
        choosing = np.zeros(self._lanes.n, np.int64)
        for number, role in enumerate(self._lanes.roles):
            legal = self._lanes.legal(role).sum(axis=0, dtype=np.int64)
            if (active & (legal == 0)).any():
                raise ValueError(no_legal_move(role, int(self._lengths.max())))
            choice = active & (legal > 1)
            self._log_leaves += np.log(np.maximum(legal, 1))
            if self._chance[number]:
                self._has_chance = self._has_chance or bool(choice.any())
                continue
            choosing += choice
            self._decisions += choice
            self._options += np.where(choice, legal, 0)
            self._first[choice & (self._first < 0)] = number
        self._log_nodes = np.where(active, np.logaddexp(self._log_nodes, self._log_leaves), self._log_nodes)
        self._simultaneous = self._simultaneous or bool((choosing > 1).any())

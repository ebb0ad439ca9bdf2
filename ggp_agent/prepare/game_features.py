"""Features of a game, measured in random games, by which preparation finds similar games.

Two rounds of games are played on lanes. In the first all moves are drawn uniformly. In the second one role of each game
draws from its moves in the order of their means in the first round: the k-th best legal move, k = 0, 1, .., with
probability 2^-(k + 1) (a simple version of `playout.policy=rank`). How much more this role wins shows how much there is
to learn about moves without a look at the state.

The mean of a move is the sum of the outcomes of its role in the games that contain it, less the mean outcome of the
role, divided by the number of these games plus 4. Ties keep the order of the numbers. The outcome of a role is 1 / k if
it is one of k roles with the highest goal, else 0.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gdl import NumberedMachine

from ..game.game import Game
from ..game.lanes import Lanes, outcomes
from ..game.play import lane_turns
from ..game.roles import is_chance

# The number of games of a round. Fewer are played if legal moves would take more bytes.
_GAMES = 256
_LEGAL_BYTES = 1 << 20
# Games that have not ended after this number of turns are left out.
_MAX_TURNS = 1000
# The smallest number of ended games for features.
_MIN_ENDED = 16
# Games without effect that are added to each mean.
_PRIOR_GAMES = 4
_USUAL_GOALS = (0, 50, 100)

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GameFeatures:
    """Features of a game; all but the last describe uniformly random games."""

    length: float  # natural logarithm of the mean number of turns
    branching: float  # natural logarithm of the mean number of legal moves of a role that has a choice
    repeated: float  # share of the chosen moves that the role has chosen before in the same game, 0 .. 1
    # Share of the legal moves, except the chosen one, that are legal at the next choice of the role, 0 .. 1.
    lasting: float
    forced: float  # share of the turns in which no role has a choice, 0 .. 1
    simultaneous: float  # share of the turns in which several roles have a choice, 0 .. 1
    shared: float  # share of the games in which several roles have the highest goal, 0 .. 1
    last_wins: float  # share of the other games that the role with the last choice wins, 0 .. 1; 0.5 without such games
    graded: float  # share of the goals that are not 0, 50 or 100, 0 .. 1
    informed: float  # gain in the mean outcome of a role that draws moves in the order of their means, -1 .. 1


def measure_features(
    machine: NumberedMachine, *, seconds: float, seed: int = 1, stopped: Callable[[], bool] = lambda: False
) -> GameFeatures | None:
    """Measure the features of a game of two or more roles."""
    until = time.thread_time() + seconds

    def is_over() -> bool:
        return stopped() or time.thread_time() > until

    moves = sum(len(machine.move_names(role)) for role in range(len(machine.roles)))
    n = min(_GAMES, _LEGAL_BYTES // moves)
    if n < _MIN_ENDED or is_over():
        return None
    lanes = Lanes.of_machine(Game("", machine.sheet, ""), machine, n)
    lanes.seed(seed)
    players = [number for number, role in enumerate(lanes.roles) if not is_chance(role)]
    uniform = _RandomRound(lanes, players)
    if not uniform.play(is_over) or uniform.ended.sum() < _MIN_ENDED:
        return None
    lanes.reset()
    informed = _RandomRound(lanes, players, orders=uniform.orders(), seed=seed)
    if not informed.play(is_over) or not informed.ended.any():
        return None
    expected = uniform.outcomes().mean(axis=1)
    seats = informed.seats[informed.ended]
    gain = informed.outcomes()[seats, np.arange(len(seats))] - expected[seats]
    return uniform.features(float(gain.mean()))


class _RandomRound:
    """One game in each lane, from the initial state."""

    def __init__(self, lanes: Lanes, players: list[int], orders: list[Numbers] | None = None, seed: int = 0) -> None:
        n = lanes.n
        self._lanes, self._players, self._orders = lanes, players, orders
        self._random = np.random.default_rng(seed)
        self.seats = np.arange(n) % len(players)
        self.ended = np.zeros(n, np.bool_)
        self._goals = np.zeros((len(players), n), np.int64)
        self._last = np.zeros(n, np.int64)  # seat of the last choice
        shapes = [lanes.legal(lanes.roles[player]).shape for player in players]
        self._chosen = [np.zeros(shape, np.bool_) for shape in shapes]  # in this game, [moves, n]
        self._left = [np.zeros(shape, np.bool_) for shape in shapes]  # not chosen at the last choice, [moves, n]
        self._lengths = np.zeros(n, np.int64)
        self._choices = self._options = self._repeated = self._leftover = self._lasting = 0
        self._turns = self._forced = self._simultaneous = 0

    def play(self, is_over: Callable[[], bool]) -> bool:
        """Play the games; return False if the time is over before, or a role has no legal move."""
        lanes = self._lanes
        for active, joint in lane_turns(lanes, _MAX_TURNS):
            if is_over():
                return False
            choosing = np.zeros(lanes.n, np.int64)
            for seat in range(len(self._players)):
                choice = self._choose(seat, joint, active)
                if choice is None:
                    return False
                choosing += choice
            self._lengths += active
            self._turns += int(active.sum())
            self._forced += int((active & (choosing == 0)).sum())
            self._simultaneous += int((choosing > 1).sum())
        self.ended = lanes.terminal.copy()
        self._goals = np.maximum(lanes.goals[self._players], 0).astype(np.int64)
        return True

    def _choose(self, seat: int, joint: npt.NDArray[np.int32], active: Bools) -> Bools | None:
        """Replace the informed moves of a player, count its choices, and return the lanes in which it has one.

        None if it has no legal move in an active lane.
        """
        role = self._players[seat]
        legal = self._lanes.legal(self._lanes.roles[role]).view(np.bool_)
        counts = legal.sum(axis=0, dtype=np.int64)
        if (counts[active] == 0).any():
            return None
        choice: Bools = counts > 1
        if self._orders is not None and (informed := choice & (self.seats == seat)).any():
            joint[role] = np.where(informed, self._informed(legal, counts, self._orders[seat]), joint[role])
        lanes = np.flatnonzero(choice)
        moves = joint[role, lanes]
        self._last[lanes] = seat
        if self._orders is None:
            left = self._left[seat]
            self._choices += len(lanes)
            self._options += int(counts[lanes].sum())
            self._repeated += int(self._chosen[seat][moves, lanes].sum())
            self._leftover += int(left[:, lanes].sum())
            self._lasting += int((left & legal)[:, lanes].sum())
            left[:, lanes] = legal[:, lanes]
            left[moves, lanes] = False
        self._chosen[seat][moves, lanes] = True
        return choice

    def _informed(self, legal: Bools, counts: Numbers, order: Numbers) -> Numbers:
        """Draw the rank of a legal move in each lane from the geometric distribution, and return the moves."""
        rank = (self._random.geometric(0.5, len(counts)) - 1) % np.maximum(counts, 1)
        sorted_legal = legal[order]
        place = np.cumsum(sorted_legal, axis=0, dtype=np.int32)
        found: Numbers = order[(sorted_legal & (place == rank + 1)).argmax(axis=0)]
        return found

    def outcomes(self) -> Floats:
        """Return the outcomes of the ended games, [players, games]."""
        return outcomes(self._goals[:, self.ended].T).T

    def orders(self) -> list[Numbers]:
        """Return the numbers of the moves of each player in the order of their means, the best first."""
        found = []
        for chosen, outcome in zip(self._chosen, self.outcomes(), strict=True):
            in_game = chosen[:, self.ended]
            means = in_game @ (outcome - outcome.mean()) / (in_game.sum(axis=1) + _PRIOR_GAMES)
            found.append(np.argsort(-means, kind="stable"))
        return found

    def features(self, informed: float) -> GameFeatures:
        """Return the features, with the gain of the informed role."""
        shares, last = self.outcomes(), self._last[self.ended]
        won = shares.max(axis=0) > 1 - 1e-9
        last_won = shares[last, np.arange(len(last))][won]
        return GameFeatures(
            length=math.log(max(1.0, self._lengths.mean())),
            branching=math.log(max(1.0, self._options / max(1, self._choices))),
            repeated=self._repeated / max(1, self._choices),
            lasting=self._lasting / max(1, self._leftover),
            forced=self._forced / max(1, self._turns),
            simultaneous=self._simultaneous / max(1, self._turns),
            shared=1 - float(won.mean()),
            last_wins=float(last_won.mean()) if len(last_won) else 0.5,
            graded=float((~np.isin(self._goals[:, self.ended], _USUAL_GOALS)).mean()),
            informed=informed,
        )

"""Find an evaluation for a game by self-play: regressions of search results on the fluents of states.

Some ten thousand random play-outs show whether the goals vary, which fluents change, and how the fluents predict the
goals: the first evaluation. Then searches with the current evaluation play against themselves in several rounds. Their
trees contain many similar states with better values than the evaluation gave, because they looked ahead. The next
evaluation is a regression of the mean rewards in the trees of all rounds so far. This is TreeStrap (Veness, Silver,
Uther and Blair, "Bootstrapping from Game Tree Search", NIPS 2009) with means of play-outs instead of minimax values,
and regressions instead of gradient steps.

A part of the play-outs and games is kept for testing. There is no evaluation if it predicts less than `MIN_EXPLAINED`
of the variance, or almost the same value for all states.
"""

from __future__ import annotations

import itertools
import logging
import math
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, vstack
from scipy.special import expit, log_expit

from gdl import CompiledMachine, LaneSimulator, NetworkMachine
from gdl.language.terms import is_chance
from gdl.machines.compiled import FluentWeights

from .. import _search
from ..evaluation import FOUND
from ..evaluation.features import (
    STATES_OF_A_PLAYOUT,
    Features,
    Samples,
    choose_features,
    fluent_matrix,
    sample_playouts,
)
from ..evaluation.found_evaluation import MIN_EXPLAINED, FoundEvaluation
from ..mcts.config import SearchConfig
from ..mcts.configurations import read_configuration
from ..mcts.search_result import RootStatistics
from ..mcts.side_by_side import GameSearches, LaneBlocks, play_side_by_side

# Logistic regression of the result of a game on the fluents of a state, with ridge regularization.
#
# x is a state (its fluents as zeros and ones), y the reward of a role at the end, scaled to 0 .. 1. The weights v = w
# + G u of the fluents and the bias b minimise
#
#     - mean over states of [y ln p + (1 - y) ln(1 - p)]  +  (lambda / 2 n) (|w - w'|^2 + |u|^2)
#
# p   1 / (1 + exp(-(x v + b)))
# w   weights of single fluents; w' are the initial ones: zeros or an earlier result
# u   weights of groups of fluents; G is the membership matrix (`ggp_agent.evaluation.features`)
# n   number of states
#
# The minimum is found by L-BFGS (Liu and Nocedal, Mathematical Programming 1989). Since 2 p - 1 = tanh((x v + b) / 2),
# an evaluation in -1 .. 1 has half of these weights (`gdl.machines.compiled`).

_MAX_ITERATIONS = 200
# The fit ends when a step reduces the loss by less than this part.
_TOLERANCE = 1e-7

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Weights for one role."""

    weights: Array  # v, one weight per fluent
    bias: float  # b

    def predicted(self, states: csr_matrix) -> Array:
        """Return p for each state."""
        return np.asarray(expit(states @ self.weights + self.bias))


class _OverError(Exception):
    """Report that the time of a fit is over."""


def fit(
    states: csr_matrix, ends: Array, groups: csr_matrix, *, ridge: float, cpu_seconds: float, begin: Fit | None = None
) -> Fit:
    """Fit the weights."""
    n, fluents = states.shape
    turned, of_group = states.T.tocsr(), groups.T.tocsr()
    until = time.thread_time() + cpu_seconds
    latest = np.zeros(fluents + groups.shape[1] + 1)
    if begin is not None:
        latest[:fluents], latest[-1] = begin.weights, begin.bias
    first = latest.copy()

    def loss(parameters: Array) -> tuple[float, Array]:
        own, shared, bias = parameters[:fluents], parameters[fluents:-1], parameters[-1]
        z = states @ (own + groups @ shared) + bias
        off = expit(z) - ends
        by_fluent = turned @ off / n
        value = -np.mean(ends * log_expit(z) + (1 - ends) * log_expit(-z))
        slope = np.concatenate([by_fluent, of_group @ by_fluent, [off.mean()]])
        change = (parameters - first)[:-1]
        slope[:-1] += ridge / n * change
        return value + ridge / (2 * n) * float(change @ change), slope

    def note(parameters: Array) -> None:
        latest[:] = parameters
        if time.thread_time() > until:
            raise _OverError

    with suppress(_OverError):
        options = {"maxiter": _MAX_ITERATIONS, "ftol": _TOLERANCE}
        note(minimize(loss, latest.copy(), jac=True, method="L-BFGS-B", callback=note, options=options).x)
    return Fit(latest[:fluents] + groups @ latest[fluents:-1], float(latest[-1]))


def explained(ends: Array, predicted: Array) -> float:
    """Return R^2, the part of the variance of the ends that is predicted; 0 if they are constant.

    >>> explained(np.array([0.0, 1.0]), np.array([0.25, 0.75])), explained(np.ones(3), np.ones(3))
    (0.75, 0.0)
    """
    variance = float(np.var(ends))
    return 1 - float(np.mean((ends - predicted) ** 2)) / variance if variance > 0 else 0.0


# The largest number of turns of a game; later states add little.
_MAX_GAME_TURNS = 200
# The part of the games that begin in a state of a random play-out, so that all phases of the game occur.
_FROM_PLAYOUTS = 0.5
# Simulations per move, the smallest number of visits of the states to keep, and the probability of a random move.
_SIMULATIONS, _MIN_VISITS, _EPSILON = 150, 5, 0.15


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


class _Games:
    """Games of a configuration against itself, as many as the lanes of a simulator hold."""

    def __init__(
        self, machine: CompiledMachine, config: SearchConfig, starts: npt.NDArray[np.uint64], seed: int
    ) -> None:
        assert config.in_flight is not None
        self._config = config
        self._starts = starts
        self._draw = random.Random(seed)
        self._chances = [is_chance(role) for role in machine.roles]
        self._blocks = LaneBlocks([config.in_flight], machine.simulator().lanes)
        self._searches = _search.SideBySide(machine.simulator(self._blocks.lanes), machine.simulator(64))
        self._referee: LaneSimulator = machine.simulator(64)
        self._rows = 0
        # The states of each searched tree with their rewards and the number of the game.
        self._kept: list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32], npt.NDArray[np.int32]]] = []

    def play(self, rows: int, over: Callable[[], bool]) -> SearchedStates:
        """Play until there are enough states or `over` returns true."""
        games = map(self._game, itertools.count())

        def stopped() -> bool:
            return self._rows >= rows or over()

        list(play_side_by_side(self._searches, self._blocks, games, self._blocks.count, stopped))
        words, roles = self._referee.state_words, len(self._chances)
        none = np.zeros((0, words), np.uint64), np.zeros((0, roles), np.float32), np.zeros(0, np.int32)
        states, rewards, numbers = (np.concatenate(parts) for parts in zip(none, *self._kept, strict=True))
        return SearchedStates(states, rewards, numbers, len(self._kept))

    def _game(self, number: int) -> GameSearches[None]:
        """Play one game; turns without a choice of a player, except the first turn, need no search."""
        searcher = self._searches.searcher(replace(self._config, seed=self._draw.getrandbits(63), threads=None))
        if len(self._starts) and self._draw.random() < _FROM_PLAYOUTS:
            searcher.set_root(self._starts[self._draw.randrange(len(self._starts))].tobytes())
        for turn in range(_MAX_GAME_TURNS + 1):
            self._referee.evaluate(searcher.root_state)
            legal = [self._referee.legal(role) for role in range(len(self._chances))]
            is_over = self._referee.terminal() or not all(legal)
            has_choice = any(len(own) > 1 and not chance for own, chance in zip(legal, self._chances, strict=True))
            found: RootStatistics | None = None
            if turn == 0 or (has_choice and not is_over):
                yield searcher, _SIMULATIONS
                found = searcher.statistics()
                states, rewards, _ = known_states(searcher, len(self._chances), _MIN_VISITS)
                self._kept.append((states, rewards, np.full(len(states), number, np.int32)))
                self._rows += len(states)
            if is_over:
                return
            searcher.advance([self._move(role, own, found) for role, own in enumerate(legal)])

    def _move(self, role: int, legal: list[int], found: RootStatistics | None) -> int:
        """Return the best move of a role, or a random one: with probability epsilon, and for chance always."""
        if len(legal) == 1:
            return legal[0]
        if found is None or self._chances[role] or self._draw.random() < _EPSILON:
            return self._draw.choice(legal)
        moves = found.roles[role].moves["move"]
        return int(moves[0]) if len(moves) else self._draw.choice(legal)


logger = logging.getLogger(__name__)

# Default of the commands and smallest useful amount, in seconds of processor time.
DEFAULT_SECONDS = 12.0
MIN_SECONDS = 0.3

# The largest number of states of random play-outs, and of a round of searches; the limit of their memory.
_MAX_SAMPLES = 20_000
_MAX_SEARCHED = 60_000
_MAX_BYTES = 64 << 20
# The smallest number of states to learn from.
_MIN_STATES = 500
# Rounds of searches; parts: of all time for random play-outs, of a round for playing, of the states for testing.
_ROUNDS = 3
_OF_SAMPLES = 0.1
_OF_PLAYING = 0.75
_OF_TEST = 0.2
# The smallest standard deviation of predicted goals, 0 .. 1; means of searches vary by chance, too.
_MIN_SPREAD = 0.02
# Ridges to compare: with few or similar games the weights must stay close to the earlier ones.
_RIDGES = (300.0, 3.0)
# Configurations of self-play: without and with an evaluation.
_PLAIN = "in_flight=16,memory_mb=8,selection.exploration=0.7"
_GUIDED = f"{_PLAIN},evaluation.name={FOUND},selection.implicit_minimax.alpha=0.4"


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """The result of a round: weights of the features for each role, and R^2 on the test data."""

    fits: tuple[Fit, ...]
    explained: tuple[float, ...]


def find_evaluation(
    machine: CompiledMachine,
    *,
    cpu_seconds: float = DEFAULT_SECONDS,
    seed: int = 1,
    rounds: int = _ROUNDS,
    stopped: Callable[[], bool] = lambda: False,
) -> FoundEvaluation:
    """Find an evaluation in the calling thread; the result has the reason if there is none."""
    roles = len(machine.roles)
    if not isinstance(machine, NetworkMachine):
        return FoundEvaluation.none(f"states of this game ({machine.kind}) are not sets of fluents", roles)
    if cpu_seconds < MIN_SECONDS:
        return FoundEvaluation.none(f"{max(0.0, cpu_seconds):.2f} s are too short to find one", roles)
    until = time.thread_time() + cpu_seconds
    return _Rounds(machine.another(), until, seed, stopped).run(rounds).at_cost(cpu_seconds)


class _Rounds:
    """The rounds of one game."""

    def __init__(self, machine: NetworkMachine, until: float, seed: int, stopped: Callable[[], bool]) -> None:
        self._machine = machine
        self._until = until
        self._seed = seed
        self._stopped = stopped
        self._moves = 0
        self._starts: npt.NDArray[np.uint64] = np.zeros((0, 0), np.uint64)
        self._most_rows = max(2 * _MIN_STATES, _MAX_BYTES // max(1, len(machine.initial())))
        # States searched so far: fluents, rewards 0 .. 1, and whether they are test data.
        self._fluents: list[csr_matrix] = []
        self._rewards: list[Array] = []
        self._tests: list[npt.NDArray[np.bool_]] = []

    def run(self, rounds: int) -> FoundEvaluation:
        """Return the evaluation after the given number of rounds."""
        roles = len(self._machine.roles)
        samples = sample_playouts(
            self._machine,
            rows=min(_MAX_SAMPLES, self._most_rows),
            cpu_seconds=_OF_SAMPLES * self._left(),
            seed=self._seed,
            stopped=self._stopped,
        )
        obstacle = _obstacle(samples)
        if obstacle:
            return FoundEvaluation.none(obstacle, roles)
        self._starts = samples.states
        states = fluent_matrix(samples.states, len(self._machine.fluent_names))
        features = choose_features(self._machine.fluent_names, states)
        if not len(features.places):
            return FoundEvaluation.none("no fluent changes between the first turn and the end", roles)
        best, done = self._learn_from_ends(samples, features, states), 0
        for number in range(rounds):
            better = self._learn_from_searches(features, best, number, rounds)
            if better is None:
                break
            best, done = better, number + 1
            logger.debug("round %d of an evaluation explains %s", done, best.explained)
        if max(best.explained) < MIN_EXPLAINED:
            share = 100 * max(best.explained)
            return FoundEvaluation.none(
                f"fluents predict {share:.1f} % of the variance of the goals, which is too little", roles
            )
        return FoundEvaluation(self._weights(features, best), best.explained, len(samples) // 2, self._moves, done, 0.0)

    def _left(self) -> float:
        return self._until - time.thread_time()

    def _learn_from_ends(self, samples: Samples, features: Features, states: csr_matrix) -> _Round:
        """Learn from the goals of random play-outs."""
        test = (
            np.arange(len(samples)) >= int((1 - _OF_TEST) * len(samples)) // STATES_OF_A_PLAYOUT * STATES_OF_A_PLAYOUT
        )
        fluents = states.tocsc()[:, features.places].tocsr()
        return self._learn(fluents, samples.goals / 100.0, test, features, None, _OF_SAMPLES)

    def _learn_from_searches(self, features: Features, begin: _Round, number: int, rounds: int) -> _Round | None:
        """Play a round with the current evaluation and learn from all rounds; return None if time is over."""
        seconds = self._left() / (rounds - number)
        if seconds <= 0 or self._stopped():
            return None
        searched = self._play(features, begin, number, _OF_PLAYING * seconds)
        if not len(searched):
            return None
        fluents = fluent_matrix(searched.states, len(self._machine.fluent_names))
        self._fluents.append(fluents.tocsc()[:, features.places].tocsr())
        self._rewards.append((searched.rewards + 1.0) / 2)
        self._tests.append(searched.games % round(1 / _OF_TEST) == 0)
        test = np.concatenate(self._tests)
        if np.count_nonzero(~test) < _MIN_STATES:
            return None
        share = seconds * (1 - _OF_PLAYING) / max(1e-9, self._left())
        return self._learn(
            vstack(self._fluents, "csr"),
            np.concatenate(self._rewards),
            test,
            features,
            begin,
            share,
        )

    def _play(self, features: Features, begin: _Round, number: int, seconds: float) -> SearchedStates:
        config = read_configuration(_PLAIN)
        if max(begin.explained) >= MIN_EXPLAINED:
            self._machine.add_evaluation(FOUND, self._weights(features, begin))
            config = read_configuration(_GUIDED)
        until = time.thread_time() + seconds
        games = _Games(self._machine, config, self._starts, self._seed + number)
        rows = min(_MAX_SEARCHED, self._most_rows)
        searched = games.play(rows, lambda: self._stopped() or time.thread_time() > until)
        self._moves += searched.moves
        return searched

    def _learn(
        self,
        fluents: csr_matrix,
        ends: Array,
        test: npt.NDArray[np.bool_],
        features: Features,
        begin: _Round | None,
        share: float,
    ) -> _Round:
        """Fit the weights of each role on the training data, and choose among the ridges by the test data."""
        until = time.thread_time() + share * max(0.0, self._left())
        roles = range(ends.shape[1])
        opposed = len(roles) == 2 and bool(np.allclose(ends.sum(axis=1), 1, atol=1e-3))
        fits = [_constant(len(features.places), ends[:, role]) for role in roles]
        predicts = [0.0] * len(roles)
        known, fresh = fluents[~test], fluents[test]
        varying = [role for role in roles if np.std(ends[~test, role]) > 0 and not (opposed and role == 1)]
        for left, role in zip(range(len(varying), 0, -1), varying, strict=True):
            before = begin.fits[role] if begin is not None else None
            found = [] if before is None else [before]
            for tries, ridge in zip(range(len(_RIDGES), 0, -1), _RIDGES, strict=True):
                seconds = max(0.0, until - time.thread_time()) / (left * tries)
                of_role = ends[~test, role]
                found.append(fit(known, of_role, features.members, ridge=ridge, cpu_seconds=seconds, begin=before))
            of_test = [explained(ends[test, role], one.predicted(fresh)) for one in found]
            predicts[role] = max(of_test)
            fits[role] = found[of_test.index(predicts[role])]
            if np.std(ends[test, role]) * math.sqrt(max(0.0, predicts[role])) < _MIN_SPREAD:
                predicts[role] = min(0.0, predicts[role])
        if opposed:
            fits[1], predicts[1] = Fit(-fits[0].weights, -fits[0].bias), predicts[0]
        return _Round(tuple(fits), tuple(predicts))

    def _weights(self, features: Features, found: _Round) -> FluentWeights:
        """Return the weights of an evaluation: half of the regression's, since 2 p - 1 = tanh(z / 2)."""
        matrix = np.zeros((len(self._machine.fluent_names), len(found.fits)))
        for role, one in enumerate(found.fits):
            matrix[features.places, role] = one.weights / 2
        return FluentWeights.of(matrix, [one.bias / 2 for one in found.fits])


def _obstacle(samples: Samples) -> str:
    """Return the reason why nothing can be learned from random play-outs; empty if there is none."""
    if not len(samples):
        return "random play-outs end with the first turn, have no goals, or do not end within the time"
    if len(samples) < _MIN_STATES:
        return f"there was time for {len(samples)} states of random play-outs only, too few to learn from"
    if not samples.goals.std(axis=0).any():
        return "all random play-outs end with the same goals"
    return ""


def _constant(features: int, ends: Array) -> Fit:
    """Return a fit that predicts the mean."""
    mean = float(np.clip(ends.mean(), 1e-3, 1 - 1e-3))
    return Fit(np.zeros(features), float(np.log(mean / (1 - mean))))

"""Learn a game by self-play: games, training, checkpoints, until the time is up or nothing improves.

First the values are trained on states of random play-outs. A generation plays games with the latest network, adds
their positions to the window and trains the network on it. A checkpoint follows every minute. Once a minute its network
plays test games against the network tested before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from gdl import NetworkMachine
from gdl.compile.automorphisms import MAX_SECONDS

from .. import _learning
from ..common.errors import UserError, require_network
from ..evaluation.features import Samples, sample_playouts
from ..evaluation.learned_network import (
    MAX_FEATURES,
    CoursePoint,
    Encoding,
    LearnedNetwork,
    NetworkShape,
    Training,
    Weights,
    add_point,
    game_digest,
    require_weights,
    thinned,
)
from ..game.game import Game
from ..game.native.native_machine import usable_isa
from ..game.roles import is_chance, roles_to_play
from .checkpoint import CheckpointFolder, RunCounts, StoredRun
from .game_encoding import GameFacts, encoding_of, facts_of, symmetries_of
from .options import LearningOptions, SelfPlayOptions, TrainingOptions, batch_for
from .self_play import Positions, SelfPlayGames, SelfPlayResult, SelfPlayThreads, elo_of_score, score_between

StartGames: TypeAlias = Callable[[NetworkMachine, LearnedNetwork, SelfPlayOptions], SelfPlayGames]

# Seconds between two tests of strength, at checkpoints.
_TEST_SECONDS = 60.0
MAX_SEED = 10**12
# CPU-seconds after which the searched values have their full share in the targets.
_SEARCHED_SECONDS = 120.0
# Positions of new games on which the error is measured.
_MEASURED = 3_000
# Learning stops if nothing improved in this part of the run, which lasts at least some seconds: the error in new games
# was not lower, and no network won its test games by this Elo difference. The error alone would not do: it also rises
# when both sides play better, because their games are more open.
_PATIENCE, _MIN_PATIENCE = 0.35, 180.0
_STRONGER = 120.0
# Generations of full length in the smallest window.
_MIN_WINDOW = 3
# CPU-seconds of each thread after which a generation of `Learner.work` ends.
_GENERATION_SECONDS = 3.0
# Generations of full length that wait for training at most.
_PLAYED_BESIDE = 10
# The part of the time for sampling play-outs, and the number of times that a state of them is used for training.
_PLAYOUTS_SHARE, _PLAYOUTS_USES = 0.1, 2.0
# The part of the memory of the window for packed states of play-outs.
_PLAYOUTS_MEMORY = 1 / 4
# Weight of a new generation in the smoothed error.
_SMOOTHING = 0.2


@dataclass(frozen=True, slots=True)
class LearningProgress:
    """The state of a run after a generation.

    Attributes:
        generation: the number of generations.
        games, positions: totals of self-play.
        loss: the mean squared error of the values (-1 .. 1) against the results of games that were not used for
            training; smoothed. It is about 1 if nothing is known and no game is drawn.
        divergence: the divergence of the policy from the visits of the search, in nats.
        elo: the sum of the Elo differences between consecutive checkpoints.
        speed: simulations of self-play per CPU-second of the run.
        done: the used part of the time, 0 .. 1.
        seconds_left: the rest of the time.
        cpu_seconds: the processor time of the run.
    """

    generation: int
    games: int
    positions: int
    loss: float
    divergence: float
    elo: float
    speed: float
    done: float
    seconds_left: float
    cpu_seconds: float


def learnable_machine(game: Game) -> NetworkMachine:
    """Return the machine of a game.

    Raises:
        UserError: the game is not played as a network.
    """
    return require_network(game.machine(), f"learning of {game.word}")


def require_learnable(facts: GameFacts) -> None:
    """Raise UserError if nothing can be learned about a game.

    Args:
        facts: the result of `facts_of`.
    """
    if facts.ended == 0:
        raise UserError("no random play-out of this game ends within 600 turns, so self-play would not end either")
    if not facts.chosen:
        raise UserError("no role of this game ever has a choice, so there is nothing to learn")
    if not facts.decided:
        raise UserError("all random play-outs of this game end with the same goals, so there is nothing to learn")


def encode_game(machine: NetworkMachine, facts: GameFacts | None = None, seconds: float = MAX_SECONDS) -> Encoding:
    """Return the encoding of a game for a new network.

    Args:
        machine: the machine of the game.
        facts: the result of `facts_of`; None to find it.
        seconds: about the time in which symmetries are found.

    Raises:
        UserError: nothing can be learned about the game, or it is too large.
    """
    facts = facts or facts_of(machine)
    require_learnable(facts)
    encoding = encoding_of(machine, facts, symmetries_of(machine, seconds))
    if max(encoding.features, encoding.policies) > MAX_FEATURES:
        raise UserError(
            f"the game has more than {MAX_FEATURES:,} fluents or moves, so no network can be learned for it"
        )
    return encoding


def widened(weights: Weights, larger: Weights) -> Weights:
    """Return the weights of a network in a larger one that has the same output.

    Args:
        weights: the weights of a network.
        larger: the initial weights of a network for the same encoding with at least as many units. The additional
            units keep their initial input weights, and have no effect before further training.
    """
    hidden1, hidden2 = weights["w2"].shape
    found = {name: values.copy() for name, values in larger.items()}
    found["w2"][hidden1:, :hidden2] = 0
    for name in ("wv", "wp"):
        found[name][:, hidden2:] = 0
    for name, values in weights.items():
        found[name][tuple(slice(size) for size in values.shape)] = values
    return found


class Learner:
    """One run of learning.

    Args:
        machine: the machine of the game.
        options: the parameters of the run.
        folder: the folder of checkpoints; None to store none.
        resume: whether to continue from the checkpoint in the folder.
        start: a network of the game. The run has its units and encoding, and without `resume` also its weights and
            counts. None for a new network.
        start_games: starts self-play on a machine, with a network and the parameters of the games. None for threads of
            this process.

    Raises:
        UserError: nothing can be learned about the game, or the checkpoint cannot be continued.
    """

    def __init__(
        self,
        machine: NetworkMachine,
        options: LearningOptions,
        folder: Path | None = None,
        *,
        resume: bool = False,
        start: LearnedNetwork | None = None,
        start_games: StartGames | None = None,
    ) -> None:
        self._machine = machine
        self._options = options
        self._checkpoints = None if folder is None else CheckpointFolder(folder)
        if self._checkpoints is not None:
            self._checkpoints.create()
        self._game = game_digest(machine)
        stored = self._checkpoints.read(len(machine.roles)) if resume and self._checkpoints is not None else None
        units = options.units(0 if start is None else start.training.cpu_seconds)
        if stored is not None and options.hidden1 is None:
            units = stored.setup["hidden1"], stored.setup["hidden2"]
        facts = facts_of(machine, seconds=options.facts_seconds) if start is None else None
        self._encoding = encode_game(machine, facts, options.symmetry_seconds) if start is None else start.encoding
        if start is not None and not resume:
            units = max(units[0], start.shape.hidden1), max(units[1], start.shape.hidden2)
        # The mean number of true fluents, on which the size of initial weights depends.
        self._fluents = len(machine.fluent_names) / 4 if facts is None else facts.fluents
        self.counts = RunCounts()
        self._is_spoilt = False  # whether a weight is not a number or too large
        self._loss = 1.0
        self._least = float("inf")  # the lowest smoothed error
        self._improved_at = 0.0  # in CPU-seconds of the run
        if not 0 <= options.seed <= MAX_SEED:
            raise UserError(f"the seed is {options.seed}; it must be 0 to {MAX_SEED}")
        self._use_units(units, None if start is None or resume else start.weights)
        self._chunks: deque[tuple[int, Positions]] = deque()
        self._pending: list[SelfPlayResult] = []  # games of an interrupted generation
        self._owed = 0  # steps of an interrupted training
        self._knows_playouts = stored is not None or start is not None or not options.playouts
        if stored is not None:
            self._resume(stored)
        elif start is not None:
            self._continue_counts(start)
        self._learned_at = self.counts.cpu_seconds  # at the latest generation of `work`
        self._network = self.network()
        self._tested = self._network
        self._start_games = start_games or partial(SelfPlayThreads, threads=options.threads)
        self._games = self._new_games()
        self._start: tuple[bytes, float] | None = None

    def _use_units(self, units: tuple[int, int], weights: Weights | None) -> None:
        """Make the trainer of a network with some units, with the weights of a network that is not larger."""
        options = self._options
        self._shape = NetworkShape.of(self._encoding, *units)
        try:
            initial = _learning.initial_weights(self._shape, options.seed, self._fluents)
            self._batch = batch_for(sum(each.size for each in initial.values()), options.threads)
            training = TrainingOptions(batch=self._batch, threads=options.threads, seed=options.seed)
            chosen = initial if weights is None else widened(weights, initial)
            self._trainer = _learning.Trainer(self._shape, self._encoding, chosen, training, usable_isa())
        except ValueError as error:
            raise UserError(str(error)) from None

    def _new_games(self) -> SelfPlayGames:
        options, roles = self._options, self._machine.roles
        chance = next((number for number, role in enumerate(roles) if is_chance(role)), -1)
        # A run that continues does not repeat the games of its first part.
        seed = options.seed + 7_919 * self.counts.generation
        return self._start_games(self._machine, self._network, replace(options.self_play, chance=chance, seed=seed))

    def _grow(self) -> None:
        """Continue with a larger network if the run is long enough for it; the window stays."""
        units = self._options.units(self.counts.cpu_seconds)
        if units[0] <= self._shape.hidden1 or units[1] < self._shape.hidden2:
            return
        self._use_units(units, self._trainer.weights())
        for _, positions in self._chunks:
            self._trainer.add(positions)
        self._network = self.network()
        cpu_seconds = self._games.cpu_seconds
        self._games.close()
        self._games = self._new_games()
        self._games.cpu_seconds = cpu_seconds
        if self._start is not None:
            self.set_start(*self._start)

    # ---- the run

    def run(
        self,
        on_progress: Callable[[LearningProgress], None] = lambda _: None,
        stopped: Callable[[], bool] = lambda: False,
        on_checkpoint: Callable[[], None] = lambda: None,
    ) -> LearnedNetwork:
        """Learn until the time is up, until nothing improves, or until `stopped()` becomes true; return the network.

        The last checkpoint is written in each case, unless training has spoilt a weight.

        Args:
            on_progress: called after each generation.
            stopped: called often.
            on_checkpoint: called after each checkpoint except the last one. Its processor time counts as time of the
                run.

        Raises:
            CheckpointError: a checkpoint cannot be written; `network()` returns what was learned.
            UserError: no game ended in the given time, or a weight became too large or no number.
        """
        counts = self.counts
        begun, cpu_begun = time.monotonic() - counts.seconds, self._cpu_seconds() - counts.cpu_seconds
        stored_at = tested_at = time.monotonic()

        def is_due() -> bool:  # a generation of a slow game may take minutes
            is_old = time.monotonic() - stored_at >= self._options.checkpoint_seconds
            return is_old or self._cpu_seconds() - cpu_begun >= self._limit or stopped()

        try:
            self._learn_playouts(stopped)
            while not stopped():
                played = self._games.play(self._options.positions, is_due)
                if len(played.positions):
                    divergence = self._learn(played, stopped)
                    self._grow()
                counts.seconds = time.monotonic() - begun
                counts.cpu_seconds = self._cpu_seconds() - cpu_begun
                if len(played.positions):
                    add_point(counts.curve, self._point())
                    on_progress(self._progress(divergence))
                if self.is_over:
                    break
                if time.monotonic() - stored_at >= self._options.checkpoint_seconds:
                    if time.monotonic() - tested_at >= _TEST_SECONDS:
                        self._test()
                        tested_at = time.monotonic()
                    self._store()
                    on_checkpoint()
                    stored_at = time.monotonic()
        finally:
            try:
                self._store()
            finally:
                self._games.close()
        if counts.generation == 0 and not stopped():
            raise UserError(f"no game of self-play ended within {self._options.minutes:g} minutes; give more minutes")
        return self.network()

    def work(self, stopped: Callable[[], bool]) -> None:
        """Learn until `stopped()` becomes true, within milliseconds; a later call continues. Nothing is stored.

        A generation ends early after some seconds, so that slow games are learned, too.

        Raises:
            UserError: a weight became too large or no number.
        """
        counts, before = self.counts, self._cpu_seconds() - self.counts.cpu_seconds
        self._learn_playouts(stopped)
        while not stopped():
            if self._owed:
                self._train(0, stopped)
                continue
            missing = self._options.positions - sum(len(each.positions) for each in self._pending)
            until = before + self._learned_at + _GENERATION_SECONDS * self._options.threads
            self._pending.append(
                self._games.play(max(0, missing), lambda: stopped() or self._cpu_seconds() > until)  # noqa: B023
            )
            if len(self._pending[-1].positions) >= missing or (self._cpu_seconds() > until and self._has_games()):
                played = SelfPlayResult.joined(self._pending, len(self._machine.roles))
                self._pending.clear()
                counts.cpu_seconds = self._learned_at = self._cpu_seconds() - before
                self._learn(played, stopped)
                add_point(counts.curve, self._point())
                if not stopped():
                    self._grow()
        counts.cpu_seconds = self._cpu_seconds() - before

    def play(self, stopped: Callable[[], bool], threads: int) -> None:
        """Play games of self-play in some of the threads until `stopped()` becomes true; `work` trains with them."""
        assert isinstance(self._games, SelfPlayThreads)
        began = time.monotonic()
        most = _PLAYED_BESIDE * self._options.positions - sum(len(each.positions) for each in self._pending)
        self._pending.append(self._games.play(max(0, most), stopped, threads))
        self.counts.cpu_seconds += threads * (time.monotonic() - began)

    def _has_games(self) -> bool:
        return any(len(each.positions) for each in self._pending)

    def set_start(self, state: bytes, share: float) -> None:
        """Begin a share of the games from now on in a packed state."""
        assert isinstance(self._games, SelfPlayThreads)
        self._games.set_start(state, share)
        self._start = state, share

    @property
    def window(self) -> int:
        """The number of positions to learn from."""
        return sum(len(positions) for _, positions in self._chunks)

    @property
    def is_over(self) -> bool:
        """Whether the time is up or nothing improves."""
        return self._share() >= 1 or self._is_stuck()

    def _cpu_seconds(self) -> float:
        """Return the processor time of this process and of the processes that play."""
        return time.process_time() + self._games.cpu_seconds

    @property
    def _limit(self) -> float:
        """The limit of the processor time in seconds."""
        return 60 * self._options.minutes * self._games.workers

    def _share(self) -> float:
        """Return the used part of the time."""
        return self.counts.cpu_seconds / self._limit

    def _is_stuck(self) -> bool:
        patience = max(_MIN_PATIENCE, _PATIENCE * self.counts.cpu_seconds)
        return self.counts.cpu_seconds - self._improved_at > patience

    def _learn(self, played: SelfPlayResult, stopped: Callable[[], bool]) -> float:
        """Train with the positions of new games; return the divergence of the policy in them."""
        counts, options = self.counts, self._options
        counts.generation += 1
        counts.games += played.games
        counts.positions += len(played.positions)
        counts.simulations += played.simulations
        self._trainer.add(played.positions)
        self._remember(counts.generation, played.positions)
        self._trainer.keep(self.window)
        error, samples, divergence, groups = self._trainer.measure(_MEASURED)
        loss = error / max(1, samples * self._shape.values)
        counts.losses.append(round(loss, 5))
        self._smooth(loss, first=counts.generation == 1)
        self._note_error(counts.cpu_seconds)
        self._train(max(1, round(options.uses * len(played.positions) / self._batch)), stopped)
        return float(divergence / max(1, groups))

    def _learn_playouts(self, stopped: Callable[[], bool]) -> None:
        """Train the values on states of random play-outs, once, in the first part of the time."""
        if self._knows_playouts:
            return
        self._knows_playouts = True
        threads, seconds = self._options.threads, _PLAYOUTS_SHARE * 60 * self._options.minutes
        memory = _PLAYOUTS_MEMORY * 1e6 * self._options.window_mb
        rows = min(self._options.playouts, int(memory / len(self._machine.initial()))) // threads

        def sample(number: int) -> Samples:
            seed = self._options.seed * 1_000 + number
            return sample_playouts(self._machine, rows=rows, cpu_seconds=seconds, seed=seed, stopped=stopped)

        with ThreadPoolExecutor(threads, thread_name_prefix="play-outs") as pool:
            found = list(pool.map(sample, range(threads)))
        positions = Positions.joined([Positions.of_playouts(each) for each in found])
        if len(positions):
            self._trainer.add(positions)
            self._train(round(_PLAYOUTS_USES * len(positions) / self._batch), stopped)

    def _train(self, steps: int, stopped: Callable[[], bool]) -> None:
        """Make steps, and the steps that an earlier call left; use the network. A stopped call leaves its rest."""
        options, share = self._options, min(1.0, self._share())
        rate = options.first_rate
        if share > 0.5:
            rate *= (options.last_rate / options.first_rate) ** (2 * share - 1)
        mix = options.searched_share * min(1.0, self.counts.cpu_seconds / _SEARCHED_SECONDS)
        self._owed += steps
        before = self._trainer.steps
        self._trainer.train(self._owed, rate, mix, stopped)
        self._owed -= self._trainer.steps - before
        network = self.network()
        try:
            require_weights(network.weights.values())
        except ValueError as error:
            self._is_spoilt = True
            raise UserError(f"training failed: {error}; generation {self.counts.generation} is not stored") from None
        self._network = network
        self._games.set_network(network)

    def _smooth(self, loss: float, *, first: bool) -> None:
        self._loss = loss if first else self._loss + _SMOOTHING * (loss - self._loss)

    def _note_error(self, cpu_seconds: float) -> None:
        """Record the smoothed error of this time if it is the lowest so far."""
        if self._loss < 0.998 * self._least:
            self._least, self._improved_at = self._loss, cpu_seconds

    def _remember(self, generation: int, positions: Positions) -> None:
        """Add positions to the window, from which the oldest ones leave."""
        options, chunks = self._options, self._chunks
        most = max(_MIN_WINDOW * options.positions, round(options.recent * self.counts.positions))
        # The arrays of the window need about as much memory as the samples of the trainer.
        of_memory = options.window_mb * 1e6 / 2 * self._trainer.samples / self._trainer.bytes
        chunks.append((generation, positions))
        while len(chunks) > 1 and self.window > min(most, options.window, of_memory):
            chunks.popleft()

    def _test(self) -> None:
        """Play test games against the network that was tested before."""
        if len(roles_to_play(self._machine.roles)) > 1:
            score, games = score_between(
                self._machine, self._network.in_core(), self._tested.in_core(), self.counts.generation
            )
            gain = round(elo_of_score(score, games), 1)
            self.counts.elo += gain
            if gain >= _STRONGER:
                self._improved_at = self.counts.cpu_seconds
        self._tested = self._network
        if self.counts.curve:
            self.counts.curve[-1] = self.counts.curve[-1]._replace(elo=self.counts.elo)

    def _point(self) -> CoursePoint:
        return CoursePoint(round(self.counts.cpu_seconds, 1), round(self._loss, 4), self.counts.elo)

    def _progress(self, divergence: float) -> LearningProgress:
        counts, share = self.counts, min(1.0, self._share())
        left = counts.seconds * (1 - share) / share if share > 0 else 0.0
        return LearningProgress(
            counts.generation,
            counts.games,
            counts.positions,
            self._loss,
            divergence,
            counts.elo,
            counts.simulations / max(1e-9, counts.cpu_seconds),
            share,
            left,
            counts.cpu_seconds,
        )

    # ---- networks and checkpoints

    def network(self) -> LearnedNetwork:
        """Return the network that plays."""
        counts = self.counts
        training = Training(
            counts.games, counts.positions, round(counts.cpu_seconds, 1), round(self._loss, 4), counts.elo
        )
        weights, course = self._trainer.weights(), thinned(counts.curve)
        return LearnedNetwork(self._game, self._shape, self._encoding, weights, training, course)

    def _setup(self) -> dict[str, int]:
        return {"hidden1": self._shape.hidden1, "hidden2": self._shape.hidden2, "seed": self._options.seed}

    def _store(self) -> None:
        if self._checkpoints is not None and self.counts.generation and not self._is_spoilt:
            self._checkpoints.write(
                self._game, self._setup(), self.counts, self._trainer.state(), self.network(), dict(self._chunks)
            )

    def _continue_counts(self, start: LearnedNetwork) -> None:
        training = start.training
        self.counts = RunCounts(
            games=training.games,
            positions=training.positions,
            cpu_seconds=training.cpu_seconds,
            elo=training.elo,
            curve=[point for point in start.course if point.cpu_seconds <= training.cpu_seconds],
        )
        self._loss = training.loss
        self._least, self._improved_at = self._loss, training.cpu_seconds

    def _resume(self, stored: StoredRun) -> None:
        assert self._checkpoints is not None
        folder = self._checkpoints.folder
        if stored.game != self._game:
            raise UserError(f"{folder}: the checkpoint is of another game; name another folder")
        if stored.setup != self._setup():
            given = ", ".join(f"{name} {value}" for name, value in stored.setup.items())
            raise UserError(f"{folder}: the checkpoint was made with {given}; give the same values to continue it")
        try:
            for positions in stored.chunks:
                self._trainer.add(positions)
            self._trainer.restore(stored.steps, stored.parts)
        except ValueError as error:
            raise UserError(f"{folder}: the checkpoint cannot be continued: {error}") from None
        self.counts = stored.counts
        losses = stored.counts.losses
        for number, loss in enumerate(losses):
            self._smooth(loss, first=number == 0)
            # The generations of a run take about equal processor time.
            self._note_error(stored.counts.cpu_seconds * (number + 1) / len(losses))
        for before, point in pairwise(stored.counts.curve):
            if point.elo - before.elo >= _STRONGER:
                self._improved_at = max(self._improved_at, point.cpu_seconds)
        first = stored.counts.generation - len(stored.chunks) + 1
        self._chunks.extend(enumerate(stored.chunks, first))

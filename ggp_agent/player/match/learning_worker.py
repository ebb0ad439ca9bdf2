"""The work of a process forked by the fork server: learn the game of an earlier match until nothing is left to do.

The run has a folder in the cache (`learning/learn.py`) and continues from its latest checkpoint, so the process
may be killed at any time. From time to time the network is stored for matches, and test games decide whether matches
use it: preparation compares the search by the network, and the configuration chosen before, with the default.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from gdl import GdlError, NetworkMachine, load_machine, parse_sheet
from gdl.compile.structure import structure_of

from ...common.errors import UserError, one_line, require_network
from ...common.processes import resident_mb
from ...evaluation.found_evaluation import EvaluationStore, load_found
from ...evaluation.learned_network import LearnedNetwork, LearnedStore, add_learned, game_digest
from ...game.native.native_machine import machine_to_play
from ...learning.checkpoint import CheckpointError, CheckpointFolder
from ...learning.learn import run_folder
from ...learning.learner import Learner, LearningProgress
from ...learning.options import LearningOptions
from ...mcts.config import SearchConfig
from ...prepare.candidates import DEFAULT, NETWORK, configured, is_open
from ...prepare.choice import Choice, ChoiceStore
from ...prepare.preparation import give_evaluation
from ...prepare.preparer import Preparer
from .messages import BeginLearning, LearningEnd, LearningSettings, Logged, send_log

logger = logging.getLogger(__name__)

# The lowest priority.
_NICE = 19
# Idle times may be short, and the processor time since the last checkpoint is lost at their end.
_CHECKPOINT_SECONDS = 20.0
# Test games follow after this processor time in seconds, and whenever it has doubled. They may take this part of the
# time so far, within these seconds.
_FIRST_TEST_SECONDS = 120.0
_TEST_SHARE = 0.2
_MIN_TEST_SECONDS, _MAX_TEST_SECONDS = 20.0, 60.0
# The part of the memory limit for the trees of the test games.
_TREES_SHARE = 1 / 4


def learn_game(pipe: Connection, begin: BeginLearning) -> None:
    """Learn the game of a message, at low priority, and report the end over the pipe."""
    sending = threading.Lock()

    def send(message: Logged | LearningEnd) -> None:
        try:
            with sending:
                pipe.send(message)
        except OSError:  # the server process has ended
            os._exit(0)

    os.nice(_NICE)
    send_log(send, begin.log_level, "learning process")
    try:
        machine = _machine_to_learn(begin)
        with run_folder(structure_of(machine.sheet).key) as folder:
            _GameLearning(machine, begin, folder).run()
        send(LearningEnd(is_final=True))
    except BlockingIOError:
        logger.info("%s: another process learns this game", begin.match_id)
        send(LearningEnd(is_final=False))
    except CheckpointError as error:  # the disk may have room again later
        logger.warning("%s: learning stops: %s", begin.match_id, one_line(error))
        send(LearningEnd(is_final=False))
    except (GdlError, UserError, OSError) as error:
        logger.info("%s: this game is not learned: %s", begin.match_id, one_line(error))
        send(LearningEnd(is_final=True))


def _machine_to_learn(begin: BeginLearning) -> NetworkMachine:
    """Return the machine of the game."""
    sheet = parse_sheet(begin.rules, source="rules of START")
    if begin.settings.native and (native := machine_to_play(sheet)) is not None:
        raise UserError(f"it is played as the native game fast:{native.game.name}")
    machine = require_network(load_machine(sheet), "learning")
    if len(machine.roles) == 1:
        raise UserError("games of one role are solved")
    return machine


class _GameLearning:
    """Learn one game in its folder."""

    def __init__(self, machine: NetworkMachine, begin: BeginLearning, folder: Path) -> None:
        assert begin.settings.learning is not None
        self._machine = machine
        self._match_id = begin.match_id
        self._limits: LearningSettings = begin.settings.learning
        self._config = begin.settings.config or SearchConfig()
        self._folder = folder
        self._store = LearnedStore()
        self._too_large = False

    def run(self) -> None:
        """Learn until the time is up, until nothing improves or until the memory is full."""
        limits, stored = self._limits, self._store.read(self._machine)
        learner = None if self._is_enough(stored) else self._learner(stored)
        if learner is None or learner.is_over:
            if learner is not None:
                self._publish(learner.network())
            logger.info(
                "%s: nothing is left to learn about this game in %g CPU-minutes", self._match_id, limits.minutes
            )
            return
        used = learner.counts.cpu_seconds
        logger.info("%s: learning begins: %.1f of %g CPU-minutes are used", self._match_id, used / 60, limits.minutes)
        next_test = max(_FIRST_TEST_SECONDS, 2 * (0.0 if stored is None else stored.training.cpu_seconds))

        def test() -> None:
            nonlocal next_test
            if learner.counts.cpu_seconds >= next_test:
                self._publish(learner.network())
                next_test = 2 * learner.counts.cpu_seconds

        try:
            network = learner.run(self._note_memory, lambda: self._too_large, test)
        except CheckpointError:
            self._publish(learner.network())  # the cache of networks may have room
            raise
        self._publish(network)
        reason = "nothing improves any more"
        if self._too_large:
            reason = f"it needs more than {self._config.memory_mb:,} MB of memory"
        elif self._is_enough(network):
            reason = f"the limit of {limits.minutes:g} CPU-minutes is reached"
        logger.info("%s: learning ends: %s; %s", self._match_id, reason, network.training)

    def _is_enough(self, network: LearnedNetwork | None) -> bool:
        # A network stores its time in tenths of seconds.
        return network is not None and network.training.cpu_seconds >= round(60 * self._limits.minutes, 1)

    def _learner(self, stored: LearnedNetwork | None) -> Learner:
        """Return a learner that continues the longest run: from the checkpoint, or from the stored network."""
        limits = self._limits
        options = LearningOptions(
            minutes=limits.minutes / limits.threads, threads=limits.threads, checkpoint_seconds=_CHECKPOINT_SECONDS
        )
        if CheckpointFolder(self._folder).exists:
            with contextlib.suppress(UserError):  # without a valid checkpoint the game is learned from the start
                last = LearnedNetwork.load(self._folder / "network.npz")
                is_newer = stored is None or last.training.cpu_seconds >= stored.training.cpu_seconds
                if is_newer and last.game == game_digest(self._machine):
                    return Learner(self._machine, options, self._folder, resume=True, start=last)
        return Learner(self._machine, options, self._folder, start=stored)

    def _note_memory(self, _: LearningProgress) -> None:
        self._too_large = self._too_large or resident_mb(os.getpid(), alone=True) > self._config.memory_mb * 2**20 / 1e6

    # ---- the network in matches

    def _publish(self, network: LearnedNetwork) -> None:
        """Store a network for matches unless a network with more training is stored, and decide whether they use it."""
        stored = self._store.read(self._machine)
        if stored is not None and stored.training.cpu_seconds >= network.training.cpu_seconds:
            return
        store = ChoiceStore()
        known = store.read(self._machine)
        choice = self._choice(network, known) if is_open(self._config) else None
        self._store.write(self._machine, network)  # after the test games, which are repeated if they are interrupted
        # Test games that do not choose the network are no reason to replace another configuration.
        if choice is not None and (known is None or NETWORK in (known.word, choice.word)):
            store.keep(self._machine, choice)

    def _choice(self, network: LearnedNetwork, known: Choice | None) -> Choice:
        """Return the result of test games of the search by a network and of the known choice against the default.

        Without a known choice all candidates play, as in every preparation.
        """
        cpu_seconds = network.training.cpu_seconds
        budget = min(_MAX_TEST_SECONDS, max(_MIN_TEST_SECONDS, _TEST_SHARE * cpu_seconds))
        machine, seed = self._machine.another(), 1 + round(10 * cpu_seconds)
        candidates = None
        if known is None:
            budget = _MAX_TEST_SECONDS
            began = time.process_time()
            give_evaluation(machine, EvaluationStore(), seconds=budget, by_processor=True, seed=seed)
            budget -= time.process_time() - began
        else:
            candidates = list(dict.fromkeys((NETWORK, known.word)))
            with contextlib.suppress(UserError):  # a candidate without its evaluation is left out
                load_found(machine)
        add_learned(machine, network)
        base = configured(DEFAULT, self._config)
        choice = Preparer(
            machine,
            replace(base, memory_mb=max(1, int(_TREES_SHARE * base.memory_mb))),
            seconds=budget,
            jobs=self._limits.threads,
            by_processor=True,
            seed=seed,
            candidates=candidates,
        ).choose()
        logger.info("%s: after %.1f CPU-minutes of learning: %s", self._match_id, cpu_seconds / 60, choice)
        return choice

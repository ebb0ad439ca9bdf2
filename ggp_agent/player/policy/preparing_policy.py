"""The policy of most matches: it prepares, and learns a network during the match.

The network of an earlier match or of `ggp-agent learn` is continued. Self-play begins in the position of the match in
three quarters of its games. The network is stored at the end, unless a network with more training is stored.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from gdl import CompiledMachine, MachineState, NetworkMachine

from ...common.errors import UserError, one_line
from ...evaluation import LEARNED
from ...evaluation.found_evaluation import EvaluationStore
from ...evaluation.learned_network import LearnedNetwork, LearnedStore, add_learned
from ...game.roles import roles_to_play
from ...learning.learner import Learner
from ...learning.options import LearningOptions
from ...mcts.config import SearchConfig
from ...prepare.candidates import CANDIDATES, DEFAULT, NETWORK, configured, for_play, is_open
from ...prepare.choice import Choice, ChoiceStore, nearest
from ...prepare.preparation import InMatchCheck, give_evaluation, predicted
from ...prepare.preparer import MIN_SECONDS, Preparer
from ...protocol.clocks import Deadline
from .policies import SearchPolicy

logger = logging.getLogger(__name__)

# The part of the games of self-play that begins in the position of the match.
_FROM_MATCH = 0.75
# The part of the start clock for the first random play-outs, the part for symmetries, and the part of the memory limit
# for positions.
_FACTS_SHARE, _SYMMETRY_SHARE, _MEMORY_SHARE = 0.05, 0.1, 1 / 8
# The training is planned for the start clock and this number of turns of the opponents.
_PLANNED_TURNS = 25
# The network is used again after this growth of its training.
_PUBLISHED_GROWTH = 1.05


class MatchLearning:
    """The training of a network during a match; one thread at a time calls `work` and `publish`.

    The machine gets the network. The times are those until the first turn, and of a turn. The constructor raises
    UserError if nothing can be learned about the game.
    """

    def __init__(
        self, machine: NetworkMachine, config: SearchConfig, seconds: float, turn_seconds: float, store: LearnedStore
    ) -> None:
        threads = config.threads or 1
        options = LearningOptions(
            minutes=(seconds + _PLANNED_TURNS * turn_seconds) / 60,
            threads=threads,
            window_mb=_MEMORY_SHARE * config.memory_mb,
            facts_seconds=_FACTS_SHARE * seconds,
            symmetry_seconds=_SYMMETRY_SHARE * seconds,
            seed=config.seed % 10**6,
        )
        self._machine = machine
        self._store = store
        known = store.read(machine)
        self._learner = Learner(machine.another(), options, start=known)
        self._network: LearnedNetwork | None = None  # the network that the machine has

    @property
    def cpu_seconds(self) -> float:
        """The processor time of the training so far."""
        return self._learner.counts.cpu_seconds

    def __str__(self) -> str:
        """Return the training in a few words."""
        counts = self._learner.counts
        return f"a network of {counts.cpu_seconds:.0f} CPU-seconds and {counts.games:,} games of self-play"

    def work(self, stopped: Callable[[], bool], state: bytes | None = None) -> None:
        """Learn until `stopped()` becomes true; new games begin in a state of the match or in the initial state."""
        if state is not None:
            self._learner.set_start(state, _FROM_MATCH)
        self._learner.work(stopped)

    def play(self, stopped: Callable[[], bool], threads: int) -> None:
        """Play games for the training in some of the threads, until `stopped()` becomes true."""
        self._learner.play(stopped, threads)

    def publish(self) -> bool:
        """Give the network to the machine if its training has grown; return whether it has."""
        if self._network is not None and self.cpu_seconds < _PUBLISHED_GROWTH * self._network.training.cpu_seconds:
            return False
        self._network = self._learner.network()
        add_learned(self._machine, self._network)
        return True

    def keep(self) -> None:
        """Store the network of the machine for later matches, unless a network with more training is stored.

        Another thread may call `work` at the same time.
        """
        network, known = self._network, self._store.read(self._machine)
        if network is not None and (known is None or known.training.cpu_seconds < network.training.cpu_seconds):
            try:
                self._store.write(self._machine, network)
            except UserError as error:
                logger.info("%s", error)


def learning_for(
    machine: CompiledMachine, config: SearchConfig, seconds: float, turn_seconds: float, store: LearnedStore
) -> MatchLearning | None:
    """Return the learning of a match; None, with a line in the log, if the game cannot be learned."""
    if not isinstance(machine, NetworkMachine) or len(roles_to_play(machine.roles)) < 2:
        return None
    try:
        return MatchLearning(machine, config, seconds, turn_seconds, store)
    except UserError as error:
        logger.info("this game is not learned: %s", error)
    except Exception as error:  # the match continues without learning
        logger.warning("this game is not learned: %s", one_line(error))
    return None


# The part of the remaining startclock for test games; the rest is for the search of the first move. With a network, the
# parts for learning, which needs some seconds, and for the first move.
_TEST_SHARE = 0.75
_LEARN_SHARE, _FIRST_MOVE_SHARE, _MIN_LEARN_SECONDS = 0.5, 0.1, 3.0
# The part of the time between two turns for the rounds that compare configurations during the match.
_CHECK_SHARE = 0.2
# A network that does not play is compared and trained in these parts of that time. No round fits into turns that are
# shorter than these seconds, so a network that was not chosen is dropped.
_WAITING_CHECK_SHARE, _WAITING_LEARN_SHARE = 0.5, 0.3
_MIN_COMPARED_SECONDS = 2.0
# A network that plays is trained in all of that time until its training has this length in turns. Later the search
# ponders.
_ENOUGH_TURNS = 40
# Beside a network, an evaluation is found only if this time is left.
_MIN_EVALUATION_SECONDS = 6.0
# Similar games predict the score of networks with at least this training.
_MIN_PREDICTED_SECONDS = 5.0
# The expected score below which a network is not trained on, and the number of lost checks after which training ends.
_HOPELESS = 0.3
_MAX_LOST_CHECKS = 2


class PreparingPolicy(SearchPolicy):
    """Search with the configuration that preparation has chosen for the game, earlier or in the startclock.

    Until a configuration is chosen, the search uses the default. Test games run while the policy ponders in the
    startclock, and stop when a move is requested. Their result is stored for later matches, also if the default stays.

    Between turns, rounds from states of the match compare the chosen candidate with the default. The better one is used
    from then on, and stored.

    A network is learned first, and between turns. The network is a candidate. Rounds from states of the match compare
    the network with the best other configuration, again whenever its training has doubled.
    """

    def __init__(
        self,
        seed: int | None = None,
        config: SearchConfig | None = None,
        until: Deadline | None = None,
        *,
        tests: bool = True,
        turn_seconds: float = 0.0,
        store: ChoiceStore | None = None,
        evaluations: EvaluationStore | None = None,
        networks: LearnedStore | None = None,
    ) -> None:
        super().__init__(seed, config)
        self._until = until
        self._tests = tests
        self._store = store or ChoiceStore()
        self._evaluations = evaluations or EvaluationStore()
        self._networks = networks or LearnedStore()
        self._turn_seconds = turn_seconds
        self._learning: MatchLearning | None = None
        self._may_learn = tests and turn_seconds > 0 and is_open(self._config)
        # The best configuration without the network, and its word.
        self._other, self._other_word = configured(DEFAULT, self._config), DEFAULT
        self._lost_checks = 0
        self._checked_seconds = 0.0  # training of the network at the beginning of its latest check
        self._test_machine: CompiledMachine | None = None  # until test games start, or cannot start any more
        self._machine: CompiledMachine | None = None
        self._choice: Choice | None = None
        self._check: InMatchCheck | None = None
        self._state: MachineState | None = None  # None before the first turn
        self._pondered: deque[float] = deque([0.0], 4)  # seconds of the latest calls of `ponder`
        self._beside: threading.Thread | None = None  # plays games for the training while the search runs
        self._move_found = threading.Event()  # ends these games

    def prepare(self, machine: CompiledMachine, role: str) -> None:
        self._machine, self._test_machine = machine, None
        if is_open(self._config):
            self._recall(machine)
        super().prepare(machine, role)

    def ponder(self, wanted: Callable[[], bool]) -> None:
        self._end_games_beside()
        machine, self._test_machine = self._test_machine, None
        if machine is not None and self._until is not None and not wanted():
            self._choose(machine, self._until, wanted)
        if self._may_learn and self._plays_network and not wanted():
            self._learning = self._begin_learning(self._until.left() if self._until is not None else 0.0)
        began = time.monotonic()
        if self._learning is not None:
            self._learn(self._learning, wanted)
        elif self._check is not None and self._state is not None:
            self._check_choice(self._check, self._state, wanted)
        super().ponder(wanted)
        self._pondered.append(time.monotonic() - began)

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        self._skip_test_games()
        self._state = state
        super().advance(state, moves)

    def think(self, deadline: Deadline) -> str | None:
        self._skip_test_games()
        self._end_games_beside()
        learning, threads = self._learning, self._threads_beside
        if learning is not None and threads:
            self._move_found.clear()
            self._beside = threading.Thread(
                target=self._play_beside, args=(learning, threads), name="games beside the search", daemon=True
            )
            self._beside.start()
        try:
            return super().think(deadline)
        finally:
            self._move_found.set()

    def close(self) -> None:
        self._end_games_beside()
        if self._check is not None and self._choice is not None and self._check.rounds.games:
            compared = self._learning or self._choice.rival
            logger.info("the check during the match has not finished: %s won %s", compared, self._check)
        super().close()
        if self._learning is not None:
            logger.info("learned during the match: %s", self._learning)
            self._learning.keep()

    def _skip_test_games(self) -> None:
        """Drop test games that have not started before the first turn."""
        if self._test_machine is not None:
            self._test_machine = None
            logger.info("default configuration: the match began before test games could start")

    def _recall(self, machine: CompiledMachine) -> None:
        """Use the stored configuration; plan test games if none is stored, or if they can improve it."""
        known = self._store.read(machine)
        if known is not None:
            logger.info("configuration chosen before: %s", known)
            self._adopt(machine, known)
        if self._until is None or len(machine.roles) == 1:
            return
        if not self._tests:
            if known is None:
                self._predict(machine, self._until)
            return
        # An uncertain result is repeated if there is more time than before.
        cpu_seconds = _TEST_SHARE * self._until.left() * (self._config.threads or 1)
        if known is None or (not known.is_settled and cpu_seconds > known.cpu_seconds):
            self._test_machine = machine

    def _predict(self, machine: CompiledMachine, until: Deadline) -> None:
        """Use the configuration that similar games predict."""
        seconds = _TEST_SHARE * until.left()
        choice = predicted(
            machine,
            configured(DEFAULT, self._config),
            self._store,
            seconds=seconds,
            stopped=lambda: until.left() < seconds / 2 or self._stopped.is_set(),
        )
        logger.info("configuration: %s", choice)
        self._adopt(machine, choice)

    def _choose(self, machine: CompiledMachine, until: Deadline, wanted: Callable[[], bool]) -> None:
        began, total = time.monotonic(), until.left()
        self._stopped.clear()
        stopped = self._stopped_or(wanted)
        seconds, for_thinking = _TEST_SHARE * total, (1 - _TEST_SHARE) * total
        if self._may_learn and total >= _MIN_LEARN_SECONDS:
            self._learning = self._begin_learning(total)
        if self._learning is not None:
            for_thinking = _FIRST_MOVE_SHARE * total
            self._learn_until(self._learning, lambda: stopped() or until.left() < (1 - _LEARN_SHARE) * total)
            seconds = until.left() - for_thinking
        seed = self._config.seed % 2**32
        if self._learning is None or seconds >= _MIN_EVALUATION_SECONDS:
            give_evaluation(machine, self._evaluations, seconds=seconds, seed=seed, stopped=stopped)
        base = configured(DEFAULT, self._config)
        choice = Preparer(
            machine,
            base,
            seconds=until.left() - for_thinking,
            jobs=self._config.threads or 1,
            seed=seed,
            stopped=stopped,
            candidates=self._candidates(until.left() - for_thinking),
        ).choose()
        logger.info("configuration chosen in %.1f s: %s", time.monotonic() - began, choice)
        self._store.keep(machine, choice)
        self._note_network(choice, base)
        self._adopt(machine, choice)
        if not choice.is_default:
            self._restart_search()

    def _candidates(self, seconds: float) -> Sequence[str] | None:
        """Return the candidates without a network whose score is neither tested nor predicted; None for all."""
        learning = self._learning
        if learning is None or seconds >= MIN_SECONDS or learning.cpu_seconds >= _MIN_PREDICTED_SECONDS:
            return None
        return [word for word in CANDIDATES if word != NETWORK]

    # ---- a network that is learned during the match

    @property
    def _plays_network(self) -> bool:
        return self._config.evaluation.name == LEARNED

    @property
    def _is_young(self) -> bool:
        """Whether the network that plays is trained further, rather than that the search ponders."""
        threads = self._config.threads or 1
        learning = self._learning
        return (
            learning is not None
            and self._plays_network
            and learning.cpu_seconds < _ENOUGH_TURNS * self._turn_seconds * threads
        )

    @property
    def _threads_beside(self) -> int:
        """The number of threads that play games for the training while a move is searched."""
        return (self._config.threads or 1) - 1 if self._is_young else 0

    def _make_searcher(self, machine: CompiledMachine, config: SearchConfig) -> None:
        # A search by a network draws no random numbers if one role chooses at a time: other threads would search the
        # same tree.
        super()._make_searcher(machine, replace(config, threads=1) if self._plays_network else config)

    def _play_beside(self, learning: MatchLearning, threads: int) -> None:
        """Play games for the training; after an error the match continues without learning."""
        try:
            learning.play(self._move_found.is_set, threads)
        except Exception as error:
            self._end_after(error)

    def _end_games_beside(self) -> None:
        self._move_found.set()
        beside, self._beside = self._beside, None
        if beside is not None:
            beside.join()

    def _begin_learning(self, seconds: float) -> MatchLearning | None:
        self._may_learn = False  # once
        assert self._machine is not None
        return learning_for(self._machine, self._config, seconds, self._turn_seconds, self._networks)

    def _note_network(self, choice: Choice, base: SearchConfig) -> None:
        """Store a network that was chosen, drop a network without a chance, and note the best other configuration."""
        if self._learning is None:
            return
        others = nearest([each for each in choice.trials if each.word != NETWORK])
        self._other_word = others.word if others is not None and others.is_better else DEFAULT
        self._other = for_play(self._other_word, base)
        network = next((each for each in choice.trials if each.word == NETWORK), None)
        if choice.word == NETWORK:
            logger.info("the search uses %s", self._learning)
            self._learning.keep()
        elif self._turn_seconds < _MIN_COMPARED_SECONDS or (
            network is not None and (network.dropped or network.belief.mean < _HOPELESS)
        ):
            self._end_learning()

    def _end_learning(self) -> None:
        """End the training, and the check of the network."""
        logger.info("not learned further: %s", self._learning)
        self._learning = self._check = None

    def _learn_until(self, learning: MatchLearning, stopped: Callable[[], bool], state: bytes | None = None) -> bool:
        """Train the network and give it to the machine; return whether the machine has a new network.

        After an error the match continues without learning.
        """
        try:
            learning.work(stopped, state)
            return learning.publish()
        except Exception as error:
            self._end_after(error)
            return False

    def _end_after(self, error: Exception) -> None:
        logger.warning("learning during the match ends: %s", one_line(error))
        self._learning = self._check = None

    def _learn(self, learning: MatchLearning, wanted: Callable[[], bool]) -> None:
        """Compare the network with the other configuration and train it, while no move is requested."""
        self._stopped.clear()
        stopped, state = self._stopped_or(wanted), self._state
        waiting = max(self._pondered)
        if state is not None:
            self._check_network(learning, state, waiting, stopped)
            if self._learning is None:
                return
        if self._plays_network and not self._is_young:
            return
        until = math.inf if self._plays_network else time.monotonic() + _WAITING_LEARN_SHARE * waiting
        position = state if isinstance(state, bytes) else None
        is_new = self._learn_until(learning, lambda: stopped() or time.monotonic() > until, position)
        if is_new and self._plays_network:
            self._restart_search(state)

    def _check_network(
        self, learning: MatchLearning, state: MachineState, waiting: float, stopped: Callable[[], bool]
    ) -> None:
        """Play rounds between the network and the best other configuration; use the better one."""
        machine, check = self._machine, self._check
        assert machine is not None
        if check is None:
            if learning.cpu_seconds < 2 * self._checked_seconds:
                return
            self._checked_seconds = learning.cpu_seconds
            seed, jobs = self._config.seed % 2**32, self._config.threads or 1
            network = configured(NETWORK, self._config)
            check = self._check = InMatchCheck(
                machine, network, self._other, jobs=jobs, seed=seed, against=self._other_word
            )
        share = _CHECK_SHARE if self._plays_network else _WAITING_CHECK_SHARE
        if not self._ends(check, state, share * waiting, stopped):
            return
        is_better = check.rounds.share > 0.5
        logger.info("the check during the match: %s won %s", learning, check)
        if check.has_verdict and is_better != self._plays_network:
            logger.info("configuration from now on: %s", "the network" if is_better else "without the network")
            chosen = for_play(NETWORK, self._config) if is_better else self._other
            self._config = replace(chosen, search=replace(chosen.search, prepare=False))
            self._restart_search(state)
        if check.has_verdict and not is_better:
            self._lost_checks += 1
            if self._lost_checks >= _MAX_LOST_CHECKS:
                learning.keep()
                self._end_learning()

    def _ends(self, check: InMatchCheck, state: MachineState, seconds: float, stopped: Callable[[], bool]) -> bool:
        """Play rounds of a check; return whether the check has ended. A check that fails ends without a result."""
        try:
            check.work(state, seconds, stopped)
        except Exception as error:
            logger.warning("the check during the match fails: %s", one_line(error))
            self._check = None
            return False
        if check.is_over:
            self._check = None
        return check.is_over

    def _check_choice(self, check: InMatchCheck, state: MachineState, wanted: Callable[[], bool]) -> None:
        """Play rounds from a state of the match; use the other configuration if it is significantly better."""
        assert self._choice is not None
        machine = self._machine
        # If roles take turns, every second call of `ponder` is short; the longest one counts.
        seconds = _CHECK_SHARE * max(self._pondered)
        if machine is None or not seconds:
            return
        self._stopped.clear()
        if not self._ends(check, state, seconds, self._stopped_or(wanted)):
            return
        if not check.has_verdict:
            logger.info("the check during the match has no significant result: %s won %s", self._choice.rival, check)
            return
        choice = self._choice.after(check.rounds)
        logger.info("the check during the match: %s won %s", choice.checked, check)
        self._store.write(machine, choice)
        if choice.word != self._choice.word:
            logger.info("configuration from now on: %s", choice.word)
            self._use(choice)
            self._restart_search(state)

    def _restart_search(self, state: MachineState | None = None) -> None:
        """Search with the current configuration and a new tree, whose root is a state or the initial state."""
        assert self._machine is not None
        super().prepare(self._machine, self._role)
        if state is not None and self._searcher is not None:
            self._searcher.set_root(state)

    def _stopped_or(self, wanted: Callable[[], bool]) -> Callable[[], bool]:
        return lambda: wanted() or self._stopped.is_set()

    def _adopt(self, machine: CompiledMachine, choice: Choice) -> None:
        """Use a result of preparation, and check it during the match."""
        base = self._config
        self._use(choice)
        if choice.rival is not None and self._learning is None and choice.word != NETWORK:
            self._check = InMatchCheck(
                machine,
                configured(choice.rival, base),
                configured(DEFAULT, base),
                jobs=base.threads or 1,
                seed=base.seed % 2**32,
            )

    def _use(self, choice: Choice) -> None:
        self._choice = choice
        chosen = for_play(choice.word, self._config)
        self._config = replace(chosen, search=replace(chosen.search, prepare=False))

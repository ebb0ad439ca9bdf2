"""How a player chooses among its legal moves: policies search, and a `Pick` chooses without a search."""

from __future__ import annotations

import logging
import random
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeAlias

from gdl import CompiledMachine, MachineState

from ...common.errors import UserError
from ...common.processes import cores
from ...evaluation.found_evaluation import EvaluationStore
from ...game.game import Game
from ...hidden.hidden_searcher import HiddenResult, HiddenSearcher
from ...hidden.role_belief import Belief
from ...mcts.config import BackupConfig, SearchConfig
from ...mcts.searcher import Searcher
from ...prepare.candidates import DEFAULT, configured, for_play, is_open
from ...prepare.choice import Choice, ChoiceStore
from ...prepare.preparation import InMatchCheck, give_evaluation, predicted
from ...prepare.preparer import Preparer
from ...protocol.clocks import Deadline
from ...protocol.messages import Thoughts

logger = logging.getLogger(__name__)


Pick: TypeAlias = Callable[[Sequence[str]], str]


def picker(player: str, seed: int | None) -> Pick:
    """Return the choice among legal moves, at least one, of a kind of player, one of `POLICIES` of `match/messages.py`.

    The player `legal` plays the first legal move in the order of code points. The others draw a move; equal seeds
    choose equal moves.

    >>> picker("legal", None)(["(mark 2 1)", "(mark 1 1)"])
    '(mark 1 1)'
    """
    if player == "legal":
        return min
    draw = random.Random(seed)
    return lambda legal: draw.choice(sorted(legal))  # machines list the moves in different orders


class Policy(ABC):
    """Search for the moves of one role in one match.

    One thread calls `prepare`, `advance`, `think` and `ponder`, in the order of the match. Other threads may call
    `stop`, `favourite`, `thoughts` and `wait` at the same time.
    """

    @abstractmethod
    def prepare(self, machine: CompiledMachine, role: str) -> None:
        """Use a machine, in its initial state, for the search."""

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:  # noqa: B027 - optional
        """Note the joint move that was made and the next state."""

    @abstractmethod
    def think(self, deadline: Deadline) -> str | None:
        """Choose a move by the deadline, or when stopped; return None if no move was found."""

    def ponder(self, wanted: Callable[[], bool]) -> None:  # noqa: B027 - optional
        """Search the current state while no move is requested, until stopped or until `wanted()` is true."""

    def stop(self) -> None:  # noqa: B027 - optional
        """End `think` or `ponder` as soon as possible, if one of them runs."""

    def wait(self, seconds: float) -> bool:
        """Wait before the first turn while this improves the play, at most the given number of seconds.

        Returns:
            Whether more search cannot change the moves of this match.
        """
        return False

    def close(self) -> None:  # noqa: B027 - optional
        """End all work for the match."""

    def favourite(self) -> str | None:
        """Return the best move found so far while `think` runs; None without one."""
        thoughts = self.thoughts()
        return thoughts.move if thoughts is not None else None

    def thoughts(self) -> Thoughts | None:
        """Return the result of the search of the current state, running or ended; None without a search."""
        return None


class SearchPolicy(Policy):
    """Play the best move of the search; the tree is kept from move to move.

    If the game does not have the evaluation of the configuration, the search runs without an evaluation, with a warning
    in the log.
    """

    def __init__(self, seed: int | None = None, config: SearchConfig | None = None) -> None:
        config = config or SearchConfig()
        threads = config.threads or cores()
        self._config = replace(config, seed=random.Random(seed).getrandbits(63), threads=threads)
        self._role = ""
        self._searcher: Searcher | None = None
        self._stopped = threading.Event()
        self._running = False
        self._thinking = False
        self._thought: Thoughts | None = None  # the result of the last `think`

    def prepare(self, machine: CompiledMachine, role: str) -> None:
        self._role = role
        plain = self._config.without_evaluation()
        try:
            self._searcher = searcher_for(machine, self._config)
        except (UserError, ValueError) as error:
            if plain == self._config:
                raise
            logger.warning("the search runs without an evaluation: %s", error)
            self._searcher = searcher_for(machine, plain)

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        self._thought = None
        if self._searcher is None:
            return
        try:
            self._searcher.advance(moves)
        except ValueError:
            # The manager accepted a move that is not legal on this machine; only the next state matters.
            self._searcher.set_root(state)

    def think(self, deadline: Deadline) -> str | None:
        searcher = self._searcher
        if searcher is None:
            return None
        self._stopped.clear()
        self._running = self._thinking = True
        try:
            searcher.run(seconds=deadline.left(), settled=self._role, stopped=self._stopped.is_set)
            best = searcher.best_move(self._role)
            self._thought = self._summary(searcher, ended_early=deadline.left() > 0 and not self._stopped.is_set())
            return best
        finally:
            self._running = self._thinking = False

    def ponder(self, wanted: Callable[[], bool]) -> None:
        searcher = self._searcher
        if searcher is None:
            return
        self._stopped.clear()
        self._running = True
        try:
            searcher.run(stopped=lambda: wanted() or self._stopped.is_set())
        finally:
            self._running = False

    def stop(self) -> None:
        # The event stops a run that is about to start, the call stops a running one.
        self._stopped.set()
        if self._searcher is not None and self._running:
            self._searcher.stop()

    def favourite(self) -> str | None:
        return super().favourite() if self._thinking else None

    def thoughts(self) -> Thoughts | None:
        searcher = self._searcher
        return self._summary(searcher) if searcher is not None and self._thinking else self._thought

    def best_line(self, seconds: float) -> tuple[int, tuple[str, ...]] | None:
        """Return the goal and the moves of the best line found, in a game of one role; None without one.

        The line leads from the current state to the end of the game, and is computed within a time in seconds. Only the
        thread of `think` may call this, outside `think` and `ponder`.
        """
        searcher = self._searcher
        if searcher is None:
            return None
        return searcher.best_line(seconds / (self._config.threads or 1))

    def _summary(self, searcher: Searcher, *, ended_early: bool = False) -> Thoughts | None:
        statistics = searcher.statistics()
        if statistics.terminal or statistics.visits == 0:
            return None
        moves = statistics.moves[self._role]
        if not moves:
            return None
        low, high = statistics.bounds[self._role]
        value = float(low) if low == high else moves[0].value
        why = ""
        if ended_early:
            why = "no other move can get as many visits"
            if low == high:
                why = "the goal is proven"
            if len(moves) == 1:
                why = "there is one move"
        made = statistics.simulations, statistics.visits, statistics.max_depth
        return Thoughts(moves[0].move, value, *made, (low, high), why)


# Without opponents, a node with at least this number of visits gets the value of its best move instead of the mean.
ONE_ROLE_MAXIMUM = BackupConfig(maximum_from=50)


def searcher_for(machine: CompiledMachine, config: SearchConfig) -> Searcher:
    """Return a searcher for a player; games of one role use maximum backpropagation by default."""
    if len(machine.roles) == 1 and config.backup == BackupConfig():
        config = replace(config, backup=ONE_ROLE_MAXIMUM)
    return Searcher(machine, config)


# The part of the remaining startclock for test games; the rest is for the search of the first move.
_TEST_SHARE = 0.75
# The part of the time between two turns for the rounds that compare configurations during the match.
_CHECK_SHARE = 0.2


class PreparingPolicy(SearchPolicy):
    """Search with the configuration that preparation has chosen for the game, earlier or in the startclock.

    Until a configuration is chosen, the search uses the default. Test games run while the policy ponders in the
    startclock, and stop when a move is requested. Their result is stored for later matches, also if the default stays.

    Between turns, rounds from states of the match compare the chosen candidate with the default. The better one is used
    from then on, and stored.
    """

    def __init__(
        self,
        seed: int | None = None,
        config: SearchConfig | None = None,
        until: Deadline | None = None,
        *,
        tests: bool = True,
        store: ChoiceStore | None = None,
        evaluations: EvaluationStore | None = None,
    ) -> None:
        super().__init__(seed, config)
        self._until = until
        self._tests = tests
        self._store = store or ChoiceStore()
        self._evaluations = evaluations or EvaluationStore()
        self._test_machine: CompiledMachine | None = None  # until test games start, or cannot start any more
        self._machine: CompiledMachine | None = None
        self._choice: Choice | None = None
        self._check: InMatchCheck | None = None
        self._state: MachineState | None = None  # None before the first turn
        self._pondered: deque[float] = deque([0.0], 4)  # seconds of the latest calls of `ponder`

    def prepare(self, machine: CompiledMachine, role: str) -> None:
        self._machine, self._test_machine = machine, None
        if is_open(self._config):
            self._recall(machine)
        super().prepare(machine, role)

    def ponder(self, wanted: Callable[[], bool]) -> None:
        machine, self._test_machine = self._test_machine, None
        if machine is not None and self._until is not None and not wanted():
            self._choose(machine, self._until, wanted)
        began = time.monotonic()
        if self._check is not None and self._state is not None:
            self._check_choice(self._check, self._state, wanted)
        super().ponder(wanted)
        self._pondered.append(time.monotonic() - began)

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        self._skip_test_games()
        self._state = state
        super().advance(state, moves)

    def think(self, deadline: Deadline) -> str | None:
        self._skip_test_games()
        return super().think(deadline)

    def close(self) -> None:
        if self._check is not None and self._choice is not None and self._check.rounds.games:
            logger.info("the check during the match has not finished: %s won %s", self._choice.rival, self._check)
        super().close()

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
        began, seconds = time.monotonic(), _TEST_SHARE * until.left()
        self._stopped.clear()
        seed = self._config.seed % 2**32
        for_thinking = until.left() - seconds
        stopped = self._stopped_or(wanted)
        give_evaluation(machine, self._evaluations, seconds=seconds, seed=seed, stopped=stopped)
        choice = Preparer(
            machine,
            configured(DEFAULT, self._config),
            seconds=until.left() - for_thinking,
            jobs=self._config.threads or 1,
            seed=seed,
            stopped=stopped,
        ).choose()
        logger.info("configuration chosen in %.1f s: %s", time.monotonic() - began, choice)
        self._store.keep(machine, choice)
        self._adopt(machine, choice)
        if not choice.is_default:
            self._restart_search()

    def _check_choice(self, check: InMatchCheck, state: MachineState, wanted: Callable[[], bool]) -> None:
        """Play rounds from a state of the match; use the other configuration if it is significantly better."""
        assert self._choice is not None
        machine = self._machine
        # If roles take turns, every second call of `ponder` is short; the longest one counts.
        seconds = _CHECK_SHARE * max(self._pondered)
        if machine is None or not seconds:
            return
        self._stopped.clear()
        try:
            check.work(state, seconds, self._stopped_or(wanted))
        except Exception as error:
            logger.warning("the check during the match fails: %s: %s", type(error).__name__, error)
            self._check = None
            return
        if not check.is_over:
            return
        self._check = None
        if not check.has_verdict:
            logger.info("the check during the match has no significant result: %s won %s", self._choice.rival, check)
            return
        choice = self._choice.after(check.rounds)
        logger.info("the check during the match: %s won %s", choice.checked, check)
        self._store.write(machine, choice)
        if choice.word != self._choice.word:
            logger.info("configuration from now on: %s", choice.word)
            self._use(choice)
            self._restart_search()
            if self._searcher is not None:
                self._searcher.set_root(state)

    def _restart_search(self) -> None:
        """Search with the current configuration and a new tree."""
        assert self._machine is not None
        super().prepare(self._machine, self._role)

    def _stopped_or(self, wanted: Callable[[], bool]) -> Callable[[], bool]:
        return lambda: wanted() or self._stopped.is_set()

    def _adopt(self, machine: CompiledMachine, choice: Choice) -> None:
        """Use a result of preparation, and check it during the match."""
        base = self._config
        self._use(choice)
        if choice.rival is not None:
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


# The search reports its findings after runs of this length, in seconds.
_RUN_SECONDS = 0.25
# The time to compute it while no move is requested.
_PONDER_SECONDS = 10.0
# The largest part of the time of a turn in which an equilibrium of a small game is computed.
_SOLVE_SHARE = 0.8


class HiddenPolicy(Policy):
    """Search with `HiddenSearcher`; `observe` replaces `advance`."""

    def __init__(self, seed: int | None = None, config: SearchConfig | None = None) -> None:
        self._config = config or SearchConfig()
        self._random = random.Random(seed)
        self._machine: CompiledMachine
        self._role = ""
        self._searcher: HiddenSearcher | None = None  # None until `restart`
        self._stopped = threading.Event()
        self._thought: Thoughts | None = None
        self._thinking = False

    def prepare(self, machine: CompiledMachine, role: str) -> None:
        self._machine, self._role = machine, role
        if without := self._config.keys_without_effect(hides_information=True):
            logger.warning("the game hides information; these keys have no effect: %s", ", ".join(without))

    def restart(self) -> Belief:
        """Begin with the first turn, and forget all turns so far; return the belief of the search."""
        game = Game("the game", self._machine.sheet, "")
        seed = self._random.getrandbits(63)
        options = asdict(self._config.hidden)
        self._searcher = HiddenSearcher(game, self._role, seed=seed, machine=self._machine, **options)
        return self._searcher.belief

    def observe(self, *seen: Any, **known: Any) -> tuple[str, ...]:
        """Process a turn; see `Belief.observe`."""
        assert self._searcher is not None
        self._thought = None
        return self._searcher.observe(*seen, **known)

    def think(self, deadline: Deadline) -> str | None:
        searcher = self._searcher
        assert searcher is not None
        self._stopped.clear()
        self._thinking = True
        simulations = 0
        result: HiddenResult | None = None
        try:
            searcher.solve(_SOLVE_SHARE * deadline.left(), self._stopped.is_set)
            while result is None or (not result.exact and deadline.left() > 0 and not self._stopped.is_set()):
                seconds = min(_RUN_SECONDS, deadline.left())
                result = searcher.run(seconds=seconds, stopped=self._stopped.is_set)
                simulations += result.simulations
                self._thought = _thoughts(result, simulations)
            return result.move
        finally:
            self._thinking = False

    def ponder(self, wanted: Callable[[], bool]) -> None:
        searcher = self._searcher
        assert searcher is not None
        self._stopped.clear()

        def stopped() -> bool:
            return wanted() or self._stopped.is_set()

        if searcher.belief.moves() and not searcher.solve(_PONDER_SECONDS, stopped):
            searcher.run(stopped=stopped)

    def stop(self) -> None:
        self._stopped.set()
        if self._searcher is not None:
            self._searcher.stop()

    def favourite(self) -> str | None:
        return super().favourite() if self._thinking else None

    def thoughts(self) -> Thoughts | None:
        return self._thought


def _thoughts(result: HiddenResult, simulations: int) -> Thoughts:
    """Return the findings of a run: the move to play, and the expected goal of the strategy."""
    total = sum(each.probability for each in result.strategy)
    value = sum(each.probability * each.value for each in result.strategy) / total if total else 0.0
    return Thoughts(result.move, min(100.0, max(0.0, value)), simulations, simulations)

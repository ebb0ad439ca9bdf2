"""The work of a process forked by the fork server: one match, from START to the report of the goals."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import NoReturn

from gdl import CompiledMachine, MachineState, StateMachine, load_machine, parse_sheet

from ..common.processes import cores
from ..game.native.recognition import machine_to_play
from ..mcts.config import SearchConfig
from ..mcts.found_evaluation import EvaluationStore
from ..prepare.candidates import for_play
from ..prepare.chosen import predicted
from ..prepare.evaluation_for import give_evaluation
from ..prepare.in_match import InMatchCheck
from ..prepare.open_configuration import DEFAULT, configured, is_open
from ..prepare.preparation import Preparation
from ..prepare.preparation_store import PreparationStore
from ..prepare.preparer import Preparer
from ..protocol.clocks import FALLBACK_SHARE, MANAGER_TOLERANCE_SECONDS, Deadline, margin_for
from ..protocol.messages import BUSY, READY, Start, Thoughts
from ..protocol.percept_messages import has_percepts
from ..puzzles.solution import WAYS
from .followers import Follower
from .hidden_policy import HiddenPolicy
from .learning_worker import learn_game
from .match_machines import MatchMachines, MatchSettings
from .match_messages import (
    MAX_LEGAL_SENT,
    AnsweredTurn,
    BeginLearning,
    BeginMatch,
    Finish,
    FoundMoves,
    Order,
    PlayerSettings,
    Progress,
    Report,
    RequestMove,
    Settle,
    StartReply,
    send_log,
)
from .policies import Policy, SearchPolicy, make_policy
from .puzzle_policy import PuzzlePolicy
from .turns import PlayerTurn

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
        store: PreparationStore | None = None,
        evaluations: EvaluationStore | None = None,
    ) -> None:
        super().__init__(seed, config)
        self._until = until
        self._tests = tests
        self._store = store or PreparationStore()
        self._evaluations = evaluations or EvaluationStore()
        self._test_machine: CompiledMachine | None = None  # until test games start, or cannot start any more
        self._machine: StateMachine | None = None
        self._choice: Preparation | None = None
        self._check: InMatchCheck | None = None
        self._state: MachineState | None = None  # None before the first turn
        self._pondered: deque[float] = deque([0.0], 4)  # seconds of the latest calls of `ponder`

    def prepare(self, machine: StateMachine, role: str) -> None:
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

    def _recall(self, machine: StateMachine) -> None:
        """Use the stored configuration; plan test games if there is none, or if they can improve it."""
        if not isinstance(machine, CompiledMachine):
            return
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
        if not isinstance(machine, CompiledMachine) or not seconds:
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

    def _adopt(self, machine: CompiledMachine, choice: Preparation) -> None:
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

    def _use(self, choice: Preparation) -> None:
        self._choice = choice
        chosen = for_play(choice.word, self._config)
        self._config = replace(chosen, search=replace(chosen.search, prepare=False))


logger = logging.getLogger(__name__)

# Seconds for the reference interpreter before a policy without a search gets a fast machine.
_REFERENCE_SECONDS = 0.25


class PlayerMatch:
    """Play one role of one match."""

    def __init__(
        self,
        start: Start,
        received: float,
        settings: MatchSettings,
        note: Callable[[PlayerTurn], None] = lambda turn: None,
    ) -> None:
        self.match_id = start.match_id
        self.play_clock = start.play_clock
        self._policy = settings.policy
        self._ponders = settings.may_ponder
        self._margin = margin_for(start.play_clock, settings.margin)
        self._ready_by = Deadline(start.start_clock - margin_for(start.start_clock, settings.margin), received)
        self._machines = MatchMachines(start, settings, note)
        self._reporter: Follower | None = None

    # ---- messages

    def open(self) -> None:
        """Start the preparation in the background."""
        threading.Thread(target=self._machines.open, name="match opening", daemon=True).start()

    def begin(self) -> str:
        """Prepare the match; return `ready` when prepared or when the startclock ends; `busy` if rules are refused."""
        self.open()
        machines = self._machines
        if not self._policy.thinks and not machines.prepared.wait(min(_REFERENCE_SECONDS, self._ready_by.left())):
            machines.start_fast_machine()
        machines.prepared.wait(self._ready_by.left())
        if machines.refusal:
            return BUSY
        if not machines.prepared.is_set():
            logger.warning("%s: the startclock ended before the preparation", self.match_id)
        else:
            self._policy.wait(self._ready_by.left())
            if self._ponders and not self._policy.is_done:
                machines.closed.wait(self._ready_by.left())
        return BUSY if machines.closed.is_set() else READY

    def enter(self, moves: tuple[str, ...] | None, received: float, last_move: str | None = None) -> PlayerTurn:
        """Add the next turn and return it."""
        return self._machines.next_turn(moves, Deadline(self.play_clock - self._margin, received), last_move=last_move)

    def answer(self, turn: PlayerTurn) -> str:
        """Return the move of a turn within its playclock."""
        if not self._policy.thinks and not turn.answered.wait(min(_REFERENCE_SECONDS, turn.deadline.left())):
            self._machines.start_fast_machine()
        # The search should end at the deadline of the turn; a late search is not awaited.
        if turn.answered.wait(Deadline((1 - FALLBACK_SHARE) * self._margin, turn.deadline.at).left()):
            return turn.answer
        logger.warning("turn %d: no decision in time", turn.number)
        if not turn.legal:  # the manager may still accept a late move
            turn.answered.wait(Deadline(self._margin + MANAGER_TOLERANCE_SECONDS, turn.deadline.at).left())
        move = self._machines.settle_with_known_moves(turn)
        self._policy.stop()
        return move

    def play(self, moves: tuple[str, ...] | None, received: float, last_move: str | None = None) -> str:
        """Add the next turn and return its move."""
        return self.answer(self.enter(moves, received, last_move))

    def replay(self, moves: tuple[str, ...] | None, answer: str, last_move: str | None = None) -> None:
        """Add a turn that is already answered."""
        self._machines.next_turn(moves, Deadline(0), answer, last_move)

    def settle(self, number: int, answer: str) -> None:
        """Record that the server process has answered a turn."""
        self._machines.settle(number, answer)

    def stop(self, moves: tuple[str, ...] | None, last_move: str | None = None) -> None:
        """End the match; make the last joint move and log the goals in the background."""
        self._reporter = self._machines.finish(moves, last_move)

    def close(self) -> None:
        """End all work for the match immediately."""
        self._machines.close()

    def wait_for_report(self, seconds: float) -> None:
        """Wait after `stop` until the goals are logged, at most for the given seconds."""
        if self._reporter is not None:
            self._reporter.join(seconds)

    # ---- state

    @property
    def refusal(self) -> str:
        """The reason why the rules are refused; empty if they are accepted."""
        return self._machines.refusal

    @property
    def role_index(self) -> int:
        """The index of our role; -1 until it is known."""
        return self._machines.role_index

    def thoughts(self) -> tuple[int, Thoughts] | None:
        """Return the number of the current turn and the findings of its search; None if there are none."""
        present = len(self._machines.turns) - 1
        if self._machines.thinks_about != present:
            return None  # the policy is still in the previous turn
        thoughts = self._policy.thoughts()
        return None if thoughts is None or present != len(self._machines.turns) - 1 else (present, thoughts)


# Seconds after the end of a match to compute its goals.
REPORT_SECONDS = 5.0

# The findings of the search are reported at this interval in seconds, or at this share of the playclock if it is
# shorter, and with at most this share of the processor time.
_PROGRESS_SECONDS = 0.05
_PROGRESS_SHARE_OF_CLOCK = 0.1
_PROGRESS_SHARE_OF_CPU = 0.05


def preload() -> None:
    """Load the data that every match needs; importing this module has loaded the code."""
    machine_to_play(parse_sheet("(role r)"))  # loads the grammar and the reference sheets of the native games


def play(pipe: Connection) -> NoReturn:
    """Play the match, or learn the game, that the server process sends over a pipe, and end the process."""
    status = 1
    try:
        begin = pipe.recv()
        if isinstance(begin, BeginLearning):
            learn_game(pipe, begin)
        else:
            assert isinstance(begin, BeginMatch)
            _MatchWorker(pipe, begin).serve()
        status = 0
    except (EOFError, OSError):  # the parent exited or closed the pipe
        status = 0
    except BaseException:
        logging.getLogger("ggp_agent.player.match_worker").exception("the match process failed")
    finally:
        os._exit(status)


class _MatchWorker:
    """Pass the orders of the server process to the match, and send the reports back."""

    def __init__(self, pipe: Connection, begin: BeginMatch) -> None:
        self._pipe = pipe
        self._sending = threading.Lock()
        self._begin = begin
        send_log(self._send, begin.log_level, "match process")
        self._match = PlayerMatch(begin.start, begin.received, _match_settings(begin), self._note)
        self._turns = 0

    def serve(self) -> None:
        """Work until the match or the server process ends."""
        threading.Thread(target=self._open, name="opening", daemon=True).start()
        threading.Thread(target=self._report_progress, name="progress", daemon=True).start()
        while True:
            order: Order = self._pipe.recv()
            match order:
                case RequestMove():
                    self._ask(order)
                case Settle():
                    self._match.settle(order.number, order.answer)
                case Finish():
                    self._match.stop(order.moves, order.last_move)
                    self._match.wait_for_report(REPORT_SECONDS)
                    return

    def _open(self) -> None:
        if self._begin.resumed:
            self._match.open()
        else:
            reply = self._match.begin()
            self._send(StartReply(reply, self._match.refusal))

    def _ask(self, order: RequestMove) -> None:
        number, self._turns = self._turns, self._turns + 1
        if order.answer is not None:
            self._match.replay(order.moves, order.answer, order.last_move)
            return
        # This thread enters the turns, so that they keep their order.
        entered = self._match.enter(order.moves, order.received, order.last_move)
        threading.Thread(target=self._answer, args=(number, entered), name="turn", daemon=True).start()

    def _answer(self, number: int, turn: PlayerTurn) -> None:
        move = self._match.answer(turn)
        found = self._match.thoughts()
        self._send(AnsweredTurn(number, move, found[1] if found is not None and found[0] == number else None))

    def _note(self, turn: PlayerTurn) -> None:
        every = turn.all_legal
        if every is not None and sum(map(len, every)) > MAX_LEGAL_SENT:
            every = None
        self._send(FoundMoves(turn.number, self._match.role_index, turn.legal[:MAX_LEGAL_SENT], every, turn.no_move))

    def _report_progress(self) -> None:
        least = pause = min(_PROGRESS_SECONDS, max(0.005, _PROGRESS_SHARE_OF_CLOCK * self._match.play_clock))
        while True:
            time.sleep(pause)
            began = time.thread_time()
            found = self._match.thoughts()
            self._send(Progress(-1, None) if found is None else Progress(*found))
            pause = max(least, (time.thread_time() - began) / _PROGRESS_SHARE_OF_CPU)

    def _send(self, report: Report) -> None:
        try:
            with self._sending:
                self._pipe.send(report)
        except OSError:  # the server process has ended
            os._exit(0)


def _match_settings(begin: BeginMatch) -> MatchSettings:
    settings = begin.settings
    if begin.simple:
        return MatchSettings(make_policy("random", settings.seed), None, settings.margin)
    # A native game has no weights of fluents.
    weighs_fluents = settings.config is not None and settings.config.evaluation.is_read
    return MatchSettings(
        policy=_policy(begin),
        load=lambda sheet, stop: load_machine(sheet, stop=stop),
        margin=settings.margin,
        ponders=settings.ponders,
        recognise=machine_to_play if settings.modules and not weighs_fluents else None,
    )


def _policy(begin: BeginMatch) -> Policy:
    settings = begin.settings
    config = _share(settings)
    policy = make_policy(settings.policy, settings.seed, config)
    if not policy.thinks:
        return policy
    if config.search.prepare:
        policy = PreparingPolicy(settings.seed, config, _end_of_choosing(begin), tests=settings.ponders)
    # All solvers together may use as much memory as the tree.
    policy = PuzzlePolicy(policy, max(1, config.memory_mb // WAYS))
    return HiddenPolicy(policy, settings.seed, config) if has_percepts(begin.start.rules) else policy


def _end_of_choosing(begin: BeginMatch) -> Deadline | None:
    """Return the end of the startclock, in which a configuration is chosen; None for a resumed match."""
    if begin.resumed:
        return None
    clock = begin.start.start_clock
    return Deadline(clock - margin_for(clock, begin.settings.margin), begin.received)


def _share(settings: PlayerSettings) -> SearchConfig:
    """Return the configuration of the search with the cores and memory of one match."""
    config = settings.config or SearchConfig()
    return replace(
        config,
        threads=config.threads or max(1, cores() // settings.matches),
        memory_mb=max(1, config.memory_mb // settings.matches),
    )

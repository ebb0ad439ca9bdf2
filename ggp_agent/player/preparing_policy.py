"""A search that chooses by itself how to search: by what is known, by trials in the startclock, by a check in play."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from gdl import CompiledMachine, MachineState, StateMachine

from ..mcts.config import SearchConfig
from ..mcts.found_evaluation import EvaluationStore
from ..prepare.candidates import DEFAULT, configured, for_play, is_open
from ..prepare.evaluation_for import give_evaluation
from ..prepare.in_match import InMatchCheck
from ..prepare.preparation import Preparation
from ..prepare.preparation_store import PreparationStore
from ..prepare.preparer import LEAST_SECONDS, Preparer
from ..protocol.clocks import Deadline
from .policies import SearchPolicy

logger = logging.getLogger(__name__)

# The part of the startclock that is left where trials may begin, and that they may take; then the search thinks about
# the first move.
_SHARE = 0.75
# The part of the time between two turns that the check takes, as long as it goes on.
_CHECK_SHARE = 0.2


class PreparingPolicy(SearchPolicy):
    """Search as was chosen for this game: before, or in the first pondering of this match, which is in the startclock.

    As long as nothing is chosen the search is the default's. Trials end when a move is asked for. What they find out is
    kept for later matches, also that the default is best. Nothing is tried where the policy never ponders before the
    end of the startclock.

    Between turns a check compares what was chosen with what else it could be, in states of the match; what it finds is
    played from then on, and kept.

    Args:
        seed: as for any search.
        config: the same; where it says how to search, nothing is chosen.
        until: the end of the time in which to choose; None where there is none.
        store: of choices; that of the user by default.
        evaluations: that were found; those of the user by default.
    """

    def __init__(
        self,
        seed: int | None = None,
        config: SearchConfig | None = None,
        until: Deadline | None = None,
        store: PreparationStore | None = None,
        evaluations: EvaluationStore | None = None,
    ) -> None:
        super().__init__(seed, config)
        self._until = until
        self._store = store or PreparationStore()
        self._evaluations = evaluations or EvaluationStore()
        self._trial_machine: CompiledMachine | None = None  # while a choice is to be made
        self._machine: StateMachine | None = None
        self._choice: Preparation | None = None
        self._check: InMatchCheck | None = None
        self._state: MachineState | None = None  # once the match has begun
        self._pondered: deque[float] = deque([0.0], 4)  # seconds of the last times between two turns

    def prepare(self, machine: StateMachine, role: str) -> None:
        self._machine, self._trial_machine = machine, None
        if is_open(self._config):
            self._recall(machine)
        super().prepare(machine, role)

    def ponder(self, wanted: Callable[[], bool]) -> None:
        machine, self._trial_machine = self._trial_machine, None
        if machine is not None and self._until is not None and not wanted():
            self._choose(machine, self._until, wanted)
        began = time.monotonic()
        if self._check is not None and self._state is not None:
            self._check_choice(self._check, self._state, wanted)
        super().ponder(wanted)
        self._pondered.append(time.monotonic() - began)

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        self._leave_it()
        self._state = state
        super().advance(state, moves)

    def think(self, deadline: Deadline) -> str | None:
        self._leave_it()
        return super().think(deadline)

    def close(self) -> None:
        if self._check is not None and self._choice is not None and self._check.rounds.games:
            logger.info("the check in play came to no end: %s won %s", self._choice.rival, self._check)
        super().close()

    def _leave_it(self) -> None:
        """Choose nothing any more: the match has begun."""
        if self._trial_machine is not None:
            self._trial_machine = None
            logger.info("searches as the default: the match has begun before others could be tried")

    def _recall(self, machine: StateMachine) -> None:
        """Search as is known to be good, or remember to find it out."""
        if not isinstance(machine, CompiledMachine):
            return
        known = self._store.read(machine)
        if known is not None:
            logger.info("searches as chosen before: %s", known)
            self._adopt(machine, known)
        if self._until is None or len(machine.roles) == 1:
            return
        # What is not settled is tried again where there is more time for it.
        cpu_seconds = _SHARE * self._until.left() * (self._config.threads or 1)
        if known is None or (not known.is_settled and cpu_seconds > known.cpu_seconds):
            self._trial_machine = machine

    def _choose(self, machine: CompiledMachine, until: Deadline, wanted: Callable[[], bool]) -> None:
        seconds = _SHARE * until.left()
        if seconds < LEAST_SECONDS:
            logger.info("searches as the default: the startclock leaves %.1f s, too short for test games", seconds)
            return
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
        logger.info("searches as chosen in %.0f s: %s", seconds, choice)
        self._store.keep(machine, choice)
        self._adopt(machine, choice)
        if not choice.is_default:
            self._begin_anew()

    def _check_choice(self, check: InMatchCheck, state: MachineState, wanted: Callable[[], bool]) -> None:
        """Play rounds from a state of the match; where they say so, search otherwise from now on."""
        assert self._choice is not None
        machine = self._machine
        # Where roles take turns there is hardly any time between the own move and the turn of another.
        seconds = _CHECK_SHARE * max(self._pondered)
        if not isinstance(machine, CompiledMachine) or not seconds:
            return
        self._stopped.clear()
        try:
            check.work(state, seconds, self._stopped_or(wanted))
        except Exception as error:
            logger.warning("the check in play fails: %s: %s", type(error).__name__, error)
            self._check = None
            return
        if not check.is_over:
            return
        self._check = None
        if not check.has_verdict:
            logger.info("the check in play leaves it open: %s won %s", self._choice.rival, check)
            return
        choice = self._choice.after(check.rounds)
        logger.info("the check in play: %s won %s", choice.checked, check)
        self._store.write(machine, choice)
        if choice.word != self._choice.word:
            logger.info("searches from now on as %s", choice.word)
            self._search_as(choice)
            self._begin_anew()
            if self._searcher is not None:
                self._searcher.set_root(state)

    def _begin_anew(self) -> None:
        """Search with a new tree, as the configuration says now."""
        assert self._machine is not None
        super().prepare(self._machine, self._role)

    def _stopped_or(self, wanted: Callable[[], bool]) -> Callable[[], bool]:
        return lambda: wanted() or self._stopped.is_set()

    def _adopt(self, machine: CompiledMachine, choice: Preparation) -> None:
        """Search as was chosen, and check it in play."""
        base = self._config
        self._search_as(choice)
        if choice.rival is not None:
            self._check = InMatchCheck(
                machine,
                configured(choice.rival, base),
                configured(DEFAULT, base),
                jobs=base.threads or 1,
                seed=base.seed % 2**32,
            )

    def _search_as(self, choice: Preparation) -> None:
        self._choice = choice
        chosen = for_play(choice.word, self._config)
        self._config = replace(chosen, search=replace(chosen.search, prepare=False))

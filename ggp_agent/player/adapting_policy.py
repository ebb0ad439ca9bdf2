"""A search that chooses by itself how to search: by what is known of the game, or by trials in the startclock."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from gdl import CompiledMachine, State, StateMachine

from ..adapt.candidates import DEFAULT, configured, for_play, is_open
from ..adapt.choice import Choice
from ..adapt.chooser import LEAST_SECONDS, Chooser
from ..adapt.evaluation import give_evaluation
from ..adapt.store import ChoiceStore
from ..hand_coded.sheet_machine import SheetMachine
from ..search.config import SearchConfig
from ..search.found_evaluation import EvaluationStore
from ..wire.clocks import Deadline
from .policies import SearchPolicy

logger = logging.getLogger(__name__)

# The part of the startclock that is left where trials may begin, and that they may take; then the search thinks about
# the first move.
_SHARE = 0.75


class AdaptingPolicy(SearchPolicy):
    """Search as was chosen for this game: before, or in the first pondering of this match, which is in the startclock.

    As long as nothing is chosen the search is the default's. Trials end when a move is asked for. What they find out is
    kept for later matches, also that the default is best. Nothing is tried where the policy never ponders before the
    end of the startclock.

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
        store: ChoiceStore | None = None,
        evaluations: EvaluationStore | None = None,
    ) -> None:
        super().__init__(seed, config)
        self._until = until
        self._store = store or ChoiceStore()
        self._evaluations = evaluations or EvaluationStore()
        self._trial_machine: CompiledMachine | None = None  # while a choice is to be made
        self._machine: StateMachine | None = None

    def prepare(self, machine: StateMachine, role: str) -> None:
        self._machine, self._trial_machine = machine, None
        if is_open(self._config):
            self._recall(machine)
        super().prepare(machine, role)

    def ponder(self, wanted: Callable[[], bool]) -> None:
        machine, self._trial_machine = self._trial_machine, None
        if machine is not None and self._until is not None and not wanted():
            self._choose(machine, self._until, wanted)
        super().ponder(wanted)

    def advance(self, state: State, moves: Sequence[str]) -> None:
        self._leave_it()
        super().advance(state, moves)

    def think(self, deadline: Deadline) -> str | None:
        self._leave_it()
        return super().think(deadline)

    def _leave_it(self) -> None:
        """Choose nothing any more: the match has begun."""
        if self._trial_machine is not None:
            self._trial_machine = None
            logger.info("searches as the default: the match has begun before others could be tried")

    def _recall(self, machine: StateMachine) -> None:
        """Search as is known to be good, or remember to find it out."""
        compiled = machine.module_machine if isinstance(machine, SheetMachine) else machine
        if not isinstance(compiled, CompiledMachine):
            return
        known = self._store.read(compiled)
        if known is not None:
            logger.info("searches as chosen before: %s", known)
            self._adopt(known)
        if self._until is None or len(compiled.roles) == 1:
            return
        # What is not settled is tried again where there is more time for it.
        cpu_seconds = _SHARE * self._until.left() * (self._config.threads or 1)
        if known is None or (not known.is_settled and cpu_seconds > known.cpu_seconds):
            self._trial_machine = compiled

    def _choose(self, machine: CompiledMachine, until: Deadline, wanted: Callable[[], bool]) -> None:
        seconds = _SHARE * until.left()
        if seconds < LEAST_SECONDS:
            logger.info("searches as the default: the startclock leaves %.1f s, too short to try others", seconds)
            return
        self._stopped.clear()
        seed = self._config.seed % 2**32

        def stopped() -> bool:
            return wanted() or self._stopped.is_set()

        for_thinking = until.left() - seconds
        give_evaluation(machine, self._evaluations, seconds=seconds, seed=seed, stopped=stopped)
        choice = Chooser(
            machine,
            configured(DEFAULT, self._config),
            seconds=until.left() - for_thinking,
            jobs=self._config.threads or 1,
            seed=seed,
            stopped=stopped,
        ).choose()
        logger.info("searches as chosen in %.0f s: %s", seconds, choice)
        if choice.is_worth_keeping:
            self._store.write(machine, choice)
        if not choice.is_default:
            self._adopt(choice)
            assert self._machine is not None
            super().prepare(self._machine, self._role)

    def _adopt(self, choice: Choice) -> None:
        chosen = for_play(choice.word, self._config)
        self._config = replace(chosen, search=replace(chosen.search, adapt=False))

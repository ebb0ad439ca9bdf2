"""The machines on which a player follows one match, and which of them goes on where one fails.

The reference interpreter is there first. The fast machine, which carries the search, takes its place. Where that is a
hand-coded game, a cross-check follows the match by the rules beside it, as long as that is cheap.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from gdl import GdlError, GdlLimitError, ReferenceMachine, RuleSheet, StateMachine, StopFlag, parse_sheet
from gdl.language.playable import require_playable

from ..common.errors import UserError
from ..game.native.sheet_machine import RuleMismatchError, SheetMachine
from ..protocol.clocks import DEFAULT_MARGIN, Deadline
from ..protocol.messages import NIL, Start
from .cross_check import CrossCheck, TooSlowError
from .followers import Follower, FollowerSettings
from .match_rules import MatchRules
from .policies import Policy
from .turns import PlayerTurn

logger = logging.getLogger(__name__)

Load: TypeAlias = Callable[[RuleSheet, StopFlag], StateMachine]
Recognise: TypeAlias = Callable[[RuleSheet], SheetMachine | None]

# A hand-coded game is held against the rules as long as this takes no larger part of the playclock in processor time.
_CROSS_CHECK_SHARE = 0.1


# On startclocks below this the reference interpreter, which knows legal moves first, is not disturbed at the beginning:
# building the fast machine waits for it, but not for longer than the head start; seconds.
_SHORT_CLOCK = 1.0
_HEAD_START = 0.2


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """The way in which one match is played.

    Attributes:
        policy: chooses the moves.
        load: builds the fast machine of a sheet; gives up when the flag is set. One that comes after the startclock
            plays from the next turn on. None for playing on the reference interpreter alone, which is for policies
            that do not think.
        margin: seconds kept in hand before the end of each clock.
        ponders: think while no move is asked for, and to the end of the startclock.
        recognise: finds the hand-coded game whose reference sheet a sheet is, under whatever names; None for playing by
            the rules in any case.
    """

    policy: Policy
    load: Load | None
    margin: float = DEFAULT_MARGIN
    ponders: bool = False
    recognise: Recognise | None = None

    @property
    def may_ponder(self) -> bool:
        """Whether there is anything to think while no move is asked for."""
        return self.ponders and self.policy.thinks


class MatchMachines:
    """Follow a match; safe to call from many threads at once.

    Args:
        start: the message that began the match.
        settings: how to play.
        note: called with a turn whenever more legal moves of it have become known, from any thread.

    Attributes:
        turns: of the match so far.
        prepared: set when `ready` may be sent, or the match is over before it began.
        closed: set when the match is over.
        refusal: why the rules are refused, empty when they are not.
    """

    def __init__(self, start: Start, settings: MatchSettings, note: Callable[[PlayerTurn], None]) -> None:
        self.turns: list[PlayerTurn] = []
        self.prepared = threading.Event()
        self.closed = threading.Event()
        self.refusal = ""
        self._start = start
        self._match_id = start.match_id
        self._settings = settings
        self._policy = settings.policy
        self._note = note
        self._stop_loading = StopFlag()
        self._lock = threading.RLock()
        self._rules: MatchRules | None = None
        self._reference_ready = threading.Event()
        self._reference: Follower | None = None
        self._fast: Follower | None = None
        self._fast_broken = False
        self._module: SheetMachine | None = None  # the fast machine, if it is that of a hand-coded game
        self._cross_check: Follower | None = None

    @property
    def role_index(self) -> int:
        """Return our place among the roles, -1 until it is known."""
        return -1 if self._rules is None else self._rules.role_index

    @property
    def thinks_about(self) -> int:
        """Return the number of the turn that the policy has reached, -1 before the first."""
        fast = self._fast
        return -1 if fast is None else fast.reached

    # ---- beginning and end

    def open(self) -> None:
        """Read the rules, then start to follow the match."""
        try:
            sheet = parse_sheet(self._start.rules, source="rules of START")
            require_playable(sheet)
        except GdlError as error:
            self._refuse(str(error))
            return
        module = self._recognised(sheet)
        with self._lock:
            if self.closed.is_set():
                return
            self._rules, self._module = MatchRules(sheet, self._start.role), module
            if module is not None:
                self.hasten()
                return
            # Where there is a search to come, moves picked on the reference interpreter are a last resort.
            self._follow_reference(may_pick=not self._policy.thinks)
        if self._policy.thinks:
            if self._start.start_clock < _SHORT_CLOCK:
                self._reference_ready.wait(_HEAD_START)
            self.hasten()

    def hasten(self) -> None:
        """Build the fast machine too."""
        with self._lock:
            load, rules, module = self._settings.load, self._rules, self._module
            unwanted = self._fast is not None or self._fast_broken or self.closed.is_set()
            if load is None or rules is None or unwanted:
                return
            self._fast = self._follow(
                FollowerSettings(
                    "fast",
                    lambda: module or load(rules.sheet, self._stop_loading),
                    thinks=self._policy.thinks,
                    ponders=self._settings.may_ponder,
                )
            )

    def finish(self, moves: tuple[str, ...] | None) -> Follower | None:
        """End the match; return who still makes the last joint move and logs the goals, None where nobody can."""
        with self._lock:
            reporter = self._fast if self._reference is None else self._reference
            if reporter is not None:
                reporter.submit(PlayerTurn(len(self.turns), moves, Deadline(0), final=True))
            self.close(keep=reporter)
            return reporter

    def close(self, *, keep: Follower | None = None) -> None:
        """End all work for the match at once; `keep` may finish what it was handed."""
        with self._lock:
            self.closed.set()
            self._stop_loading.set()
            self._policy.stop()
            self._policy.close()
            self._settle_open_turn()
            for follower in self._followers():
                if follower is not keep:
                    follower.close()
            self.prepared.set()

    # ---- turns

    def next_turn(self, moves: tuple[str, ...] | None, deadline: Deadline, answer: str | None = None) -> PlayerTurn:
        """Hand the next turn to all who follow; one with an answer has been answered before."""
        with self._lock:
            self._settle_open_turn()
            self._policy.stop()
            turn = PlayerTurn(len(self.turns), moves, deadline)
            settled = NIL if self.closed.is_set() else answer
            if settled is not None:
                turn.settle(lambda: settled)
            self.turns.append(turn)
            for follower in self._followers():
                follower.submit(turn)
            return turn

    def settle(self, number: int, answer: str) -> None:
        """Learn that a turn has been answered elsewhere."""
        with self._lock:
            if number < len(self.turns):
                self.turns[number].settle(lambda: answer)
            if number + 1 >= len(self.turns):
                self._policy.stop()

    def settle_with_what_is_known(self, turn: PlayerTurn) -> str:
        """Answer a turn, unless it is answered, by what is known right now; return the answer that stands."""

        def choose() -> str:
            favourite = self._policy.favourite()
            if favourite is not None and favourite in turn.legal:
                return favourite
            return self._policy.pick(turn.legal) if turn.legal else NIL

        return turn.settle(choose)

    def _settle_open_turn(self) -> None:
        if self.turns:
            self.settle_with_what_is_known(self.turns[-1])

    # ---- machines

    def _recognised(self, sheet: RuleSheet) -> SheetMachine | None:
        """Return the hand-coded game whose reference sheet the sheet is, under other names."""
        if self._settings.recognise is None:
            return None
        try:
            machine = self._settings.recognise(sheet)
        except Exception:  # the match can be played by the rules all the same
            logger.exception("%s: the rules could not be compared with those of the modules", self._match_id)
            return None
        if machine is not None:
            name = machine.module.name
            logger.info("%s: recognised the rules of %s; played on its module, fast:%s", self._match_id, name, name)
        return machine

    def _follow_reference(self, *, may_pick: bool) -> None:
        rules = self._rules
        assert rules is not None
        self._reference = self._follow(
            FollowerSettings("reference", lambda: ReferenceMachine(rules.sheet), may_pick=may_pick)
        )

    def _follow_by_the_rules(self, module: SheetMachine) -> None:
        """Hold the hand-coded game against the rules, as long as that is cheap."""
        seconds = _CROSS_CHECK_SHARE * self._start.play_clock
        self._cross_check = self._follow(
            FollowerSettings(
                "cross-check",
                lambda: CrossCheck(ReferenceMachine(module.rules()), module.another(), seconds),
                may_pick=False,
            )
        )

    def _follow(self, settings: FollowerSettings) -> Follower:
        assert self._rules is not None
        follower = Follower(settings, self, self._rules, self._policy)
        for turn in self.turns:
            follower.submit(turn)
        follower.start()
        return follower

    def _followers(self) -> list[Follower]:
        return [each for each in (self._reference, self._fast, self._cross_check) if each is not None]

    def _refuse(self, reason: str) -> None:
        self.refusal = reason
        logger.warning("%s: START refused: %s", self._match_id, reason)
        self.close()

    # ---- what the followers report

    def ready(self, follower: Follower) -> None:
        """Tell the manager, unless something better is still to come; the fast machine replaces the reference."""
        if follower.name == "reference":
            self._reference_ready.set()
        with self._lock:
            if follower is self._fast:
                if self._reference is not None:
                    self._reference.close()
                    self._reference = None
                if self._module is not None:
                    self._follow_by_the_rules(self._module)  # whose preparation must not disturb the first turn
                else:
                    self.prepared.set()
            elif follower is self._cross_check or self._fast_broken or not self._policy.thinks:
                self.prepared.set()

    def learned(self, turn: PlayerTurn) -> None:
        """Pass on what has become known of a turn."""
        self._note(turn)

    def failed(self, follower: Follower, error: Exception) -> None:
        """Go on with what is left; without any machine the match is refused."""
        with self._lock:
            if self.closed.is_set():
                return
            if follower is self._cross_check and not isinstance(error, RuleMismatchError):
                self._cross_check = None
                logger.info("%s: no longer held against the rules: %s", self._match_id, _describe(error))
                self.prepared.set()
            elif follower is self._cross_check or (follower is self._fast and self._module is not None):
                self._leave_module(error)
            else:
                self._lose(follower, error)

    def _lose(self, follower: Follower, error: Exception) -> None:
        """Go on without the fast machine that was made from the rules, or without the reference interpreter."""
        too_large = isinstance(error, GdlLimitError)  # for this machine; the other may do
        unplayable = isinstance(error, UserError) or (isinstance(error, GdlError) and not too_large)
        if follower is self._fast:
            self._fast = None
            self._fast_broken = True
        else:
            self._reference = None
        if unplayable and not self.prepared.is_set():
            self._refuse(str(error))
            return
        logger.warning("%s: the %s machine fails: %s", self._match_id, follower.name, _describe(error))
        if follower.name != "reference":
            self._fall_back()
        elif self._fast_broken:
            self._refuse(_describe(error))
        else:
            self.hasten()

    def _leave_module(self, error: Exception) -> None:
        """Play on by the rules alone, from the first turn on, now that the hand-coded game is not what they say."""
        logger.warning("%s: on by the rules, without the hand-coded game: %s", self._match_id, _describe(error))
        for follower in (self._fast, self._cross_check):
            if follower is not None:
                follower.close()
        self._fast = self._cross_check = self._module = None
        self._policy.stop()
        if self.turns:
            self.turns[-1].legal, self.turns[-1].all_legal = (), None
        if self._reference is None:
            self._follow_reference(may_pick=not self._policy.thinks)
        self.hasten()

    def _fall_back(self) -> None:
        """Play on the reference interpreter, now that the fast machine is lost."""
        if self._reference is None:
            self._follow_reference(may_pick=True)
            return
        self._reference.may_pick = True
        if self.role_index >= 0:
            self.prepared.set()
        if self.turns and self.turns[-1].legal:
            self._settle_open_turn()


def _describe(error: Exception) -> str:
    own = GdlError | UserError | RuleMismatchError | TooSlowError
    return str(error) if isinstance(error, own) else f"{type(error).__name__}: {error}"

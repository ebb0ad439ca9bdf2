"""One match of a player, from START to STOP or ABORT."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TypeAlias

from gdl import (
    GdlError,
    GdlLimitError,
    GdlRuleError,
    ReferenceMachine,
    RuleSheet,
    StateMachine,
    StopFlag,
    parse_sheet,
)
from gdl.language.playable import require_playable, with_goals_cut

from ..errors import UserError
from ..hand_coded.sheet_machine import RuleMismatchError, SheetMachine
from ..wire.clocks import LAST_RESORT, TOLERANCE, Deadline, margin_for
from ..wire.messages import BUSY, NIL, READY, Start, Thoughts
from .cross_check import CrossCheck, TooSlowError
from .followers import Follower
from .match_rules import MatchRules
from .policy import Policy
from .turns import Turn

logger = logging.getLogger(__name__)

Load: TypeAlias = Callable[[RuleSheet, StopFlag], StateMachine]
Recognise: TypeAlias = Callable[[RuleSheet], SheetMachine | None]

# A policy that does not search needs no fast machine, unless the reference interpreter takes longer than this; seconds.
_PATIENCE = 0.25

# A hand-coded game is held against the rules as long as this takes no larger part of the playclock in processor time.
_CROSS_CHECK_SHARE = 0.1


class PlayerMatch:
    """Play one role of one match.

    Args:
        start: the message that began it.
        received: when that message arrived, on the monotonic clock.
        policy: chooses the moves.
        load: builds the fast machine of a sheet; gives up when the flag is set. One that comes after the startclock
            plays from the next turn on. None for playing on the reference interpreter alone, which is for policies
            that do not think.
        margin: seconds kept in hand before the end of each clock.
        ponders: think while no move is asked for, and to the end of the startclock.
        recognise: finds the hand-coded game of a sheet; None for playing by the rules in any case.
        note: called with a turn whenever more legal moves of it have become known, from any thread.
    """

    def __init__(
        self,
        start: Start,
        received: float,
        *,
        policy: Policy,
        load: Load | None,
        margin: float,
        ponders: bool = False,
        recognise: Recognise | None = None,
        note: Callable[[Turn], None] = lambda turn: None,
    ) -> None:
        self.match_id = start.match_id
        self.play_clock = start.play_clock
        self.start_clock = start.start_clock
        self._start = start
        self._policy = policy
        self._load = load
        self._recognise = recognise
        self._note = note
        self._stop_loading = StopFlag()
        self._ponders = ponders and policy.thinks
        self._margin = margin_for(start.play_clock, margin)
        self._ready_by = Deadline(start.start_clock - margin_for(start.start_clock, margin), received)
        self._rules: MatchRules | None = None
        self._lock = threading.RLock()
        self._prepared = threading.Event()  # `ready` may be sent, or the match is over before it began
        self._refusal = ""
        self._closed = False
        self._over = threading.Event()
        self._reporter: Follower | None = None
        self._turns: list[Turn] = []
        self._reference: Follower | None = None
        self._fast: Follower | None = None
        self._fast_broken = False
        self._module: SheetMachine | None = None  # the fast machine, if it is that of a hand-coded game
        self._cross_check: Follower | None = None

    # ---- messages

    def open(self) -> None:
        """Begin to prepare; answers nothing by itself."""
        threading.Thread(target=self._open, name="match opening", daemon=True).start()

    def begin(self) -> str:
        """Prepare; return `ready` when that is done or the startclock ends, `busy` when the rules are refused."""
        self.open()
        if not self._policy.thinks and not self._prepared.wait(min(_PATIENCE, self._ready_by.left())):
            self._hasten()
        self._prepared.wait(self._ready_by.left())
        if self._refusal:
            return BUSY
        if not self._prepared.is_set():
            logger.warning("%s: the startclock ends before the preparation does", self.match_id)
        elif self._ponders:
            self._over.wait(self._ready_by.left())
        return BUSY if self._closed else READY

    def enter(self, moves: tuple[str, ...] | None, received: float) -> Turn:
        """Open the next turn; return it for `answer`.

        Args:
            moves: the joint move that led to it, None in the first turn.
            received: when its move was asked for, on the monotonic clock.
        """
        return self._next_turn(moves, Deadline(self.play_clock - self._margin, received))

    def answer(self, turn: Turn) -> str:
        """Return the move of a turn within its playclock."""
        if not self._policy.thinks and not turn.answered.wait(min(_PATIENCE, turn.deadline.left())):
            self._hasten()
        # The search ends by itself at the deadline of the turn; somewhat later it is not waited for any more.
        if turn.answered.wait(Deadline((1 - LAST_RESORT) * self._margin, turn.deadline.at).left()):
            return turn.settle(lambda: NIL)
        logger.warning("turn %d: nothing was decided in time", turn.number)
        if not turn.legal:  # a legal move that comes late may still be taken
            turn.answered.wait(Deadline(self._margin + TOLERANCE, turn.deadline.at).left())
        move = turn.settle(lambda: self._last_resort(turn))
        self._policy.stop()
        return move

    def play(self, moves: tuple[str, ...] | None, received: float) -> str:
        """Do both."""
        return self.answer(self.enter(moves, received))

    def replay(self, moves: tuple[str, ...] | None, answer: str) -> None:
        """Learn of the next turn, which has been answered before."""
        self._next_turn(moves, Deadline(0), answer)

    def settle(self, number: int, answer: str) -> None:
        """Learn that a turn has been answered without us."""
        with self._lock:
            if number < len(self._turns):
                self._turns[number].settle(lambda: answer)
            if number + 1 >= len(self._turns):
                self._policy.stop()

    def stop(self, moves: tuple[str, ...] | None) -> None:
        """End the match; the last joint move is made in the background and its goals are logged."""
        with self._lock:
            reporter = self._fast if self._reference is None else self._reference
            if reporter is not None:
                reporter.submit(Turn(len(self._turns), moves, Deadline(0), final=True))
            self._reporter = reporter
            self.close(keep=reporter)

    def close(self, *, keep: Follower | None = None) -> None:
        """End all work for the match at once; `keep` may finish what it was handed."""
        with self._lock:
            self._closed = True
            self._over.set()
            self._stop_loading.set()
            self._policy.stop()
            self._settle_open_turn()
            for follower in (self._reference, self._fast, self._cross_check):
                if follower is not None and follower is not keep:
                    follower.close()
            self._prepared.set()

    def wait_for_report(self, seconds: float) -> None:
        """Wait after `stop` until the goals are logged, but for so many seconds at most."""
        if self._reporter is not None:
            self._reporter.join(seconds)

    # ---- what others may know

    @property
    def refusal(self) -> str:
        """Return why the rules are refused, empty when they are not."""
        return self._refusal

    @property
    def role_index(self) -> int:
        """Return our place among the roles, -1 until it is known."""
        return -1 if self._rules is None else self._rules.role_index

    def thoughts(self) -> tuple[int, Thoughts] | None:
        """Tell what is thought about the present turn, with its number; None when nothing is."""
        turns = len(self._turns)
        thoughts = self._policy.thoughts()
        return None if thoughts is None or turns != len(self._turns) else (turns - 1, thoughts)

    # ---- opening

    def _open(self) -> None:
        """Read the rules, then start to follow the match on the machines."""
        try:
            sheet = parse_sheet(self._start.rules, source="rules of START")
            require_playable(sheet)
        except GdlError as error:
            self._refuse(str(error))
            return
        module = self._recognised(sheet)
        with self._lock:
            if self._closed:
                return
            self._rules, self._module = MatchRules(sheet, self._start.role), module
            if module is not None:
                self._hasten()
                return
            # Where there is a search to come, moves picked on the reference interpreter are a last resort.
            self._reference = self._follow_reference(may_pick=not self._policy.thinks)
            if self._policy.thinks:
                self._hasten()

    def _hasten(self) -> None:
        """Build the fast machine too."""
        with self._lock:
            load = self._load
            if load is None or self._rules is None or self._fast is not None or self._fast_broken or self._closed:
                return
            sheet, module = self._rules.sheet, self._module
            flag = self._stop_loading
            self._fast = self._follow(
                "fast",
                lambda: module or self._loaded(load, sheet, flag),
                thinks=self._policy.thinks,
                ponders=self._ponders,
            )

    def _loaded(self, load: Load, sheet: RuleSheet, flag: StopFlag) -> StateMachine:
        """Build the fast machine; where goals are outside 0..100, which managers do not heed, they are cut."""
        try:
            return load(sheet, flag)
        except GdlRuleError as error:
            within = with_goals_cut(sheet)
            if within is sheet:
                raise
            try:
                machine = load(within, flag)
            except GdlRuleError:
                raise error from None
            logger.warning("%s: %s; the goals of the rules are cut to this range", self.match_id, error)
            return machine

    def _recognised(self, sheet: RuleSheet) -> SheetMachine | None:
        """Return the hand-coded game whose rules the sheet holds."""
        if self._recognise is None:
            return None
        try:
            machine = self._recognise(sheet)
        except Exception:  # there are the rules yet
            logger.exception("%s: the rules could not be compared with those of the modules", self.match_id)
            return None
        if machine is not None:
            name = machine.whole.module.name
            logger.info("%s: recognised the rules of %s; played on its module, fast:%s", self.match_id, name, name)
        return machine

    def _watch(self, module: SheetMachine) -> None:
        """Follow the match by the rules, too, as long as that is cheap."""
        seconds = _CROSS_CHECK_SHARE * self.play_clock
        self._cross_check = self._follow(
            "cross-check",
            lambda: CrossCheck(ReferenceMachine(module.rules()), module.another(), seconds),
            may_pick=False,
        )

    def _follow_reference(self, *, may_pick: bool) -> Follower:
        rules = self._rules
        assert rules is not None
        return self._follow("reference", lambda: ReferenceMachine(rules.sheet), may_pick=may_pick)

    def _follow(
        self,
        name: str,
        load: Callable[[], StateMachine],
        *,
        thinks: bool = False,
        may_pick: bool = True,
        ponders: bool = False,
    ) -> Follower:
        assert self._rules is not None
        follower = Follower(
            name, self, self._rules, load, self._policy, thinks=thinks, may_pick=may_pick, ponders=ponders
        )
        for turn in self._turns:
            follower.submit(turn)
        follower.start()
        return follower

    def _refuse(self, reason: str) -> None:
        self._refusal = reason
        logger.warning("%s: START refused: %s", self.match_id, reason)
        self.close()

    # ---- what the followers report

    def ready(self, follower: Follower) -> None:
        """Tell the manager, unless something better is still to come; the fast machine replaces the reference."""
        with self._lock:
            if follower is self._fast:
                if self._reference is not None:
                    self._reference.close()
                    self._reference = None
                if self._module is not None:
                    self._watch(self._module)  # whose preparation must not disturb the first turn
                else:
                    self._prepared.set()
            elif follower is self._cross_check or self._fast_broken or not self._policy.thinks:
                self._prepared.set()

    def failed(self, follower: Follower, error: Exception) -> None:
        """Go on with what is left; without any machine the match is refused."""
        with self._lock:
            if self._closed:
                return
            if follower is self._cross_check:
                self._cross_check = None
                if not isinstance(error, RuleMismatchError):
                    logger.info("%s: no longer held against the rules: %s", self.match_id, _describe(error))
                    self._prepared.set()
                    return
                self._leave_module(error)
                return
            if follower is self._fast and self._module is not None:
                self._leave_module(error)
                return
            too_large = isinstance(error, GdlLimitError)  # for this machine; the other may do
            unplayable = isinstance(error, UserError) or (isinstance(error, GdlError) and not too_large)
            if follower is self._fast:
                self._fast = None
                self._fast_broken = True
            else:
                self._reference = None
            if unplayable and not self._prepared.is_set():
                self._refuse(str(error))
                return
            logger.warning("%s: the %s machine fails: %s", self.match_id, follower.name, _describe(error))
            if self._fast_broken and self._reference is None and follower.name == "reference":
                self._refuse(_describe(error))
            elif follower.name == "reference":
                self._hasten()
            else:
                self._fall_back()

    def learned(self, turn: Turn) -> None:
        """Pass on what has become known of a turn."""
        self._note(turn)

    # ---- turns

    def _next_turn(self, moves: tuple[str, ...] | None, deadline: Deadline, answer: str | None = None) -> Turn:
        """Hand the next turn to all who follow."""
        with self._lock:
            self._settle_open_turn()
            self._policy.stop()
            turn = Turn(len(self._turns), moves, deadline)
            if self._closed:
                answer = NIL
            if answer is not None:
                settled = answer
                turn.settle(lambda: settled)
            self._turns.append(turn)
            for follower in (self._reference, self._fast, self._cross_check):
                if follower is not None:
                    follower.submit(turn)
            return turn

    def _settle_open_turn(self) -> None:
        if self._turns:
            turn = self._turns[-1]
            turn.settle(lambda: self._last_resort(turn))

    def _last_resort(self, turn: Turn) -> str:
        """Choose from what is known right now."""
        favourite = self._policy.favourite()
        if favourite is not None and favourite in turn.legal:
            return favourite
        return self._policy.pick(turn.legal) if turn.legal else NIL

    def _leave_module(self, error: Exception) -> None:
        """Play on by the rules alone, from the first turn on, now that the hand-coded game is not what they say."""
        logger.warning("%s: on by the rules, without the hand-coded game: %s", self.match_id, _describe(error))
        for follower in (self._fast, self._cross_check):
            if follower is not None:
                follower.close()
        self._fast = self._cross_check = self._module = None
        self._policy.stop()
        if self._turns:
            self._turns[-1].legal, self._turns[-1].all_legal = (), None
        if self._reference is None:
            self._reference = self._follow_reference(may_pick=not self._policy.thinks)
        self._hasten()

    def _fall_back(self) -> None:
        """Play on the reference interpreter, now that the fast machine is lost."""
        if self._reference is None:
            self._reference = self._follow_reference(may_pick=True)
            return
        self._reference.may_pick = True
        if self.role_index >= 0:
            self._prepared.set()
        if self._turns and self._turns[-1].legal:
            self._settle_open_turn()


def _describe(error: Exception) -> str:
    own = GdlError | UserError | RuleMismatchError | TooSlowError
    return str(error) if isinstance(error, own) else f"{type(error).__name__}: {error}"

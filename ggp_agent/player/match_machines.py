"""The machines on which a player follows one match, and the replacement of a machine that fails.

The reference interpreter is ready first. The fast machine, which runs the search, replaces it. If the fast machine is a
native game, a cross-check also follows the match by the rules, while that is cheap.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdl import GdlError, GdlLimitError, MachineState, ReferenceMachine, RuleSheet, StateMachine, StopFlag, parse_sheet
from gdl.language.percepts import percept_rules
from gdl.language.playable import require_playable

from ..common.errors import UserError
from ..game.native.sheet_machine import RuleMismatchError, SheetMachine
from ..protocol.clocks import DEFAULT_MARGIN, Deadline
from ..protocol.messages import NIL, Start
from .followers import Follower, FollowerSettings
from .hidden_follower import HiddenFollower
from .match_rules import MatchRules
from .policies import Policy
from .turns import PlayerTurn


class TooSlowError(Exception):
    """Report that the comparison takes too long."""


# Number of turns played before the match, to measure the time of a turn.
_TRIAL_TURNS = 3


@dataclass(frozen=True, slots=True)
class _Both:
    """A state on the machine of the rules, and the same state on the machine of the native game."""

    rules: MachineState
    module: MachineState


class CrossCheck(StateMachine):
    """Play by the rules, and compare each state with the native game."""

    kind = "cross-check"

    def __init__(self, rules: StateMachine, module: StateMachine, seconds: float) -> None:
        self.roles = rules.roles
        self._rules = rules
        self._module = module
        self._seconds = math.inf
        state = self.initial()
        for _ in range(_TRIAL_TURNS):
            if not rules.terminal(state.rules):
                state = self.next(state, [min(rules.legal(state.rules, role)) for role in self.roles])
            self._seconds = seconds  # the first turn fills caches

    def initial(self) -> _Both:
        """Return the initial state."""
        return self._compared(_Both(self._rules.initial(), self._module.initial()))

    def next(self, state: MachineState, moves: Sequence[str]) -> _Both:
        """Return the state after a joint move."""
        began = time.thread_time()
        here = _read(state)
        reached = _Both(self._rules.next(here.rules, moves), self._module.next(here.module, moves))
        self._compared(reached)
        spent = time.thread_time() - began
        if spent > self._seconds:
            raise TooSlowError(f"a turn takes {spent:.2f} s")
        return reached

    def legal(self, state: MachineState, role: str) -> list[str]:
        return self._rules.legal(_read(state).rules, role)

    def terminal(self, state: MachineState) -> bool:
        return self._rules.terminal(_read(state).rules)

    def goals(self, state: MachineState, role: str) -> list[int]:
        return self._rules.goals(_read(state).rules, role)

    def fluents(self, state: MachineState) -> list[str]:
        return self._rules.fluents(_read(state).rules)

    def state(self, fluents: Iterable[str]) -> _Both:
        listed = list(fluents)
        return _Both(self._rules.state(listed), self._module.state(listed))

    def _compared(self, here: _Both) -> _Both:
        rules, module = self._rules, self._module
        over = rules.terminal(here.rules)
        if over != module.terminal(here.module):
            raise RuleMismatchError(f"the game is {'over' if over else 'not over'} by the rules")
        for role in self.roles:
            if over:
                by_rules, by_module = (
                    {*map(str, rules.goals(here.rules, role))},
                    {*map(str, module.goals(here.module, role))},
                )
            else:
                by_rules, by_module = set(rules.legal(here.rules, role)), set(module.legal(here.module, role))
            if by_rules != by_module:
                what = "goal" if over else "legal move"
                only = min(by_rules ^ by_module)
                raise RuleMismatchError(
                    f"{only} is a {what} of {role} only by {'the rules' if only in by_rules else 'the native game'}"
                )
        return here


def _read(state: MachineState) -> _Both:
    if not isinstance(state, _Both):
        raise TypeError(f"a state of a cross-check is a pair of states, not {type(state).__name__}")
    return state


logger = logging.getLogger(__name__)

Load: TypeAlias = Callable[[RuleSheet, StopFlag], StateMachine]
Recognise: TypeAlias = Callable[[RuleSheet], SheetMachine | None]

# The largest part of the playclock that the comparison of a native game with the rules may take, in CPU time.
_CROSS_CHECK_SHARE = 0.1
# With a short startclock, building the fast machine begins when the reference interpreter is ready, or after the head
# start, because the reference interpreter is the first to know legal moves.
_SHORT_STARTCLOCK_SECONDS = 1.0
_HEAD_START_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """The settings of one match."""

    policy: Policy  # the policy that chooses the moves
    # The function that builds the fast machine of a sheet; it stops when the flag is set. A machine that is ready
    # after the startclock is used from the next turn on. None uses only the reference interpreter, for policies that
    # do not search.
    load: Load | None
    margin: float = DEFAULT_MARGIN  # seconds reserved before the end of each clock
    ponders: bool = False  # whether to search while no move is requested, and until the end of the startclock
    # The function that finds the native game with the rules of a sheet; None never uses a native game.
    recognise: Recognise | None = None

    @property
    def may_ponder(self) -> bool:
        """Whether to search while no move is requested."""
        return self.ponders and self.policy.thinks


class MatchMachines:
    """Follow a match; safe to call from many threads at once."""

    def __init__(self, start: Start, settings: MatchSettings, note: Callable[[PlayerTurn], None]) -> None:
        self.turns: list[PlayerTurn] = []  # the turns of the match so far
        self.prepared = threading.Event()  # set when `ready` may be sent, or when the match ends before its first turn
        self.closed = threading.Event()  # set when the match is over
        self.refusal = ""  # the reason why the rules are refused; empty if they are accepted
        self._start = start
        self._match_id = start.match_id
        self._settings = settings
        self._policy = settings.policy
        self._note = note
        self._warnings: set[str] = set()
        self._stop_loading = StopFlag()
        self._lock = threading.RLock()
        self._rules: MatchRules | None = None
        self._reference_ready = threading.Event()
        self._reference: Follower | None = None
        self._fast: Follower | None = None
        self._fast_broken = False
        self._module: SheetMachine | None = None  # the fast machine, if it is a native game
        self._cross_check: Follower | None = None

    @property
    def role_index(self) -> int:
        """Return the index of our role; -1 until it is known."""
        return -1 if self._rules is None else self._rules.role_index

    @property
    def thinks_about(self) -> int:
        """Return the number of the turn that the policy has reached; -1 before the first turn."""
        fast = self._fast
        return -1 if fast is None else fast.reached

    # ---- beginning and end

    def open(self) -> None:
        """Read the rules and start to follow the match."""
        try:
            sheet = parse_sheet(self._start.rules, source="rules of START")
            require_playable(sheet)
        except (GdlError, UserError) as error:
            self._refuse(str(error))
            return
        module = self._recognised(sheet)
        with self._lock:
            if self.closed.is_set():
                return
            self._rules, self._module = MatchRules(sheet, self._start.role), module
            if module is not None:
                self.start_fast_machine()
                return
            # If the policy searches, moves picked on the reference interpreter are a last resort.
            self._follow_reference(may_pick=not self._policy.thinks)
        if self._policy.thinks or percept_rules(sheet):
            if self._start.start_clock < _SHORT_STARTCLOCK_SECONDS:
                self._reference_ready.wait(_HEAD_START_SECONDS)
            self.start_fast_machine()

    def start_fast_machine(self) -> None:
        """Start to build the fast machine, unless this was done before."""
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

    def finish(self, moves: tuple[str, ...] | None, last_move: str | None = None) -> Follower | None:
        """End the match."""
        with self._lock:
            reporter = self._fast if self._reference is None else self._reference
            if reporter is not None:
                reporter.submit(PlayerTurn(len(self.turns), moves, Deadline(0), last_move, final=True))
            self.close(keep=reporter)
            return reporter

    def close(self, *, keep: Follower | None = None) -> None:
        """Stop all work for the match immediately; `keep` may finish its turns."""
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

    def next_turn(
        self,
        moves: tuple[str, ...] | None,
        deadline: Deadline,
        answer: str | None = None,
        last_move: str | None = None,
    ) -> PlayerTurn:
        """Add the next turn and pass it to all followers."""
        with self._lock:
            self._settle_open_turn()
            self._policy.stop()
            turn = PlayerTurn(len(self.turns), moves, deadline, last_move)
            settled = NIL if self.closed.is_set() else answer
            if settled is not None:
                turn.settle(lambda: settled)
            self.turns.append(turn)
            for follower in self._followers():
                follower.submit(turn)
            return turn

    def settle(self, number: int, answer: str) -> None:
        """Record the answer that was sent for a turn, instead of any other answer to it."""
        with self._lock:
            if number < len(self.turns):
                self.turns[number].correct(answer)
            if number + 1 >= len(self.turns):
                self._policy.stop()

    def settle_with_known_moves(self, turn: PlayerTurn) -> str:
        """Answer a turn with the best move known now, unless it is already answered; return the answer."""

        def choose() -> str:
            favourite = self._policy.favourite()
            if favourite is not None and favourite in turn.legal:
                return favourite
            return self._policy.pick(turn.legal) if turn.legal else NIL

        return turn.settle(choose)

    def _settle_open_turn(self) -> None:
        if self.turns:
            self.settle_with_known_moves(self.turns[-1])

    # ---- machines

    def _recognised(self, sheet: RuleSheet) -> SheetMachine | None:
        """Return the machine of the native game with the rules of a sheet; None without one."""
        if self._settings.recognise is None:
            return None
        try:
            machine = self._settings.recognise(sheet)
        except Exception:  # the match can still be played by the rules
            logger.exception("%s: the rules could not be compared with the native games", self._match_id)
            return None
        if machine is not None:
            name = machine.module.name
            logger.info("%s: recognised the rules of %s; uses the native game fast:%s", self._match_id, name, name)
        return machine

    def _follow_reference(self, *, may_pick: bool) -> None:
        rules = self._rules
        assert rules is not None
        self._reference = self._follow(
            FollowerSettings("reference", lambda: ReferenceMachine(rules.sheet), may_pick=may_pick)
        )

    def _start_cross_check(self, module: SheetMachine) -> None:
        """Compare the native game with the rules, while that is cheap."""
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
        kind = HiddenFollower if percept_rules(self._rules.sheet) else Follower
        follower = kind(settings, self, self._rules, self._policy)
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
        """Note that a follower is ready: the fast machine replaces the reference interpreter.

        `prepared` is set unless a better machine may still become ready.
        """
        if follower.name == "reference":
            self._reference_ready.set()
        with self._lock:
            if follower is self._fast:
                if self._reference is not None:
                    self._reference.close()
                    self._reference = None
                if self._module is not None:
                    self._start_cross_check(self._module)  # its preparation must not disturb the first turn
                else:
                    self.prepared.set()
            elif follower is self._cross_check or self._fast_broken or not self._policy.thinks:
                self.prepared.set()

    def learned(self, turn: PlayerTurn) -> None:
        """Report that more legal moves of a turn are known."""
        self._note(turn)

    def warn(self, text: str) -> None:
        """Log a warning, unless another follower has logged it."""
        with self._lock:
            is_new = text not in self._warnings
            self._warnings.add(text)
        if is_new:
            logger.warning("%s: %s", self._match_id, text)

    def failed(self, follower: Follower, error: Exception) -> None:
        """Continue with the other machines after a failure; without any machine refuse the match."""
        with self._lock:
            if self.closed.is_set():
                return
            if follower is self._cross_check and not isinstance(error, RuleMismatchError):
                self._cross_check = None
                reason = _describe(error)
                logger.info("%s: the native game is no longer compared with the rules: %s", self._match_id, reason)
                self.prepared.set()
            elif follower is self._cross_check or (follower is self._fast and self._module is not None):
                self._leave_module(error)
            else:
                self._drop_machine(follower, error)

    def _drop_machine(self, follower: Follower, error: Exception) -> None:
        """Continue without the fast machine built from the rules, or without the reference interpreter."""
        too_large = isinstance(error, GdlLimitError)  # for this machine; another machine may support the rules
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
            self.start_fast_machine()

    def _leave_module(self, error: Exception) -> None:
        """Replace the native game, which differs from the rules: follow all turns again by the rules."""
        reason = _describe(error)
        logger.warning("%s: continues with the rule sheet, without the native game: %s", self._match_id, reason)
        for follower in (self._fast, self._cross_check):
            if follower is not None:
                follower.close()
        self._fast = self._cross_check = self._module = None
        self._policy.stop()
        if self.turns:
            self.turns[-1].legal, self.turns[-1].all_legal = (), None
        if self._reference is None:
            self._follow_reference(may_pick=not self._policy.thinks)
        self.start_fast_machine()

    def _fall_back(self) -> None:
        """Play on the reference interpreter after the fast machine failed."""
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

"""One match: its clocks, the machines on which it is followed, and the replacement of a machine that fails.

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
from typing import Any, TypeAlias

from gdl import (
    CompiledMachine,
    GdlError,
    GdlLimitError,
    MachineState,
    ReferenceMachine,
    RuleSheet,
    StateMachine,
    StopFlag,
    parse_sheet,
)
from gdl.language.playable import require_playable

from ...common.errors import UserError
from ...game.native.native_machine import NativeMachine, RuleMismatchError
from ...protocol.clocks import DEFAULT_MARGIN, FALLBACK_SHARE, MANAGER_TOLERANCE_SECONDS, Deadline, margin_for
from ...protocol.messages import BUSY, NIL, READY, Start, Thoughts
from ..policy.policies import Pick, Policy
from .follower import Follower, MatchRules
from .messages import PlayerTurn


class TooSlowError(Exception):
    """Report that the comparison takes too long."""


# Number of turns played before the match, to measure the time of a turn.
_TRIAL_TURNS = 3


@dataclass(frozen=True, slots=True)
class _Both:
    """A state on the machine of the rules, and the same state on the machine of the native game."""

    rules: MachineState
    native: MachineState


class CrossCheck(StateMachine):
    """Play by the rules, and compare each state with the native game."""

    kind = "cross-check"

    def __init__(self, rules: StateMachine, native: StateMachine, seconds: float) -> None:
        self.roles = rules.roles
        self._rules = rules
        self._native = native
        self._seconds = math.inf
        state = self.initial()
        for _ in range(_TRIAL_TURNS):
            if not rules.terminal(state.rules):
                state = self.next(state, [min(rules.legal(state.rules, role)) for role in self.roles])
            self._seconds = seconds  # the first turn fills caches

    @property
    def native(self) -> str | None:
        return self._native.native

    def initial(self) -> _Both:
        """Return the initial state."""
        return self._compared(_Both(self._rules.initial(), self._native.initial()))

    def next(self, state: MachineState, moves: Sequence[str]) -> _Both:
        """Return the state after a joint move."""
        began = time.thread_time()
        here = _read(state)
        reached = _Both(self._rules.next(here.rules, moves), self._native.next(here.native, moves))
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
        return _Both(self._rules.state(listed), self._native.state(listed))

    def _compared(self, here: _Both) -> _Both:
        rules, native = self._rules, self._native
        over = rules.terminal(here.rules)
        if over != native.terminal(here.native):
            raise RuleMismatchError(f"the game is {'over' if over else 'not over'} by the rules")
        for role in self.roles:
            by_rules, by_native = (
                set(map(str, machine.goals(state, role) if over else machine.legal(state, role)))
                for machine, state in ((rules, here.rules), (native, here.native))
            )
            if by_rules != by_native:
                what = "goal" if over else "legal move"
                only = min(by_rules ^ by_native)
                raise RuleMismatchError(
                    f"{only} is a {what} of {role} only by {'the rules' if only in by_rules else 'the native game'}"
                )
        return here


def _read(state: MachineState) -> _Both:
    if not isinstance(state, _Both):
        raise TypeError(f"a state of a cross-check is a pair of states, not {type(state).__name__}")
    return state


logger = logging.getLogger(__name__)

Load: TypeAlias = Callable[[RuleSheet, StopFlag], CompiledMachine]
Recognise: TypeAlias = Callable[[RuleSheet], NativeMachine | None]
Search: TypeAlias = Callable[[StateMachine], Policy]

# The largest part of the playclock that the comparison of a native game with the rules may take, in CPU time.
_CROSS_CHECK_SHARE = 0.1
# With a short startclock, building the fast machine begins when the reference interpreter is ready, or after the head
# start, because the reference interpreter is the first to know legal moves.
_SHORT_STARTCLOCK_SECONDS = 1.0
_HEAD_START_SECONDS = 0.2
# Seconds for the reference interpreter before a player without a search builds a fast machine.
_REFERENCE_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """The settings of one match."""

    pick: Pick  # the choice among legal moves without a search
    # The function that builds the fast machine of a sheet; it stops when the flag is set. A machine that is ready
    # after the startclock is used from the next turn on. None uses only the reference interpreter, for matches without
    # a search.
    load: Load | None
    # The function that makes the policy that searches on the fast machine; None picks all moves.
    search: Search | None = None
    margin: float = DEFAULT_MARGIN  # seconds reserved before the end of each clock
    # Whether the search runs while no move is requested, and until the end of the startclock.
    ponders: bool = False
    # The function that finds the native game with the rules of a sheet; None never uses a native game.
    recognise: Recognise | None = None


class PlayerMatch:
    """Play one role of one match; safe to call from many threads at once."""

    def __init__(
        self,
        start: Start,
        received: float,
        settings: MatchSettings,
        note: Callable[[PlayerTurn], None] = lambda turn: None,
    ) -> None:
        self.turns: list[PlayerTurn] = []  # the turns of the match so far
        self.refusal = ""  # the reason why the rules are refused; empty if they are accepted
        self._start = start
        self._settings = settings
        self._margin = margin_for(start.play_clock, settings.margin)
        self._ready_by = Deadline(start.start_clock - margin_for(start.start_clock, settings.margin), received)
        self._note = note
        self._prepared = threading.Event()  # set when `ready` may be sent, or when the match ends before its first turn
        self._closed = threading.Event()  # set when the match is over
        self._warnings: set[str] = set()
        self._stop_loading = StopFlag()
        self._lock = threading.RLock()
        self._policy: Policy | None = None  # the search; None without one, and until the fast machine is built
        self._rules: MatchRules | None = None
        self._reference_ready = threading.Event()
        self._reference: Follower | None = None
        self._fast: Follower | None = None
        self._fast_broken = False
        self._native: NativeMachine | None = None  # the fast machine, if it is a native game
        self._cross_check: Follower | None = None
        self._reporter: Follower | None = None  # the follower that logs the goals

    @property
    def role_index(self) -> int:
        """The index of our role; -1 until it is known."""
        return -1 if self._rules is None else self._rules.role_index

    def thoughts(self) -> tuple[int, Thoughts] | None:
        """Return the number of the current turn and the findings of its search; None without findings."""
        present, fast, policy = len(self.turns) - 1, self._fast, self._policy
        if policy is None or fast is None or fast.reached != present:
            return None  # the policy is still in the previous turn
        thoughts = policy.thoughts()
        return None if thoughts is None or present != len(self.turns) - 1 else (present, thoughts)

    # ---- beginning and end

    def open(self) -> None:
        """Start the preparation in the background."""
        threading.Thread(target=self._open, name="match opening", daemon=True).start()

    def begin(self) -> str:
        """Prepare the match; return `ready` when prepared or when the startclock ends; `busy` if rules are refused."""
        self.open()
        prepared, searches = self._prepared, self._settings.search is not None
        if not searches and not prepared.wait(min(_REFERENCE_SECONDS, self._ready_by.left())):
            self._start_fast_machine()
        prepared.wait(self._ready_by.left())
        if self.refusal:
            return BUSY
        if not prepared.is_set():
            logger.warning("the startclock ended before the preparation")
        else:
            policy = self._policy
            is_done = policy is not None and policy.wait(self._ready_by.left())
            if searches and self._settings.ponders and not is_done:
                self._closed.wait(self._ready_by.left())
        return BUSY if self._closed.is_set() else READY

    def _open(self) -> None:
        """Read the rules and start to follow the match."""
        try:
            sheet = parse_sheet(self._start.rules, source="rules of START")
            require_playable(sheet)
        except (GdlError, UserError) as error:
            self._refuse(str(error))
            return
        native = self._recognised(sheet)
        searches = self._settings.search is not None
        with self._lock:
            if self._closed.is_set():
                return
            self._rules, self._native = MatchRules(sheet, self._start.role), native
            if native is not None:
                self._start_fast_machine()
                return
            # If a policy searches, moves picked on the reference interpreter are a last resort.
            self._follow_reference(may_pick=not searches)
        if searches or self._rules.has_percepts:
            if self._start.start_clock < _SHORT_STARTCLOCK_SECONDS:
                self._reference_ready.wait(_HEAD_START_SECONDS)
            self._start_fast_machine()

    def stop(self, moves: tuple[str, ...] | None, last_move: str | None = None) -> None:
        """End the match; make the last joint move and log the goals in the background."""
        with self._lock:
            reporter = self._reporter = self._reference or self._fast
            if reporter is not None:
                reporter.submit(PlayerTurn(len(self.turns), moves, Deadline(0), last_move, final=True))
            self.close(keep=reporter)

    def wait_for_report(self, seconds: float) -> None:
        """Wait after `stop` until the goals are logged, at most for the given seconds."""
        if self._reporter is not None:
            self._reporter.join(seconds)

    def close(self, *, keep: Follower | None = None) -> None:
        """End all work for the match immediately; `keep` may finish its turns."""
        with self._lock:
            self._closed.set()
            self._stop_loading.set()
            self._stop_search()
            if self._policy is not None:
                self._policy.close()
            self._settle_open_turn()
            for follower in self._followers():
                if follower is not keep:
                    follower.close()
            self._prepared.set()

    # ---- turns

    def enter(
        self, moves: tuple[str, ...] | None, received: float, last_move: str | None = None, answer: str | None = None
    ) -> PlayerTurn:
        """Add the next turn, pass it to all followers and return it; with `answer` it is already answered."""
        with self._lock:
            self._settle_open_turn()
            self._stop_search()
            deadline = Deadline(self._start.play_clock - self._margin, received)
            turn = PlayerTurn(len(self.turns), moves, deadline, last_move)
            settled = NIL if self._closed.is_set() else answer
            if settled is not None:
                turn.settle(lambda: settled)
            self.turns.append(turn)
            for follower in self._followers():
                follower.submit(turn)
            return turn

    def answer(self, turn: PlayerTurn) -> str:
        """Return the move of a turn within its playclock."""
        if self._settings.search is None and not turn.answered.wait(min(_REFERENCE_SECONDS, turn.deadline.left())):
            self._start_fast_machine()
        # The search should end at the deadline of the turn; a late search is not awaited.
        if turn.answered.wait(Deadline((1 - FALLBACK_SHARE) * self._margin, turn.deadline.at).left()):
            return turn.answer
        logger.warning("turn %d: no decision in time", turn.number + 1)
        if not turn.legal:  # the manager may still accept a late move
            turn.answered.wait(Deadline(self._margin + MANAGER_TOLERANCE_SECONDS, turn.deadline.at).left())
        move = self._settle_with_known_moves(turn)
        self._stop_search()
        return move

    def play(self, moves: tuple[str, ...] | None, received: float, last_move: str | None = None) -> str:
        """Add the next turn and return its move."""
        return self.answer(self.enter(moves, received, last_move))

    def settle(self, number: int, answer: str) -> None:
        """Record the answer that was sent for a turn, instead of any other answer to it."""
        with self._lock:
            if number < len(self.turns):
                self.turns[number].correct(answer)
            if number + 1 >= len(self.turns):
                self._stop_search()

    def choose(self, legal: Sequence[str]) -> str:
        """Return the best of some legal moves that is known now, or any of them."""
        best = None if self._policy is None else self._policy.favourite()
        return best if best is not None and best in legal else self._settings.pick(legal)

    def _settle_with_known_moves(self, turn: PlayerTurn) -> str:
        return turn.settle(lambda: self.choose(turn.legal) if turn.legal else NIL)

    def _settle_open_turn(self) -> None:
        if self.turns:
            self._settle_with_known_moves(self.turns[-1])

    def _stop_search(self) -> None:
        if self._policy is not None:
            self._policy.stop()

    # ---- machines

    def _start_fast_machine(self) -> None:
        """Start to build the fast machine, unless this was done before."""
        with self._lock:
            load, rules, native = self._settings.load, self._rules, self._native
            unwanted = self._fast is not None or self._fast_broken or self._closed.is_set()
            if load is None or rules is None or unwanted:
                return
            self._fast = self._follow(
                "fast",
                lambda: native or load(rules.sheet, self._stop_loading),
                search=None if self._settings.search is None else self._search_on,
                ponders=self._settings.ponders,
            )

    def _search_on(self, machine: CompiledMachine, role: str) -> Policy:
        """Make the policy that searches on a machine, and prepare it; called by its follower."""
        assert self._settings.search is not None
        policy = self._settings.search(machine)
        with self._lock:
            self._policy = policy
            if self._closed.is_set():
                policy.close()
        policy.prepare(machine, role)
        return policy

    def _recognised(self, sheet: RuleSheet) -> NativeMachine | None:
        """Return the machine of the native game with the rules of a sheet; None without one."""
        if self._settings.recognise is None:
            return None
        try:
            machine = self._settings.recognise(sheet)
        except Exception:  # the match can still be played by the rules
            logger.exception("the rules could not be compared with the native games")
            return None
        if machine is not None:
            name = machine.game.name
            logger.info("recognised the rules of %s; uses the native game fast:%s", name, name)
        return machine

    def _follow_reference(self, *, may_pick: bool) -> None:
        rules = self._rules
        assert rules is not None
        self._reference = self._follow("reference", lambda: ReferenceMachine(rules.sheet), may_pick=may_pick)

    def _start_cross_check(self, native: NativeMachine) -> None:
        """Compare the native game with the rules, while that is cheap."""
        seconds = _CROSS_CHECK_SHARE * self._start.play_clock
        self._cross_check = self._follow(
            "cross-check",
            lambda: CrossCheck(ReferenceMachine(native.rules()), native.another(), seconds),
            may_pick=False,
        )

    def _follow(self, name: str, load: Callable[[], StateMachine], **options: Any) -> Follower:
        """Start to follow the match on a machine; the options are keywords of `Follower`."""
        assert self._rules is not None
        follower = Follower(name, self, self._rules, load, **options)
        for turn in self.turns:
            follower.submit(turn)
        follower.start()
        return follower

    def _followers(self) -> list[Follower]:
        return [each for each in (self._reference, self._fast, self._cross_check) if each is not None]

    def _refuse(self, reason: str) -> None:
        self.refusal = reason
        logger.warning("START refused: %s", reason)
        self.close()

    # ---- what the followers report

    def ready(self, follower: Follower) -> None:
        """Note that a follower is ready: the fast machine replaces the reference interpreter.

        `_prepared` is set unless a better machine may still become ready.
        """
        if follower.name == "reference":
            self._reference_ready.set()
        with self._lock:
            if follower is self._fast:
                if self._reference is not None:
                    self._reference.close()
                    self._reference = None
                if self._native is not None:
                    self._start_cross_check(self._native)  # its preparation must not disturb the first turn
                else:
                    self._prepared.set()
            elif follower is self._cross_check or self._fast_broken or self._settings.search is None:
                self._prepared.set()

    def learned(self, turn: PlayerTurn) -> None:
        """Report that more legal moves of a turn are known."""
        self._note(turn)

    def warn(self, text: str) -> None:
        """Log a warning, unless another follower has logged it."""
        with self._lock:
            is_new = text not in self._warnings
            self._warnings.add(text)
        if is_new:
            logger.warning("%s", text)

    def failed(self, follower: Follower, error: Exception) -> None:
        """Continue with the other machines after a failure; without any machine refuse the match."""
        with self._lock:
            if self._closed.is_set():
                return
            if follower is self._cross_check and not isinstance(error, RuleMismatchError):
                self._cross_check = None
                reason = _describe(error)
                logger.info("the native game is no longer compared with the rules: %s", reason)
                self._prepared.set()
            elif follower is self._cross_check or (follower is self._fast and self._native is not None):
                self._leave_native(error)
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
        if unplayable and not self._prepared.is_set():
            self._refuse(str(error))
            return
        logger.warning("the %s machine fails: %s", follower.name, _describe(error))
        if follower.name != "reference":
            self._fall_back()
        elif self._fast_broken:
            self._refuse(_describe(error))
        else:
            self._start_fast_machine()

    def _leave_native(self, error: Exception) -> None:
        """Replace the native game, which differs from the rules: follow all turns again by the rules."""
        reason = _describe(error)
        logger.warning("continues with the rule sheet, without the native game: %s", reason)
        for follower in (self._fast, self._cross_check):
            if follower is not None:
                follower.close()
        self._fast = self._cross_check = self._native = None
        if self._policy is not None:
            self._policy.stop()
            self._policy.close()
            self._policy = None
        if self.turns:
            self.turns[-1].legal, self.turns[-1].all_legal = (), None
        if self._reference is None:
            self._follow_reference(may_pick=self._settings.search is None)
        self._start_fast_machine()

    def _fall_back(self) -> None:
        """Play on the reference interpreter after the fast machine failed."""
        if self._reference is None:
            self._follow_reference(may_pick=True)
            return
        self._reference.may_pick = True
        if self.role_index >= 0:
            self._prepared.set()
        if self.turns and self.turns[-1].legal:
            self._settle_open_turn()


def _describe(error: Exception) -> str:
    own = GdlError | UserError | RuleMismatchError | TooSlowError
    return str(error) if isinstance(error, own) else f"{type(error).__name__}: {error}"

"""Follow a match on a state machine, in a separate thread.

A player follows its match on two machines at once: the reference interpreter, which is ready immediately but slow, and
the fast machine, which takes time to build and runs the search. The first machine that has an answer to a turn settles
it. So the player knows legal moves while the fast machine is being built, and if it cannot be built.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from gdl import GdlError, MachineState, StateMachine
from gdl.machines.odd_goals import OddGoals

from ..protocol.messages import NIL
from .match_rules import MatchRules, is_legal, missed_turn
from .policies import Policy
from .turns import PlayerTurn

logger = logging.getLogger(__name__)


class FollowedMatch(Protocol):
    """The callbacks of a follower; called from the follower's thread."""

    def ready(self, follower: Follower) -> None:
        """Note that a follower can answer turns."""

    def learned(self, turn: PlayerTurn) -> None:
        """Note that more legal moves of a turn are known."""

    def warn(self, text: str) -> None:
        """Log a line that several followers may find; it is logged once."""

    def choose(self, legal: Sequence[str]) -> str:
        """Choose one of the legal moves, at least one, without a search."""

    def failed(self, follower: Follower, error: Exception) -> None:
        """Note that a follower has ended because its machine failed or could not be built."""


@dataclass(frozen=True, slots=True)
class FollowerSettings:
    """The settings of one follower."""

    name: str  # the name in the log
    load: Callable[[], StateMachine]  # the function that builds the machine; called in the follower's thread
    # The function that makes the policy that searches on the machine; None only picks a legal move.
    search: Callable[[StateMachine], Policy] | None = None
    may_pick: bool = True  # whether to settle a turn by picking, although a policy searches elsewhere
    ponders: bool = False  # whether the policy may search while no move is requested


class Follower:
    """Keep one machine at the current state of a match and answer its turns."""

    def __init__(self, settings: FollowerSettings, match: FollowedMatch, rules: MatchRules) -> None:
        self.name = settings.name  # the name in the log
        self.may_pick = settings.may_pick  # the setting of this name; may be changed at any time
        self.reached = -1  # the number of the turn that the machine has reached; -1 before the first turn
        self._settings = settings
        self._match = match
        self._rules = rules
        self._policy: Policy | None = None  # None without a search
        self._turns: queue.SimpleQueue[PlayerTurn | None] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._has_no_end = False  # whether there are too many legal moves to list
        self._thread = threading.Thread(target=self._run, name=f"{settings.name} machine", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait until the thread has ended, at most for the given seconds."""
        self._thread.join(seconds)

    def submit(self, turn: PlayerTurn) -> None:
        """Queue the next turn; the turns must be queued in order, without gaps."""
        self._turns.put(turn)

    def close(self) -> None:
        """End the thread after its current action."""
        self._closed.set()
        self._turns.put(None)

    def _run(self) -> None:
        try:
            machine = self._settings.load()
            if self._closed.is_set():
                return
            role = self._rules.adopt(machine)
            if self._settings.search is not None:
                self._policy = self._settings.search(machine)
                self._policy.prepare(machine, role)
            self._match.ready(self)
            self._follow(machine, role)
        except Exception as error:  # a machine that fails must not end the player
            if not self._closed.is_set():
                self._match.failed(self, error)

    def _follow(self, machine: StateMachine, role: str) -> None:
        state = machine.initial()
        before: PlayerTurn | None = None
        while (turn := self._next_turn()) is not None and not self._closed.is_set():
            if turn.moves is not None:
                state = self._advance(turn, turn.moves, machine, state, role, before)
            before = turn
            self.reached = turn.number
            if turn.final:
                self._report(machine, state)
                return
            if not turn.answered.is_set():
                self._answer(turn, machine, state, role)
            if turn.all_legal is None and self._turns.empty():
                found = [machine.some_legal(state, each) for each in machine.roles]
                if all(are_all for _, are_all in found):
                    turn.all_legal = tuple([frozenset(legal) for legal, _ in found])
                    self._match.learned(turn)

    def _next_turn(self) -> PlayerTurn | None:
        """Wait for the next turn; ponder meanwhile."""
        if self._policy is not None and self._settings.ponders and not self._asked():
            self._policy.ponder(self._asked)
        return self._turns.get()

    def _asked(self) -> bool:
        return self._closed.is_set() or not self._turns.empty()

    def _advance(
        self,
        turn: PlayerTurn,
        moves: tuple[str, ...],
        machine: StateMachine,
        state: MachineState,
        role: str,
        before: PlayerTurn | None,
    ) -> MachineState:
        try:
            joint_move = self._rules.read_moves(moves)
            if before is not None and not is_legal(machine, state, joint_move):
                state = self._catch_up(turn, joint_move, machine, state, role, before)
            try:
                state = machine.next(state, joint_move)
            except ValueError:  # a network does not know moves that are legal in no state
                state = self._rules.force(machine, state, joint_move)
        except ValueError as error:
            logger.warning("turn %d: the joint move cannot be made: %s", turn.number, error)
            return state
        if self._policy is not None and not turn.final:
            self._policy.advance(state, joint_move)
        return state

    def _catch_up(
        self,
        turn: PlayerTurn,
        moves: Sequence[str],
        machine: StateMachine,
        state: MachineState,
        role: str,
        before: PlayerTurn,
    ) -> MachineState:
        """Make the joint move of a turn that the player missed, if this explains the received joint move."""
        missed = missed_turn(machine, state, moves, role, before.answer)
        if missed is None:
            logger.warning("turn %d: the joint move is not legal: %s", turn.number, " ".join(moves)[:200])
            return state
        logger.warning("turn %d: a turn was missed; assumed joint move: %s", turn.number, " ".join(missed)[:200])
        state = machine.next(state, missed)
        if self._policy is not None and not turn.final:
            self._policy.advance(state, missed)
        return state

    def _answer(self, turn: PlayerTurn, machine: StateMachine, state: MachineState, role: str) -> None:
        legal = self._find_legal(turn, machine, state, role)
        if turn.no_move:
            logger.warning("turn %d: there is no legal move for %s", turn.number, role)
            turn.settle(lambda: NIL)
        elif not legal:
            return
        elif len(legal) == 1:
            turn.settle(lambda: legal[0])
        elif self._policy is not None:
            if not turn.answered.is_set():
                move = self._policy.think(turn.deadline)
                if not self._closed.is_set():
                    turn.settle(lambda: move if move in legal else self._match.choose(legal))
        elif self.may_pick:
            turn.settle(lambda: self._match.choose(legal))

    def _find_legal(self, turn: PlayerTurn, machine: StateMachine, state: MachineState, role: str) -> tuple[str, ...]:
        """Find some legal moves of our role immediately, and all of them if there is time."""
        some, are_all = machine.some_legal(state, role)
        self._learn(turn, some)
        if are_all:
            if not some:
                turn.no_move = True
                self._match.learned(turn)
        elif not self._has_no_end:
            try:
                every = machine.legal_unless(state, role, lambda: self._asked() or turn.answered.is_set())
            except GdlError as error:
                logger.warning("%s; choosing among the %d legal moves found", error, len(some))
                self._has_no_end = True
            else:
                self._learn(turn, every or [])
        return turn.legal

    def _report(self, machine: StateMachine, state: MachineState) -> None:
        goals = ", ".join(f"{role} {_shown(machine.goals(state, role))}" for role in machine.roles)
        logger.info("%s state, goals: %s", "terminal" if machine.terminal(state) else "non-terminal", goals)
        for odd in OddGoals(self._rules.sheet).of(machine, state):
            logger.warning("%s", odd)

    def _learn(self, turn: PlayerTurn, legal: Sequence[str]) -> None:
        if legal:
            turn.legal = tuple(legal)
            self._match.learned(turn)


def _shown(goals: Sequence[int]) -> str:
    return " or ".join(map(str, goals)) or "none"

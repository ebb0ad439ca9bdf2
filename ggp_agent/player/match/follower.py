"""Follow a match on one state machine, in a separate thread.

A player follows its match on two machines at once: the reference interpreter, which is ready immediately but slow, and
the fast machine, which takes time to build and runs the search. The first machine that has an answer to a turn settles
it. So the player knows legal moves while the fast machine is being built, and if it cannot be built.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Any, Protocol, TypeAlias

from gdl import CompiledMachine, GdlError, MachineState, ReferenceMachine, RuleSheet, StateMachine, parse_term
from gdl.language.percepts import percept_rules
from gdl.language.terms import to_kif
from gdl.machines.reference import OddGoals

from ...common.errors import UserError
from ...game.game import Game
from ...hidden.possible_states import PossibleStates, joint_moves
from ...hidden.role_belief import Belief
from ...protocol.messages import NIL
from ..policy.policies import HiddenPolicy, Policy
from .messages import PlayerTurn

logger = logging.getLogger(__name__)

# Limits of the search for a missed joint move: tried joint moves, and seconds of processor time.
_MAX_TRIED = 1000
_MAX_SECONDS = 0.5
# The time for the percepts of a turn: a share of the remaining playclock, within bounds in seconds.
_OBSERVE_SHARE = 0.25
_OBSERVE_SECONDS = 0.2, 1.0


class MatchRules:
    """The rules of a match and our role."""

    def __init__(self, sheet: RuleSheet, role: str) -> None:
        self.sheet = sheet  # the rules
        self.has_percepts = bool(percept_rules(sheet))  # whether messages contain percepts (GDL-II)
        self.role_index = -1  # the index of our role; -1 before `adopt`
        self._role = role
        self._roles: tuple[str, ...] = ()

    def adopt(self, machine: StateMachine) -> str:
        """Find our role in a machine, and return it in the spelling of the sheet."""
        role = to_kif(parse_term(self._role, self.sheet.spellings))
        if role not in machine.roles:
            raise UserError(f"rules of START: there is no role {role}; the roles are {', '.join(machine.roles)}")
        state = machine.initial()
        if machine.some_legal(state, role) == ([], True) and not machine.terminal(state):
            raise UserError(f"rules of START: {role} has no legal move in the initial state")
        self._roles = machine.roles
        self.role_index = machine.roles.index(role)
        return role

    def machine_of_percepts(self, machine: StateMachine) -> StateMachine:
        """Return a machine that computes percepts: the given one, or the reference interpreter for a native game."""
        return ReferenceMachine(self.sheet) if machine.native and self.has_percepts else machine

    # ---- what messages say

    def read_moves(self, moves: tuple[str, ...]) -> list[str]:
        """Convert a joint move to the spelling of the sheet."""
        if len(moves) != len(self._roles):
            if len(self._roles) != 1:
                raise ValueError(f"{len(moves)} moves for {len(self._roles)} roles: {' '.join(moves)[:200]}")
            moves = (f"({' '.join(moves)})",)  # the only role's move, sent without a list around it
        try:
            return [to_kif(parse_term(move, self.sheet.spellings)) for move in moves]
        except GdlError as error:
            raise ValueError(str(error)) from None

    def joint_move(self, machine: StateMachine, state: MachineState, moves: tuple[str, ...]) -> list[str] | None:
        """Return the joint move of a message that should contain percepts; None if it is not legal in a state."""
        try:
            joint = self.read_moves(moves)
        except ValueError:
            return None
        return joint if is_legal(machine, state, joint) else None

    def read_term(self, text: str) -> str | None:
        """Convert a move or percept to the spelling of the sheet; return None if it is not a term."""
        try:
            return to_kif(parse_term(text, self.sheet.spellings))
        except GdlError:
            return None

    def percepts(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return percepts in the spelling of the sheet, without invalid ones."""
        terms = map(self.read_term, texts)
        return tuple(sorted({term for term in terms if term is not None}))

    def own_move(self, turn: PlayerTurn, before: PlayerTurn | None) -> str | None:
        """Return our move before a turn: the move that the game manager reports, else our answer; None without one."""
        if turn.last_move is not None:
            return self.read_term(turn.last_move)
        return None if before is None or before.answer in ("", NIL) else self.read_term(before.answer)

    # ---- joint moves that are not legal

    def force(self, machine: StateMachine, state: MachineState, moves: Sequence[str]) -> MachineState:
        """Return the successor state of an illegal joint move according to the rules."""
        rules = ReferenceMachine(self.sheet)
        forced = rules.next(rules.state(machine.fluents(state)), moves)
        if rules.some_legal(forced, self._roles[self.role_index]) == ([], True) and not rules.terminal(forced):
            raise ValueError(f"after {' '.join(moves)[:200]} there is no legal move")
        return machine.state(rules.fluents(forced))


def is_legal(machine: StateMachine, state: MachineState, moves: Sequence[str]) -> bool:
    """Return whether a joint move is legal."""
    return all(machine.is_legal(state, role, move) for role, move in zip(machine.roles, moves, strict=True))


def missed_turn(
    machine: StateMachine,
    state: MachineState,
    role: str,
    answer: str,
    explain: Callable[[MachineState], Sequence[str] | None],
) -> tuple[Sequence[str], Sequence[str]] | None:
    """Return two joint moves: one after which `explain` returns a joint move for the received message, and that one.

    If a PLAY is lost, the player misses its joint move, and no joint move in the state before explains the next PLAY.
    Joint moves that contain our own answer are tried first, then the others. Both groups are in order of code points,
    so that every machine finds the same joint move.
    """
    until = time.thread_time() + _MAX_SECONDS
    tried = chain(joint_moves(machine, state, role, answer), joint_moves(machine, state, role))
    for made in islice(tried, _MAX_TRIED):
        after = machine.next(state, made)
        if not machine.terminal(after) and (found := explain(after)) is not None:
            return made, found
        if time.thread_time() > until:
            return None
    return None


def joint_move_of(
    machine: StateMachine,
    percept_machine: StateMachine,
    state: MachineState,
    role: str,
    move: str | None,
    percepts: Sequence[str],
    seconds: float,
) -> tuple[str, ...] | None:
    """Return the first legal joint move in a state that gives a role certain percepts.

    Moves that occur in the percepts are tried first, so that the search is short in games whose roles see all moves.
    """
    until = time.thread_time() + seconds
    seen, text = {*percepts}, " ".join(percepts)
    of = state if percept_machine is machine else percept_machine.state(machine.fluents(state))
    for joint in joint_moves(machine, state, role, move, first=text):
        if {*percept_machine.percepts(of, joint, role)} == seen:
            return joint
        if time.thread_time() > until:
            break
    return None


def observe_seconds(turn: PlayerTurn) -> float:
    """Return the time to process the percepts of a turn."""
    minimum, maximum = _OBSERVE_SECONDS
    left = turn.deadline.left()
    return (
        max(minimum, min(maximum, _OBSERVE_SHARE * left)) if left else maximum
    )  # no move is requested without a deadline


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


class KnownPosition:
    """The state of a match on one machine, in a game without hidden information."""

    def __init__(
        self, machine: StateMachine, role: str, rules: MatchRules, match: FollowedMatch, policy: Policy | None
    ) -> None:
        self._machine = machine
        self._role = role
        self._rules = rules
        self._match = match
        self._policy = policy
        self._state = machine.initial()
        self._percept_machine = rules.machine_of_percepts(machine)
        self._has_no_end = False  # whether there are too many legal moves to list

    def observe(self, turn: PlayerTurn, before: PlayerTurn | None) -> None:
        """Make the joint move of a message, and a joint move before it if a turn was missed."""
        if turn.moves is None:
            return
        try:
            for joint in self._joint_moves(turn, turn.moves, before):
                try:
                    self._state = self._machine.next(self._state, joint)
                except ValueError:  # a network does not know moves that are legal in no state
                    self._state = self._rules.force(self._machine, self._state, joint)
                if self._policy is not None and not turn.final:
                    self._policy.advance(self._state, joint)
        except ValueError as error:
            self._match.warn(f"turn {turn.number}: the joint move cannot be made: {error}")

    def _joint_moves(
        self, turn: PlayerTurn, moves: tuple[str, ...], before: PlayerTurn | None
    ) -> Sequence[Sequence[str]]:
        """Return the joint moves from the state to a turn: one, two if a turn was missed, or none."""
        rules, machine, state, role = self._rules, self._machine, self._state, self._role
        joint = None if rules.has_percepts else rules.read_moves(moves)
        if joint is not None and before is None:
            return [joint]
        seen, seconds = rules.percepts(moves) if joint is None else (), observe_seconds(turn)

        def explain(state: MachineState, own: str | None) -> Sequence[str] | None:
            """Return a joint move in a state that explains the message; `own` is our move, None for any."""
            if joint is not None:
                return joint if is_legal(machine, state, joint) else None
            return joint_move_of(machine, self._percept_machine, state, role, own, seen, seconds)

        own = rules.own_move(turn, before)
        lost = before is not None and before.number > 0 and before.moves is None
        if not lost and (found := explain(state, own)) is not None:
            return [found]
        if joint is None and (found := rules.joint_move(machine, state, moves)) is not None:
            return [found]
        if joint is None and not lost and (found := explain(state, None)) is not None:
            self._match.warn(f"turn {turn.number}: the game manager replaced our move")
            return [found]
        answer = "" if before is None else before.answer
        missed = missed_turn(machine, state, role, answer, lambda after: explain(after, turn.last_move and own))
        if missed is not None:
            made = " ".join(missed[0])[:200]
            self._match.warn(f"turn {turn.number}: a turn was missed; assumed joint move: {made}")
            return missed
        what = "the joint move is not legal" if joint is not None else "no joint move explains the percepts"
        self._match.warn(f"turn {turn.number}: {what}: {' '.join(moves)[:200]}")
        return [] if joint is None else [joint]

    def legal(self, turn: PlayerTurn, stopped: Callable[[], bool]) -> Sequence[str]:
        """Find some legal moves of our role immediately, and all of them if there is time."""
        machine, state, role = self._machine, self._state, self._role
        some, are_all = machine.some_legal(state, role)
        _learn(self._match, turn, some)
        if are_all and not some:
            turn.no_move = True
            self._match.learned(turn)
            self._match.warn(f"turn {turn.number + 1}: there is no legal move for {role}")
        elif not are_all and not self._has_no_end:
            try:
                _learn(self._match, turn, machine.legal_unless(state, role, stopped) or [])
            except GdlError as error:
                logger.warning("%s; choosing among the %d legal moves found", error, len(some))
                self._has_no_end = True
        return turn.legal

    def all_legal(self) -> tuple[frozenset[str], ...] | None:
        """Return the legal moves of all roles; None if they are too many to list at once."""
        found = [self._machine.some_legal(self._state, each) for each in self._machine.roles]
        return tuple([frozenset(legal) for legal, _ in found]) if all(are_all for _, are_all in found) else None

    def report(self) -> None:
        """Log the goals of the state."""
        machine, state = self._machine, self._state
        goals = ", ".join(f"{role} {_shown(machine.goals(state, role))}" for role in machine.roles)
        logger.info("%s state, goals: %s", "terminal" if machine.terminal(state) else "non-terminal", goals)
        for odd in OddGoals(self._rules.sheet).of(machine, state):
            logger.warning("%s", odd)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One turn as the role saw it."""

    move: str | None  # our move; None if it is not known
    percepts: tuple[str, ...]
    # The move that we sent, if the game manager replaced it because it was not legal; otherwise None.
    refused: str | None
    is_final: bool  # whether the game is over after the turn
    is_sure: bool  # false if the game manager may have replaced the move without a report


class HiddenPosition:
    """What our role knows of the state of a match, in a game with hidden information.

    Game managers that do not support GDL-II send joint moves. The true state is then followed only to compute the
    percepts of our role, and nothing else uses it.
    """

    def __init__(
        self, machine: StateMachine, role: str, rules: MatchRules, match: FollowedMatch, policy: Policy | None
    ) -> None:
        self._machine = machine
        self._role = role
        self._rules = rules
        self._match = match
        self._policy = policy
        self._belief: Belief | PossibleStates
        self._observe: Callable[..., tuple[str, ...]]
        self._begin()
        self._seen: list[_Seen] = []
        self._true_state: MachineState | None = machine.initial()  # while each message can be a joint move
        self._has_joint_moves = False
        self._was_empty = False
        self._was_unsure = False
        self._likely: list[str] = []  # the moves that were most probably legal in the last turn

    def _begin(self) -> None:
        """Know only the initial state."""
        if isinstance(self._policy, HiddenPolicy):
            self._belief, self._observe = self._policy.restart(), self._policy.observe
            return
        if isinstance(self._machine, CompiledMachine):
            self._belief = Belief(Game("the game", self._machine.sheet, ""), self._role, machine=self._machine)
        else:
            self._belief = PossibleStates(self._machine, self._role)
        self._observe = self._belief.observe

    def observe(self, turn: PlayerTurn, before: PlayerTurn | None) -> None:
        """Process what a message says about the turn before."""
        if before is None:
            return
        seconds = observe_seconds(turn)
        sent = self._rules.read_term(before.answer)
        move = self._rules.own_move(turn, before)
        legal = dict(self._belief.moves())
        refused = None
        if turn.last_move is not None and move != sent:
            self._match.warn(f"turn {before.number}: the game manager made {move} instead of our move {sent}")
            refused = sent if sent in legal and legal[sent] < 1 else None
        if turn.moves is None:
            self._match.warn(f"turn {turn.number}: its percepts are not known")
            percepts: tuple[str, ...] = ()
            self._true_state = None
        elif (joint := self._true_joint_move(turn, turn.moves, move)) is not None:
            percepts = self._percepts_of(joint)
            move = joint[self._machine.roles.index(self._role)]
        else:
            percepts = self._rules.percepts(turn.moves)
        is_sure = turn.last_move is not None or self._has_joint_moves or legal.get(move or "", 1) == 1
        self._process(_Seen(move, percepts, refused, turn.final, is_sure), turn.number, seconds)

    def _process(self, seen: _Seen, number: int, seconds: float) -> None:
        unknown = self._tell(seen, seconds)
        self._seen.append(seen)
        if unknown:
            self._match.warn(f"turn {number}: no rule gives the percepts {' '.join(unknown)[:200]}")
        if self._belief.is_empty and not all(each.is_sure for each in self._seen):
            # All turns again, without the moves that the game manager may have replaced.
            self._begin()
            for each in self._seen:
                self._tell(each if each.is_sure else replace(each, move=None), seconds)
        if self._belief.is_empty and not self._was_empty:
            self._match.warn(f"turn {number}: no state explains the percepts; the last possible states are kept")
        self._was_empty = self._belief.is_empty

    def _tell(self, seen: _Seen, seconds: float) -> tuple[str, ...]:
        observe = partial(self._observe, terminal=seen.is_final, seconds=seconds)
        try:
            return observe(seen.move, seen.percepts, refused=seen.refused)
        except ValueError as error:  # the rules have no such move
            self._match.warn(f"our last move is not known: {error}")
            return observe(None, seen.percepts, refused=None)

    def _true_joint_move(self, turn: PlayerTurn, moves: tuple[str, ...], own: str | None) -> list[str] | None:
        """Return the joint move if the game manager sends joint moves instead of percepts; else None."""
        machine, state = self._machine, self._true_state
        if state is None:
            return None
        joint = self._rules.joint_move(machine, state, moves) if turn.last_move is None else None
        if joint is not None and not self._has_joint_moves:
            percepts = self._rules.percepts(moves)
            if joint_move_of(machine, machine, state, self._role, own, percepts, observe_seconds(turn)) is not None:
                joint = None
            else:
                self._match.warn(
                    f"turn {turn.number}: the game manager sends joint moves (GDL-I); "
                    f"only the percepts of {self._role} are used"
                )
                self._has_joint_moves = True
        if joint is None:
            self._true_state = None
        return joint

    def _percepts_of(self, joint: Sequence[str]) -> tuple[str, ...]:
        """Return our percepts of a joint move, and make it in the true state."""
        assert self._true_state is not None
        percepts = tuple(self._machine.percepts(self._true_state, joint, self._role))
        self._true_state = self._machine.next(self._true_state, joint)
        return percepts

    def legal(self, turn: PlayerTurn, stopped: Callable[[], bool]) -> Sequence[str]:
        """Return the moves that may be legal; the most probable ones are the known legal moves of the turn."""
        found = self._belief.moves()
        if found:
            self._likely = [move for move, probability in found if probability >= found[0][1]]
        else:
            self._match.warn(f"turn {turn.number + 1}: no legal move is known; plays a move of an earlier turn")
        if found and found[0][1] < 1 and not self._was_unsure:
            self._match.warn(f"turn {turn.number + 1}: {self._role} cannot know its legal moves; plays probable ones")
            self._was_unsure = True
        _learn(self._match, turn, self._likely)
        return [move for move, _ in found] or [self._match.choose(self._likely) if self._likely else NIL]

    def all_legal(self) -> None:
        """Return None: the legal moves of all roles are not known."""

    def report(self) -> None:
        """Log that the goals are not known."""
        logger.info("the match is over; the game hides information, so the goals are not known")


Position: TypeAlias = KnownPosition | HiddenPosition


class Follower:
    """Keep one machine at the current position of a match and answer its turns."""

    def __init__(
        self,
        name: str,  # the name in the log
        match: FollowedMatch,
        rules: MatchRules,
        load: Callable[[], StateMachine],  # the function that builds the machine; called in the follower's thread
        *,
        # The function that makes the policy that searches on the machine for a role; None only picks a legal move.
        search: Callable[[Any, str], Policy] | None = None,
        may_pick: bool = True,  # whether to settle a turn by picking, although a policy searches elsewhere
        ponders: bool = False,  # whether the policy may search while no move is requested
    ) -> None:
        self.name = name
        self.may_pick = may_pick  # may be changed at any time
        self.reached = -1  # the number of the turn that the machine has reached; -1 before the first turn
        self._match = match
        self._rules = rules
        self._load = load
        self._search = search
        self._ponders = ponders
        self._policy: Policy | None = None  # None without a search
        self._turns: queue.SimpleQueue[PlayerTurn | None] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"{name} machine", daemon=True)

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
            machine = self._load()
            if self._closed.is_set():
                return
            role = self._rules.adopt(machine)
            if self._search is not None:
                self._policy = self._search(machine, role)
            self._match.ready(self)
            kind = HiddenPosition if machine.hides_information else KnownPosition
            self._follow(kind(machine, role, self._rules, self._match, self._policy))
        except Exception as error:  # a machine that fails must not end the player
            if not self._closed.is_set():
                self._match.failed(self, error)

    def _follow(self, position: Position) -> None:
        before: PlayerTurn | None = None
        while (turn := self._next_turn()) is not None and not self._closed.is_set():
            position.observe(turn, before)
            before = turn
            self.reached = turn.number
            if turn.final:
                position.report()
                return
            if not turn.answered.is_set():
                self._answer(turn, position)
            if turn.all_legal is None and self._turns.empty():
                turn.all_legal = position.all_legal()
                if turn.all_legal is not None:
                    self._match.learned(turn)

    def _next_turn(self) -> PlayerTurn | None:
        """Wait for the next turn; ponder meanwhile."""
        if self._policy is not None and self._ponders and not self._asked():
            self._policy.ponder(self._asked)
        return self._turns.get()

    def _asked(self) -> bool:
        return self._closed.is_set() or not self._turns.empty()

    def _answer(self, turn: PlayerTurn, position: Position) -> None:
        legal = position.legal(turn, lambda: self._asked() or turn.answered.is_set())
        if turn.no_move:
            turn.settle(lambda: NIL)
        elif not legal:
            return
        elif len(legal) == 1:
            turn.settle(lambda: legal[0])
        elif self._policy is not None:
            if not turn.answered.is_set():
                move = self._policy.think(turn.deadline)
                if not self._closed.is_set():
                    turn.settle(lambda: move if move is not None and move in legal else self._match.choose(turn.legal))
        elif self.may_pick:
            turn.settle(lambda: self._match.choose(turn.legal))


def _learn(match: FollowedMatch, turn: PlayerTurn, legal: Sequence[str]) -> None:
    if legal:
        turn.legal = tuple(legal)
        match.learned(turn)


def _shown(goals: Sequence[int]) -> str:
    return " or ".join(map(str, goals)) or "none"

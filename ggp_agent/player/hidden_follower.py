"""Follow a match of a game with hidden information (GDL-II): the player keeps what its role knows.

Game managers that do not support GDL-II send joint moves. The player then follows the true state only to compute the
percepts of its role, and uses nothing else.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Protocol

from gdl import CompiledMachine, MachineState, ReferenceMachine, StateMachine
from gdl.language.percepts import hides_information

from ..game.game import Game
from ..game.native.native_machine import NativeMachine
from ..hidden.role_belief import Belief
from ..protocol.messages import NIL
from .followers import Follower
from .hidden_policy import HiddenPolicy
from .match_rules import is_legal
from .turns import PlayerTurn

# Follow what a role knows in a game with hidden information (GDL-II), on any state machine.
#
# `PossibleStates` is slow and keeps few states. It needs no preparation, so a player knows its legal moves while
# the machine for `Belief` is being built, and if that machine cannot be built.

# The largest number of states that are kept.
MAX_STATES = 256
# The largest number of joint moves of a state that are tried as explanations.
_MAX_TRIED = 10_000


class RoleKnowledge(Protocol):
    """What a role knows: implemented by `Belief`, `PossibleStates` and `HiddenPolicy`."""

    @property
    def is_empty(self) -> bool:
        """True if no possible state explains the percepts, so that the states are only a guess."""

    def observe(
        self, move: str | None, percepts: Sequence[str], *, terminal: bool, refused: str | None, seconds: float
    ) -> tuple[str, ...]:
        """Process a turn; see `Belief.observe`."""

    def moves(self) -> list[tuple[str, float]]:
        """Return the moves of the role that may be legal, each with the probability that it is legal."""


class PossibleStates:
    """Follow the states that a role holds for possible, with their weights.

    All joint moves of the other roles have the same weight in each state. If there are more than `MAX_STATES` states,
    only the states with the largest weights are kept.
    """

    def __init__(self, machine: StateMachine, role: str) -> None:
        self.is_empty = False  # True if no state explained the last percepts; the states then ignore the percepts
        self._machine = machine
        self._role = role
        self._states: list[tuple[MachineState, float]] = [(machine.initial(), 1.0)]

    def observe(
        self, move: str | None, percepts: Sequence[str], *, terminal: bool, refused: str | None, seconds: float
    ) -> tuple[str, ...]:
        """Process a turn within the given processor time; see `Belief.observe`. All percepts count as known."""
        until = time.thread_time() + seconds
        machine, seen = self._machine, {*percepts}
        found: dict[frozenset[str], tuple[MachineState, float]] = {}
        guesses: list[tuple[MachineState, float]] = []
        for state, weight in self._states:
            if refused is not None and machine.is_legal(state, self._role, refused):
                continue
            joint_moves = list(_some(joint_moves_with(machine, state, self._role, move)))
            for number, joint in enumerate(joint_moves):
                if time.thread_time() > until:
                    break
                after = machine.next(state, joint)
                if machine.terminal(after) != terminal:
                    continue
                share = weight / len(joint_moves)
                if number == 0 or not guesses:
                    guesses.append((after, share))
                if {*machine.percepts(state, joint, self._role)} == seen:
                    key = frozenset(machine.fluents(after))
                    found[key] = (after, share + (found[key][1] if key in found else 0.0))
        self.is_empty = not found
        states = sorted(found.values() or guesses or self._states, key=lambda each: -each[1])[:MAX_STATES]
        total = sum(weight for _, weight in states)
        self._states = [(state, weight / total) for state, weight in states]
        return ()

    def moves(self) -> list[tuple[str, float]]:
        """Return the moves of the role that are legal in some state, the most probable first."""
        weights: dict[str, float] = {}
        for state, weight in self._states:
            if not self._machine.terminal(state):
                for move in self._machine.legal(state, self._role):
                    weights[move] = weights.get(move, 0.0) + weight
        total = sum(weight for state, weight in self._states if not self._machine.terminal(state))
        found = [(move, 1.0 if weight > total - 1e-9 else weight / total) for move, weight in weights.items()]
        return sorted(found, key=lambda each: (-each[1], each[0]))


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
    for joint in joint_moves_with(machine, state, role, move, first=text):
        if {*percept_machine.percepts(of, joint, role)} == seen:
            return joint
        if time.thread_time() > until:
            break
    return None


def joint_moves_with(
    machine: StateMachine, state: MachineState, role: str, move: str | None, first: str = ""
) -> Iterator[tuple[str, ...]]:
    """Yield the legal joint moves of a state in which a role makes a move; None stands for every move."""
    legal = []
    for each in machine.roles:
        moves = sorted(machine.legal(state, each), key=lambda one: (one not in first, one))
        legal.append(moves if each != role or move is None else [one for one in moves if one == move])
    yield from product(*legal)


def _some(joint_moves: Iterator[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    for _, joint in zip(range(_MAX_TRIED), joint_moves, strict=False):
        yield joint


# Follow a match whose messages contain percepts (GDL-II), in a game whose roles see all moves.
#
# The joint moves are found from the percepts. Then the match is played like one without percepts.

# The time for the percepts of a turn: a share of the remaining playclock, within bounds in seconds.
_OBSERVE_SHARE = 0.25
_OBSERVE_SECONDS = 0.2, 1.0


class PerceptFollower(Follower):
    """Keep one machine at the current state of a match; arguments and attributes as for `Follower`."""

    def _advance(
        self,
        turn: PlayerTurn,
        moves: tuple[str, ...],
        machine: StateMachine,
        state: MachineState,
        role: str,
        before: PlayerTurn | None,
    ) -> MachineState:
        joints = self._joint_moves(turn, moves, machine, state, role, before)
        if joints is None:
            self._match.warn(f"turn {turn.number}: no joint move explains the percepts: {' '.join(moves)[:200]}")
        for joint in joints or ():
            state = machine.next(state, joint)
            if self._policy is not None and not turn.final:
                self._policy.advance(state, joint)
        return state

    def _joint_moves(
        self,
        turn: PlayerTurn,
        moves: tuple[str, ...],
        machine: StateMachine,
        state: MachineState,
        role: str,
        before: PlayerTurn | None,
    ) -> list[Sequence[str]] | None:
        """Return the joint moves from the last known state to a turn: one, or two if a turn was missed."""
        percepts = self._percepts(moves)
        own = self._own_move(turn, before)
        seconds = observe_seconds(turn)
        seer = self._seer(machine)
        lost = before is not None and before.moves is None and before.number > 0
        if not lost and (found := joint_move_of(machine, seer, state, role, own, percepts, seconds)) is not None:
            return [found]
        joint = self._joint_move(moves)
        if joint is not None and is_legal(machine, state, joint):
            return [joint]
        if not lost and (found := joint_move_of(machine, seer, state, role, None, percepts, seconds)) is not None:
            self._match.warn(f"turn {turn.number}: the game manager replaced our move")
            return [found]
        until = time.thread_time() + seconds
        for missed in joint_moves_with(machine, state, role, None):
            if time.thread_time() > until:
                return None
            after = machine.next(state, missed)
            if machine.terminal(after):
                continue
            found = joint_move_of(machine, seer, after, role, turn.last_move and own, percepts, seconds)
            if found is not None:
                self._match.warn(f"turn {turn.number}: a turn was missed; assumed joint move: {' '.join(missed)}")
                return [missed, found]
        return None

    def _seer(self, machine: StateMachine) -> StateMachine:
        """Return a machine that computes percepts: the given one, or the reference interpreter for a native game."""
        has_percepts = isinstance(machine, ReferenceMachine | CompiledMachine) and not isinstance(
            machine, NativeMachine
        )
        return machine if has_percepts else ReferenceMachine(self._rules.sheet)

    # ---- what messages say

    def _percepts(self, moves: Sequence[str]) -> tuple[str, ...]:
        """Return percepts in the spelling of the sheet, without invalid ones."""
        terms = [self._rules.read_term(text) for text in moves]
        return tuple(sorted({term for term in terms if term is not None}))

    def _own_move(self, turn: PlayerTurn, before: PlayerTurn | None) -> str | None:
        """Return our move before a turn: the move that the game manager reports, else our answer; None without one."""
        if turn.last_move is not None:
            return self._rules.read_term(turn.last_move)
        return None if before is None or before.answer in ("", NIL) else self._rules.read_term(before.answer)

    def _joint_move(self, moves: tuple[str, ...]) -> list[str] | None:
        """Return the joint move of a message that has no percepts but moves; None if it cannot be one."""
        try:
            return self._rules.read_moves(moves)
        except ValueError:
            return None


def observe_seconds(turn: PlayerTurn) -> float:
    """Return the time to process the percepts of a turn."""
    least, most = _OBSERVE_SECONDS
    left = turn.deadline.left()
    return max(least, min(most, _OBSERVE_SHARE * left)) if left else most  # no move is requested without a deadline


logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One turn as the role saw it."""

    move: str | None  # our move; None if it is not known
    percepts: tuple[str, ...]
    # The move that we sent, if the game manager replaced it because it was not legal; otherwise None.
    refused: str | None
    is_final: bool  # whether the game is over after the turn
    is_sure: bool  # false if the game manager may have replaced the move without a report


class HiddenFollower(PerceptFollower):
    """Follow a match whose messages contain percepts, with or without hidden information.

    `Follower` describes the arguments and attributes.
    """

    def _follow(self, machine: StateMachine, role: str) -> None:
        hides = (
            machine.hides_information if isinstance(machine, CompiledMachine) else hides_information(self._rules.sheet)
        )
        if not hides:
            super()._follow(machine, role)
            return
        self._machine = machine
        self._role = role
        self._knowledge = self._new_knowledge()
        self._seen: list[_Seen] = []
        self._true_state: MachineState | None = machine.initial()  # while each message can be a joint move
        self._has_joint_moves = False
        self._was_empty = False
        self._was_unsure = False
        self._likely: list[str] = []  # the moves that were most probably legal in the last turn
        before: PlayerTurn | None = None
        while (turn := self._next_turn()) is not None and not self._closed.is_set():
            if before is not None:
                self._observe(turn, before)
            before = turn
            self.reached = turn.number
            if turn.final:
                logger.info("the match is over; the game hides information, so the goals are not known")
                return
            if not turn.answered.is_set():
                self._answer_from_knowledge(turn)

    def _new_knowledge(self) -> RoleKnowledge:
        if isinstance(self._policy, HiddenPolicy):
            return self._policy
        if isinstance(self._machine, CompiledMachine):
            game = Game("the game", self._machine.sheet, "")
            return Belief(game, self._role, machine=self._machine)
        return PossibleStates(self._machine, self._role)

    # ---- turns

    def _observe(self, turn: PlayerTurn, before: PlayerTurn) -> None:
        """Process what a message says about the turn before."""
        seconds = observe_seconds(turn)
        sent = self._rules.read_term(before.answer)
        move = self._own_move(turn, before)
        legal = dict(self._knowledge.moves())
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
            percepts = self._percepts(turn.moves)
        is_sure = turn.last_move is not None or self._has_joint_moves or legal.get(move or "", 1) == 1
        self._process(_Seen(move, percepts, refused, turn.final, is_sure), turn.number, seconds)

    def _process(self, seen: _Seen, number: int, seconds: float) -> None:
        unknown = self._tell(seen, seconds)
        self._seen.append(seen)
        if unknown:
            self._match.warn(f"turn {number}: no rule gives the percepts {' '.join(unknown)[:200]}")
        if self._knowledge.is_empty and not all(each.is_sure for each in self._seen):
            self._start_again(seconds)
        if self._knowledge.is_empty and not self._was_empty:
            self._match.warn(f"turn {number}: no state explains the percepts; the last possible states are kept")
        self._was_empty = self._knowledge.is_empty

    def _start_again(self, seconds: float) -> None:
        """Process all turns again, without the moves that the game manager may have replaced."""
        if isinstance(self._knowledge, HiddenPolicy):
            self._knowledge.restart()
        else:
            self._knowledge = self._new_knowledge()
        for each in self._seen:
            self._tell(each if each.is_sure else replace(each, move=None), seconds)

    def _tell(self, seen: _Seen, seconds: float) -> tuple[str, ...]:
        observe = partial(self._knowledge.observe, terminal=seen.is_final, seconds=seconds)
        try:
            return observe(seen.move, seen.percepts, refused=seen.refused)
        except ValueError as error:  # the rules have no such move
            self._match.warn(f"our last move is not known: {error}")
            return observe(None, seen.percepts, refused=None)

    # ---- game managers that send joint moves

    def _true_joint_move(self, turn: PlayerTurn, moves: tuple[str, ...], own: str | None) -> list[str] | None:
        """Return the joint move if the game manager sends joint moves instead of percepts; else None."""
        machine, state = self._machine, self._true_state
        if state is None:
            return None
        joint = self._joint_move(moves) if turn.last_move is None else None
        if joint is None or not is_legal(machine, state, joint):
            self._true_state = None
            return None
        if not self._has_joint_moves:
            percepts = self._percepts(moves)
            if joint_move_of(machine, machine, state, self._role, own, percepts, observe_seconds(turn)) is not None:
                self._true_state = None
                return None
            self._match.warn(
                f"turn {turn.number}: the game manager sends joint moves (GDL-I); "
                f"only the percepts of {self._role} are used"
            )
            self._has_joint_moves = True
        return joint

    def _percepts_of(self, joint: Sequence[str]) -> tuple[str, ...]:
        """Return our percepts of a joint move, and make it in the true state."""
        assert self._true_state is not None
        percepts = tuple(self._machine.percepts(self._true_state, joint, self._role))
        self._true_state = self._machine.next(self._true_state, joint)
        return percepts

    # ---- answers

    def _answer_from_knowledge(self, turn: PlayerTurn) -> None:
        found = self._knowledge.moves()
        if found:
            self._likely = [move for move, probability in found if probability >= found[0][1]]
        else:
            self._match.warn(f"turn {turn.number}: no legal move is known; plays a move of an earlier turn")
        if found and found[0][1] < 1 and not self._was_unsure:
            self._match.warn(f"turn {turn.number}: {self._role} cannot know its legal moves; plays probable ones")
            self._was_unsure = True
        likely = self._likely
        self._learn(turn, likely)
        if len(found) == 1:
            turn.settle(lambda: found[0][0])
        elif found and self._policy is not None:
            if not turn.answered.is_set():
                move = self._policy.think(turn.deadline)
                if not self._closed.is_set():
                    turn.settle(lambda: move if move is not None else self._match.choose(likely))
        elif self.may_pick or not found:
            turn.settle(lambda: self._match.choose(likely) if likely else NIL)

"""Interpret the messages of a match by its rules: our role, moves and percepts, and turns that the player missed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import chain, islice

from gdl import CompiledMachine, GdlError, MachineState, ReferenceMachine, RuleSheet, StateMachine, parse_term
from gdl.language.percepts import hides_information, percept_rules
from gdl.language.terms import to_kif

from ..common.errors import UserError
from ..game.native.native_machine import NativeMachine
from ..hidden.possible_states import joint_moves
from ..protocol.messages import NIL
from .turns import PlayerTurn

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

    def hide_information(self, machine: StateMachine) -> bool:
        """Return whether our role may not know the state on a machine of the rules."""
        return machine.hides_information if isinstance(machine, CompiledMachine) else hides_information(self.sheet)

    def machine_of_percepts(self, machine: StateMachine) -> StateMachine:
        """Return a machine that computes percepts: the given one, or the reference interpreter for a native game."""
        computes = isinstance(machine, ReferenceMachine | CompiledMachine) and not isinstance(machine, NativeMachine)
        return machine if computes or not self.has_percepts else ReferenceMachine(self.sheet)

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
    least, most = _OBSERVE_SECONDS
    left = turn.deadline.left()
    return max(least, min(most, _OBSERVE_SHARE * left)) if left else most  # no move is requested without a deadline

"""Interpret our role and the joint moves of a match by its rules, and find a joint move that the player missed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice, product

from gdl import GdlError, MachineState, ReferenceMachine, RuleSheet, StateMachine, parse_term
from gdl.language.terms import to_kif

from ..common.errors import UserError

# Limits of the search for a missed joint move: tried joint moves, and seconds of processor time.
_MAX_TRIED = 1000
_MAX_SECONDS = 0.5


class MatchRules:
    """The rules of a match and our role."""

    def __init__(self, sheet: RuleSheet, role: str) -> None:
        self.sheet = sheet  # the rules
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

    def read_term(self, text: str) -> str | None:
        """Convert a move or percept to the spelling of the sheet; return None if it is not a term."""
        try:
            return to_kif(parse_term(text, self.sheet.spellings))
        except GdlError:
            return None

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
    machine: StateMachine, state: MachineState, moves: Sequence[str], role: str, answer: str
) -> tuple[str, ...] | None:
    """Return a joint move after which `moves`, which is illegal in `state`, is legal.

    If a PLAY is lost, the player misses its joint move, and the joint move of the next PLAY is not legal in the state
    before. Joint moves that contain our own answer are tried first, then the others. Both groups are in order of code
    points, so that every machine finds the same joint move.
    """
    until = time.thread_time() + _MAX_SECONDS
    for made in islice(_joint_moves(machine, state, role, answer), _MAX_TRIED):
        after = machine.next(state, made)
        if not machine.terminal(after) and is_legal(machine, after, moves):
            return made
        if time.thread_time() > until:
            return None
    return None


def _joint_moves(machine: StateMachine, state: MachineState, role: str, answer: str) -> Iterator[tuple[str, ...]]:
    legal = [sorted(machine.legal(state, each)) for each in machine.roles]
    ours = machine.roles.index(role)
    if answer in legal[ours]:
        yield from product(*legal[:ours], [answer], *legal[ours + 1 :])
    yield from product(*legal[:ours], [move for move in legal[ours] if move != answer], *legal[ours + 1 :])

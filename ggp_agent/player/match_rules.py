"""What the rules of a START say of our role and of the joint moves of the match, also of one that was never told."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice, product

from gdl import GdlError, MachineState, ReferenceMachine, RuleSheet, StateMachine, parse_term
from gdl.language.terms import to_kif

from ..common.errors import UserError

# To explain a missed turn so many joint moves are tried, for so many seconds of processor time at most.
_MOST_TRIED = 1000
_SECONDS = 0.5


class MatchRules:
    """The rules of a match and our role in it, as its manager wrote them.

    Args:
        sheet: the rules.
        role: our role, in the manager's spelling.

    Attributes:
        sheet: the rules.
        role_index: our place among the roles, -1 until a machine has told it.
    """

    def __init__(self, sheet: RuleSheet, role: str) -> None:
        self.sheet = sheet
        self.role_index = -1
        self._role = role
        self._roles: tuple[str, ...] = ()

    def adopt(self, machine: StateMachine) -> str:
        """Find our role among those of a machine, and return it in the spelling of the sheet.

        Raises:
            UserError: it is not there, or has no move to begin with.
        """
        role = to_kif(parse_term(self._role, self.sheet.spellings))
        if role not in machine.roles:
            raise UserError(f"rules of START: no role is called {role}; the roles are {', '.join(machine.roles)}")
        state = machine.initial()
        if machine.some_legal(state, role) == ([], True) and not machine.terminal(state):
            raise UserError(f"rules of START: {role} has no legal move in the initial state")
        self._roles = machine.roles
        self.role_index = machine.roles.index(role)
        return role

    def read_moves(self, moves: tuple[str, ...]) -> list[str]:
        """Read a joint move in the spellings of the sheet.

        Raises:
            ValueError: the number of moves is not the number of roles, or one is no term.
        """
        if len(moves) != len(self._roles):
            if len(self._roles) != 1:
                raise ValueError(f"{len(moves)} moves for {len(self._roles)} roles: {' '.join(moves)[:200]}")
            moves = (f"({' '.join(moves)})",)  # the only role's move, sent without a list around it
        try:
            return [to_kif(parse_term(move, self.sheet.spellings)) for move in moves]
        except GdlError as error:
            raise ValueError(str(error)) from None

    def force(self, machine: StateMachine, state: MachineState, moves: Sequence[str]) -> MachineState:
        """Return the state that the rules make of a joint move which is not legal.

        Raises:
            ValueError: the machine knows no such state, or it leaves us without a move.
        """
        rules = ReferenceMachine(self.sheet)
        forced = rules.next(rules.state(machine.fluents(state)), moves)
        if rules.some_legal(forced, self._roles[self.role_index]) == ([], True) and not rules.terminal(forced):
            raise ValueError(f"after {' '.join(moves)[:200]} there is no legal move")
        return machine.state(rules.fluents(forced))


def is_legal(machine: StateMachine, state: MachineState, moves: Sequence[str]) -> bool:
    """Tell whether every role may make its part of a joint move."""
    return all(machine.is_legal(state, role, move) for role, move in zip(machine.roles, moves, strict=True))


def missed_turn(
    machine: StateMachine, state: MachineState, moves: Sequence[str], role: str, answer: str
) -> tuple[str, ...] | None:
    """Return a joint move after which another one, not legal here, is.

    A PLAY that is lost takes a joint move along, and the one in the next PLAY makes no sense in the state before. Of
    all that may have been made in between, the first is returned that explains it: those with our own answer come
    first, else in the order of the code points, so that every machine finds the same.

    Args:
        machine: of the game.
        state: the last one that was known.
        moves: the joint move that came next.
        role: ours.
        answer: our move in that state, empty where there was none.

    Returns:
        The joint move, None when none explains it, or none was found among the first thousand within half a second.
    """
    until = time.thread_time() + _SECONDS
    for made in islice(_joint_moves(machine, state, role, answer), _MOST_TRIED):
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

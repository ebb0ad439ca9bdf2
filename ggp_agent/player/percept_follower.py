"""Follow a match whose messages contain percepts (GDL-II), in a game whose roles see all moves.

The joint moves are found from the percepts. Then the match is played like one without percepts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from gdl import CompiledMachine, MachineState, ReferenceMachine, StateMachine

from ..game.native.native_machine import NativeMachine
from ..protocol.messages import NIL
from .followers import Follower
from .match_rules import is_legal
from .possible_states import joint_move_of, joint_moves_with
from .turns import PlayerTurn

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
            if self._settings.thinks and not turn.final:
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

"""What a role of a game with hidden information knows: all states that agree with its moves and percepts.

The states are enumerated, so this is for checks of small games and for tests.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from gdl import MachineState, StateMachine

# Beyond this number of joint moves in one turn the states are no longer enumerated.
MOST_JOINT_MOVES = 1_000


class Knowledge:
    """The states that a role holds for possible in one play-out.

    >>> from gdl import ReferenceMachine, parse_sheet
    >>> machine = ReferenceMachine(parse_sheet('''
    ...     (role a) (role random) (legal a wait) (legal random heads) (legal random tails)
    ...     (<= (next (coin ?c)) (does random ?c)) (<= (sees a ?c) (true (coin ?c)))'''))
    >>> knowledge = Knowledge(machine, "a")
    >>> knowledge.observe("wait", [], terminal=False)
    >>> sorted(machine.fluents(state) for state in knowledge.states)
    [['(coin heads)'], ['(coin tails)']]
    """

    def __init__(self, machine: StateMachine, role: str, most: int = MOST_JOINT_MOVES) -> None:
        # The possible states; None if there were too many to enumerate.
        self.states: set[MachineState] | None = {machine.initial()}
        self._machine = machine
        self._role = role
        self._most = most

    def observe(self, move: str, percepts: Sequence[str], *, terminal: bool) -> None:
        """Keep the successors that agree with a turn."""
        if self.states is None:
            return
        machine, wanted = self._machine, sorted(percepts)
        choices = [(state, self._moves(state, move)) for state in self.states]
        if sum(math.prod(map(len, moves)) for _, moves in choices) > self._most:
            self.states = None
            return
        found = set()
        for state, moves in choices:
            for joint in itertools.product(*moves):
                if machine.percepts(state, joint, self._role) == wanted:
                    successor = machine.next(state, joint)
                    if machine.terminal(successor) == terminal:
                        found.add(successor)
        self.states = found

    def knows_its_moves(self) -> bool:
        """Return whether the role has the same legal moves in all possible states, or these are not known."""
        if self.states is None:
            return True
        return len({tuple(sorted(self._machine.legal(state, self._role))) for state in self.states}) < 2

    def _moves(self, state: MachineState, own: str) -> list[list[str]]:
        """Return the moves of each role in a state, where this role makes its own move, if that is legal."""
        machine = self._machine
        moves = [machine.legal(state, role) for role in machine.roles]
        place = machine.roles.index(self._role)
        moves[place] = [own] if own in moves[place] else []
        return moves

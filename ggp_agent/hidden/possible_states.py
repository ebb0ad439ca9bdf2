"""The states that a role holds for possible, on any state machine.

`Belief` is faster and keeps more states, but needs a compiled machine. These states need no preparation, so a player
knows its legal moves while its machine is being built, and if the machine cannot be built.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice, product

from gdl import MachineState, StateMachine

from .role_belief import OBSERVE_SECONDS

# The largest number of states that are kept, and of joint moves that are tried in a turn.
MAX_STATES, MAX_JOINT_MOVES = 256, 10_000


class PossibleStates:
    """Follow the states that a role holds for possible, with their weights.

    All joint moves of the other roles have the same weight in each state. If there are more states than the largest
    number, the states with the largest weights are kept.

    >>> from gdl import ReferenceMachine, parse_sheet
    >>> machine = ReferenceMachine(parse_sheet('''
    ...     (role a) (role random) (legal a wait) (legal random heads) (legal random tails)
    ...     (<= (next (coin ?c)) (does random ?c)) (<= (sees a ?c) (true (coin ?c)))'''))
    >>> states = PossibleStates(machine, "a")
    >>> states.observe("wait", [])
    ()
    >>> sorted(machine.fluents(state) for state, _ in states.states)
    [['(coin heads)'], ['(coin tails)']]
    """

    def __init__(
        self,
        machine: StateMachine,
        role: str,
        *,
        max_states: int = MAX_STATES,
        max_joint_moves: int = MAX_JOINT_MOVES,
    ) -> None:
        self.states: list[tuple[MachineState, float]] = [(machine.initial(), 1.0)]  # with their weights, whose sum is 1
        self.is_empty = False  # True if no state explained the last percepts; the states then ignore the percepts
        self.is_complete = True  # False after a turn that dropped states or joint moves
        self._machine = machine
        self._role = role
        self._max_states = max_states
        self._max_joint_moves = max_joint_moves

    def observe(
        self,
        move: str | None,
        percepts: Sequence[str],
        *,
        terminal: bool = False,
        refused: str | None = None,
        seconds: float = OBSERVE_SECONDS,
    ) -> tuple[str, ...]:
        """Process a turn within the given processor time; see `Belief.observe`. All percepts count as known."""
        until, left = time.thread_time() + seconds, self._max_joint_moves
        machine, seen = self._machine, {*percepts}
        found: dict[MachineState, float] = {}
        guesses: list[tuple[MachineState, float]] = []
        for state, weight in self.states:
            if refused is not None and machine.is_legal(state, self._role, refused):
                continue
            joints = list(islice(joint_moves(machine, state, self._role, move), left + 1))
            self.is_complete &= len(joints) <= left
            for number, joint in enumerate(joints[:left]):
                if time.thread_time() > until:
                    self.is_complete = False
                    break
                after = machine.next(state, joint)
                if machine.terminal(after) != terminal:
                    continue
                share = weight / len(joints)
                if number == 0 or not guesses:
                    guesses.append((after, share))
                if {*machine.percepts(state, joint, self._role)} == seen:
                    found[after] = found.get(after, 0.0) + share
            left = max(0, left - len(joints))
        self.is_empty = not found
        self.is_complete &= 0 < len(found) <= self._max_states
        states = sorted(found.items() or guesses or self.states, key=lambda each: -each[1])[: self._max_states]
        total = sum(weight for _, weight in states)
        self.states = [(state, weight / total) for state, weight in states]
        return ()

    def moves(self) -> list[tuple[str, float]]:
        """Return the moves of the role that are legal in some state, the most probable first."""
        weights: dict[str, float] = {}
        for state, weight in self.states:
            if not self._machine.terminal(state):
                for move in self._machine.legal(state, self._role):
                    weights[move] = weights.get(move, 0.0) + weight
        total = sum(weight for state, weight in self.states if not self._machine.terminal(state))
        found = [(move, 1.0 if weight > total - 1e-9 else weight / total) for move, weight in weights.items()]
        return sorted(found, key=lambda each: (-each[1], each[0]))


def joint_moves(
    machine: StateMachine, state: MachineState, role: str, move: str | None = None, first: str = ""
) -> Iterator[tuple[str, ...]]:
    """Yield the legal joint moves of a state in which a role makes a move; None stands for every move.

    The moves of each role are in order of code points, after the moves that the text `first` contains.
    """
    legal = []
    for each in machine.roles:
        moves = sorted(machine.legal(state, each), key=lambda one: (one not in first, one))
        legal.append(moves if each != role or move is None else [one for one in moves if one == move])
    yield from product(*legal)

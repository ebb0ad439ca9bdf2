"""Follow what a role knows in a game with hidden information (GDL-II), on any state machine.

`PossibleStates` is slow and keeps few states. It needs no preparation, so a player knows its legal moves while
the machine for `Belief` is being built, and if that machine cannot be built.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Protocol

from gdl import MachineState, StateMachine

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

"""The network of a game as plain data, for searches that use formulas instead of states."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from gdl import CompiledMachine, NetworkMachine, StateMachine

if TYPE_CHECKING:
    from gdl._network import Network

# Values 0 and 1 are the constants; 2 is true in a play-out with look-ahead, here false; then the fluents follow.
FALSE_VALUE, TRUE_VALUE, LOOKS_AHEAD, FIRST_FLUENT = 0, 1, 2, 3


class UnservedError(Exception):
    """The reason, in one line, why a solver cannot be used for a game."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate: the AND or OR of the values in `plain` and of the negated values in `complemented`."""

    value: int
    is_or: bool
    plain: tuple[int, ...]
    complemented: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Circuit:
    """The network of one turn of a game of one role; everything is a value with a number."""

    # The gates in order of evaluation; their inputs are constants, fluents, moves or earlier gates.
    gates: tuple[Gate, ...]
    initial: tuple[bool, ...]  # the initial value of each fluent
    moves: tuple[int, ...]  # the value of each move, true if it is made
    legal: tuple[int, ...]  # the value of the legality of each move
    terminal: int  # the value of termination
    goals: tuple[tuple[int, int], ...]  # pairs of a goal, 0..100, and its value, ascending
    # The value of each fluent in the next state, and whether this value is complemented.
    following: tuple[tuple[int, bool], ...]
    move_names: tuple[str, ...]  # the moves as KIF

    @property
    def fluents(self) -> range:
        """The values of the fluents."""
        return range(FIRST_FLUENT, FIRST_FLUENT + len(self.initial))

    def needed(self, wanted: Iterable[int]) -> tuple[Gate, ...]:
        """Return the gates on which some values depend, in order of evaluation."""
        marked = set(wanted)
        kept = []
        for gate in reversed(self.gates):
            if gate.value in marked:
                kept.append(gate)
                marked.update(gate.plain, gate.complemented)
        return tuple(reversed(kept))

    def beginning_with(self, state: bytes) -> Circuit:
        """Return the circuit with another initial state, packed in the format of the machine."""
        bits = int.from_bytes(state, "little")
        return replace(self, initial=tuple(bool(bits >> number & 1) for number in range(len(self.initial))))


def after(machine: CompiledMachine, moves: Iterable[str]) -> bytes:
    """Return the state after some moves from the initial state, in a game of one role."""
    state = machine.initial()
    for move in moves:
        state = machine.next(state, [move])
    return state


def bits(word: int) -> Iterator[int]:
    """Yield the numbers of the set bits, the lowest first.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while word:
        lowest = word & -word
        yield lowest.bit_length() - 1
        word ^= lowest


def circuit_of(machine: NetworkMachine) -> Circuit:
    """Return the circuit of a machine of one role."""
    if len(machine.roles) != 1:
        raise UnservedError(f"the game has {len(machine.roles)} roles")
    network = machine.network
    if network.loop_variables:
        raise UnservedError("the network has recursion")
    if machine.defers_goals:
        raise UnservedError("the goals are too large for a network")
    (legal,), terminal, (goals,), following = network.outputs()
    if not goals:
        raise UnservedError("no line ends with a goal above 0, as the simplified rules show")
    first_move = FIRST_FLUENT + len(machine.fluent_names)
    circuit = Circuit(
        gates=_gates(network),
        initial=(False,) * len(machine.fluent_names),
        moves=tuple(range(first_move, first_move + len(legal))),
        legal=tuple(legal),
        terminal=terminal,
        goals=tuple(goals),
        following=tuple((value, complemented) for _, value, complemented in following),
        move_names=tuple(machine.move_names(0)),
    )
    return circuit.beginning_with(machine.initial())


def _gates(network: Network) -> tuple[Gate, ...]:
    """List the gates of all stages in order of evaluation."""
    gates = [
        Gate(value, is_or, tuple(plain), tuple(complemented))
        for stage in ("legal", "ahead", "goal", "next")
        for value, is_or, plain, complemented in network.gates_of(stage)
    ]
    return tuple(sorted(gates, key=lambda gate: gate.value))


@dataclass(frozen=True, slots=True)
class KnownGoal:
    """The result of a solver so far."""

    goal: int  # the goal at the end of the line, 0..100
    # A line from the initial state to a terminal state, as KIF; empty if none is known, or if the initial state is
    # terminal.
    moves: tuple[str, ...]
    ceiling: int  # an upper bound of the goal of all lines
    progress: str = ""  # the progress of the search, in words

    @property
    def proven(self) -> bool:
        """True if no line is better."""
        return self.goal >= self.ceiling


Report: TypeAlias = Callable[[KnownGoal], None]


def is_followed(goal: int, *, proven: bool, promised: float | None) -> bool:
    """Return True if a match follows a line."""
    return goal > 0 and (proven or promised is None or promised <= goal)


def goal_after(machine: StateMachine, moves: Sequence[str], until: float = math.inf) -> int | None:
    """Play a line on a machine of one role; return the goal at its end."""
    role = machine.roles[0]
    state = machine.initial()
    for move in moves:
        if time.monotonic() >= until or machine.terminal(state) or not machine.is_legal(state, role, move):
            return None
        state = machine.next(state, [move])
    if not machine.terminal(state):
        return None
    return machine.goal(state, role) or 0

"""All states, the nearest first (`csrc/simulation/breadth_first.hpp`): first without what only counts the steps.

A fluent is of the clock when it runs by itself (`dependencies.runs_by_itself`), and neither legal moves nor other
fluents rest on one of them. States that differ in the clock alone are then
taken for one: reached sooner there is more time left, which in most games is worth no less. As this is no proof, all
states are gone through once more, told apart by the clock, when none was left and the best goal was not among them;
where none is left then, the best goal found is proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gdl import NetworkMachine, RuleSheet, StopFlag, load_machine
from gdl._simulation import BreadthFirst, NestedAdaptation

from .circuit import Circuit, UnservedError, after, bits, circuit_of
from .dependencies import fluents_below, runs_by_itself
from .line import Finding, Report

# CPU-seconds after which it is looked whether there is something to tell.
TURN = 0.25

# What a state takes beside its bits: the state before, the move, and its place in the table, which is half empty at
# times and copied when it grows.
_STATE_BYTES = 8 + 16


@dataclass(frozen=True, slots=True)
class StateSpace:
    """What a search through states needs to know of a game of one role.

    Attributes:
        machine: of the game, for this process alone.
        start: the state to begin with.
        target: the highest goal that there may be.
        everything: the mask of all bits of a state.
        but_the_clock: the same without the clock; equal to it where there is none.
        room: how many states the memory has room for.
    """

    machine: NetworkMachine
    start: bytes
    target: int
    everything: bytes
    but_the_clock: bytes
    room: int

    def search(self, mask: bytes) -> BreadthFirst:
        """Return a search through the states that a mask tells apart."""
        return BreadthFirst(self.machine.simulator(), self.start, mask, self.target, self.room)

    def line(self, search: BreadthFirst | NestedAdaptation) -> tuple[str, ...]:
        """Return the line to the best goal that a search has met."""
        return tuple(self.machine.move_name(0, number) for number in search.line)


def state_space(sheet: RuleSheet, before: Sequence[str], memory_mb: int) -> StateSpace:
    """Return the states of a game of one role after some moves.

    Args:
        sheet: the rules.
        before: moves made already, which lead to the state to begin with.
        memory_mb: what the states may take.

    Raises:
        UnservedError: the rules are too large for a network.
    """
    machine = load_machine(sheet)
    circuit = circuit_of(machine)
    assert isinstance(machine, NetworkMachine)
    start = after(machine, before)
    everything = (1 << 8 * len(start)) - 1
    but_the_clock = everything & ~sum(1 << fluent for fluent in clock_of(circuit))
    return StateSpace(
        machine,
        start,
        max(goal for goal, _ in circuit.goals),
        everything.to_bytes(len(start), "little"),
        but_the_clock.to_bytes(len(start), "little"),
        (memory_mb << 20) // (len(start) + _STATE_BYTES),
    )


def breadth_first(sheet: RuleSheet, before: Sequence[str], memory_mb: int, report: Report) -> None:
    """Meet all states of a game of one role.

    Args:
        sheet: the rules.
        before: moves made already, which lead to the state to begin with.
        memory_mb: what the states may take.
        report: takes what is found.

    Raises:
        UnservedError: the rules are too large for a network, or the states for the memory.
    """
    space = state_space(sheet, before, memory_mb)
    if space.but_the_clock != space.everything and _search(space, report, memory_mb, exact=False):
        return
    _search(space, report, memory_mb, exact=True)


def _search(space: StateSpace, report: Report, memory_mb: int, *, exact: bool) -> bool:
    """Go through the states, told apart by the clock too or not; tell whether the goal wanted was among them."""
    search = space.search(space.everything if exact else space.but_the_clock)
    stop = StopFlag()
    best = -1
    while True:
        status = search.run(TURN, stop)
        goal = -1 if search.best is None else search.best
        if goal > best:
            best = goal
            report(Finding(goal, space.line(search), space.target, _told(search, exact=exact)))
        if status == BreadthFirst.FOUND_TARGET:
            return True
        if status == BreadthFirst.OUT_OF_MEMORY:
            raise UnservedError(f"{_told(search, exact=exact)} take {memory_mb:,} MB, and there are more")
        if status == BreadthFirst.SAW_ALL:
            if exact:
                best = max(goal, 0)
                report(Finding(best, space.line(search), best, f"all {_told(search, exact=exact)}"))
            return False


def _told(search: BreadthFirst, *, exact: bool) -> str:
    return f"{search.states:,} states{'' if exact else ' but for the clock'}"


def clock_of(circuit: Circuit) -> frozenset[int]:
    """Return the fluents, by number, that count the steps and on which only the end and the goals rest."""
    rests_on = fluents_below(circuit)
    next_of = [rests_on[value] for value, _ in circuit.following]
    clock = sum(1 << fluent for fluent in runs_by_itself(circuit))
    others = 0
    for value in circuit.legal:
        others |= rests_on[value]
    for fluent, inputs in enumerate(next_of):
        if not clock >> fluent & 1:
            others |= inputs
    # What others rest on is no mere clock, nor is what makes it.
    while True:
        wider = others
        for fluent in bits(others & clock):
            wider |= next_of[fluent]
        if wider == others:
            return frozenset(bits(clock & ~others))
        others = wider

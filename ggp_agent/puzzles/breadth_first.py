"""Breadth-first search through all states (`csrc/simulation/breadth_first.hpp`), first without the clock.

A fluent belongs to the clock if it changes by itself (`runs_by_itself`), and neither legal moves nor other
fluents depend on it. States that differ only in the clock are treated as the same at first: reaching a state earlier
leaves more time, which in most games is no disadvantage. This is not a proof. So if the search ends without the best
goal, all states are searched again with the clock; if that ends, too, the best goal that was found is proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gdl import NetworkMachine, RuleSheet, StopFlag, load_machine
from gdl._simulation import BreadthFirst, NestedAdaptation

from ..common.errors import require_network
from ..common.terminal_text import amount
from .circuit import Circuit, KnownGoal, Report, UnservedError, after, bits, circuit_of

# CPU-seconds between two reports.
TURN = 0.25

# Bytes of a state besides its bits: its predecessor, the move, and its place in the table, which is at times half empty
# and is copied when it grows.
_STATE_BYTES = 8 + 16


@dataclass(frozen=True, slots=True)
class StateSpace:
    """The states of a game of one role."""

    machine: NetworkMachine  # the state machine, for this process only
    start: bytes  # the state in which the search starts
    target: int  # the highest possible goal
    everything: bytes  # the mask of all bits of a state
    but_the_clock: bytes  # the mask without the clock; equal to `everything` if there is no clock
    room: int  # the number of states that fit in the memory

    def search(self, mask: bytes) -> BreadthFirst:
        """Return a search through the states that differ in a mask."""
        return BreadthFirst(self.machine.simulator(), self.start, mask, self.target, self.room)

    def line(self, search: BreadthFirst | NestedAdaptation) -> tuple[str, ...]:
        """Return the line to the best goal that a search has found."""
        return tuple(self.machine.move_name(0, number) for number in search.line)


def state_space(sheet: RuleSheet, before: Sequence[str], memory_mb: int) -> StateSpace:
    """Return the states of a game of one role after some moves."""
    machine = require_network(load_machine(sheet), "a solver")
    circuit = circuit_of(machine)
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
    """Visit all states of a game of one role."""
    space = state_space(sheet, before, memory_mb)
    if space.but_the_clock != space.everything and _search(space, report, memory_mb, exact=False):
        return
    _search(space, report, memory_mb, exact=True)


def _search(space: StateSpace, report: Report, memory_mb: int, *, exact: bool) -> bool:
    """Search all states, with or without the clock; return True if the best possible goal was found."""
    search = space.search(space.everything if exact else space.but_the_clock)
    stop = StopFlag()
    best = -1
    while True:
        status = search.run(TURN, stop)
        goal = -1 if search.best is None else search.best
        if goal > best:
            best = goal
            report(KnownGoal(goal, space.line(search), space.target, _progress(search, exact=exact)))
        if status == BreadthFirst.FOUND_TARGET:
            return True
        if status == BreadthFirst.OUT_OF_MEMORY:
            raise UnservedError(f"{_progress(search, exact=exact)} take {memory_mb:,} MB, and there are more")
        if status == BreadthFirst.SAW_ALL:
            if exact:
                best = max(goal, 0)
                report(KnownGoal(best, space.line(search), best, f"all {_progress(search, exact=exact)}"))
            return False


def _progress(search: BreadthFirst, *, exact: bool) -> str:
    return f"{amount(search.states, 'state')}{'' if exact else ' without the clock'}"


def fluents_below(circuit: Circuit) -> dict[int, int]:
    """Return for each value the fluents on which it depends, as bits; the bit after the fluents means any move."""
    size = len(circuit.initial)
    found = dict.fromkeys(range(circuit.fluents.start), 0)
    found.update({value: 1 << number for number, value in enumerate(circuit.fluents)})
    found.update(dict.fromkeys(circuit.moves, 1 << size))
    for gate in circuit.gates:
        word = 0
        for value in (*gate.plain, *gate.complemented):
            word |= found[value]
        found[gate.value] = word
    return found


def runs_by_itself(circuit: Circuit) -> frozenset[int]:
    """Return the largest set of fluents, by number, whose next values depend only on the set, and on no move."""
    rests_on = fluents_below(circuit)
    next_of = [rests_on[value] for value, _ in circuit.following]
    found = (1 << len(circuit.initial)) - 1
    while True:
        kept = sum(1 << fluent for fluent in bits(found) if not next_of[fluent] & ~found)
        if kept == found:
            return frozenset(bits(found))
        found = kept


def clock_of(circuit: Circuit) -> frozenset[int]:
    """Return the fluents, by number, that count the steps and on which only the end and the goals depend."""
    rests_on = fluents_below(circuit)
    next_of = [rests_on[value] for value, _ in circuit.following]
    clock = sum(1 << fluent for fluent in runs_by_itself(circuit))
    others = 0
    for value in circuit.legal:
        others |= rests_on[value]
    for fluent, inputs in enumerate(next_of):
        if not clock >> fluent & 1:
            others |= inputs
    # A fluent on which others depend does not belong to the clock, nor do the fluents on which it depends.
    while True:
        wider = others
        for fluent in bits(others & clock):
            wider |= next_of[fluent]
        if wider == others:
            return frozenset(bits(clock & ~others))
        others = wider

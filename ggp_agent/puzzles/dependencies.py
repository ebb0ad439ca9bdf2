"""Dependencies in a circuit: the fluents on which a value depends, and the gates that depend on a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .circuit import Circuit, Gate, bits


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


def conjuncts(circuit: Circuit, value: int, complemented: bool = False) -> Iterator[tuple[int, bool]]:
    """Yield the members of a conjunction, each with whether it is complemented; another value is its only member."""
    gates = {gate.value: gate for gate in circuit.needed([value])}
    pending = [(value, complemented)]
    while pending:
        value, complemented = pending.pop()
        gate = gates.get(value)
        if gate is not None and gate.is_or == complemented:
            pending += [(each, complemented) for each in gate.plain]
            pending += [(each, not complemented) for each in gate.complemented]
        else:
            yield value, complemented


def disjuncts(circuit: Circuit, value: int) -> Iterator[tuple[int, bool]]:
    """Yield the members of a disjunction in the same form."""
    for member, complemented in conjuncts(circuit, value, True):
        yield member, not complemented


class Readers:
    """Find the gates that depend on a value."""

    def __init__(self, gates: Iterable[Gate]) -> None:
        self._readers: dict[int, list[Gate]] = {}
        for gate in gates:
            for value in {*gate.plain, *gate.complemented}:
                self._readers.setdefault(value, []).append(gate)

    def cone(self, value: int) -> list[Gate]:
        """Return the gates that depend on a value, in order of evaluation."""
        found: dict[int, Gate] = {}
        pending = [value]
        while pending:
            for gate in self._readers.get(pending.pop(), ()):
                if gate.value not in found:
                    found[gate.value] = gate
                    pending.append(gate.value)
        return [found[number] for number in sorted(found)]

"""Breadth-first search through the states of one part of a puzzle, with arrays for all states of a depth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .circuit import TRUE_VALUE, Circuit, Gate, UnservedError
from .dependencies import Readers

Truth: TypeAlias = NDArray[np.bool_]

# Bytes of a state, with its key and the move to it.
STATE_BYTES = 300

# Maximal number of states that are expanded together.
_TOGETHER = 1 << 15


def shortest_line(circuit: Circuit, fluents: Sequence[int], most_states: int) -> tuple[int, ...] | None:
    """Return the numbers of the fewest moves that make a circuit terminal."""
    return _Search(circuit, fluents, most_states).run()


class _Search:
    """The visited states, packed, each with its predecessor and the move between them."""

    def __init__(self, circuit: Circuit, fluents: Sequence[int], most_states: int) -> None:
        self._circuit = circuit
        self._fluents = np.array(fluents, dtype=np.intp)
        self._most_states = most_states
        self._early = circuit.needed([*circuit.legal, circuit.terminal])
        self._late = circuit.needed([circuit.following[fluent][0] for fluent in fluents])
        readers = Readers(self._late)
        self._cones = [readers.cone(move) for move in circuit.moves]
        self._read = [self._read_after(cone) for cone in self._cones]
        self._size = 1 + max([circuit.fluents.stop, *circuit.moves, *(gate.value for gate in circuit.gates)])
        self._known: dict[bytes, tuple[bytes, int] | None] = {}

    def run(self) -> tuple[int, ...] | None:
        """Search depth by depth."""
        rows = np.array(self._circuit.initial, dtype=np.bool_)[self._fluents][np.newaxis]
        self._known[_keys(rows)[0]] = None
        while len(rows):
            deeper = []
            for begin in range(0, len(rows), _TOGETHER):
                some = rows[begin : begin + _TOGETHER]
                values = self._values(some)
                ended = np.flatnonzero(values[self._circuit.terminal])
                if len(ended):
                    return self._line(_keys(some[ended[:1]])[0])
                deeper += self._expand(some, values)
            rows = np.concatenate(deeper) if deeper else rows[:0]
        return None

    def _read_after(self, cone: Sequence[Gate]) -> tuple[int, ...]:
        """Return the values on which the next state depends if only the gates of a move are evaluated again."""
        inputs = {value for gate in cone for value in (*gate.plain, *gate.complemented)}
        following = {self._circuit.following[fluent][0] for fluent in self._fluents}
        return tuple((inputs | following) - {gate.value for gate in cone})

    def _values(self, rows: Truth) -> list[Truth]:
        """Evaluate the circuit for some states without a move."""
        circuit = self._circuit
        values = [np.zeros(len(rows), dtype=np.bool_)] * self._size
        values[TRUE_VALUE] = ~values[TRUE_VALUE]
        for value, holds in zip(circuit.fluents, circuit.initial, strict=True):
            values[value] = values[int(holds)]
        for column, fluent in enumerate(self._fluents):
            values[circuit.fluents[fluent]] = rows[:, column]
        _evaluate(self._early, values)
        _evaluate(self._late, values)
        return values

    def _expand(self, rows: Truth, values: list[Truth]) -> list[Truth]:
        """Return the successors of some states that were not visited before."""
        found = []
        before = _keys(rows)
        for number, (move, legal) in enumerate(zip(self._circuit.moves, self._circuit.legal, strict=True)):
            which = np.flatnonzero(values[legal])
            if not len(which):
                continue
            made = {value: values[value][which] for value in self._read[number]}
            made[move] = np.ones(len(which), dtype=np.bool_)
            _evaluate(self._cones[number], made)
            following = [self._circuit.following[fluent] for fluent in self._fluents]
            after = np.stack([made[value] ^ complemented for value, complemented in following], axis=1)
            fresh = []
            for row, key in enumerate(_keys(after)):
                if key not in self._known:
                    self._known[key] = before[which[row]], number
                    fresh.append(row)
            found.append(after[fresh])
            if len(self._known) > self._most_states:
                raise UnservedError(f"a part has more than {self._most_states:,} states")
        return found

    def _line(self, key: bytes) -> tuple[int, ...]:
        moves: list[int] = []
        while (step := self._known[key]) is not None:
            key, move = step
            moves.append(move)
        return tuple(reversed(moves))


def _keys(rows: Truth) -> list[bytes]:
    """Return the rows, packed to bytes."""
    packed = np.packbits(rows, axis=1)
    width = packed.shape[1]
    whole = packed.tobytes()
    return [whole[at : at + width] for at in range(0, len(whole), width)] if width else [b""] * len(rows)


def _evaluate(gates: Iterable[Gate], values: list[Truth] | dict[int, Truth]) -> None:
    """Set the values of gates, in their order."""
    for gate in gates:
        inputs = [values[each] for each in gate.plain] + [~values[each] for each in gate.complemented]
        values[gate.value] = reduce(np.logical_or if gate.is_or else np.logical_and, inputs)

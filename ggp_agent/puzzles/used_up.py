"""Moves that use up other moves: after move m, move n can never be legal again.

All moves m are evaluated together: bit m of a word is the case that m was made. Each value v of the network has two
words, may1(v) and may0(v): v may be true, v may be false. AND, OR and NOT of these are as in Kleene, "Introduction to
Metamathematics", 1952, par. 64:

    K_m := the facts that m makes certain in the state after a state in which m is legal;
    K_m := the facts of K_m that remain certain after any legal move, until nothing changes (greatest fixpoint);
    m uses up n if legal(n) is certainly false under K_m.
"""

from __future__ import annotations

from .circuit import LOOKS_AHEAD, TRUE_VALUE, Circuit


def used_up(circuit: Circuit) -> list[int]:
    """Return a word for each move m; bit n is set if m uses up move n."""
    width = len(circuit.moves)
    everything = (1 << width) - 1
    first = _ThreeValues(circuit, everything)
    for number, move in enumerate(circuit.moves):
        case = 1 << number
        first.may1[move], first.may0[move] = case, everything & ~case
        _require_legal(circuit, first, number, case)
    first.evaluate()
    certain = first.following()
    while True:
        later = _ThreeValues(circuit, everything)
        for fluent, (may1, may0) in zip(circuit.fluents, certain, strict=True):
            later.may1[fluent], later.may0[fluent] = may1, may0
        later.evaluate()
        for move, legal in zip(circuit.moves, circuit.legal, strict=True):
            later.may1[move] = later.may1[legal]
        later.evaluate()
        # A value that is possible now or after a move remains possible.
        following = later.following()
        widened = [(one | one2, zero | zero2) for (one, zero), (one2, zero2) in zip(certain, following, strict=True)]
        if widened == certain:
            break
        certain = widened
    result = [0] * width
    for number, legal in enumerate(circuit.legal):
        never = everything & ~later.may1[legal]
        for maker in range(width):
            if never >> maker & 1:
                result[maker] |= 1 << number
    return result


class _ThreeValues:
    """Evaluate a circuit for all moves at once; inputs are unknown unless they are set."""

    def __init__(self, circuit: Circuit, everything: int) -> None:
        self._circuit = circuit
        size = 1 + max([circuit.fluents.stop, *circuit.moves, *(gate.value for gate in circuit.gates)])
        self.may1 = [everything] * size
        self.may0 = [everything] * size
        self.may1[0] = self.may1[LOOKS_AHEAD] = 0
        self.may0[TRUE_VALUE] = 0

    def evaluate(self) -> None:
        """Compute the gates from the inputs."""
        may1, may0 = self.may1, self.may0
        for gate in self._circuit.gates:
            if gate.is_or:
                some1, all0 = 0, -1
                for value in gate.plain:
                    some1 |= may1[value]
                    all0 &= may0[value]
                for value in gate.complemented:
                    some1 |= may0[value]
                    all0 &= may1[value]
                may1[gate.value], may0[gate.value] = some1, all0
            else:
                all1, some0 = -1, 0
                for value in gate.plain:
                    all1 &= may1[value]
                    some0 |= may0[value]
                for value in gate.complemented:
                    all1 &= may0[value]
                    some0 |= may1[value]
                may1[gate.value], may0[gate.value] = all1, some0

    def following(self) -> list[tuple[int, int]]:
        """Return for each fluent whether it may be true and may be false in the next state."""
        pairs = [(self.may1[value], self.may0[value], sign) for value, sign in self._circuit.following]
        return [(zero, one) if sign else (one, zero) for one, zero, sign in pairs]


def _require_legal(circuit: Circuit, values: _ThreeValues, number: int, case: int) -> None:
    """Set the fluents that are needed for the legality of a move, in the case that it is made."""
    gates = {gate.value: gate for gate in circuit.gates}
    pending = [(circuit.legal[number], True)]
    while pending:
        value, holds = pending.pop()
        gate = gates.get(value)
        if gate is None:
            if value in circuit.fluents:
                word = values.may0 if holds else values.may1
                word[value] &= ~case
        elif gate.is_or != holds:
            pending += [(each, holds) for each in gate.plain] + [(each, not holds) for each in gate.complemented]

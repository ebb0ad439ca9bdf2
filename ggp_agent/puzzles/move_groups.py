"""Groups of moves of which at most one can be made: the moves of a group use up each other (`used_up`).

In most placement games, moves with the same name and some equal arguments are such a group: all numbers for a cell, or
all cells for a number in a row. A selection of arguments for which all groups are of this kind gives a family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from gdl import parse_term
from gdl.language.terms import arguments, relation

from .circuit import LOOKS_AHEAD, TRUE_VALUE, Circuit, UnservedError

# Moves that use up other moves: after move m, move n can never be legal again.
#
# All moves m are evaluated together: bit m of a word is the case that m was made. Each value v of the network has two
# words, may1(v) and may0(v): v may be true, v may be false. AND, OR and NOT of these are as in Kleene, "Introduction to
# Metamathematics", 1952, par. 64:
#
#     K_m := the facts that m makes certain in the state after a state in which m is legal;
#     K_m := the facts of K_m that remain certain after any legal move, until nothing changes (greatest fixpoint);
#     m uses up n if legal(n) is certainly false under K_m.


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


# With more repeatable moves than this, the order of moves matters.
_REPEATABLE = 4

# Maximal number of arguments that are compared.
_ARGUMENTS = 6


@dataclass(frozen=True, slots=True)
class MoveGroups:
    """The groups of the moves of a game; moves are numbers."""

    # Each family is a partition of the moves that can be made once into groups; the first has the fewest.
    families: tuple[tuple[tuple[int, ...], ...], ...]
    repeatable: tuple[int, ...]  # the other moves


def move_groups(circuit: Circuit) -> MoveGroups:
    """Partition the moves into groups."""
    uses_up = used_up(circuit)
    once = [number for number in range(len(circuit.moves)) if uses_up[number] >> number & 1]
    repeatable = [number for number in range(len(circuit.moves)) if not uses_up[number] >> number & 1]
    if len(repeatable) > _REPEATABLE or not once:
        raise UnservedError(f"{len(repeatable)} of {len(circuit.moves)} moves can be repeated")
    families = _by_arguments(circuit, once, uses_up)
    if not families or len(families[0]) == len(once):
        families.insert(0, _greedy(once, uses_up))
    return MoveGroups(tuple(families), tuple(repeatable))


def _by_arguments(circuit: Circuit, once: Sequence[int], uses_up: Sequence[int]) -> list[tuple[tuple[int, ...], ...]]:
    """Return the families by equal arguments, the family with the fewest groups first."""
    terms = {number: parse_term(circuit.move_names[number]) for number in once}
    widest = min(_ARGUMENTS, max(len(arguments(term)) for term in terms.values()))
    families: dict[tuple[tuple[int, ...], ...], None] = {}
    for size in range(widest + 1):
        for places in combinations(range(widest), size):
            groups: dict[object, list[int]] = {}
            for number, term in terms.items():
                args = arguments(term)
                key = (relation(term), tuple(str(args[place]) for place in places if place < len(args)))
                groups.setdefault(key, []).append(number)
            if len(groups) < len(once) and all(_exclusive(group, uses_up) for group in groups.values()):
                families[tuple(map(tuple, groups.values()))] = None
    return sorted(families, key=len)


def _exclusive(group: Sequence[int], uses_up: Sequence[int]) -> bool:
    """Return True if every move of a group uses up the whole group."""
    word = sum(1 << number for number in group)
    return all(uses_up[number] & word == word for number in group)


def _greedy(once: Sequence[int], uses_up: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Start each group with the first remaining move; add, in order, all moves that exclude every move of the group."""
    groups = []
    left = list(once)
    while left:
        group: list[int] = []
        for number in left:
            if all(uses_up[number] >> other & 1 and uses_up[other] >> number & 1 for other in group):
                group.append(number)
        taken = set(group)
        left = [number for number in left if number not in taken]
        groups.append(tuple(group))
    return tuple(groups)

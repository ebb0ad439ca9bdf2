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

from .circuit import Circuit, UnservedError
from .used_up import used_up

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

"""A readable description of an evaluation: the mean weight of each kind of fluent, and its change along the board.

Fluents form a group if they agree in their name and in all arguments except coordinates. An argument is a coordinate if
its values are numbers, or are ordered by facts of the rules such as (next a b). For each group the description has the
mean weight and, by least squares, the slope of the weights along each coordinate.

Weights are given in points of the goal, 0 .. 100, in an even position: 50 tanh(w), which is about 50 w there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gdl import NetworkMachine
from gdl.compile.structure import fact_orders

from .features import OPEN, Words, words_of
from .found_evaluation import FoundEvaluation

# Points of the goal for a weight of 1 in an even position.
_POINTS = 50.0
# The smallest number of different values of a coordinate.
_MIN_PLACES = 3
# The largest number of groups described for a role, and the smallest part of the variance that a described slope
# explains.
_MAX_GROUPS = 24
_MIN_SHARE = 0.1

_Group = tuple[Words, list[int]]


@dataclass(frozen=True, slots=True)
class GroupDescription:
    """One group of fluents."""

    fluents: str  # pattern of the fluents, with `?` for coordinates
    count: int  # number of fluents with a weight
    mean: float  # mean weight in points
    # Points per step along a coordinate, by the number of the argument from 1; only slopes that matter.
    slopes: dict[int, float]
    highest: tuple[str, float] | None  # the fluent with the most points, and the points; None for a single fluent
    lowest: tuple[str, float] | None  # the fluent with the fewest points, and the points; None for a single fluent

    def __str__(self) -> str:
        if self.highest is None or self.lowest is None:
            return f"{self.mean:+.1f}  {self.fluents}"
        slopes = "".join(f", each step of argument {number} {slope:+.2f}" for number, slope in self.slopes.items())
        (high, most), (low, least) = self.highest, self.lowest
        extremes = f"from {least:+.1f} {low} to {most:+.1f} {high}"
        return f"{self.mean:+.1f}  {self.fluents}: mean of {self.count}{slopes}; {extremes}"


def describe(machine: NetworkMachine, found: FoundEvaluation) -> dict[str, list[GroupDescription]]:
    """Return the groups of fluents for each role, the largest weights first."""
    places = [int(place) for place in found.weights.fluents]
    words = [words_of(machine.fluent_names[place]) for place in places]
    groups = list(_groups(words, fact_orders(machine.sheet)))
    result = {}
    for number, role in enumerate(machine.roles):
        points = _POINTS * found.weights.weights[:, number].astype(float)
        described = [_describe_group(pattern, members, words, points, order) for pattern, members, order in groups]
        result[role] = sorted(described, key=lambda each: -_weight(each))
    return result


def lines_of(machine: NetworkMachine, found: FoundEvaluation) -> Iterator[str]:
    """Yield the lines of the description."""
    yield f"{found}"
    if found.obstacle:
        return
    yield "points of the goal in an even position for each fluent that holds:"
    for number, (role, described) in enumerate(describe(machine, found).items()):
        before = found.weights.weights[:, :number]
        same = [
            machine.roles[each]
            for each in range(number)
            if np.allclose(before[:, each], -found.weights.weights[:, number], atol=1e-4)
        ]
        if same and len(machine.roles) == 2:
            yield f"{role}: the points of {same[0]} with the opposite sign"
            continue
        yield f"{role}: {_POINTS * float(found.weights.bias[number]):+.1f} in every state"
        yield from (f"  {each}" for each in described[:_MAX_GROUPS])
        if len(described) > _MAX_GROUPS:
            yield f"  and {len(described) - _MAX_GROUPS:,} more"


def document_of(machine: NetworkMachine, found: FoundEvaluation) -> dict[str, Any]:
    """Return the description as JSON types, with the weights of all fluents."""
    names = [machine.fluent_names[int(place)] for place in found.weights.fluents]
    groups = {role: [asdict(each) for each in described] for role, described in describe(machine, found).items()}
    weights = {
        role: dict(zip(names, (round(float(each), 5) for each in found.weights.weights[:, number]), strict=True))
        for number, role in enumerate(machine.roles)
    }
    return {
        "found": not found.obstacle,
        "reason": str(found),
        "explained": dict(zip(machine.roles, found.explained, strict=True)),
        "playouts": found.playouts,
        "moves": found.moves,
        "cpu_seconds": found.cpu_seconds,
        "groups": groups,
        "bias": dict(zip(machine.roles, map(float, found.weights.bias), strict=True)),
        "weights": weights,
    }


def _weight(group: GroupDescription) -> float:
    ends = [abs(end[1]) for end in (group.highest, group.lowest) if end is not None]
    return max([abs(group.mean), *ends])


def _describe_group(
    pattern: Words,
    members: Sequence[int],
    words: Sequence[Words],
    points: np.ndarray,
    order: Mapping[int, dict[str, int]],
) -> GroupDescription:
    """Describe one group; `order` has the place of each value, by argument."""
    own = points[list(members)]
    name = _spelled(pattern)
    mean = float(own.mean())
    if len(members) == 1:
        return GroupDescription(name, 1, mean, {}, None, None)
    slopes = {}
    for argument, place_of in order.items():
        at = np.array([place_of[words[member][argument]] for member in members], float)
        if at.std() > 0 and own.std() > 0:
            slope = float(np.cov(at, own, bias=True)[0, 1] / at.var())
            if np.corrcoef(at, own)[0, 1] ** 2 > _MIN_SHARE:
                slopes[argument] = slope
    high, low = members[int(own.argmax())], members[int(own.argmin())]
    return GroupDescription(
        name,
        len(members),
        mean,
        slopes,
        (_spelled(words[high]), float(own.max())),
        (_spelled(words[low]), float(own.min())),
    )


def _spelled(words: Words) -> str:
    return words[0] if len(words) == 1 else f"({' '.join(words)})"


def _groups(
    words: Sequence[Words], chains: Sequence[dict[str, int]]
) -> Iterator[tuple[Words, list[int], dict[int, dict[str, int]]]]:
    """Yield the groups: pattern, places of its fluents in `words`, and the order of the values of each coordinate."""
    of_name: dict[tuple[str, int], list[int]] = {}
    for number, own in enumerate(words):
        of_name.setdefault((own[0], len(own)), []).append(number)
    for (_, length), numbers in of_name.items():
        order = {}
        for argument in range(1, length):
            place_of = _order({words[number][argument] for number in numbers}, chains)
            if place_of is not None:
                order[argument] = place_of
        groups: dict[Words, list[int]] = {}
        for number in numbers:
            pattern = tuple(OPEN if at in order else word for at, word in enumerate(words[number]))
            groups.setdefault(pattern, []).append(number)
        yield from ((pattern, members, order) for pattern, members in groups.items())


def _order(words: set[str], chains: Sequence[dict[str, int]]) -> dict[str, int] | None:
    """Return the place of each word in the order of its coordinate; None if the words are not ordered.

    >>> _order({"1", "3", "10"}, []), _order({"a", "b", "c"}, [{"a": 0, "b": 1, "c": 2}]), _order({"x", "o"}, [])
    ({'1': 1, '3': 3, '10': 10}, {'a': 0, 'b': 1, 'c': 2}, None)
    """
    if len(words) < _MIN_PLACES:
        return None
    if all(word.isascii() and word.isdigit() and len(word) < 9 for word in words):
        return {word: int(word) for word in sorted(words, key=int)}
    return next((chain for chain in chains if words <= set(chain)), None)

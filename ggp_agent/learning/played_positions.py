"""Positions of self-play as arrays, to train a network from; they can also be stored for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np

_Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """Positions of finished games; n positions, g groups and m moves.

    A group is the legal moves of one role that chooses in a position, with the probabilities that the search gave them.
    Positions of short searches have no groups: only their values are learned.
    """

    states: _Array  # packed states, uint64, [n, words]; fluent f is bit f % 64 of word f // 64
    movers: _Array  # the number of the only role that chooses, -1 if there are several; int32, [n]
    results: _Array  # the reward of each role at the end of the game, -1 .. 1; float32, [n, roles]
    searched: _Array  # the value of each role that the search found, -1 .. 1; float32, [n, roles]
    group_ends: _Array  # the end of the groups of each position; uint32, [n]
    group_roles: _Array  # the role of each group; int32, [g]
    move_ends: _Array  # the end of the moves of each group; uint32, [g]
    move_numbers: _Array  # the numbers of the moves; int32, [m]
    probabilities: _Array  # the probabilities of the moves, whose sum is 1 in each group; float32, [m]

    def __len__(self) -> int:
        return len(self.movers)

    @classmethod
    def from_core(cls, found: Mapping[str, Any], roles: int) -> Positions:
        """Return the arrays that `_search.SelfPlay.play` returns as bytes."""
        arrays: dict[str, _Array] = {name: np.frombuffer(found[name], kind) for name, kind in _KINDS.items()}
        count = len(arrays["movers"])
        arrays["states"] = arrays["states"].reshape(count, -1 if count else 1)
        for name in ("results", "searched"):
            arrays[name] = arrays[name].reshape(count, roles)
        return cls(**arrays)

    @classmethod
    def none(cls, roles: int) -> Positions:
        """Return no positions."""
        return cls.from_core(dict.fromkeys(_KINDS, b""), roles)

    @classmethod
    def joined(cls, parts: Sequence[Positions]) -> Positions:
        """Return all positions of some parts, at least one, in their order."""
        parts = [part for part in parts if len(part)] or parts[:1]  # an empty part does not know the width of states
        groups = np.cumsum([0, *(len(part.group_roles) for part in parts)])
        moves = np.cumsum([0, *(len(part.move_numbers) for part in parts)])
        arrays = {field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)}
        arrays["group_ends"] = np.concatenate(
            [part.group_ends + np.uint32(first) for part, first in zip(parts, groups, strict=False)]
        )
        arrays["move_ends"] = np.concatenate(
            [part.move_ends + np.uint32(first) for part, first in zip(parts, moves, strict=False)]
        )
        return cls(**arrays)

    def arrays(self) -> dict[str, _Array]:
        """Return the arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, _Array], roles: int) -> Positions:
        """Read the output of `arrays`."""
        if set(arrays) != set(_KINDS):
            raise ValueError("an array of the positions is missing")
        for name, kind in _KINDS.items():
            if arrays[name].dtype != kind or arrays[name].ndim != _DIMENSIONS.get(name, 1):
                raise ValueError(f"the array {name} has another type or shape")
        count = len(arrays["movers"])
        if any(len(arrays[name]) != count for name in ("states", "results", "searched", "group_ends")):
            raise ValueError("the arrays of the positions have different lengths")
        if arrays["results"].shape[1] != roles or arrays["searched"].shape[1] != roles:
            raise ValueError("the positions have another number of roles")
        if len(arrays["group_roles"]) != len(arrays["move_ends"]):
            raise ValueError("the arrays of the groups have different lengths")
        if len(arrays["move_numbers"]) != len(arrays["probabilities"]):
            raise ValueError("the arrays of the moves have different lengths")
        return cls(**{name: np.ascontiguousarray(arrays[name]) for name in _KINDS})


_KINDS: dict[str, type] = {
    "states": np.uint64,
    "movers": np.int32,
    "results": np.float32,
    "searched": np.float32,
    "group_ends": np.uint32,
    "group_roles": np.int32,
    "move_ends": np.uint32,
    "move_numbers": np.int32,
    "probabilities": np.float32,
}
_DIMENSIONS = {"states": 2, "results": 2, "searched": 2}

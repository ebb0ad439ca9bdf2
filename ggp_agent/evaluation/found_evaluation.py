"""The evaluation that preparation found for a game, or the reason why it found none, and the store of both."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from gdl import CompiledMachine, NetworkMachine
from gdl.compile.cache import Beside, Cache, default_cache
from gdl.compile.structure import structure_of
from gdl.json_text import checked_object, checked_text, read_typed
from gdl.machines.compiled import FluentWeights

from ..common.errors import UserError, require_network
from . import FOUND

# Increase this number when the meaning of a stored evaluation changes: older ones are then ignored.
VERSION = 1

# The smallest part of the variance of the goals that an evaluation must predict on new play-outs (correlation 0.17).
MIN_EXPLAINED = 0.03

_DIGITS = 5
_LARGEST_FLUENT = 2**32 - 1
_TYPES = {
    "fluents": tuple[int, ...],
    "weights": tuple[tuple[float, ...], ...],
    "bias": tuple[float, ...],
    "explained": tuple[float, ...],
    **dict.fromkeys(("playouts", "moves", "rounds"), int),
    "cpu_seconds": float,
    "obstacle": str,
}


@dataclass(frozen=True, slots=True, eq=False)
class FoundEvaluation:
    """An evaluation by weights of fluents."""

    weights: FluentWeights  # weights of the fluents by role; without fluents if there is an obstacle
    # Part of the variance of the goal that is predicted on new play-outs (R^2), for each role; 0 if the goal is
    # constant.
    explained: tuple[float, ...]
    playouts: int  # number of random play-outs in the training data
    moves: int  # number of searched moves of self-play games in the training data
    rounds: int  # number of rounds of self-play; 0 if only random play-outs were used
    cpu_seconds: float  # processor time of the training
    obstacle: str = ""  # the reason why no evaluation was found; empty if there is one

    @classmethod
    def none(cls, obstacle: str, roles: int) -> Self:
        """Return a result without evaluation, with its reason."""
        return cls(FluentWeights.of(np.zeros((0, roles))), (0.0,) * roles, 0, 0, 0, 0.0, obstacle)

    def __str__(self) -> str:
        """Return a description in one line."""
        if self.obstacle:
            return f"no evaluation: {self.obstacle}"
        predicted = ", ".join(f"{100 * each:.1f}" for each in self.explained)
        return (
            f"an evaluation by {len(self.weights.fluents):,} fluents, learned from {self.playouts:,} random play-outs "
            f"and {self.moves:,} moves of self-play; it predicts {predicted} % of the variance "
            f"in new {'games' if self.rounds else 'play-outs'}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON types."""
        weights, bias = (np.round(part.astype(float), _DIGITS) for part in (self.weights.weights, self.weights.bias))
        arrays = {"fluents": self.weights.fluents.tolist(), "weights": weights.tolist(), "bias": bias.tolist()}
        return arrays | {name: getattr(self, name) for name in list(_TYPES)[len(arrays) :]}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Read the output of `to_json`; raise ValueError for anything else."""
        values = checked_object(values, set(_TYPES))
        numbers, rows, constants, explained, *rest = (read_typed(kind, values[name]) for name, kind in _TYPES.items())
        if not all(number <= _LARGEST_FLUENT for number in numbers):
            raise ValueError("a number of a fluent is too large")
        fluents, bias = np.array(numbers, np.uint32), np.array(constants, np.float32)
        weights = np.array(rows, np.float32).reshape(len(fluents), len(bias))
        if len(explained) != len(bias) or (fluents[1:] <= fluents[:-1]).any():
            raise ValueError("the fluents are not sorted, or the number of roles differs")
        return cls(FluentWeights(fluents, np.ascontiguousarray(weights), bias), explained, *rest)

    def at_cost(self, cpu_seconds: float) -> Self:
        """Return a copy with another processor time."""
        return replace(self, cpu_seconds=cpu_seconds)


def _read(values: Any) -> tuple[str, FoundEvaluation]:
    stored = checked_object(values, {"network", "found"})
    return checked_text(stored["network"]), FoundEvaluation.from_json(stored["found"])


_STORED = Beside.of_json(
    "evaluation", f"evaluation{VERSION}", _read, lambda pair: {"network": pair[0], "found": pair[1].to_json()}
)


class EvaluationStore:
    """The evaluations that were found for games of this user, stored beside the compiled games.

    The key is the structure of the rules, so copies of a game with other names share one evaluation.
    """

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or default_cache()

    def read(self, machine: NetworkMachine) -> FoundEvaluation | None:
        """Return the stored result for a game; None without a result."""
        network, found = _STORED.read(self._cache, structure_of(machine.sheet).key) or ("", None)
        if found is None or network != _fluents_digest(machine):
            return None
        fits = len(found.explained) == len(machine.roles)
        places = len(machine.fluent_names)
        return found if fits and all(place < places for place in found.weights.fluents) else None

    def write(self, machine: NetworkMachine, found: FoundEvaluation) -> None:
        """Store a result in place of an earlier one."""
        _STORED.write(self._cache, structure_of(machine.sheet).key, (_fluents_digest(machine), found))


def load_found(machine: CompiledMachine, store: EvaluationStore | None = None) -> None:
    """Add the evaluation that was found for its game to a machine that lacks it."""
    if FOUND in machine.evaluations:
        return
    found = (store or EvaluationStore()).read(require_network(machine, f"evaluation.name = {FOUND}"))
    if found is None:
        raise UserError(f"evaluation.name is {FOUND}, but this game has none: run ggp-agent prepare GAME first")
    if found.obstacle:
        raise UserError(f"evaluation.name is {FOUND}, but this game has none: {found.obstacle}")
    machine.add_evaluation(FOUND, found.weights)


def _fluents_digest(machine: NetworkMachine) -> str:
    """Return a digest of the fluents in network order."""
    return hashlib.sha256("\n".join(machine.network.fluents).encode()).hexdigest()[:16]

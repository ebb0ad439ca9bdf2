"""The evaluation that preparation found for a game, or the reason why it found none, and where it is stored."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from gdl import CompiledMachine, NetworkMachine
from gdl.compile.cache import Cache, default_cache
from gdl.compile.structure import structure_of
from gdl.json_text import checked_count, checked_list, checked_number, checked_object, checked_text, parse_json
from gdl.machines.fluent_weights import FluentWeights

from ..common.errors import UserError

logger = logging.getLogger(__name__)

# To be raised whenever what is found changes its meaning: what is kept is then forgotten.
VERSION = 1

# What configurations call it: `evaluation.name = "found"`.
FOUND = "found"
# The part of the variance of the goals that it has to predict on fresh play-outs; the correlation is its root, 0.17.
LEAST_EXPLAINED = 0.03

_DIGITS = 5
_LARGEST_FLUENT = 2**32 - 1
_KEYS = {"fluents", "weights", "bias", "explained", "playouts", "moves", "rounds", "cpu_seconds", "obstacle"}


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """An evaluation by weights of fluents.

    Attributes:
        weights: of the fluents by role; no fluents where there is an obstacle.
        explained: by role the part of the variance of its goal that is predicted on fresh play-outs (R^2); 0 where the
            goal is always the same.
        playouts: at random, from which it was learned first.
        moves: that were searched in games of searches against themselves, from which it was learned then.
        rounds: of such games; 0 where random play-outs alone count.
        cpu_seconds: that it was given.
        obstacle: why there is none; empty where there is one.
    """

    weights: FluentWeights
    explained: tuple[float, ...]
    playouts: int
    moves: int
    rounds: int
    cpu_seconds: float
    obstacle: str = ""

    @classmethod
    def none(cls, obstacle: str, roles: int) -> Self:
        """Say why there is none."""
        return cls(FluentWeights.of(np.zeros((0, roles))), (0.0,) * roles, 0, 0, 0, 0.0, obstacle)

    def __str__(self) -> str:
        """Say in a line what was found."""
        if self.obstacle:
            return f"no evaluation: {self.obstacle}"
        predicted = ", ".join(f"{100 * each:.1f}" for each in self.explained)
        return (
            f"an evaluation by {len(self.weights.fluents):,} fluents, from {self.playouts:,} random play-outs and "
            f"{self.moves:,} moves of searches against themselves; it predicts {predicted} % of the variance "
            f"in {'games that it has not seen' if self.rounds else 'fresh play-outs'}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        weights = self.weights
        return {
            "fluents": weights.fluents.tolist(),
            "weights": [[round(float(each), _DIGITS) for each in row] for row in weights.weights],
            "bias": [round(float(each), _DIGITS) for each in weights.bias],
            "explained": list(self.explained),
            "playouts": self.playouts,
            "moves": self.moves,
            "rounds": self.rounds,
            "cpu_seconds": self.cpu_seconds,
            "obstacle": self.obstacle,
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """Read what `to_json` has written; ValueError where it is something else."""
        told = checked_object(told, _KEYS)
        bias = np.array([checked_number(each) for each in checked_list(told["bias"])], np.float32)
        numbers = [checked_count(each) for each in checked_list(told["fluents"])]
        if not all(number <= _LARGEST_FLUENT for number in numbers):
            raise ValueError("a fluent has no such number")
        fluents = np.array(numbers, np.uint32)
        rows = [[checked_number(each) for each in checked_list(row)] for row in checked_list(told["weights"])]
        weights = np.array(rows, np.float32).reshape(len(fluents), len(bias))
        explained = tuple(map(checked_number, checked_list(told["explained"])))
        if len(explained) != len(bias) or (fluents[1:] <= fluents[:-1]).any():
            raise ValueError("the weights are in no order, or not those of so many roles")
        return cls(
            FluentWeights(fluents, np.ascontiguousarray(weights), bias),
            explained,
            checked_count(told["playouts"]),
            checked_count(told["moves"]),
            checked_count(told["rounds"]),
            checked_number(told["cpu_seconds"]),
            checked_text(told["obstacle"]),
        )

    def at_cost(self, cpu_seconds: float) -> Self:
        """Return the same with what it was given."""
        return replace(self, cpu_seconds=cpu_seconds)


class EvaluationStore:
    """The evaluations that were found for games of this user, beside the compiled games.

    They are kept by the structure of the rules, so for every copy of a game under other names.

    Args:
        cache: where they are kept; that of the user by default.
    """

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or default_cache()

    def read(self, machine: CompiledMachine) -> Found | None:
        """Return what was found for a game; None where nothing was looked for."""
        if not isinstance(machine, NetworkMachine):
            return None
        content = self._cache.read_beside(_name(machine))
        if content is None:
            return None
        try:
            told = checked_object(parse_json(content), {"network", "found"})
            if told["network"] != _fluents_digest(machine):
                return None
            found = Found.from_json(told["found"])
        except (ValueError, RecursionError) as error:
            logger.debug("what is kept as an evaluation is none: %s", error)
            return None
        fits = len(found.explained) == len(machine.roles)
        places = len(machine.fluent_names)
        return found if fits and all(place < places for place in found.weights.fluents) else None

    def write(self, machine: NetworkMachine, found: Found) -> None:
        """Keep what was found in place of what was there."""
        told = {"network": _fluents_digest(machine), "found": found.to_json()}
        self._cache.write_beside(_name(machine), json.dumps(told).encode())


def load_found(machine: CompiledMachine, store: EvaluationStore | None = None) -> None:
    """Give a machine the evaluation that was found for its game, unless it has it.

    Raises:
        UserError: there is none; one line that says why.
    """
    if FOUND in machine.evaluations:
        return
    found = (store or EvaluationStore()).read(machine)
    if found is None:
        why = "it has not been looked for; ggp-agent prepare GAME does"
        if not isinstance(machine, NetworkMachine):
            why = "only games that are played as networks have weights of fluents"
        raise UserError(f"evaluation.name is {FOUND}, but there is none for this game: {why}")
    if found.obstacle:
        raise UserError(f"evaluation.name is {FOUND}, but there is none for this game: {found.obstacle}")
    machine.add_evaluation(FOUND, found.weights)


def _name(machine: CompiledMachine) -> str:
    return f"{structure_of(machine.sheet).key}-evaluation{VERSION}"


def _fluents_digest(machine: NetworkMachine) -> str:
    """Return digits over the places of the fluents, whatever the names in the rules are."""
    return hashlib.sha256("\n".join(machine.network.fluents).encode()).hexdigest()[:16]

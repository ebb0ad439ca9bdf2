"""Types and checks of the arrays that lanes accept and return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..common.errors import ArgumentTypeError, require_integer

Bytes: TypeAlias = npt.NDArray[np.uint8]
Words: TypeAlias = npt.NDArray[np.uint64]
Numbers: TypeAlias = npt.NDArray[np.int8]
Moves: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]

# Replaced by a random legal move, each with the same probability.
DRAW = -1

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def require_moves(moves: npt.ArrayLike, roles: int, n: int) -> Moves:
    """Return the moves of a turn: int32, [roles, n], or [1, n] for the moves of the movers."""
    given = np.asarray(moves)
    if given.dtype.kind not in "iu":
        raise ValueError(f"moves are integers, not {given.dtype}")
    if given.shape not in ((n,), (roles, n)):
        shapes = f"({roles}, {n}), or ({n},) for the moves of the movers"
        raise ValueError(f"moves must have the shape {shapes}, not {given.shape}")
    return np.ascontiguousarray(as_moves(given.reshape(-1, n)))


def require_mask(mask: Any, name: str, n: int) -> Bytes | None:
    """Return a mask of lanes as bytes, [n]; None for None."""
    if mask is None:
        return None
    given = np.asarray(mask)
    if given.shape != (n,) or given.dtype != np.bool_:
        raise ValueError(f"{name} is bool of shape ({n},), not {given.dtype} of shape {given.shape}")
    return np.ascontiguousarray(given).view(np.uint8)


def as_moves(given: npt.NDArray[Any]) -> Moves:
    """Convert integers to int32; integers outside its range become other invalid numbers."""
    return given if given.dtype == np.int32 else np.clip(given, DRAW - 1, 2**31 - 1).astype(np.int32)


def require_states(states: npt.ArrayLike, n: int, words: int) -> Words:
    """Return packed states: uint64, [n, words]."""
    given = np.asarray(states)
    if given.shape != (n, words) or given.dtype != np.uint64:
        raise ValueError(f"states are uint64 of shape {(n, words)}, not {given.dtype} of shape {given.shape}")
    return np.ascontiguousarray(given)


def require_seeds(seed: int | Sequence[int] | Words, n: int) -> Words:
    """Return the random numbers with which n lanes start, uint64, [n]: of one seed, or of one seed for each lane."""
    if np.ndim(seed) == 0:
        seeds = np.arange(n).astype(np.uint64) + np.uint64(require_integer(seed, "seed", "one seed") % 2**64)
    else:
        seeds = np.asarray(seed)
        if seeds.shape != (n,):
            raise ValueError(f"give one seed, or {n}, one for each lane; not {len(seeds)}")
        if seeds.dtype.kind not in "iu":
            raise ArgumentTypeError(f"seeds must be integers, not {seeds.dtype}")
    with np.errstate(over="ignore"):
        return (seeds.astype(np.uint64) + np.uint64(1)) * _GOLDEN

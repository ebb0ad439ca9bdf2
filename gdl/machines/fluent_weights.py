"""Evaluations of states by weights of fluents, as arrays, written by a user or found by learning.

The value of a state for a role is tanh(bias + sum of the weights of all fluents that hold, for this role), so
-1 .. 1; see `csrc/base/fluent_weights.hpp`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class FluentWeights:
    """The weights of one game, for `CompiledMachine.add_evaluation`."""

    # Indices of the fluents that have a weight, ascending, shape (n,); the names of all fluents are
    # `NetworkMachine.fluent_names`.
    fluents: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float32]  # the weight of each of these fluents for each role, finite, shape (n, roles)
    # The constant for each role, finite, shape (roles,); includes fluents that hold in every state.
    bias: npt.NDArray[np.float32]

    @classmethod
    def of(cls, weights: npt.ArrayLike, bias: npt.ArrayLike | None = None) -> Self:
        """Create weights from a matrix with a row for every fluent of the state; rows of zeros are left out.

        >>> FluentWeights.of([[0.5, -0.5], [0, 0], [-1, 1]]).fluents
        array([0, 2], dtype=uint32)
        """
        import numpy as np  # the import takes longer than loading a game, and few games have weights

        matrix = np.asarray(weights, np.float32)
        places = np.flatnonzero(matrix.any(axis=1))
        begin = np.zeros(matrix.shape[1]) if bias is None else bias
        return cls(
            places.astype(np.uint32),
            np.ascontiguousarray(matrix[places]),
            np.ascontiguousarray(begin, np.float32),
        )

"""Evaluations of states by weights of fluents, as arrays: what a person writes down, or a program has found out.

The value of a state for a role is tanh(bias + the sum of the weights, for this role, of all fluents that hold), so
-1 .. 1; see `csrc/fluent_weights.hpp`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class FluentWeights:
    """The weights of one game; `CompiledMachine.add_evaluation` takes them.

    Attributes:
        fluents: places in the state of those that have a weight, ascending, shape (n,); the names of all places are
            `NetworkMachine.fluent_names`.
        weights: of these by role, finite, shape (n, roles).
        bias: by role, finite, shape (roles,); fluents that hold in every state count here.
    """

    fluents: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]

    @classmethod
    def of(cls, weights: npt.ArrayLike, bias: npt.ArrayLike | None = None) -> Self:
        """Make them of a matrix with a row for every place of the state; rows of zeros are left out.

        Args:
            weights: shape (places, roles), finite.
            bias: shape (roles,), finite; zeros by default.

        >>> FluentWeights.of([[0.5, -0.5], [0, 0], [-1, 1]]).fluents
        array([0, 2], dtype=uint32)
        """
        import numpy as np  # takes longer to read in than a game, which seldom has weights

        matrix = np.asarray(weights, np.float32)
        places = np.flatnonzero(matrix.any(axis=1))
        begin = np.zeros(matrix.shape[1]) if bias is None else bias
        return cls(
            places.astype(np.uint32),
            np.ascontiguousarray(matrix[places]),
            np.ascontiguousarray(begin, np.float32),
        )

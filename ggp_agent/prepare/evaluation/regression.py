"""Logistic regression of the result of a game on the fluents of a state, with ridge regularization.

x is a state (its fluents as zeros and ones), y the reward of a role at the end, scaled to 0 .. 1. The weights
v = w + G u of the fluents and the bias b minimise

    - mean over states of [y ln p + (1 - y) ln(1 - p)]  +  (lambda / 2 n) (|w - w'|^2 + |u|^2)

p   1 / (1 + exp(-(x v + b)))
w   weights of single fluents; w' are the initial ones: zeros or an earlier result
u   weights of groups of fluents; G is the membership matrix (features.py)
n   number of states

The minimum is found by L-BFGS (Liu and Nocedal, Mathematical Programming 1989). Since 2 p - 1 = tanh((x v + b) / 2), an
evaluation in -1 .. 1 has half of these weights (`gdl.machines.fluent_weights`).
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit, log_expit

_MOST_ITERATIONS = 200
# The fit ends when a step reduces the loss by less than this part.
_TOLERANCE = 1e-7

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Weights for one role."""

    weights: Array  # v, one weight per fluent
    bias: float  # b

    def predicted(self, states: csr_matrix) -> Array:
        """Return p for each state."""
        return np.asarray(expit(states @ self.weights + self.bias))


class _OverError(Exception):
    """Report that the time of a fit is over."""


def fit(
    states: csr_matrix, ends: Array, groups: csr_matrix, *, ridge: float, cpu_seconds: float, begin: Fit | None = None
) -> Fit:
    """Fit the weights."""
    n, fluents = states.shape
    turned, of_group = states.T.tocsr(), groups.T.tocsr()
    until = time.thread_time() + cpu_seconds
    latest = np.zeros(fluents + groups.shape[1] + 1)
    if begin is not None:
        latest[:fluents], latest[-1] = begin.weights, begin.bias
    first = latest.copy()

    def loss(parameters: Array) -> tuple[float, Array]:
        own, shared, bias = parameters[:fluents], parameters[fluents:-1], parameters[-1]
        z = states @ (own + groups @ shared) + bias
        off = expit(z) - ends
        by_fluent = turned @ off / n
        value = -np.mean(ends * log_expit(z) + (1 - ends) * log_expit(-z))
        slope = np.concatenate([by_fluent, of_group @ by_fluent, [off.mean()]])
        change = (parameters - first)[:-1]
        slope[:-1] += ridge / n * change
        return value + ridge / (2 * n) * float(change @ change), slope

    def note(parameters: Array) -> None:
        latest[:] = parameters
        if time.thread_time() > until:
            raise _OverError

    with suppress(_OverError):
        options = {"maxiter": _MOST_ITERATIONS, "ftol": _TOLERANCE}
        note(minimize(loss, latest.copy(), jac=True, method="L-BFGS-B", callback=note, options=options).x)
    return Fit(latest[:fluents] + groups @ latest[fluents:-1], float(latest[-1]))


def explained(ends: Array, predicted: Array) -> float:
    """Return R^2, the part of the variance of the ends that is predicted; 0 if they are constant.

    >>> explained(np.array([0.0, 1.0]), np.array([0.25, 0.75])), explained(np.ones(3), np.ones(3))
    (0.75, 0.0)
    """
    variance = float(np.var(ends))
    return 1 - float(np.mean((ends - predicted) ** 2)) / variance if variance > 0 else 0.0

"""How the states and moves of a game appear to a learned network; see `csrc/learning/encoding.hpp`."""

from __future__ import annotations

from dataclasses import dataclass

# The number in maps for "no feature" and "no policy".
NONE = 0xFFFF
MAX_FEATURES = 65_535


@dataclass(frozen=True, slots=True)
class View:
    """A state as the network sees it when a certain role chooses.

    Attributes:
        features: the feature of each fluent, or `NONE`.
        policies: the policy of each move by role, or `NONE`.
        values: the value of each role.
        signs: 1 by role, or -1 if the value counts for the opponent.
    """

    features: list[int]
    policies: list[list[int]]
    values: list[int]
    signs: list[float]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A permutation of features, policies and values that maps positions to positions of equal value."""

    features: list[int]
    policies: list[int]
    values: list[int]


@dataclass(frozen=True, slots=True)
class Encoding:
    """The numbers of features, policies and values of a game, its views and its symmetries.

    Attributes:
        features, policies, values: the numbers.
        views: one view, or one for each role if the roles can be exchanged: the view of the role that chooses.
        symmetries: symmetries that multiply samples.
    """

    features: int
    policies: int
    values: int
    views: list[View]
    symmetries: list[Symmetry]

"""How the states and moves of a game appear to a learned network; see `csrc/learning/encoding.hpp`."""

from __future__ import annotations

from dataclasses import dataclass

# The number in maps for "no feature" and "no policy".
NONE = 0xFFFF
MAX_FEATURES = 65_535


@dataclass(frozen=True, slots=True)
class View:
    """A state as the network sees it when a certain role chooses."""

    features: list[int]  # the feature of each fluent, or `NONE`
    policies: list[list[int]]  # the policy of each move by role, or `NONE`
    values: list[int]  # the value of each role
    signs: list[float]  # 1 by role, or -1 if the value counts for the opponent


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A permutation of features, policies and values that maps positions to positions of equal value."""

    features: list[int]
    policies: list[int]
    values: list[int]


@dataclass(frozen=True, slots=True)
class Encoding:
    """The numbers of features, policies and values of a game, its views and its symmetries."""

    features: int
    policies: int
    values: int
    views: list[View]  # one view, or one for each role if the roles can be exchanged: the view of the role that chooses
    symmetries: list[Symmetry]  # symmetries that multiply samples

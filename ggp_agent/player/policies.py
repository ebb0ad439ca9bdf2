"""How a player chooses among its legal moves: `agent` searches, `random` and `legal` do not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .policy import Policy

if TYPE_CHECKING:
    from ..search.config import SearchConfig


class LegalPolicy(Policy):
    """Play the first legal move in the order of the code points."""

    species = "legal"

    def pick(self, legal: Sequence[str]) -> str:
        return min(legal)


class RandomPolicy(Policy):
    """Play a uniformly random legal move; equal seeds play equal matches."""

    species = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def pick(self, legal: Sequence[str]) -> str:
        # Sorted, so that the machine that happened to list the moves has no say.
        return self._random.choice(sorted(legal))


POLICIES = ("agent", "random", "legal")


def make_policy(name: str, seed: int | None = None, config: SearchConfig | None = None) -> Policy:
    """Make the policy of one match by its name, one of `POLICIES`.

    Args:
        name: of the policy.
        seed: of its random choices, random by default.
        config: how `agent` searches, all but the seed; the others have no use for it.

    >>> make_policy("legal").pick(["(mark 2 1)", "(mark 1 1)"])
    '(mark 1 1)'

    Raises:
        ValueError: no policy has this name.
    """
    if name == "legal":
        return LegalPolicy()
    if name == "random":
        return RandomPolicy(seed)
    if name == "agent":
        from .search_policy import SearchPolicy

        return SearchPolicy(seed, config)
    raise ValueError(f"no policy is called {name!r}")

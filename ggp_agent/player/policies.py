"""How a player chooses among its legal moves: `agent` searches, `random` and `legal` do not."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gdl import State, StateMachine

from ..wire.clocks import Deadline
from ..wire.messages import Thoughts

if TYPE_CHECKING:
    from ..search.config import SearchConfig


class Policy(ABC):
    """Choose the moves of one role in one match.

    `pick` is called from any thread. The methods of thinking (`prepare`, `advance`, `think`) are called from one
    thread, in the order of the match; `stop`, `favourite` and `thoughts` from others meanwhile.

    Attributes:
        species: what the answer to INFO calls this kind of player.
        thinks: whether `think` is worth waiting for; if not, `pick` is the choice.
    """

    species: str
    thinks: bool = False

    @abstractmethod
    def pick(self, legal: Sequence[str]) -> str:
        """Choose from the legal moves at once; `legal` holds at least one."""

    def prepare(self, machine: StateMachine, role: str) -> None:  # noqa: B027 - optional
        """Take over the machine on which to think, in its initial state."""

    def advance(self, state: State, moves: Sequence[str]) -> None:  # noqa: B027 - optional
        """Learn the joint move that was made, and the state it led to."""

    def think(self, deadline: Deadline) -> str | None:
        """Choose by the deadline, or earlier when stopped; None when nothing was found."""
        return None

    def ponder(self, wanted: Callable[[], bool]) -> None:  # noqa: B027 - optional
        """Think about the present state while no move is asked for, until stopped or `wanted()` elsewhere."""

    def stop(self) -> None:  # noqa: B027 - optional
        """End `think` or `ponder` as soon as possible; without effect while nothing is thought."""

    def favourite(self) -> str | None:
        """Return the best move found so far, while `think` still runs."""
        thoughts = self.thoughts()
        return thoughts.move if thoughts is not None else None

    def thoughts(self) -> Thoughts | None:
        """Tell what is thought of the present state, or was when `think` ended; None when nothing is."""
        return None


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

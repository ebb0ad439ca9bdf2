"""The players of roles in matches: what they observe, and how they choose within limits."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from gdl import CompiledMachine

from .. import _search
from ..game.game import State
from ..hidden.hidden_searcher import HiddenResult, HiddenSearcher
from ..mcts.config import HiddenConfig
from ..mcts.limits import Limits
from ..mcts.search_result import RootStatistics
from ..protocol.messages import Thoughts
from ..protocol.text_turns import TextAnswers
from .samples import of_search

# The longest wall-clock time to process the percepts of a turn. It is not part of the time of a move, and so long that
# in most games the result does not depend on it.
_OBSERVE_SECONDS = 10.0
# The largest part of the time of `think` in which an equilibrium of a small game is computed.
_SOLVE_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Observation:
    """A turn as a role observes it."""

    move: str  # the own move that was made
    percepts: tuple[str, ...]  # the own percepts; empty if the game does not hide information
    refused: str | None = None  # the chosen move, if it was replaced because it was not legal; otherwise None
    joint: tuple[int, ...] | None = None  # the joint move, by numbers; None for a player that must not see it


@dataclass(frozen=True, slots=True)
class RoleChoice:
    """The choice of a player for its role."""

    move: str  # the move; empty without a legal answer of a text player
    simulations: int = 0  # number of simulations of the search
    found: RootStatistics | None = None  # statistics of a search of the state
    samples: Mapping[str, float] | None = None  # statistics of its simulations (`samples.py`), if they were kept

    def thoughts(self, role: int) -> Thoughts | None:
        """Return the report for adjudication: the expected goal of the role and its bounds; None without a search."""
        if self.found is None:
            return None
        own = self.found.roles[role]
        low, high = own.bounds
        expected = low if low == high else min(max(50 * (float(own.moves["mean"][0]) + 1), 0.0), 100.0)
        return Thoughts("", expected, self.simulations, proven=own.bounds)


class RolePlayer(ABC):
    """Play one role, of which it sees the states unless it is a `KnowingPlayer`."""

    answers: TextAnswers | None = None  # the counts of the answers of a text player

    @abstractmethod
    def search(self, limits: Limits) -> RoleChoice:
        """Choose the move of the next turn."""

    @abstractmethod
    def observe(self, turn: Observation) -> None:
        """Process a turn after which the game is not over."""

    def close(self) -> None:  # noqa: B027
        """End what the player has started."""


class SearchPlayer(RolePlayer):
    """Play one role by the ordinary search of the true state."""

    def __init__(
        self, machine: CompiledMachine, role: int, searcher: _search.Searcher, *, samples: bool = False
    ) -> None:
        self.searcher = searcher
        self._machine = machine
        self._role = role
        self._samples = samples
        if samples:
            searcher.keep_samples()

    def search(self, limits: Limits) -> RoleChoice:
        return self.choice(self.searcher.run(limits))

    def choice(self, found: RootStatistics) -> RoleChoice:
        """Return the best move of a search."""
        best = int(found.roles[self._role].moves["move"][0])
        samples = of_search(*self.searcher.samples()) if self._samples else None
        return RoleChoice(self._machine.move_name(self._role, best), found.simulations, found, samples)

    def observe(self, turn: Observation) -> None:
        assert turn.joint is not None
        self.searcher.advance(turn.joint)


class KnowingPlayer(RolePlayer):
    """Play one role by its own moves and percepts."""

    def __init__(self, start: State, role: int, config: HiddenConfig, seed: int) -> None:
        self._searcher = HiddenSearcher(
            start.game, start.roles[role], seed=seed, machine=start.machine, **asdict(config)
        )
        self.belief = self._searcher.belief  # what the role knows

    def needs_search(self) -> bool:
        """Return whether the role has a choice in the next turn."""
        return len(self.moves()) > 1

    def moves(self) -> list[str]:
        """Return the moves that may be legal."""
        return [move for move, _ in self.belief.moves()]

    def search(self, limits: Limits) -> RoleChoice:
        found = self._searcher.run(
            simulations=limits.simulations, seconds=limits.seconds, cpu_seconds=limits.cpu_seconds
        )
        return RoleChoice(found.move, found.simulations)

    def think(self, seconds: float, stopped: Callable[[], bool]) -> HiddenResult:
        """Search for the next move, or advise a person; compute an equilibrium first if the game is small."""
        until = time.monotonic() + seconds
        self._searcher.solve(_SOLVE_SHARE * seconds, stopped)
        return self._searcher.run(seconds=max(0.0, until - time.monotonic()), stopped=stopped)

    def observe(self, turn: Observation) -> None:
        self._searcher.observe(turn.move, turn.percepts, refused=turn.refused, seconds=_OBSERVE_SECONDS)


class WaitingPlayer(KnowingPlayer):
    """Search also in turns with one move, to learn what other roles do, as players of matches do while they wait."""

    def needs_search(self) -> bool:
        """Return whether the next turn needs a search: to choose a move, or to learn."""
        moves = len(self.moves())
        return moves > 1 or (self._searcher.learns and moves == 1)

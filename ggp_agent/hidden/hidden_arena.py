"""Matches of games with hidden information in the arena, one after the other in each process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gdl import LaneSimulator

from ..arena.adjudication import NEVER
from ..arena.arena import Arena
from ..arena.match_plan import MatchPlan
from ..arena.match_result import MatchResult
from ..mcts.hidden_config import SEEING
from .hidden_match import HiddenMatch
from .hidden_players import HiddenPlayer, SeeingPlayer, WaitingPlayer


@dataclass(frozen=True, slots=True)
class HiddenArena(Arena):
    """Play matches of a game with hidden information; `hidden` of a configuration chooses the player."""

    def seats_side_by_side(self, matches: int) -> int:
        """Return 1: matches are played one after the other."""
        return 1

    def play(self, plans: Iterable[MatchPlan], seats: int, moved: Callable[[int], None]) -> Iterator[MatchResult]:
        referee = self.machine.simulator(64)
        for plan in plans:
            yield self._played(plan, referee, self.players(plan), moved)

    def _played(
        self,
        plan: MatchPlan,
        referee: LaneSimulator,
        players: Mapping[int, HiddenPlayer],
        moved: Callable[[int], None],
    ) -> MatchResult:
        """Play one match and return its result."""
        match = HiddenMatch(plan, self.machine, referee, players, self.opening(plan, referee))
        while (role := match.next_role()) is not None:
            seat = plan.seats[role]
            assert seat is not None
            started = time.thread_time()
            move, simulations = players[role].search(self.limits(seat))
            match.decide(role, move, simulations, time.thread_time() - started)
            moved(1)
        return match.result()

    def players(self, plan: MatchPlan) -> dict[int, HiddenPlayer]:
        """Return a new player for each role except chance, by the number of the role."""
        return {role: self._player(plan, role, seat) for role, seat in enumerate(plan.seats) if seat is not None}

    def _player(self, plan: MatchPlan, role: int, seat: int) -> HiddenPlayer:
        config = self.config(plan, role)
        if config.hidden.method == SEEING:
            return SeeingPlayer(self.machine, role, self._lone_searcher(config, seat))
        return WaitingPlayer(self.machine, role, config.hidden, config.seed)

    def _check_game(self) -> None:
        if self.start is not None or self.adjudication != NEVER:
            raise ValueError("a game with hidden information has neither another start nor adjudication")

"""Matches of games with hidden information in the arena, one after the other in each process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gdl import CompiledMachine

from ..arena.adjudication import NEVER, AdjudicationRules
from ..arena.arena import Arena, Contestant
from ..arena.match_plan import MatchPlan
from ..arena.match_result import MatchResult
from ..arena.workers import MatchTask
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
            players = self.players(plan)
            match = HiddenMatch(plan, self.machine, referee, players, self.opening(plan, referee))
            while (role := match.next_role()) is not None:
                seat = plan.seats[role]
                assert seat is not None
                started = time.thread_time()
                move, simulations = players[role].search(self.limits(seat))
                match.decide(role, move, simulations, time.thread_time() - started)
                moved(1)
            yield match.result()

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


@dataclass(frozen=True, slots=True)
class AnyMatchTask(MatchTask):
    """Matches of a game with or without hidden information."""

    def arena(self, machine: CompiledMachine) -> Arena:
        return arena_for(machine, self.contestants, self.opening_plies, self.adjudication)


def arena_for(
    machine: CompiledMachine,
    contestants: tuple[Contestant, ...],
    opening_plies: int = 0,
    adjudication: AdjudicationRules = NEVER,
) -> Arena:
    """Return the arena of a game with or without hidden information; `Arena` describes the arguments."""
    kind = HiddenArena if machine.hides_information else Arena
    return kind(machine, contestants, opening_plies, adjudication=adjudication)

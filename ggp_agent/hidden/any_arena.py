"""The arena that fits a game and its contestants: with or without hidden information, with or without text players."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from gdl import CompiledMachine, LaneSimulator

from ..arena.adjudication import NEVER, AdjudicationRules
from ..arena.arena import AnyContestant, Arena
from ..arena.match_plan import MatchPlan
from ..arena.match_result import MatchResult
from ..arena.text_contestant import TextContestant
from ..arena.workers import MatchTask
from ..common.errors import UserError
from ..game.game import Game
from ..mcts.hidden_config import SEEING
from ..mcts.limits import Limits
from .hidden_match import HiddenMatch
from .hidden_players import HiddenPlayer, SeeingPlayer, WaitingPlayer
from .program_player import ProgramPlayer


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


@dataclass(frozen=True)  # no slots: they would replace the class, which super() in its methods refers to
class TextArena(HiddenArena):
    """Play matches in which at least one contestant is a text player.

    A turn with one legal move is not requested. A random legal move replaces a missing or invalid answer.
    """

    game: Game | None = None  # the game in requests; None for a game without a name

    def limits(self, contestant: int) -> Limits:
        one = self.contestants[contestant]
        if isinstance(one, TextContestant):
            return Limits(seconds=one.milliseconds / 1000)
        return super().limits(contestant)

    def _player(self, plan: MatchPlan, role: int, seat: int) -> HiddenPlayer:
        contestant = self.contestants[seat]
        if isinstance(contestant, TextContestant):
            return ProgramPlayer(self.machine, role, contestant, self.game)
        if not self.machine.hides_information:
            return SeeingPlayer(self.machine, role, self._lone_searcher(self.config(plan, role), seat))
        return super()._player(plan, role, seat)

    def _played(
        self,
        plan: MatchPlan,
        referee: LaneSimulator,
        players: Mapping[int, HiddenPlayer],
        moved: Callable[[int], None],
    ) -> MatchResult:
        """Play one match and return its result with the counts of answers; the programs end with the match."""
        programs = {role: player for role, player in players.items() if isinstance(player, ProgramPlayer)}
        try:
            result = super()._played(plan, referee, players, moved)
        finally:
            for program in programs.values():
                program.close()
        roles = range(len(plan.seats))
        result = replace(
            result,
            cpu_seconds=tuple(0.0 if role in programs else result.cpu_seconds[role] for role in roles),
            percepts=result.percepts if self.machine.hides_information else (),
            answers=tuple(programs[role].answers if role in programs else None for role in roles),
        )
        for number, contestant in enumerate(self.contestants):
            found = result.answers_of(number)
            if found.requests and found.missing == found.requests:
                raise UserError(f"{contestant.name}: no answer in match {plan.number}: {found.error}")
        return result

    def _check_game(self) -> None:
        if self.start is not None or self.adjudication != NEVER:
            raise ValueError("a comparison with text players has neither another start nor adjudication")


@dataclass(frozen=True, slots=True)
class AnyMatchTask(MatchTask):
    """Matches of any game between any contestants."""

    def arena(self, machine: CompiledMachine) -> Arena:
        return arena_for(machine, self.contestants, self.opening_plies, self.adjudication, self.game)


def arena_for(
    machine: CompiledMachine,
    contestants: tuple[AnyContestant, ...],
    opening_plies: int = 0,
    adjudication: AdjudicationRules = NEVER,
    game: Game | None = None,
) -> Arena:
    """Return the arena of a game with or without hidden information."""
    if any(isinstance(contestant, TextContestant) for contestant in contestants):
        return TextArena(machine, contestants, opening_plies, adjudication=adjudication, game=game)
    kind = HiddenArena if machine.hides_information else Arena
    return kind(machine, contestants, opening_plies, adjudication=adjudication)

"""Matches with text players in the arena, one after the other in each process; the game may hide information."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gdl import LaneSimulator

from ..arena.adjudication import NEVER
from ..arena.match_plan import MatchPlan
from ..arena.match_result import MatchResult
from ..arena.text_contestant import TextContestant
from ..common.errors import UserError
from ..game.game import Game
from ..mcts.limits import Limits
from .hidden_arena import HiddenArena
from .hidden_players import HiddenPlayer, SeeingPlayer
from .program_player import ProgramPlayer


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

"""The arena that fits a game and its contestants: with or without hidden information, with or without text players."""

from __future__ import annotations

from dataclasses import dataclass

from gdl import CompiledMachine

from ..arena.adjudication import NEVER, AdjudicationRules
from ..arena.arena import AnyContestant, Arena
from ..arena.text_contestant import TextContestant
from ..arena.workers import MatchTask
from ..game.game import Game
from .hidden_arena import HiddenArena
from .text_arena import TextArena


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

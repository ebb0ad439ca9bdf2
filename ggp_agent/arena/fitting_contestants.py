"""Refusal of contestants whose configurations do not fit the game."""

from __future__ import annotations

from collections.abc import Iterable

from ..common.errors import UserError
from ..game.game import Game
from ..game.hidden_information import has_hidden_information
from .arena import AnyContestant, Contestant


def require_fitting(game: Game, contestants: Iterable[AnyContestant]) -> None:
    """Refuse keys that have no effect because the game hides information, or because it does not."""
    hides = has_hidden_information(game)
    for contestant in contestants:
        if not isinstance(contestant, Contestant):
            continue
        config = contestant.config
        if without := config.keys_without_effect(hides_information=hides):
            why = f"hidden information, method {config.hidden.method}" if hides else "no hidden information"
            raise UserError(
                f"{contestant.name}: no effect in {game.word} ({why}): {', '.join(without)}; leave them out"
            )

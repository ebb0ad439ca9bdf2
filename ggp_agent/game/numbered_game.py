"""The state machine of a game whose fluents and moves have numbers, which arrays need."""

from __future__ import annotations

from gdl import NumberedMachine

from ..common.errors import UserError
from .game import Game


def numbered_machine(game: Game) -> NumberedMachine:
    """Return the state machine of a game if it numbers fluents and moves."""
    machine = game.machine()
    if not isinstance(machine, NumberedMachine):
        raise UserError(
            f"{game.word} is played by the {machine.kind}, because its rules are too large for a network; its fluents "
            "and moves have no numbers, which arrays need: play it with ggp.load_game"
        )
    return machine

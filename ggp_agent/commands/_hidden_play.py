"""`ggp-agent play` for games with hidden information."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from ..common.errors import UserError
from ..common.terminal_text import amount
from ..game.game import Game
from ..mcts.configurations import read_player_configuration
from ..mcts.limits import Limits
from ..ui.terminal.hidden_session import HiddenSession

if TYPE_CHECKING:
    from gdl import CompiledMachine


def run(
    args: argparse.Namespace,
    game: Game,
    machine: CompiledMachine,
    persons: Sequence[str],
    seconds: float | None,
    read: Callable[[str], str],
) -> int:
    """Play until the game is over or the person quits."""
    for name in ("resume", "record"):
        if getattr(args, name) is not None:
            raise UserError(f"{game.word} hides information: play has no --{name} for such games")
    if len(persons) != 1:
        raise UserError(f"{game.word} hides information: one person plays one role; give --role once, without --watch")
    config = read_player_configuration(args.config)
    if without := config.keys_without_effect(hides_information=True):
        raise UserError(f"--config: no effect in {game.word}, which hides information: {', '.join(without)}")
    session = HiddenSession(
        game,
        machine,
        persons[0],
        config=config.hidden,
        limits=Limits(simulations=args.simulations, seconds=seconds),
        seed=random.getrandbits(63) if args.seed is None else args.seed,
        console=Console(highlight=False, markup=False, emoji=False, soft_wrap=True),
        read=read,
    )
    try:
        session.run()
    except KeyboardInterrupt:
        print(f"interrupted after {amount(session.turns, 'turn')}", file=sys.stderr)
        raise
    return 0

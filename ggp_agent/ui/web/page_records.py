"""The record of a game on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from gdl import CompiledMachine

from ...game.game import Game
from ...records.record_list import SUFFIX
from ..terminal.game_in_play import AGENT
from ..terminal.game_record import GameRecord
from .worker_messages import Begin


def new_record(
    begin: Begin, game: Game, machine: CompiledMachine, players: Mapping[str, str], note: Callable[[str], None]
) -> GameRecord | None:
    """Return a new record; None if the game is not recorded."""
    if begin.folder is None or not game.has_rules:
        return None
    names = {role: f"{AGENT}:{name}" for role, (name, _) in begin.configurations.items()}
    shown = [names.get(role, players[role]) for role in machine.roles]
    return GameRecord(
        None,
        game,
        machine,
        shown,
        begin.seconds,
        note,
        Path(begin.folder),
        token=begin.identifier,
        match_id=Path(begin.record).name.removesuffix(SUFFIX) if begin.resumed else "",
    )

"""Matches of games with hidden information between real players, and scripted players that record their messages."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any

from match_hosting import Notes
from raw_player import RawPlayer, reply

from ggp_agent.game.load import load_game
from ggp_agent.game.roles import is_chance, roles_to_play
from ggp_agent.manager.conditions import Conditions
from ggp_agent.manager.match_manager import MatchManager
from ggp_agent.manager.seats import Seat
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.records.match_record import MatchRecord


def scripted(moves: Sequence[str]) -> RawPlayer:
    """Return a player that is ready, makes these moves, and is done; it repeats the last move."""
    left = list(moves)

    def handle(connection: socket.socket, text: str) -> None:
        word = text.strip("( ").split()[0]
        answer = {"START": "ready", "PLAY": left[0], "STOP": "done"}.get(word, "aborted")
        if word == "PLAY" and len(left) > 1:
            left.pop(0)
        connection.sendall(reply(answer))

    return RawPlayer(handle)


def host_hidden(name: str, urls: Sequence[str], *, play_clock: float = 5.0, **options: Any) -> MatchRecord:
    """Play a match of a game of the catalogue between the players at some addresses; return its record."""
    game = load_game(name)
    players = tuple("random" if is_chance(role) else role for role in game.roles)
    record = MatchRecord("m1", game.name, game.address, game.roles, players, 10.0, play_clock)
    manager_of(record, urls, **options).run()
    return record


def manager_of(record: MatchRecord, urls: Sequence[str], **options: Any) -> MatchManager:
    """Return the manager of a match between the players at some addresses, one per role except chance."""
    game = load_game(record.game)
    conditions = options.setdefault("conditions", Conditions(tolerance=20))
    assert len(urls) == len(roles_to_play(game.roles))
    left = iter(urls)
    seats = [
        Seat(role, "random", None)
        if is_chance(role)
        else Seat(role, role, PlayerClient(next(left), role, conditions.dialect))
        for role in game.roles
    ]
    options = {"observer": Notes(), "seed": 1, "save": lambda: None, **options}
    return MatchManager(game.initial_state("reasoner"), seats, record, **options)

"""What the tests of the player share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from waiting import wait_for
from wire_server import Logged, MakePlayer, PlayMatch, running

from ggp_agent.game.load import load_game
from ggp_agent.manager.conditions import Conditions
from ggp_agent.manager.match_manager import MatchManager
from ggp_agent.manager.seats import Seat
from ggp_agent.player.guard.fork_server import ForkServer
from ggp_agent.player.match.messages import PlayerSettings
from ggp_agent.player.server.player import Player
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.records.match_record import MatchRecord, new_match_id


@pytest.fixture
def make(fork_server: ForkServer) -> Iterator[MakePlayer]:
    """Make players that end with the test."""
    with ExitStack() as players:

        def make(
            policy: str = "legal", *, seed: int = 1, journal: Any = None, silence: float = 600, **settings: Any
        ) -> Player:
            made = Player("p", PlayerSettings(policy, seed, **settings), fork_server, silence=silence, journal=journal)
            players.callback(made.close)
            return made

        yield make


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Logged:
    """Wait until the log contains a text."""
    return lambda text: wait_for(lambda: text in caplog.text)  # type: ignore[no-any-return]


@pytest.fixture
def play_match(make: MakePlayer) -> PlayMatch:
    """Run a match over sockets between players whose servers are in this process."""

    def play_match(name: str, policies: list[str], start_clock: float, play_clock: float) -> MatchRecord:
        game = load_game(name)
        start = game.initial_state()
        match_id = new_match_id(game.name)
        record = MatchRecord(match_id, game.name, game.address, start.roles, tuple(policies), start_clock, play_clock)
        with ExitStack() as servers:
            seats = []
            for seed, (role, policy) in enumerate(zip(start.roles, policies, strict=True)):
                server = servers.enter_context(running(make(policy, seed=seed).answer))
                seats.append(Seat(role, policy, PlayerClient(server.address, policy)))
            conditions = Conditions(tolerance=60)
            MatchManager(start, seats, record, save=lambda: None, seed=1, conditions=conditions).run()
        assert record.completed
        assert {error for errors in record.errors for error in errors} == {""}
        return record

    return play_match

"""Players at addresses."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from raw_player import RawPlayer, reply


@pytest.fixture
def fake_player() -> Iterator[Callable[[Callable[[str], str]], str]]:
    """Serve a function from messages to replies; returns the address."""
    with ExitStack() as stack:

        def serve(answer: Callable[[str], str]) -> str:
            def handle(connection: socket.socket, message: str) -> None:
                connection.sendall(reply(answer(message)))

            return stack.enter_context(RawPlayer(handle)).url

        yield serve


@pytest.fixture
def solvers(fake_player: Callable[[Callable[[str], str]], str]) -> dict[str, str]:
    """Serve two players of the puzzle; return their addresses."""

    def answer(text: str, move: str) -> str:
        time.sleep(0.01)
        return {"START": "ready", "PLAY": move}.get(text.split()[1].upper(), "done")

    return {name: fake_player(lambda text, move=move: answer(text, move)) for name, move in SOLVERS.items()}  # type: ignore[misc]


# The moves of two players of the puzzle in each turn.
SOLVERS = {"yea": "yes", "nay": "no"}

"""A fork server that takes long to start, as on a machine without time for it."""

from __future__ import annotations

import os
import signal

import pytest

from ggp_agent.player import fork_server
from ggp_agent.player.fork_server import ForkServer


def test_a_slow_start_is_waited_for_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "_START", 0.1)
    server = ForkServer()
    assert server._process is not None
    os.kill(server._process.pid, signal.SIGSTOP)
    delays: list[int] = []

    def on_delay() -> None:
        delays.append(len(delays))
        if len(delays) == 3:
            assert server._process is not None
            os.kill(server._process.pid, signal.SIGCONT)

    with server:
        server.wait(on_delay)
        assert len(delays) >= 3


def test_a_start_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    server = ForkServer()
    assert server._process is not None
    os.kill(server._process.pid, signal.SIGKILL)
    with server, pytest.raises(OSError, match="has ended"):
        server.wait()

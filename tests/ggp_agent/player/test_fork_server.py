"""The fork server on an overloaded machine, and when the player ends before it is ready."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from exploding_sheets import children, is_alive
from places import ROOT
from waiting import wait_for

from ggp_agent.player.guard import fork_server
from ggp_agent.player.guard.fork_server import ForkServer


def test_the_player_waits_on_an_overloaded_machine(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(fork_server, "_START_SECONDS", 0.1)
    caplog.set_level(logging.WARNING)
    with ForkServer() as server:
        assert server._process is not None
        server._process.send_signal(signal.SIGSTOP)
        process, told = server._process, "the player is not ready after 0 s: the machine is busy; still waiting"

        def continue_it() -> None:
            wait_for(lambda: told in caplog.text)
            process.send_signal(signal.SIGCONT)

        threading.Thread(target=continue_it).start()
        server.wait()
        server.wait()
    assert told in caplog.text


def test_the_player_does_not_wait_for_a_fork_server_that_has_ended() -> None:
    with ForkServer() as server:
        assert server._process is not None
        server._process.kill()
        with pytest.raises(OSError, match=r"the fork server has ended|reset"):
            server.wait()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_an_end_before_the_fork_server_is_ready_prints_no_traceback(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "run_agent.py"), "serve", "--port", "0"]
    with (tmp_path / "log").open("wb") as log:
        player = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
    server = wait_for(lambda: children(player.pid))[0]
    wait_for(lambda: b"fork_server" in Path(f"/proc/{server}/cmdline").read_bytes())
    os.kill(server, signal.SIGSTOP)
    player.send_signal(number)
    player.wait(60)
    with contextlib.suppress(ProcessLookupError):
        os.kill(server, signal.SIGCONT)
    wait_for(lambda: not is_alive(server))
    assert "Traceback" not in (tmp_path / "log").read_text()

"""`ggp-agent web`: it listens, ends by Ctrl-C without a word too many, and says in one line why it cannot listen."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from ggp_agent.cli import main


def test_it_serves_the_page_until_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ggp_agent", "web", "--port", "0", "--records", str(tmp_path / "matches")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        found = re.fullmatch(r"the page is at (http://127\.0\.0\.1:\d+/) \(Ctrl-C stops it\)\n", line)
        assert found, line
        address = found[1]
        assert "<title>ggp-agent</title>" in requests.get(address, timeout=60).text
        body = {"game": "tic_tac_toe", "players": {"x": "person", "o": "person"}}
        identifier = requests.post(f"{address}api/games", json=body, timeout=60).json()["id"]
        events = f"{address}api/games/{identifier}/events"
        with requests.get(events, stream=True, timeout=60) as stream:
            assert next(stream.iter_lines()).startswith(b"id: ")
            os.kill(server.pid, signal.SIGINT)
            out, err = server.communicate(timeout=60)
    assert (server.returncode, out, err) == (0, "", "stopped\n")


def test_a_port_in_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["web", "--port", str(port)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"ggp-agent: error: cannot listen on 127.0.0.1:{port}: address already in use")
    assert error.count("\n") == 1 and "--port" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "70000"], "give a number from 0 to 65535"),
        (["--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid:9180"),
        (["--records", __file__], "not a folder"),
        (["--puzzles", __file__], "not a list of puzzles"),
    ],
)
def test_mistakes_are_one_line(refusal: Callable[..., str], arguments: list[str], message: str) -> None:
    assert message in refusal("web", *arguments)

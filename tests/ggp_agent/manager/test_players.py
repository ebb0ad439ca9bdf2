"""`ggp-agent players`, with players on real sockets that answer correctly, wrongly or never."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import cli_process
import pytest
from raw_player import free_port

from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.manager.presence import clients_at

pytestmark = pytest.mark.usefixtures("in_empty_folder")

INFO = "((name Ann)(status available)(species alien))"


@pytest.fixture
def listen() -> Iterator[Callable[[bytes | None], str]]:
    """Listen on a free port and send these bytes, if any, on each connection; return the address."""
    sockets: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(answer: bytes | None) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        sockets.append(listener)

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    sockets.append(connection)
                    if answer is not None:
                        connection.recv(4096)
                        connection.sendall(answer)
                        connection.shutdown(socket.SHUT_RDWR)

        thread = threading.Thread(target=serve)
        thread.start()
        threads.append(thread)
        return f"127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for each in list(sockets):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
    for thread in threads:
        thread.join()
    for each in sockets:
        each.close()


def http(text: str, status: str = "200 OK") -> bytes:
    return f"HTTP/1.0 {status}\r\nContent-type: text/acl\r\n\r\n{text}".encode()


def test_answers_and_errors(listen: Callable[[bytes | None], str], capsys: pytest.CaptureFixture[str]) -> None:
    good, atom, bad, strange, silent, closed = (
        listen(http(INFO)),
        listen(http("AVAILABLE")),
        listen(http("((name")),
        listen(http("", "404 Not Found")),
        listen(None),
        f"127.0.0.1:{free_port()}",
    )
    Path("players.txt").write_text(f"# ours\n\n{good}   # the good one\nhttp://{atom}/\n{bad}\n")
    addresses = ["players.txt", strange, silent, closed, good]
    assert main(["players", *addresses, "--timeout", "1.5", "--json"]) == 0
    players = json.loads(capsys.readouterr().out)["players"]
    assert [each["address"].removeprefix("http://").rstrip("/") for each in players] == [
        good,
        atom,
        bad,
        strange,
        silent,
        closed,
    ]
    assert [each["answers"] for each in players] == [True, True, False, False, False, False]
    assert (players[0]["name"], players[0]["status"], players[0]["species"]) == ("Ann", "available", "alien")
    assert players[1]["status"] == "available" and players[1]["name"] == ""
    assert [each["error"] for each in players] == ["", "", "IN", "CE", "TO", "CE"]
    assert players[2]["detail"] == "the answer is invalid: '((name'"
    assert "404" in players[3]["detail"] and "refused" in players[5]["detail"]
    assert "1.5 s" in players[4]["detail"] and players[4]["seconds"] > 1.4
    assert main(["players", good, closed]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["address", "name", "status", "species", "seconds"]
    assert lines[1].split()[:4] == [f"http://{good}", "Ann", "available", "alien"]
    assert lines[2].split()[:5] == [f"http://{closed}", "-", "no", "answer", "(CE)"]
    assert lines[2].endswith("connection refused") and lines[3] == "1 of 2 answered"


def test_no_player_answers(listen: Callable[[bytes | None], str], capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    assert main(["players", f"127.0.0.1:{port}-{port}", listen(http("")), "--timeout", "0.5"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 of 2 answered"


def test_our_own_player(capsys: pytest.CaptureFixture[str]) -> None:
    player = cli_process.start("serve", "--port", "0", "--player", "legal", stderr=subprocess.DEVNULL)
    try:
        assert player.stdout is not None
        line = player.stdout.readline()
        address = next(word for word in line.split() if word.startswith("http://")).rstrip(".,;")
        assert main(["players", address, "--timeout", "20", "--json"]) == 0
        (answer,) = json.loads(capsys.readouterr().out)["players"]
        assert answer["answers"] and answer["status"] == "available" and answer["name"]
    finally:
        player.terminate()
        player.communicate(timeout=60)


def test_watching(listen: Callable[[bytes | None], str]) -> None:
    address = listen(http(INFO))
    watch = cli_process.start("players", address, "--watch", "0.1", "--timeout", "20", "--json")
    assert watch.stdout is not None
    rounds = [json.loads(watch.stdout.readline()) for _ in range(3)]
    watch.send_signal(signal.SIGINT)
    _, err = watch.communicate(timeout=60)
    assert (watch.returncode, err) == (130, "")
    assert all(each["players"][0]["name"] == "Ann" for each in rounds)
    assert rounds[0]["time"] < rounds[1]["time"] < rounds[2]["time"]


def test_addresses() -> None:
    def urls(*words: str) -> list[str]:
        return [client.url for client in clients_at(words)]

    assert urls("localhost") == ["http://localhost:9147"]
    assert urls("10.0.0.2:80", "http://10.0.0.2:80") == ["http://10.0.0.2:80"]
    assert urls("127.0.0.1:9147-9150") == [f"http://127.0.0.1:{port}" for port in range(9147, 9151)]
    assert urls("http://[::1]:9147-9148") == ["http://[::1]:9147", "http://[::1]:9148"]
    Path("list").write_text("a\nb:1-2\n\n# c\n")
    assert urls("list") == ["http://a:9147", "http://b:1", "http://b:2"]
    Path("empty").touch()
    Path("binary").write_bytes(b"\xff\xfe")
    for word, complaint in (
        ("ftp://x", "'ftp://x' is not the address of a player"),
        ("a b", "'a b' is not the address of a player"),
        ("a:port", "is not the address of a player"),
        ("a:70000", "is not the address of a player"),
        (":5", "is not the address of a player"),
        ("a:9-8", "a:9-8: invalid range of ports; give host:9147-9150"),
        ("a:0-8", "invalid range of ports"),
        ("a:1-65536", "invalid range of ports"),
        ("a:1-60000", "more than 250 players"),
        ("empty", "no address is given"),
        ("binary", "binary: this is not a text"),
        ("", "is not the address of a player"),
        ("x" * 5000, "is not the address of a player"),
        ("a\x1b[2J", "is not the address of a player"),
    ):
        with pytest.raises(UserError) as caught:
            urls(word)
        assert complaint in str(caught.value) and len(str(caught.value)) < 200
    many = [f"a{number}:1" for number in range(251)]
    with pytest.raises(UserError, match="a250:1: more than 250 players"):
        urls(*many)


def test_errors_are_one_line(refusal: Callable[..., str]) -> None:
    for arguments, complaint in (
        (("nonsense://x",), "is not the address of a player"),
        (("a:1", "--timeout", "0"), "'0' is not a number of seconds above 0"),
        ((), "the following arguments are required: ADDRESS"),
    ):
        assert complaint in refusal("players", *arguments)

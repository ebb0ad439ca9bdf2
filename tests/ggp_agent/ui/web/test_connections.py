"""Connections without a request do not block the page, and names that are not allowed do not reach the page."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from web_pages import WAIT, ServedPage

from ggp_agent.protocol.connections import room_for_connections
from ggp_agent.ui.web import page_server as connections
from ggp_agent.ui.web.page_server import WebServer

HALF = b"GET /api/catal"
WHOLE = b"GET /api/catalogue HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connect(fresh: ServedPage, host: str = "127.0.0.1") -> socket.socket:
    address = ("127.0.0.1", int(fresh.address.rpartition(":")[2]))
    return socket.create_connection(address, timeout=WAIT, source_address=(host, 0))


def seconds_until_closed(connection: socket.socket, drip: bytes = b"") -> float:
    """Wait until the server closes a connection, and send a byte now and then meanwhile."""
    began = time.monotonic()
    connection.settimeout(0.1)
    while time.monotonic() - began < WAIT:
        with contextlib.suppress(TimeoutError):
            try:
                if drip:
                    connection.sendall(drip)
                if not connection.recv(65536):
                    break
            except ConnectionError:
                break
    return time.monotonic() - began


@pytest.mark.parametrize("addresses", [1, 6])
def test_half_requests_keep_nobody_out(fresh: ServedPage, addresses: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 2 * WAIT)
    room_for_connections(1000)
    with contextlib.ExitStack() as stack:
        for number in range(300):
            connection = stack.enter_context(connect(fresh, f"127.0.0.{1 + number % addresses}"))
            with contextlib.suppress(OSError):
                connection.sendall(HALF)
        assert requests.get(f"{fresh.address}/api/catalogue", timeout=WAIT).status_code == 200


def test_a_request_line_has_to_come_in_time(fresh: ServedPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 1.0)
    game = fresh.begin(game="tic_tac_toe", players={"x": "person", "o": "person"})
    events = f"GET /api/games/{game}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(connect(fresh))
        stream.sendall(events)
        again = stack.enter_context(connect(fresh))
        again.sendall(WHOLE)
        assert again.recv(65536).startswith(b"HTTP/1.1 200")
        again.sendall(HALF)
        silent, dripping = (stack.enter_context(connect(fresh)) for _ in range(2))
        dripping.sendall(HALF)
        assert seconds_until_closed(dripping, b"x") < WAIT / 2
        assert seconds_until_closed(silent) < WAIT / 2
        assert seconds_until_closed(again, b"x") < WAIT / 2
        received = b""
        while b"event: position" not in received:  # a response may take any time
            received += (data := stream.recv(65536))
            assert data, received
        time.sleep(1.2)
        stream.setblocking(False)
        with pytest.raises(BlockingIOError):
            while data := stream.recv(65536):
                pass


def test_other_names_may_be_allowed(tmp_path: Path) -> None:
    with ServedPage(tmp_path, WebServer("127.0.0.1", 0, tmp_path, names=["games.example"])) as fresh:
        for host, status in (("games.example:80", 200), ("other.example", 403), (socket.gethostname(), 200), ("", 403)):
            response = requests.get(f"{fresh.address}/api/catalogue", headers={"Host": host}, timeout=WAIT)
            assert response.status_code == status, host


def test_what_is_no_name_or_origin_is_one_line(refusal: Callable[..., str]) -> None:
    error = refusal("web", "--port", "0", "--allow-name", "http://games.example")
    assert "is not a host name" in error and "--allow-name" in error
    for text in (
        "a.example",
        "https://",
        "https://a/",
        "https://a; script-src *",
        "https://a:0",
        "https://a:99999",
        "",
    ):
        error = refusal("web", "--port", "0", "--allow-frame", text)
        assert "is not an origin" in error and "--allow-frame" in error

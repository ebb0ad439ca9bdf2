"""A player's server for tests, and clients that send it raw bytes."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any

from waiting import wait_for
from wire_samples import post

from ggp_agent.player.guard.fork_server import ForkServer
from ggp_agent.player.match.messages import PlayerSettings
from ggp_agent.player.server.player import Player
from ggp_agent.player.server.player_server import Answer, PlayerServer
from ggp_agent.records.match_record import MatchRecord

Logged = Callable[[str], bool]
MakePlayer = Callable[..., Player]
PlayMatch = Callable[[str, list[str], float, float], MatchRecord]

AVAILABLE = "((name tester) (status available) (species legal) (thinking nil))"


def legal_player(settings: PlayerSettings | None = None, **options: Any) -> Player:
    """Make a player that plays the first legal move."""
    return Player("tester", settings or PlayerSettings("legal"), _fork_server(), **options)


@functools.cache
def _fork_server() -> ForkServer:
    fork_server = ForkServer()
    atexit.register(fork_server.close)
    fork_server.wait()
    return fork_server


@contextlib.contextmanager
def running(answer: Answer | None = None, **options: Any) -> Iterator[PlayerServer]:
    """Serve a player that plays the first legal move, or any function that answers."""
    player = legal_player() if answer is None else None
    options.setdefault("request_timeout", 2)
    with PlayerServer("127.0.0.1", 0, player.answer if player is not None else answer, **options) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
            if player is not None:
                player.close()


def connect(server: PlayerServer, host: str = "127.0.0.1", timeout: float = 60) -> socket.socket:
    return socket.create_connection(server.server_address[:2], timeout=timeout, source_address=(host, 0))


def exchange(server: PlayerServer, request: bytes, *, half_close: bool = False, host: str = "127.0.0.1") -> bytes:
    """Send raw bytes and return all that comes back until the server closes."""
    with connect(server, host) as connection:
        connection.sendall(request)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        return rest(connection)


def rest(connection: socket.socket) -> bytes:
    received = b""
    while data := connection.recv(65536):
        received += data
    return received


def reset(connection: socket.socket) -> None:
    """Close a connection so that the peer gets an error."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def body_of(reply: bytes) -> str:
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200 OK\r\n"), reply
    assert f"Content-length: {len(body)}".encode() in head.split(b"\r\n")
    return body.decode()


def ask(server: PlayerServer, text: str, **options: Any) -> str:
    """Post a message like known managers."""
    return body_of(exchange(server, post(text), **options))


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def settled(threads: int, files: int, seconds: float = 60.0) -> bool:
    """Wait until threads and files do not exceed their former numbers."""
    return bool(wait_for(lambda: threading.active_count() <= threads and open_files() <= files, seconds))

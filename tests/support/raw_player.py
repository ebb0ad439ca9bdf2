"""Players for tests whose function controls each connection, byte by byte."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable

Handle = Callable[[socket.socket, str], None]

HEAD = b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\n"


def receive(connection: socket.socket) -> tuple[bytes, str]:
    """Read one request; return all of it and its message, which is empty if the caller sends nothing."""
    data = b""
    while (found := re.search(rb"(?i)content-length: (\d+)\r\n(?:.*\r\n)*?\r\n", data)) is None:
        if not (more := connection.recv(65536)):
            return data, ""
        data += more
    while len(data) < found.end() + int(found[1]) and (more := connection.recv(65536)):
        data += more
    return data, data[found.end() :].decode()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def reply(text: str) -> bytes:
    return HEAD + f"Content-length: {len(text.encode())}\r\n\r\n{text}".encode()


class RawPlayer:
    """Listen on a port of this computer, and pass each connection and its message to a function.

    A connection is closed when the function returns. Connections without a message are not passed on.

    Attributes:
        requests: the received bytes of each request, in order of arrival.
        messages: the messages of these requests.
    """

    def __init__(self, handle: Handle, port: int = 0) -> None:
        self.requests: list[bytes] = []
        self.messages: list[str] = []
        self._handle = handle
        self._threads: list[threading.Thread] = []
        self._connections: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", port), backlog=512)
        self.port = self._listening.getsockname()[1]
        self._acceptor = threading.Thread(target=self._accept)
        self._acceptor.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def die(self) -> None:
        """Close the port, and then all connections, as at the end of a process."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> RawPlayer:
        return self

    def __exit__(self, *_: object) -> None:
        self.die()
        self._acceptor.join()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._connections.append(connection)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):  # the manager may close the connection at any moment
            request, message = receive(connection)
            if message:
                self.requests.append(request)
                self.messages.append(message)
                self._handle(connection, message)

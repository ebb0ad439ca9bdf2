"""The player's server: match messages over HTTP, in every dialect that managers are known to speak.

One thread per connection, so INFO and ABORT are answered while another thread waits for a move. Requests are POST with
the message as body, GET with the message in the path, or OPTIONS (browsers ask before they post). What is wrong with
the headers of known managers is forgiven: a missing Content-Length, one that counts characters instead of bytes, lines
that end in a bare line feed. What is too big or too slow is dropped.
"""

from __future__ import annotations

import contextlib
import io
import logging
import socket
import socketserver
import threading
import time
import urllib.parse
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .errors import UserError

logger = logging.getLogger(__name__)

MAX_REQUEST = 16 * 1024 * 1024
MAX_CONNECTIONS = 64
# Seconds that a whole request may take to arrive.
REQUEST_TIMEOUT = 15.0
# Seconds to wait for more when the message looks complete but the Content-Length says otherwise, or says nothing.
GRACE = 0.5

_HEADERS = (
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
    "Access-Control-Allow-Headers: Content-Type\r\n"
    "Access-Control-Allow-Age: 86400\r\n"
)

Answer = Callable[[str, float], str]


class PlayerServer(ThreadingHTTPServer):
    """Serve one player.

    Args:
        host, port: where to listen; port 0 takes a free one, `address` then tells which.
        answer: gives the reply to a message; called with its text and the moment its connection was accepted, on the
            monotonic clock, from many threads at once.
        request_timeout: seconds that a request may take to arrive.

    Raises:
        UserError: the address cannot be listened on.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    allow_reuse_port = False

    def __init__(self, host: str, port: int, answer: Answer, *, request_timeout: float = REQUEST_TIMEOUT) -> None:
        self.answer = answer
        self.request_timeout = request_timeout
        self._connections = threading.Semaphore(MAX_CONNECTIONS)
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise UserError(f"cannot listen on {host}:{port}: {reason}; try another --port or --host") from None

    @property
    def address(self) -> str:
        """Return the URL at which managers reach the player."""
        host, port = self.server_address[:2]
        return f"http://{host if isinstance(host, str) else host.decode()}:{port}"

    def server_bind(self) -> None:
        # The base class looks the host's name up, which can take seconds without a network and is not needed.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._connections.acquire(blocking=False):
            logger.warning("more than %d connections; one is dropped", MAX_CONNECTIONS)
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        logger.debug("connection from %s broke off", client_address, exc_info=True)


class RequestReader(io.BufferedIOBase):
    """Read a request from a socket, within one limit of time for all of it.

    A sender of a byte a second never lets a plain socket timeout expire; here it is dropped when the time is over.
    """

    def __init__(self, connection: socket.socket, until: float) -> None:
        self._connection = connection
        self._until = until
        self._buffer = bytearray()
        self._at_end = False

    def readable(self) -> bool:
        return True

    def readline(self, limit: int | None = -1) -> bytes:
        """Read a line with its line feed, or what there is before the end of the stream."""
        size = MAX_REQUEST if limit is None or limit < 0 else limit
        while (end := self._buffer.find(b"\n")) < 0 and len(self._buffer) < size and self._fill(None):
            pass
        length = min(size, end + 1 if end >= 0 else len(self._buffer))
        return self._take(length)

    def read_body(self, length: int | None) -> bytes:
        """Read the body of a request.

        Args:
            length: its Content-Length, None without. As characters may have been counted instead of bytes, the
                parentheses decide: more is read while some are open, and a longer length is not waited for when all
                are closed.

        Raises:
            TimeoutError: it does not arrive in time.
            ValueError: it is too big.
        """
        scanned = opened = closed = 0
        while True:
            opened += self._buffer.count(b"(", scanned)
            closed += self._buffer.count(b")", scanned)
            scanned = len(self._buffer)
            if scanned > MAX_REQUEST:
                raise ValueError("the request is too big")
            complete = 0 < opened <= closed
            enough = length is not None and scanned >= length
            if (enough or length is None) and complete:
                break
            if enough and not opened:
                break
            # Lists that stay open beyond the declared length may just be broken, and an empty body may be meant.
            patient = not complete and not enough and (opened > 0 or length is not None)
            if not self._fill(None if patient else GRACE):
                break
        return self._take(len(self._buffer))

    def _take(self, length: int) -> bytes:
        data = bytes(self._buffer[:length])
        del self._buffer[:length]
        return data

    def _fill(self, patience: float | None) -> bool:
        """Receive some bytes; return whether there were any before the end of the stream or of our patience."""
        if self._at_end:
            return False
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request takes too long")
        self._connection.settimeout(left if patience is None else min(left, patience))
        try:
            data = self._connection.recv(65536)
        except TimeoutError:
            if patience is None:
                raise
            return False
        if not data:
            self._at_end = True
        self._buffer += data
        return bool(data)


class _Handler(BaseHTTPRequestHandler):
    server: PlayerServer

    def setup(self) -> None:
        self.received = time.monotonic()
        super().setup()
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = RequestReader(self.connection, self.received + self.server.request_timeout)
        self.rfile = self.reader

    def do_POST(self) -> None:
        """Answer the message in the body."""
        declared = self.headers.get("Content-Length", "").strip()
        length = int(declared) if declared.isascii() and declared.isdigit() else None
        if length is not None and length > MAX_REQUEST:
            self.send_error(413, "the request is too big")
            return
        try:
            body = self.reader.read_body(length)
        except ValueError as error:
            self.send_error(413, str(error))
            return
        self._answer(body.decode("utf-8", errors="replace"))

    def do_GET(self) -> None:
        """Answer the message in the path."""
        self._answer(urllib.parse.unquote_plus(self.path.lstrip("/"), errors="replace"))

    def do_OPTIONS(self) -> None:
        """Tell browsers that they may post."""
        self._reply(200, "OK", b"")

    def _answer(self, text: str) -> None:
        self._reply(200, "OK", self.server.answer(text, self.received).encode())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse a request in one plain line."""
        reason = self.responses[code][0] if code in self.responses else "Error"
        logger.warning("request refused: %d %s", code, message or reason)
        self._reply(code, reason, (message or reason).encode(errors="replace"))

    def _reply(self, code: int, reason: str, body: bytes) -> None:
        self.close_connection = True
        head = f"HTTP/1.0 {code} {reason}\r\nContent-type: text/acl\r\nContent-length: {len(body)}\r\n{_HEADERS}\r\n"
        self.connection.settimeout(self.server.request_timeout)
        self.wfile.write(head.encode("latin-1") + body)

    def log_message(self, format: str, *args: Any) -> None:
        logger.debug(format, *args)

"""HTTP requests to players: address, connection with a deadline, request, text of the reply.

Replies of players contain many errors. The Content-Length may be missing, wrong, or count characters instead of bytes;
then the parentheses and the end of the stream determine the end of the reply. A reply that was cut off is an error,
as far as it can be detected.
"""

from __future__ import annotations

import contextlib
import errno
import http.client
import os
import re
import socket
import threading
import time
import urllib.parse
from collections.abc import Mapping
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, TypeAlias

from ..common.errors import UserError, describe_os_error
from .clocks import Deadline

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

# The default port of most players.
DEFAULT_PORT = 9147
# Seconds to wait for one address before the next address is tried.
CONNECT_TIMEOUT = 5.0
# Bytes of the body of a reply; longer than any move and any answer to INFO.
MAX_REPLY = 1 << 16
# Bytes of a reply with its headers.
MAX_RECEIVED = 4 * MAX_REPLY

_SCHEME = "http://"
_PROTOCOL = b"HTTP/"
_HOST = re.compile(r"(?![.*])[\w.%~!$&'()+,;=:*-]+", re.ASCII)
# Characters that a path and a query keep; others are sent in percent encoding.
_KEPT_IN_PATH = "!#$%&'()*+,/:;=?@[]~"
# Characters of an address, and of an invalid reply, in messages.
_ADDRESS_SHOWN = 300
_SHOWN = 40

# An address family and an address of it, as in the module `socket`.
EndPoint: TypeAlias = tuple[socket.AddressFamily, Any]


class UnreachableError(Exception):
    """A player cannot be reached."""


class BadReplyError(Exception):
    """A reply is invalid; `code` is the error code of the match record."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class CutOffError(BadReplyError):
    """A reply was cut off."""

    def __init__(self, detail: str) -> None:
        super().__init__("CE", detail)


class PlayerAddress:
    """The URL of a player, the path of its requests, and the addresses of its host.

    >>> address = PlayerAddress("http://localhost/there")
    >>> address.url, address.path
    ('http://localhost:9147/there', '/there')
    >>> PlayerAddress("localhost:9148").url
    'http://localhost:9148'
    """

    def __init__(self, url: str) -> None:
        given, url = url, url if "://" in url else f"{_SCHEME}{url}"
        complaint = f"{given[:_ADDRESS_SHOWN]!r} is not the address of a player; give http://host:port"
        try:
            parts = urllib.parse.urlsplit(url)
            host, port = parts.hostname, DEFAULT_PORT if parts.port is None else parts.port
            if parts.port is None:
                url = parts._replace(netloc=f"{parts.netloc}:{port}").geturl()
        except ValueError:
            raise UserError(complaint) from None
        fit = url.isascii() and url.isprintable() and " " not in url and parts.scheme == "http"
        if not host or not _HOST.fullmatch(host) or not port or not fit:
            raise UserError(complaint)
        self.url, self.host, self.port = url, host, port
        target = parts._replace(scheme="", netloc="", path=parts.path or "/", fragment="").geturl()
        self.path = urllib.parse.quote(target, safe=_KEPT_IN_PATH)
        self._lock = threading.Lock()
        self._found: Future[list[EndPoint]] | None = None

    def end_points(self, deadline: Deadline) -> list[EndPoint]:
        """Return the addresses of the host; they are looked up once."""
        with self._lock:
            if self._found is None:
                self._found = Future()
                threading.Thread(target=self._look_up, args=(self._found,), name="host name", daemon=True).start()
            found = self._found
        if not wait([found], deadline.left()).done:
            raise OSError("the name server does not answer")
        if found.exception() is not None:
            with self._lock:
                self._found = None  # retry at the next call
        return found.result()

    def _look_up(self, found: Future[list[EndPoint]]) -> None:
        """Look up the host, in its own thread because `getaddrinfo` has no time limit."""
        try:
            answers = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            found.set_result([(family, address) for family, _, _, _, address in answers])
        except OSError as error:
            found.set_exception(error)
        except UnicodeError:  # a label is empty or too long
            found.set_exception(OSError(socket.EAI_NONAME, "no such host"))


class PlayerConnection(socket.socket):
    """A connection to a player with one deadline for everything that is sent and received.

    The timeout of a socket applies to each operation: a reply that arrives byte by byte would
    never end.
    """

    deadline: Deadline  # the deadline; must be set before the first byte is sent
    ended = False
    _received = 0

    def sendall(self, data: ReadableBuffer, flags: int = 0) -> None:
        """Send all data; raise TimeoutError at the deadline."""
        self.settimeout(self.deadline.left())
        try:
            super().sendall(data, flags)
        except (TimeoutError, BlockingIOError):
            raise TimeoutError from None
        except OSError:
            pass  # a reply may have arrived nevertheless

    def recv_into(self, buffer: WriteableBuffer, nbytes: int = 0, flags: int = 0) -> int:
        """Receive available data, even after the deadline."""
        self.settimeout(self.deadline.left())
        try:
            count = super().recv_into(buffer, nbytes, flags)
        except (TimeoutError, BlockingIOError):
            raise TimeoutError from None
        except OSError:
            count = 0  # a broken connection ends the reply as a closed one does
        if not self._received and count:
            begin = bytes(memoryview(buffer)[: min(count, _SHOWN)])
            if not begin.startswith(_PROTOCOL[:count]):
                raise BadReplyError("CE", f"the reply is not HTTP: {begin!r}")
        self.ended = not count
        self._received += count
        if self._received > MAX_RECEIVED:
            raise BadReplyError("CE", "the reply is not HTTP: its headers are too long")
        return count


def connect(address: PlayerAddress, deadline: Deadline) -> PlayerConnection:
    """Connect to the first address of a player's host that responds."""
    try:
        end_points = address.end_points(deadline)
    except OSError as error:
        raise UnreachableError(f"{address.host}: {describe_os_error(error)}") from None
    reason = ""
    for family, end_point in end_points:
        began = time.monotonic()
        try:
            return _connect_to(family, end_point, max(0.001, min(CONNECT_TIMEOUT, deadline.left())))
        except TimeoutError:
            reason = f"no connection within {time.monotonic() - began:.1f} s"
        except OSError as error:
            reason = describe_os_error(error)
    raise UnreachableError(reason)


def _connect_to(family: socket.AddressFamily, end_point: Any, seconds: float) -> PlayerConnection:
    connection = PlayerConnection(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(end_point)
        if connection.getsockname() == connection.getpeername():
            # A connection to a free local port may get the same port as its own end.
            raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
    except BaseException:
        connection.close()
        raise
    return connection


def post(connection: PlayerConnection, path: str, headers: Mapping[str, str], body: bytes) -> str:
    """Send a request in HTTP/1.0 with exactly these headers; return the text of the reply and close the connection."""
    lines = [f"POST {path} HTTP/1.0", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    # Reading ends before the body if the status is an error: some players never end such a reply.
    with connection, contextlib.closing(http.client.HTTPResponse(connection, method="POST")) as reply:
        connection.sendall("\r\n".join(lines).encode("ascii") + body)  # in one piece: some players read only once
        try:
            reply.begin()
        except http.client.RemoteDisconnected:
            raise CutOffError("the connection was closed without a reply") from None
        except http.client.HTTPException as error:
            if connection.ended:
                raise CutOffError("the reply was cut off within its headers") from None
            too_long = isinstance(error, http.client.LineTooLong)
            detail = "its headers are too long" if too_long else repr(str(error)[:_SHOWN])
            raise BadReplyError("CE", f"the reply is not HTTP: {detail}") from None
        if connection.ended:
            raise CutOffError("the reply was cut off within its headers")
        if reply.status != 200:
            raise BadReplyError("CE", f"HTTP status {reply.status} {reply.reason[:60]}".strip())
        return _read_text(reply)


def _read_text(reply: http.client.HTTPResponse) -> str:
    """Read the text of a reply, at most `MAX_REPLY` bytes."""
    length = reply.length or 0
    if length > MAX_REPLY:
        length = 0  # ignore an invalid length
    reply.length = None  # do not stop at the length: more text may follow
    body, open_lists = bytearray(), 0
    while not (length and len(body) >= length and open_lists <= 0):
        try:
            data = reply.read1(MAX_REPLY)
        except http.client.HTTPException:
            raise CutOffError("the reply was cut off within a chunk") from None
        if not data:
            break
        body += data
        open_lists += data.count(b"(") - data.count(b")")
        if len(body) > MAX_REPLY:
            raise BadReplyError("IN", f"the reply is longer than {MAX_REPLY:,} bytes")
    if len(body) < length and (b"(" not in body or open_lists > 0):
        raise CutOffError(f"the reply was cut off after {len(body)} of {length} bytes")
    whole = body[:length]
    if b"(" in whole and whole.count(b"(") == whole.count(b")"):
        body = whole
    return body.decode("utf-8", errors="replace").strip()

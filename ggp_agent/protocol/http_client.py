"""HTTP with a player: its address, a connection with a deadline, a request over it, and the text of the reply.

Players are of many makes, so much is forgiven in a reply and nothing is believed: its Content-Length may be missing,
count characters instead of bytes or be plainly wrong; then parentheses and the end of the stream decide. A reply that
was cut off is told from a whole one wherever that can be told.
"""

from __future__ import annotations

import errno
import http.client
import os
import socket
import threading
import time
import urllib.parse
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, TypeAlias

import requests
from requests.adapters import BaseAdapter

from ..common.errors import UserError, describe_os_error
from .clocks import Deadline

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

# The port on which players of every make listen by default.
DEFAULT_PORT = 9147
# Seconds until an address that does not respond is given up and the next one tried.
CONNECT_TIMEOUT = 5.0
# Bytes of a reply: longer than any move and any answer to INFO. The rest is not read.
MAX_REPLY = 1 << 16
# Bytes that are read at all. The body is measured by itself, so only a head can be as long as this.
MAX_RECEIVED = 4 * MAX_REPLY

_SCHEME = "http://"
_PROTOCOL = b"HTTP/"
# Characters of an address, or of what is no HTTP, in messages.
_ADDRESS_SHOWN = 300
_SHOWN = 40

# A family of addresses and an address in it, as the system's calls take them.
EndPoint: TypeAlias = tuple[socket.AddressFamily, Any]


class UnreachableError(Exception):
    """Report that there is no connection to a player."""


class BadReplyError(Exception):
    """Report a reply that carries no text; `code` is that of the match record."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class CutOffError(BadReplyError):
    """Report a reply that ends before its end."""

    def __init__(self, detail: str) -> None:
        super().__init__("CE", detail)


class PlayerAddress:
    """The parts of a player's URL, and the addresses of its host.

    >>> PlayerAddress("http://localhost/there").url
    'http://localhost:9147/there'
    >>> PlayerAddress("localhost:9148").url
    'http://localhost:9148'

    Args:
        url: `http://host`, with a port and a path or without; `http://` may be left out.

    Raises:
        UserError: this is no such URL.
    """

    def __init__(self, url: str) -> None:
        given, url = url, url if "://" in url else f"{_SCHEME}{url}"
        complaint = f"{given[:_ADDRESS_SHOWN]!r} is no address of a player; give http://host:port"
        try:
            parts = urllib.parse.urlsplit(url)
            host, port = parts.hostname, DEFAULT_PORT if parts.port is None else parts.port
            fit = url.isascii() and url.isprintable() and " " not in url and parts.scheme == "http"
            if parts.port is None:
                url = parts._replace(netloc=f"{parts.netloc}:{port}").geturl()
            requests.Request("POST", url).prepare()
        except (ValueError, requests.RequestException):
            raise UserError(complaint) from None
        if not host or not port or not fit:
            raise UserError(complaint)
        self.url, self.host, self.port = url, host, port
        self._lock = threading.Lock()
        self._found: Future[list[EndPoint]] | None = None

    def end_points(self, deadline: Deadline) -> list[EndPoint]:
        """Return the addresses of the host; they are kept once they are found.

        Raises:
            OSError: the host is not known, or the name server does not answer in time.
        """
        with self._lock:
            if self._found is None:
                self._found = Future()
                threading.Thread(target=self._look_up, args=(self._found,), name="host name", daemon=True).start()
            found = self._found
        if not wait([found], deadline.left()).done:
            raise OSError("the name server does not answer")
        if found.exception() is not None:
            with self._lock:
                self._found = None  # it may be known the next time
        return found.result()

    def _look_up(self, found: Future[list[EndPoint]]) -> None:
        """Ask the name server, in a thread of its own as no call of the system has a time-out for this."""
        try:
            answers = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            found.set_result([(family, address) for family, _, _, _, address in answers])
        except OSError as error:
            found.set_exception(error)
        except UnicodeError:  # a label that is empty or too long
            found.set_exception(OSError(socket.EAI_NONAME, "no such host"))


class PlayerConnection(socket.socket):
    """A connection to a player, on which one deadline holds for all that is sent and received together.

    The time-out of a socket, and so that of `requests`, holds for each operation: a reply in drops could take for ever.

    Attributes:
        deadline: the deadline; has to be set before the first byte is sent.
        ended: whether the player has closed the connection.
    """

    deadline: Deadline
    ended = False
    _received = 0

    def sendall(self, data: ReadableBuffer, flags: int = 0) -> None:
        """Send all; raises TimeoutError at the deadline."""
        self.settimeout(self.deadline.left())
        try:
            super().sendall(data, flags)
        except (TimeoutError, BlockingIOError):
            raise TimeoutError from None
        except OSError:
            pass  # no more can be sent; a reply may be there yet

    def recv_into(self, buffer: WriteableBuffer, nbytes: int = 0, flags: int = 0) -> int:
        """Receive what is there, after the deadline too.

        Raises:
            TimeoutError: nothing has come until the deadline.
            BadReplyError: this is no HTTP, or too much.
        """
        self.settimeout(self.deadline.left())
        try:
            count = super().recv_into(buffer, nbytes, flags)
        except (TimeoutError, BlockingIOError):
            raise TimeoutError from None
        except OSError:
            count = 0  # a connection that breaks ends a reply as one that is closed does
        if not self._received and count:
            begin = bytes(memoryview(buffer)[: min(count, _SHOWN)])
            if not begin.startswith(_PROTOCOL[:count]):
                raise BadReplyError("CE", f"the reply is no HTTP: {begin!r}")
        self.ended = not count
        self._received += count
        if self._received > MAX_RECEIVED:
            raise BadReplyError("CE", "the reply is no HTTP: its head is too long")
        return count


def connect(address: PlayerAddress, deadline: Deadline) -> PlayerConnection:
    """Connect to a player, at the first of the addresses of its host that responds.

    Raises:
        UnreachableError: there is no connection; says in words why.
    """
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
            # The system may give a caller of a free port on this machine that very port.
            raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
    except BaseException:
        connection.close()
        raise
    return connection


class PlayerAdapter(BaseAdapter):
    """The transport of `requests` to players: HTTP/1.0, no header but those of the request, nothing kept open."""

    def send(  # type: ignore[override]
        self, request: requests.PreparedRequest, *, connection: PlayerConnection, **_: Any
    ) -> requests.Response:
        """Send a request over a connection, and read the head of the reply.

        Args:
            request: the request; its headers go out in their order and spelling.
            connection: a new connection to the player, which is closed with the response.

        Raises:
            TimeoutError: the reply does not come before the deadline.
            BadReplyError: the reply is cut off, no HTTP, or of another status than 200.
        """
        client, body = _HttpConnection(connection), request.body
        assert isinstance(body, bytes)
        with connection:  # the response keeps it open
            client.putrequest("POST", request.path_url)
            for name, value in request.headers.items():
                client.putheader(name, value)
            client.endheaders(body)
            try:
                raw = client.getresponse()
            except http.client.RemoteDisconnected:
                raise CutOffError("the connection was closed without a reply") from None
            except http.client.HTTPException as error:
                if connection.ended:
                    raise CutOffError("the reply was cut off within its head") from None
                too_long = isinstance(error, http.client.LineTooLong)
                detail = "its head is too long" if too_long else repr(str(error)[:_SHOWN])
                raise BadReplyError("CE", f"the reply is no HTTP: {detail}") from None
            if connection.ended:
                raw.close()
                raise CutOffError("the reply was cut off within its head")
            if raw.status != 200:  # nothing of it is read: requests would wait for the whole body of a redirection
                raw.close()
                raise BadReplyError("CE", f"HTTP status {raw.status} {raw.reason[:60]}".strip())
        response = requests.Response()
        response.status_code, response.reason, response.raw = raw.status, raw.reason, raw
        response.headers.update(raw.headers.items())
        return response

    def close(self) -> None:
        """Do nothing: every connection is closed with its response."""


class _HttpConnection(http.client.HTTPConnection):
    """A connection that sends a request in HTTP/1.0, head and message at once: some players read only once."""

    _http_vsn, _http_vsn_str = 10, "HTTP/1.0"

    def __init__(self, connection: PlayerConnection) -> None:
        super().__init__("player")
        self.sock = connection
        self._unsent = b""

    def send(self, data: Any) -> None:
        """Keep bytes to be sent."""
        self._unsent += data

    def getresponse(self) -> http.client.HTTPResponse:
        """Send what was kept, and read the head of the response."""
        super().send(self._unsent)
        return super().getresponse()


def read_text(response: requests.Response) -> str:
    """Read the text of a reply, and no more than a reply may have.

    Raises:
        TimeoutError: it is not whole at the deadline.
        BadReplyError: it is cut off or too long.
    """
    raw: Any = response.raw
    length = raw.length or 0
    if length > MAX_REPLY:
        length = 0  # it means nothing
    raw.length = None  # what follows may belong to the text
    body, open_lists = bytearray(), 0
    while not (length and len(body) >= length and open_lists <= 0):
        try:
            data = raw.read1(MAX_REPLY)
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

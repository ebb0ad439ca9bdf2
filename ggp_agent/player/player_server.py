"""The player's server: match messages over HTTP, in every dialect that managers are known to speak.

One thread per connection, so INFO and ABORT are answered while another thread waits for a move. Requests are POST with
the message as body, GET with INFO in the path, or OPTIONS (browsers ask before they post); `http_request.py` reads them
and `access.py` says whose requests are answered. Each connection serves one request and is closed, as managers of both
dialects expect. What is too big, too slow or too much is dropped.
"""

from __future__ import annotations

import contextlib
import http
import ipaddress
import logging
import math
import socket
import socketserver
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..common.errors import UserError
from ..protocol.connections import Caller, Connections, Slot, room_for_connections
from ..protocol.http_request import Request, RequestError, RequestReader
from ..protocol.messages import NIL, READY, Info, ProtocolError, parse_message
from .access import AllowedHosts, AllowedPages
from .conversation import Asked, Conversation

logger = logging.getLogger(__name__)

MAX_CONNECTIONS = 128
# Bytes of requests under way, all together; a text may take four times as many while it is read.
MAX_BYTES = 4 * 1024 * 1024
# Seconds that a whole request may take to arrive, and a reply to leave.
REQUEST_TIMEOUT = 15.0
REPLY_TIMEOUT = 5.0
# Seconds that are given to a peer to read the reply and close, while what it still sends is thrown away: closing with
# unread bytes in hand would destroy the reply on its way.
LINGER = 1.0
# Seconds between two warnings about refusals of the same kind and host, and how many of those are remembered.
_QUIET = 10.0
_MAX_KINDS = 1000

# The structure `tcp_info` of Linux: how many bytes of it are needed, and the offset of `tcpi_last_data_sent`.
_TCP_INFO_SIZE = 48
_LAST_DATA_SENT = 44
# Seconds beyond which a connection cannot have waited.
_MAX_AGE = 600.0

_HEADERS = (
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
    "Access-Control-Allow-Headers: Content-Type\r\n"
    "Access-Control-Allow-Age: 86400\r\n"
)

Answer = Callable[[str, float, Caller], str]


class PlayerServer(socketserver.TCPServer):
    """Serve one player.

    Args:
        host, port: where to listen; port 0 takes a free one, `address` then tells which.
        answer: gives the reply to a message; called with its text, the moment its connection was established, on the
            monotonic clock, and its caller, from many threads at once. The caller learns what was thought of a turn.
        allow: the hosts that may connect, see `AllowedHosts`; all by default.
        pages: the origins of web pages that may send messages, see `AllowedPages`.
        names: the host names that requests may name, beside names of this machine, see `AllowedPages`.
        request_timeout: seconds that a request may take to arrive.

    Raises:
        UserError: the address cannot be listened on, a host that may connect is unknown, or a name is no host name.
    """

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(
        self,
        host: str,
        port: int,
        answer: Answer,
        *,
        allow: Sequence[str] = (),
        pages: Sequence[str] = (),
        names: Sequence[str] = (),
        request_timeout: float = REQUEST_TIMEOUT,
    ) -> None:
        self.answer = answer
        self.conversation = Conversation()
        self._allowed = AllowedHosts(allow)
        self._pages = AllowedPages(pages, names)
        self._request_timeout = request_timeout
        room = room_for_connections(MAX_CONNECTIONS)
        self._connections = Connections(room, room // 2, MAX_BYTES)
        self._refusals = _Refusals()
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), socketserver.BaseRequestHandler)
        except (OSError, OverflowError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            raise UserError(f"cannot listen on {host}:{port}: {reason}; try another port or address") from None

    @property
    def address(self) -> str:
        """Return the URL at which managers reach the player."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def is_local(self) -> bool:
        """Tell whether only this machine can reach the player."""
        return ipaddress.ip_address(str(self.server_address[0]).partition("%")[0]).is_loopback

    # ---- connections

    def get_request(self) -> tuple[socket.socket, Any]:
        try:
            return super().get_request()
        except OSError:
            time.sleep(0.01)  # out of file descriptors: let others end
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own; its clock runs since it was established."""
        accepted = time.monotonic()
        received = accepted - _age(request)
        host = str(client_address[0])
        if not self._allowed.admit(host):
            self._refusals.warn(host, "host", "it is not among the hosts that may connect")
            self.shutdown_request(request)
            return
        slot = self._connections.admit(request, host)
        if slot is None:
            self._refusals.warn(host, "many", "there are too many connections")
            self.shutdown_request(request)
            return
        thread = threading.Thread(target=self._serve, args=(slot, accepted, received), name="connection", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            self._connections.release(slot)
            self._refusals.warn(host, "thread", "no thread can be started for it")
            self.shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        logger.warning("a connection could not be served", exc_info=True)

    def _serve(self, slot: Slot, accepted: float, received: float) -> None:
        connection = slot.connection
        try:
            with connection:
                with contextlib.suppress(OSError):
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._exchange(slot, accepted, received):
                    slot.whole = False
                    _linger(connection)
        except OSError as error:
            logger.debug("the connection from %s broke off: %s", slot.host, error)
        except Exception:
            logger.exception("the connection from %s could not be served", slot.host)
        finally:
            self._connections.release(slot)

    # ---- requests

    def _exchange(self, slot: Slot, accepted: float, received: float) -> bool:
        """Read a request and answer it; return whether a reply was sent."""
        reader = RequestReader(slot.connection, accepted + self._request_timeout, slot.received)
        request: Request | None = None
        try:
            request = reader.read_head()
            if request is None:
                return False
            if request.verb != "OPTIONS" and (reason := self._pages.refusal(request.headers, request.authority())):
                raise RequestError(403, reason)
            match request.verb:
                case "POST":
                    text = reader.read_body(request)
                case "GET":
                    text = _question(request)
                case "OPTIONS":
                    slot.whole = True
                    _send(slot.connection, _reply(200, ""))
                    return True
                case _:
                    raise RequestError(405, f"{request.verb} is not served, but POST, GET and OPTIONS")
        except TimeoutError:
            self._refusals.warn(slot.host, "slow", f"its request did not arrive within {self._request_timeout:g} s")
            return False
        except RequestError as error:
            slot.whole = True
            self._refusals.warn(slot.host, str(error.code), str(error))
            with_body = request is None or request.verb != "HEAD"
            _send(slot.connection, _reply(error.code, str(error), with_body=with_body))
            return True
        slot.whole = True
        slot.half_closed = reader.at_end
        asked = self.conversation.asked(slot.host, text, received)
        # A PING is answered without the player.
        reply = READY if asked.name == "PING" else self._ask_player(text, received, slot)
        return self._deliver(slot, asked, reply)

    def _ask_player(self, text: str, received: float, caller: Caller) -> str:
        try:
            return self.answer(text, received, caller)
        except Exception:  # any reply is better than none
            logger.exception("a message could not be answered")
            return NIL

    def _deliver(self, slot: Slot, asked: Asked, reply: str) -> bool:
        problem = "the peer had hung up" if slot.gone else ""
        try:
            if not slot.gone:
                _send(slot.connection, _reply(200, reply))
        except OSError as error:
            problem = str(error.strerror or error).lower()
        seconds = time.monotonic() - asked.received
        self.conversation.answered(asked, reply, seconds, problem, slot.thoughts)
        return not problem


def _age(connection: socket.socket) -> float:
    """Return the seconds since a connection was established, 0 where the system does not tell.

    On a loaded machine it may have waited to be accepted, while the clock of its manager ran. Linux counts the
    milliseconds since data was sent last, and where none was, since the connection was established.
    """
    if sys.platform != "linux":
        return 0.0
    try:
        state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_SIZE)
    except OSError:
        return 0.0
    if len(state) < _TCP_INFO_SIZE:
        return 0.0
    age = float(struct.unpack_from("=I", state, _LAST_DATA_SENT)[0]) / 1000
    return age if age < _MAX_AGE else 0.0


def _question(request: Request) -> str:
    """Return the message of a GET.

    Raises:
        RequestError: the message is not INFO. Pages of strangers can send a GET without any header that shows it.
    """
    text = request.path_text()
    try:
        if isinstance(parse_message(text), Info):
            return text
    except ProtocolError:
        pass
    raise RequestError(405, "GET is answered for INFO only; send other messages by POST")


def _reply(code: int, text: str, *, with_body: bool = True) -> bytes:
    """Write a reply with the headers of known players."""
    body = text.encode(errors="replace")
    allow = "Allow: POST, GET, OPTIONS\r\n" if code == 405 else ""
    head = (
        f"HTTP/1.0 {code} {http.HTTPStatus(code).phrase}\r\n"
        f"Content-type: text/acl\r\nContent-length: {len(body)}\r\n{_HEADERS}{allow}\r\n"
    )
    return head.encode("ascii") + (body if with_body else b"")


def _send(connection: socket.socket, data: bytes) -> None:
    """Send all of a reply, or raise TimeoutError when the peer does not take it."""
    connection.settimeout(REPLY_TIMEOUT)
    connection.sendall(data)


def _linger(connection: socket.socket) -> None:
    """Close our side and wait for the peer to close its own."""
    until = time.monotonic() + LINGER
    connection.shutdown(socket.SHUT_WR)
    while (left := until - time.monotonic()) > 0:
        connection.settimeout(left)
        if not connection.recv(1 << 16):
            return


class _Refusals:
    """Warn of refused requests, now and then where there are many of a kind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kinds: dict[tuple[str, str], tuple[float, int]] = {}  # time of the last warning, refusals since

    def warn(self, host: str, kind: str, reason: str) -> None:
        now = time.monotonic()
        with self._lock:
            last, silent = self._kinds.get((host, kind), (-math.inf, 0))
            if now - last < _QUIET:
                self._kinds[host, kind] = (last, silent + 1)
                return
            if len(self._kinds) >= _MAX_KINDS:
                self._kinds.clear()
            self._kinds[host, kind] = (now, 0)
        more = f" ({silent:,} more like this since the last warning)" if silent else ""
        event = {"event": "refused", "host": host, "reason": reason, "more": silent}
        logger.warning("refused a request of %s: %s%s", host, reason, more, extra={"event": event})

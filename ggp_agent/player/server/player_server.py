"""The HTTP server of the player.

Each connection has its own thread, so INFO and ABORT are answered while another thread waits for a move. Requests are
POST with the message as body, GET with INFO in the path, or OPTIONS, which browsers send before a POST.
`http_request.py` reads requests. Each connection serves one request, as managers expect. Requests that are too large or
too slow are dropped.

A browser allows any page to send requests to the user's own machine, so a foreign page could play or end a match.
The headers of a request show its origin:

- A browser sends `Origin` with every POST. It must be an origin of this machine, or one that the user allows.
- A browser sends `Sec-Fetch-Site` to trusted addresses, such as loopback addresses. It must not be foreign.
- A GET to another address has neither header. Therefore GET is answered for INFO only, which changes nothing.
- A page that lets its own name resolve to this machine (DNS rebinding) sends this name in `Host`. If a request has no
  `Origin`, `Host` must be a name of this machine, a name that the user allows, an IP address, or a name without a dot.
  Names without a dot cannot be registered in the DNS, and game managers of a local network use them.

Game managers are not browsers: their requests have neither `Origin` nor `Sec-Fetch-Site`, and some have no `Host`.
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
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ...common.errors import UserError
from ...protocol.connections import Caller, Connections, Slot, room_for_connections
from ...protocol.host_names import ANY, SHOWN, HostNames, checked_origin, host_name, is_address, is_loopback
from ...protocol.http_request import Request, RequestError, RequestReader
from ...protocol.messages import NIL, READY, Info, ProtocolError, parse_message
from .log import Conversation, LoggedMessage

logger = logging.getLogger(__name__)

MAX_CONNECTIONS = 128
# Bytes of all incomplete requests together; parsing may need four times as much.
MAX_BYTES = 4 * 1024 * 1024
# Seconds to receive a complete request, and to send a reply.
REQUEST_TIMEOUT = 15.0
REPLY_TIMEOUT = 5.0
# Seconds to wait until the peer has read the reply and closed. Closing with unread bytes would destroy the reply.
LINGER_SECONDS = 1.0
# Seconds between two warnings about refusals of the same kind and host, and the number of remembered kinds.
_WARNING_SECONDS = 10.0
_MAX_KINDS = 1000

# The structure `tcp_info` of Linux: the number of bytes read, and the offset of `tcpi_last_data_sent`.
_TCP_INFO_SIZE = 48
_LAST_DATA_SENT = 44
# The largest plausible age of a connection, in seconds.
_MAX_AGE = 600.0

_HEADERS = (
    "Access-Control-Allow-Origin: *\r\n"
    "Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n"
    "Access-Control-Allow-Headers: Content-Type\r\n"
    "Access-Control-Allow-Age: 86400\r\n"
)

_REFUSED = "only web pages of this machine and of allowed origins may send messages"

Answer = Callable[[str, float, Caller], str]


class PlayerServer(socketserver.TCPServer):
    """Serve one player."""

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
        """The URL of the player for managers."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the player."""
        return ipaddress.ip_address(str(self.server_address[0]).partition("%")[0]).is_loopback

    # ---- connections

    def get_request(self) -> tuple[socket.socket, Any]:
        try:
            return super().get_request()
        except OSError:
            time.sleep(0.01)  # no file descriptors left: wait until others are closed
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a new thread; its clock starts when the connection was established."""
        accepted = time.monotonic()
        received = accepted - _age(request)
        host = str(client_address[0])
        if not self._allowed.admit(host):
            self._refusals.warn(host, "host", "this host may not connect")
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
            self._refusals.warn(host, "thread", "no thread can be started")
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
            logger.debug("the connection from %s was lost: %s", slot.host, error)
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
                    text = _info_text(request)
                case "OPTIONS":
                    slot.whole = True
                    _send(slot.connection, _reply(200, ""))
                    return True
                case _:
                    raise RequestError(405, f"{request.verb} is not supported; use POST, GET or OPTIONS")
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
        message = self.conversation.note_message(slot.host, text, received)
        reply = READY if message.name == "PING" else self._ask_player(text, received, slot)
        return self._deliver(slot, message, reply)

    def _ask_player(self, text: str, received: float, caller: Caller) -> str:
        try:
            return self.answer(text, received, caller)
        except Exception:  # the manager must get a reply
            logger.exception("a message could not be answered")
            return NIL

    def _deliver(self, slot: Slot, message: LoggedMessage, reply: str) -> bool:
        problem = "the peer had hung up" if slot.gone else ""
        try:
            if not slot.gone:
                _send(slot.connection, _reply(200, reply))
        except OSError as error:
            problem = str(error.strerror or error).lower()
        seconds = time.monotonic() - message.received
        self.conversation.note_reply(message, reply, seconds, problem, *slot.noted)
        return not problem


def _age(connection: socket.socket) -> float:
    """Return the seconds since a connection was established; 0 if the system does not report it.

    On a loaded machine a connection may wait to be accepted while the clock of the manager runs. Linux reports the
    milliseconds since the last data was sent, or since the connection was established if no data was sent.
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


def _info_text(request: Request) -> str:
    """Return the message of a GET."""
    text = request.path_text()
    try:
        if isinstance(parse_message(text), Info):
            return text
    except ProtocolError:
        pass
    raise RequestError(405, "GET is answered for INFO only; send other messages by POST")


def _reply(code: int, text: str, *, with_body: bool = True) -> bytes:
    """Return an HTTP reply with the headers of known players."""
    body = text.encode(errors="replace")
    allow = "Allow: POST, GET, OPTIONS\r\n" if code == 405 else ""
    head = (
        f"HTTP/1.0 {code} {http.HTTPStatus(code).phrase}\r\n"
        f"Content-type: text/acl\r\nContent-length: {len(body)}\r\n{_HEADERS}{allow}\r\n"
    )
    return head.encode("ascii") + (body if with_body else b"")


def _send(connection: socket.socket, data: bytes) -> None:
    """Send a reply; raise TimeoutError if the peer does not receive it."""
    connection.settimeout(REPLY_TIMEOUT)
    connection.sendall(data)


def _linger(connection: socket.socket) -> None:
    """Close the sending side and wait until the peer closes the connection."""
    until = time.monotonic() + LINGER_SECONDS
    connection.shutdown(socket.SHUT_WR)
    while (left := until - time.monotonic()) > 0:
        connection.settimeout(left)
        if not connection.recv(1 << 16):
            return


class AllowedHosts:
    """The hosts that may connect; all hosts if the list is empty.

    >>> hosts = AllowedHosts(["10.0.0.0/8", "127.0.0.1"])
    >>> hosts.admit("10.1.2.3"), hosts.admit("::ffff:127.0.0.1"), hosts.admit("192.0.2.1")
    (True, True, False)
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._networks = [network for name in names for network in _networks(name)]

    def admit(self, address: str) -> bool:
        """Return whether a host may connect."""
        if not self._networks:
            return True
        try:
            host = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        mapped = getattr(host, "ipv4_mapped", None)
        return any((mapped or host) in network for network in self._networks)


class AllowedPages:
    """The origins, besides this machine, whose web pages may send messages, and the allowed names in the Host header.

    >>> pages = AllowedPages(["https://manager.example"])
    >>> [bool(pages.refusal({"origin": origin})) for origin in
    ...  ("https://manager.example", "http://localhost:8000", "https://other.example", "null")]
    [False, False, True, True]
    >>> [bool(pages.refusal({"host": host})) for host in ("", "localhost:9147", "192.0.2.1", "player", "evil.example")]
    [False, False, False, False, True]
    """

    def __init__(self, origins: Sequence[str], names: Iterable[str] = ()) -> None:
        self._origins = set(map(checked_origin, origins))
        self._names = HostNames(names)

    def refusal(self, headers: Mapping[str, str], authority: str = "") -> str:
        """Return the reason why a request is refused; empty if it is allowed."""
        if ANY in self._origins:
            return ""
        origin = headers.get("origin")
        if origin is not None:
            return "" if origin.lower() in self._origins or _is_of_this_machine(origin) else _REFUSED
        host = host_name(authority or headers.get("host", ""))
        match headers.get("sec-fetch-site", "none"):
            case "none":
                return "" if self._is_ours(host) else f"the Host header has an unknown host name: {host[:SHOWN]!a}"
            case "same-origin" if is_loopback(host):
                return ""
        return _REFUSED

    def _is_ours(self, host: str) -> bool:
        return "." not in host or is_address(host) or self._names.include(host)


def _networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    with contextlib.suppress(ValueError):
        return [ipaddress.ip_network(name, strict=False)]
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        raise UserError(
            f"{name or 'an empty text'}: no such host; give an address, a network such as 10.0.0.0/8 or a name"
        ) from None
    return [ipaddress.ip_network(address.partition("%")[0]) for address in sorted(found)]


def _is_of_this_machine(origin: str) -> bool:
    try:
        return is_loopback(urlsplit(origin).hostname or "")
    except ValueError:
        return False


class _Refusals:
    """Log warnings about refused requests, with an interval between warnings of the same kind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kinds: dict[tuple[str, str], tuple[float, int]] = {}  # time of the last warning, refusals since

    def warn(self, host: str, kind: str, reason: str) -> None:
        now = time.monotonic()
        with self._lock:
            last, silent = self._kinds.get((host, kind), (-math.inf, 0))
            if now - last < _WARNING_SECONDS:
                self._kinds[host, kind] = (last, silent + 1)
                return
            if len(self._kinds) >= _MAX_KINDS:
                self._kinds.clear()
            self._kinds[host, kind] = (now, 0)
        more = f" ({silent:,} more like this since the last warning)" if silent else ""
        event = {"event": "refused", "host": host, "reason": reason, "more": silent}
        logger.warning("refused a request from %s: %s%s", host, reason, more, extra={"event": event})

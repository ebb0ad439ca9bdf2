"""Where a player is reached: from its URL to socket addresses, without ever waiting for a name server."""

from __future__ import annotations

import socket
import threading
import urllib.parse
from typing import Any, NamedTuple

from ..errors import UserError

# The port on which players of every make listen by default.
DEFAULT_PORT = 9147

_SCHEME = "http://"
# Of what is no address, in messages.
_ECHO = 300


class SocketAddress(NamedTuple):
    """Name one end point, as the system's calls take it."""

    family: int
    address: Any


class PlayerAddress:
    """Hold the parts of a player's URL, and look its host up.

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
        try:
            parts = urllib.parse.urlsplit(url)
            port, host = parts.port, parts.hostname
        except ValueError:
            host = None
        fit = url.isascii() and url.isprintable() and " " not in url
        if host is None or not host or parts.scheme != "http" or not fit or port == 0:
            raise UserError(f"{given[:_ECHO]!r} is no address of a player; give http://host:port")
        self.url = (
            url
            if port is not None
            else urllib.parse.urlunsplit(parts._replace(netloc=f"{parts.netloc}:{DEFAULT_PORT}"))
        )
        self.host = host
        self.port = DEFAULT_PORT if port is None else port
        self.path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._lock = threading.Lock()
        self._look_up: threading.Thread | None = None
        self._found: list[SocketAddress] | OSError | None = None

    def end_points(self) -> list[SocketAddress] | None:
        """Return the addresses of the host, None while they are being looked up.

        What was found is kept; what was not is looked up again the next time.

        Raises:
            OSError: the host is not known.
        """
        with self._lock:
            found = self._found
            if isinstance(found, OSError):
                self._found = None
                raise found
            if found is None and self._look_up is None:
                self._look_up = threading.Thread(target=self._ask, name="host name", daemon=True)
                self._look_up.start()
            return found

    def _ask(self) -> None:
        found: list[SocketAddress] | OSError
        try:
            answers = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            found = [SocketAddress(family, address) for family, _, _, _, address in answers]
        except OSError as error:
            found = error
        except UnicodeError:  # a label that is empty or too long
            found = OSError(socket.EAI_NONAME, "no such host")
        with self._lock:
            self._found, self._look_up = found, None

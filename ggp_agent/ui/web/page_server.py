"""Serve the page until stopped."""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import logging
import socket
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...common.errors import UserError
from ...protocol.connections import Connections, Slot, room_for_connections
from ...protocol.host_names import HostNames, checked_origin
from ...records.record_puzzles import Puzzle
from .app import WebApp

# Maximal open connections, in total and per address; a page uses two or three.
MAX_CONNECTIONS = 256
MAX_OF_ADDRESS = 64
# Time limit in seconds for the request line and the headers.
HEAD_SECONDS = 10.0

logger = logging.getLogger(__name__)


class LimitedProtocol(H11Protocol):
    """Serve HTTP on one connection within limits.

    If there are too many connections, the oldest connection without a current request is closed. A connection is also
    closed if a request head does not arrive in time. A response may take any time.
    """

    def __init__(self, limits: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._limits = limits
        self._slot: Slot | None = None
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, or close it if there are too many."""
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if peer else ""
        self._slot = self._limits.admit(transport.get_extra_info("socket"), address)
        if self._slot is None:
            logger.warning("refused a connection of %s: too many connections", address)
            transport.abort()
            return
        super().connection_made(transport)
        self._start_head_timer()

    def data_received(self, data: bytes) -> None:
        """Read data; the time limit for a head runs while there is no current request."""
        if self._slot is None:
            return
        super().data_received(data)
        self._slot.whole = self.cycle is not None and not self.cycle.response_complete
        if self._slot.whole:
            self._stop_head_timer()
        elif self._head_timer is None:
            self._start_head_timer()

    def on_response_complete(self) -> None:
        """Mark the connection as one that may be closed."""
        if self._slot is not None:
            self._slot.whole = False
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the place for another connection."""
        self._stop_head_timer()
        if self._slot is not None:
            self._limits.release(self._slot)
            super().connection_lost(exc)

    def _start_head_timer(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


# Seconds after which connections that are still open at the end are closed.
_ENDING = 2
# Unread requests need no limit here, because uvicorn limits each of them.
_NO_LIMIT_OF_BYTES = sys.maxsize


class WebServer:
    """Serve the page at one address."""

    def __init__(
        self,
        host: str,
        port: int,
        records: Path,
        *,
        tournaments: Path = Path(),
        configurations: Path = Path(),
        puzzles: Sequence[Puzzle] = (),
        recording: bool = True,
        names: Collection[str] = (),
        frames: Collection[str] = (),
    ) -> None:
        # Without DNS requests, which would block the event loop.
        ours = HostNames({*names, host} - {""}, asking_dns=False)
        origins = [*map(checked_origin, frames)]
        self._socket = _listening(host, port)
        name, number = self._socket.getsockname()[:2]
        self.is_local = ipaddress.ip_address(name).is_loopback  # True if only this machine can connect
        shown = "localhost" if ipaddress.ip_address(name).is_unspecified else host
        self.address = f"http://{f'[{shown}]' if ':' in shown else shown}:{number}/"  # the URL of the page
        self._app = WebApp(
            records,
            tournaments=tournaments,
            configurations=configurations,
            puzzles=puzzles,
            recording=recording,
            names=ours,
            addresses=not self.is_local,
            frames=origins,
        )
        room = room_for_connections(MAX_CONNECTIONS)
        limits = Connections(room, min(room // 2, MAX_OF_ADDRESS), _NO_LIMIT_OF_BYTES)
        config = uvicorn.Config(
            self._app.asgi,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="none",
            http=functools.partial(LimitedProtocol, limits),  # type: ignore[arg-type]
            timeout_graceful_shutdown=_ENDING,
        )
        self._server = _Server(config, self._app)

    def serve(self) -> None:
        """Serve until Ctrl-C or `stop`; Ctrl-C in the main thread raises KeyboardInterrupt."""
        with self._socket:
            self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """Stop `serve`; may be called from any thread."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    """A server that ends event streams before it waits for their connections."""

    def __init__(self, config: uvicorn.Config, app: WebApp) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and stop games and event streams."""
        self._app.close()
        await super().shutdown(sockets)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(128)
        except BaseException:
            listener.close()
            raise
        return listener
    except (OSError, OverflowError, UnicodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UserError(f"cannot listen on {host}:{port}: {reason[:1].lower()}{reason[1:]}; choose another") from None

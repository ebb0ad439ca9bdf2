"""Limits of the page's connections: how many are open, how many of one address, and the time for a request's head."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from ...protocol.connections import Connections, Slot

# Open at the same time, in all and of one address; a page takes two or three.
MAX_CONNECTIONS = 256
MAX_OF_ADDRESS = 64
# Seconds that the request line and the headers may take to arrive.
HEAD_SECONDS = 10.0

logger = logging.getLogger(__name__)


class LimitedProtocol(H11Protocol):
    """Serve HTTP on one connection within limits.

    Where there are too many connections, the oldest one without a request under way is closed. A connection whose
    request head does not arrive in time is closed, too. A response may take any time.

    Args:
        limits: counts the connections of the server.
        options: the arguments of `H11Protocol`.
    """

    def __init__(self, limits: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._limits = limits
        self._slot: Slot | None = None
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, or close it where there is no room for it."""
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if peer else ""
        self._slot = self._limits.admit(transport.get_extra_info("socket"), address)
        if self._slot is None:
            logger.warning("refused a connection of %s: there are too many", address)
            transport.abort()
            return
        super().connection_made(transport)
        self._start_head_timer()

    def data_received(self, data: bytes) -> None:
        """Read data; the time for a head runs while no request is under way."""
        if self._slot is None:
            return
        super().data_received(data)
        self._slot.whole = self.cycle is not None and not self.cycle.response_complete
        if self._slot.whole:
            self._stop_head_timer()
        elif self._head_timer is None:
            self._start_head_timer()

    def on_response_complete(self) -> None:
        """Make the connection one that may be closed again."""
        if self._slot is not None:
            self._slot.whole = False
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room for another connection."""
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

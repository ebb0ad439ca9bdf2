"""Limits of the page's connections: their number, in total and per address, and the time for a request's head."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from ...protocol.connections import Connections, Slot

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

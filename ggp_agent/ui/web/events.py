"""Numbered events for all viewers of a game.

Each event contains the complete state of one kind (the position, the thoughts). A viewer that connects late needs only
the latest event of each kind that is newer than its last one, so the memory stays small in long games.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from .worker_messages import Document, GameView

# Seconds without an event after which a comment is sent, to detect closed connections.
_HEARTBEAT = 15.0


class Events:
    """The latest event of each kind; use only in the thread of the event loop."""

    def __init__(self) -> None:
        self.closed = False  # True if there will be no more events
        self._latest: dict[str, tuple[int, Document]] = {}
        self._number = 0
        self._news = asyncio.Event()

    def add(self, view: GameView) -> None:
        """Add an event."""
        self._number += 1
        self._latest[view.kind] = (self._number, view.document)
        self._wake()

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        self._wake()

    def latest(self, kind: str) -> Document | None:
        """Return the latest document of a kind; None if there is none."""
        found = self._latest.get(kind)
        return None if found is None else found[1]

    def since(self, number: int) -> list[tuple[int, str, Document]]:
        """List the latest event of each kind with a larger number: number, kind and document, in order."""
        return sorted((own, kind, document) for kind, (own, document) in self._latest.items() if own > number)

    async def stream(self, number: int) -> AsyncIterator[str]:
        """Yield the text of events after a number, as they occur, until the end."""
        if number > self._number:  # the number is from an earlier server
            number = 0
        while True:
            news = self._news
            for own, kind, document in self.since(number):
                number = own
                yield f"id: {own}\nevent: {kind}\ndata: {json.dumps(document)}\n\n"
            if self.closed:
                return
            try:
                await asyncio.wait_for(news.wait(), _HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

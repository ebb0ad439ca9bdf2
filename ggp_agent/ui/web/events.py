"""What has changed, told to all who look on, in numbered events.

Each event is the whole of one kind (the position, what is thought), so whoever comes late or again needs the latest of
each kind only, and of those only what is newer than the number seen last. Nothing piles up, however long a game is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from .worker_messages import Document, GameView

# Seconds without news after which a comment is sent, so that connections that are gone are noticed.
_HEARTBEAT = 15.0


class Events:
    """The latest event of each kind; to be used from the thread of the event loop alone.

    Attributes:
        closed: whether nothing will change any more.
    """

    def __init__(self) -> None:
        self.closed = False
        self._latest: dict[str, tuple[int, Document]] = {}
        self._number = 0
        self._news = asyncio.Event()

    def tell(self, told: GameView) -> None:
        """Take in what was told."""
        self._number += 1
        self._latest[told.kind] = (self._number, told.document)
        self._wake()

    def close(self) -> None:
        """End the streams of all who look on."""
        self.closed = True
        self._wake()

    def latest(self, kind: str) -> Document | None:
        """Return what was told of a kind last; None before that."""
        found = self._latest.get(kind)
        return None if found is None else found[1]

    def since(self, number: int) -> list[tuple[int, str, Document]]:
        """List the latest of each kind that is newer than a number, in order: its number, kind and document."""
        return sorted((own, kind, document) for kind, (own, document) in self._latest.items() if own > number)

    async def stream(self, number: int) -> AsyncIterator[str]:
        """Yield the text of events that are newer than a number, as they come, until all is closed."""
        if number > self._number:  # of a server that was here before
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

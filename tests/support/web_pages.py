"""A server of the page in this process, and a client that uses it over loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests

from ggp_agent.ui.web.page_server import WebServer

# Seconds to wait for a process; it starts slowly on a busy computer.
WAIT = 60.0


class ServedPage:
    """A server, on a free port unless given; a context manager."""

    def __init__(self, records: Path, server: WebServer | None = None) -> None:
        self.records = records  # the folder of the records
        self.server = server or WebServer("127.0.0.1", 0, records)
        self.address = self.server.address.rstrip("/")
        self._thread = threading.Thread(target=self.server.serve)

    def __enter__(self) -> ServedPage:
        self._thread.start()
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            try:
                self.get("/api/catalogue")
                return self
            except requests.ConnectionError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def __exit__(self, *_: object) -> None:
        self.server.stop()
        self._thread.join(WAIT)
        assert not self._thread.is_alive()

    def get(self, path: str, status: int = 200) -> Any:
        response = requests.get(self.address + path, timeout=WAIT)
        assert response.status_code == status, response.text
        return response.json()

    def post(self, path: str, body: Any, status: int = 200, **headers: str) -> Any:
        response = requests.post(self.address + path, json=body, headers=headers, timeout=WAIT)
        assert response.status_code == status, response.text
        return response.json()

    def begin(self, **body: Any) -> str:
        identifier: str = self.post("/api/games", body, 201)["id"]
        return identifier

    def order(self, identifier: str, what: str, status: int = 200, **details: Any) -> Any:
        return self.post(f"/api/games/{identifier}/orders", {"what": what, **details}, status)

    def events(self, identifier: str, since: int = 0) -> Iterator[tuple[int, str, dict[str, Any]]]:
        """Yield the events of a game: number, kind, document."""
        headers = {"Last-Event-ID": str(since)} if since else {}
        path = f"{self.address}/api/games/{identifier}/events"
        with requests.get(path, headers=headers, stream=True, timeout=WAIT) as response:
            fields: dict[str, str] = {}
            for line in response.iter_lines(chunk_size=1, decode_unicode=True):
                if line and not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    fields[name] = value
                elif not line and fields:
                    yield int(fields["id"]), fields["event"], json.loads(fields["data"])
                    fields = {}

    def position(self, identifier: str, turn: int = 0) -> dict[str, Any]:
        """Return the first position, from a turn on, in which the server waits for a move, or the game is over."""
        for _, kind, document in self.events(identifier):
            assert kind != "failed", document
            if kind == "position" and document["turn"] >= turn and (document["waiting"] or document["over"]):
                return document
        raise AssertionError("the events have ended")

"""Players of a host worker: started for their first match, kept for later matches, restarted after a crash."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol

from ...common.end_with_parent import ending_with_parent
from ...common.errors import UserError
from ...common.processes import pin, resident_mb
from ...protocol.client import PlayerClient
from ...protocol.text_process import TextProcess
from ..player_process import END_TIMEOUT, START_TIMEOUT, PlayerProcess
from ..seats import TextSeat
from .entrants import PORT, Entrant

Note = Callable[[str], None]

# Number of restarts of a player during matches; after more crashes it is restarted before its next match.
_MAX_RESTARTS = 20


class Running(Protocol):
    """A player that the worker has started."""

    @property
    def pid(self) -> int:
        """The id of its process."""

    def alive(self) -> bool:
        """Return whether the player runs or restarts itself."""

    def url(self) -> str:
        """Wait until the player listens, and return its address."""

    def close(self) -> None:
        """End the player."""


class CommandPlayer:
    """A player that is started by a command; it ends with this process, even if this process is killed."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._port = _free_port()
        self._words = [word.replace(PORT, str(self._port)) for word in command]
        self._process = subprocess.Popen(
            ending_with_parent(self._words),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._last_line = ""
        self._reader = threading.Thread(target=self._read_output, name="player output", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    def alive(self) -> bool:
        """Return whether the player runs."""
        return self._process.poll() is None

    def url(self) -> str:
        """Wait until the player listens, and return its address."""
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline and self.alive():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=1.0):
                return f"http://127.0.0.1:{self._port}"
            time.sleep(0.05)
        self.close()
        output = self._last_line or "it printed nothing"
        raise UserError(f"the player '{' '.join(self._words)}' does not listen at port {self._port}: {output}")

    def close(self) -> None:
        """End the player, by force if it does not end by itself."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(END_TIMEOUT)
        self._process.stdout.close()

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError):  # the output was closed
            for line in self._process.stdout:
                self._last_line = line.strip()[:200]


class WorkerPlayers:
    """Keep the players of a host worker."""

    def __init__(
        self,
        entrants: Mapping[str, Entrant],
        configurations: Mapping[str, Path],
        folder: Path,
        cores: Sequence[int],
        note: Note,
    ) -> None:
        self._entrants = entrants
        self._configurations = configurations
        self._folder = folder
        self._cores = cores
        self._note = note
        self._running: dict[str, Running] = {}
        self._urls: dict[str, str] = {}
        self._substitute = _ClosingServer()

    def clients(self, names: Sequence[str]) -> dict[str, PlayerClient]:
        """Return a client of each player except text players; players that do not run are started, all at once.

        The client of a player that fails to start uses an address that closes each connection: the match continues, and
        its record has the errors of this player.
        """
        served = [name for name in names if self._entrants[name].text is None]
        started = [name for name in served if self._needs_start(name)]
        for name in started:
            self._running[name] = self._start(self._entrants[name])
        clients = {}
        for name in served:
            entrant = self._entrants[name]
            url = entrant.url
            if not url:
                try:
                    url = self._running[name].url() if name in started else self._urls[name]
                    self._urls[name] = url
                except UserError as error:
                    self._note(f"{name}: {error}")
                    del self._running[name]
                    url = self._substitute.url
            clients[name] = PlayerClient(url, name)
        for name, cores in self._cores_of(names).items():
            if cores and name in self._running:
                pin(self._running[name].pid, cores)
        return clients

    def text_seats(self, names: Sequence[str]) -> dict[str, TextSeat]:
        """Return a new program of each text player for one match; the caller closes its process."""
        seats = {}
        for name, cores in self._cores_of(names).items():
            text = self._entrants[name].text
            if text is not None:
                process = TextProcess(text.words, folder=self._folder, cores=cores)
                seats[name] = TextSeat(process, text)
        return seats

    def memory(self, names: Sequence[str]) -> dict[str, float]:
        """Return the resident memory in MB of each of these players that the worker has started."""
        return {name: resident_mb(self._running[name].pid) for name in names if name in self._running}

    def close(self) -> None:
        """End all players."""
        for player in self._running.values():
            player.close()
        self._running.clear()
        self._substitute.close()

    def __enter__(self) -> WorkerPlayers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _needs_start(self, name: str) -> bool:
        if self._entrants[name].url:
            return False
        player = self._running.get(name)
        if player is None:
            return True
        if player.alive():
            return False
        self._note(f"{name} has ended and is restarted")
        player.close()
        return True

    def _start(self, entrant: Entrant) -> Running:
        if entrant.command:
            return CommandPlayer(entrant.command, self._folder)
        config = self._configurations.get(entrant.name)
        return PlayerProcess(
            entrant.policy,
            config=str(config) if config is not None else None,
            modules=entrant.modules,
            note=lambda line: self._report_crash(entrant.name, line),
            restarts=_MAX_RESTARTS,
        )

    def _report_crash(self, name: str, line: str) -> None:
        """Report a line of a player's log if it says that the player died."""
        if line.startswith("the player has died"):
            self._note(f"{name}: {line}")

    def _cores_of(self, names: Sequence[str]) -> dict[str, Collection[int]]:
        """Return the cores of each player that the worker starts: one core if it searches; empty without pinning.

        The cores are chosen for each match, because its players differ.
        """
        thinking = 0
        found: dict[str, Collection[int]] = {}
        for name in names:
            if self._entrants[name].url:
                continue
            found[name] = self._cores
            if self._cores and self._entrants[name].thinks:
                found[name] = (self._cores[thinking % len(self._cores)],)
                thinking += 1
        return found


class _ClosingServer:
    """A server in place of a player that fails to start; it closes each connection.

    If the port were closed, the manager would retry for a while, because a player may start late.
    """

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._close_connections, name="closing server", daemon=True).start()

    def close(self) -> None:
        """Stop the server."""
        self._socket.close()

    def _close_connections(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                self._socket.accept()[0].close()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])

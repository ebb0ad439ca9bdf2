"""Players of a host worker: started when first needed, kept from match to match, started again when they died."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol

from ...common.errors import UserError
from ...common.processes import pin, resident_mb
from ...protocol.client import PlayerClient
from ..player_process import END_TIMEOUT, START_TIMEOUT, PlayerProcess
from . import end_with_parent
from .entrants import PORT, Entrant

Note = Callable[[str], None]

# How often a player is started again in the midst of its matches; after that, before its next one.
_RESTARTS = 20


class Running(Protocol):
    """What is known of a player that was started here."""

    @property
    def pid(self) -> int:
        """Its process."""

    def alive(self) -> bool:
        """Tell whether it still runs, or starts itself again."""

    def url(self) -> str:
        """Wait until it listens, and return where."""

    def close(self) -> None:
        """End it."""


class CommandPlayer:
    """A player that a command starts; `{port}` in its words stands for a free port.

    It ends with this process, however that ends.

    Args:
        command: its words.
        folder: where it runs.
    """

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._port = _free_port()
        self._words = [word.replace(PORT, str(self._port)) for word in command]
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(end_with_parent.__file__), *self._words],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._last_words = ""
        self._reader = threading.Thread(target=self._read_output, name="player output", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def alive(self) -> bool:
        """Tell whether it still runs."""
        return self._process.poll() is None

    def url(self) -> str:
        """Wait until the player listens, and return where.

        Raises:
            UserError: it ends before, or takes too long.
        """
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline and self.alive():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=1.0):
                return f"http://127.0.0.1:{self._port}"
            time.sleep(0.05)
        self.close()
        said = self._last_words or "it says nothing"
        raise UserError(f"the player '{' '.join(self._words)}' does not listen at port {self._port}: {said}")

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
        with contextlib.suppress(ValueError):  # closed meanwhile
            for line in self._process.stdout:
                self._last_words = line.strip()[:200]


class WorkerPlayers:
    """Keep the players of a host worker.

    Args:
        entrants: by name.
        configurations: the files with the configurations of those that have one.
        folder: where commands run.
        cores: those of the worker; each player that thinks gets one of them, in turn.
        note: told in a line of what goes wrong.
    """

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
        self._nobody = _Nobody()

    def clients(self, names: Sequence[str]) -> dict[str, PlayerClient]:
        """Return the way to each of these players; those that do not run are started, all at once.

        One that does not start gets an address where nobody answers: the match goes on and tells of it.
        """
        begun = [name for name in names if self._needs_start(name)]
        for name in begun:
            self._running[name] = self._start(self._entrants[name])
        clients = {}
        for name in names:
            entrant = self._entrants[name]
            url = entrant.url
            if not url:
                try:
                    url = self._running[name].url() if name in begun else self._urls[name]
                    self._urls[name] = url
                except UserError as error:
                    self._note(f"{name}: {error}")
                    del self._running[name]
                    url = self._nobody.url
            clients[name] = PlayerClient(url, name)
        self._pin(names)
        return clients

    def memory(self, names: Sequence[str]) -> dict[str, float]:
        """Return the resident memory of those of these players that run here, in MB."""
        return {name: resident_mb(self._running[name].pid) for name in names if name in self._running}

    def close(self) -> None:
        """End all players."""
        for player in self._running.values():
            player.close()
        self._running.clear()
        self._nobody.close()

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
        self._note(f"{name} has ended and is started again")
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
            note=lambda line: self._tell_death(entrant.name, line),
            restarts=_RESTARTS,
        )

    def _tell_death(self, name: str, line: str) -> None:
        """Pass on of a player's log what is not its own affair: that it died."""
        if line.startswith("the player has died"):
            self._note(f"{name}: {line}")

    def _pin(self, names: Sequence[str]) -> None:
        """Give each player that thinks a core; the seats of a match differ, so this is done anew for each."""
        if not self._cores:
            return
        thinking = 0
        for name in names:
            if name in self._running:
                if self._entrants[name].thinks:
                    cores = {self._cores[thinking % len(self._cores)]}
                    thinking += 1
                else:
                    cores = set(self._cores)
                pin(self._running[name].pid, cores)


class _Nobody:
    """Be called in the place of a player that does not start, and hang up.

    At a closed port a manager would try for a while, as whoever is to listen there may be on the way.
    """

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._hang_up, name="nobody", daemon=True).start()

    def close(self) -> None:
        """Be called no more."""
        self._socket.close()

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                self._socket.accept()[0].close()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])

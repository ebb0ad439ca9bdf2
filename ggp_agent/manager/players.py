"""The players of a manager: processes of this program, commands, running players and text players.

>>> spec = read_spec("agent:mine.toml")
>>> spec.policy, spec.config
('agent', 'mine.toml')
>>> read_spec("localhost:9148").url, read_spec("http://10.0.0.7/there").url
('http://localhost:9148', 'http://10.0.0.7:9147/there')
>>> read_spec("human")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: unknown player 'human'; give agent, random, legal, agent:CONFIG, exec:COMMAND or http://host:port
"""

from __future__ import annotations

import contextlib
import queue
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

from ..common.end_with_parent import ending_with_parent
from ..common.errors import UserError
from ..common.processes import child_environment, how_it_ended, pin, resident_mb
from ..common.terminal_text import shortened
from ..player.match.messages import POLICIES
from ..protocol.client import PlayerClient
from ..protocol.clocks import Deadline
from ..protocol.dialects import GGP_BASE, Dialect
from ..protocol.http_client import PlayerAddress
from ..protocol.text_command import EXEC, TextCommand
from ..protocol.text_process import TextProcess
from .seats import Seat, TextSeat

# The policy with a search; it takes a configuration.
AGENT = "agent"
# The placeholder of the port in a command.
PORT = "{port}"
_HOST_AND_PORT = re.compile(r"(?:[^\s:/]+|\[[0-9A-Fa-f:.]+\]):[0-9]+(?:/.*)?")
# Characters of the last output of a player in messages.
_SHOWN_OUTPUT = 200

# Seconds until a started player listens, and until a player ends.
START_TIMEOUT = 30.0
END_TIMEOUT = 2.0
# Seconds to read the last log lines of a player that has ended.
_READ_TIMEOUT = 0.5
# The largest number of restarts of a text player in a match.
_MAX_TEXT_RESTARTS = 3

Note = Callable[[str], None]
_NO_CORES: Mapping[str, Collection[int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerSpec:
    """The specification of a player: exactly one of a policy, a URL, a command and a text player."""

    policy: str = ""  # one of `POLICIES` for a player of this program; otherwise empty
    config: str = ""  # the configuration of `agent`, a TOML file or key=value,...; empty for the default
    native: bool = True  # whether `agent` may use native games
    seed: int | None = None  # the seed of a player of this program; None for a random one
    url: str = ""  # the URL of a running player; otherwise empty
    command: tuple[str, ...] = ()  # the command that starts the player, one word with `{port}`; otherwise empty
    text: TextCommand | None = None  # the command of a text player; otherwise None


def read_spec(text: str) -> PlayerSpec:
    """Parse the specification of a player: a policy, `agent:CONFIG`, `exec:COMMAND`, a URL, or host and port."""
    if text.startswith(EXEC):
        return PlayerSpec(text=TextCommand.read(text))
    policy, colon, config = text.partition(":")
    if policy in POLICIES and not config.startswith("//"):
        if not colon or (policy == AGENT and config):
            return PlayerSpec(policy=policy, config=config)
    elif "://" in text or _HOST_AND_PORT.fullmatch(text):
        return PlayerSpec(url=PlayerAddress(text).url)
    known = f"{', '.join(POLICIES)}, {AGENT}:CONFIG, {EXEC}COMMAND or http://host:port"
    raise UserError(f"unknown player {shortened(text)!r}; give {known}")


class PlayerProcess:
    """A player in a separate process: `ggp-agent serve` on a free port, or the command of another player.

    The player ends when its standard input is closed, so it ends with this process even after a crash. It is not in
    the terminal's process group: only the manager receives Ctrl-C and sends ABORT to the players. Only players of this
    program are restarted.
    """

    def __init__(
        self,
        spec: PlayerSpec,
        *,
        folder: Path | None = None,  # the working directory of a command
        note: Note | None = None,  # called when the player has died
        log: Note | None = None,  # called with each line of the log of a player of this program
        restarts: int = 0,
    ) -> None:
        self._spec = spec
        self._folder = folder
        self._note = note
        self._log = log
        self._restarts = 0 if spec.command else restarts
        self._lock = threading.Lock()
        self._closed = False
        self._port = _free_port() if spec.command else 0
        self._url = ""
        self._last_line = ""
        self._first_line: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._readers: list[threading.Thread] = []
        self._process = self._start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def alive(self) -> bool:
        """Return whether the player runs or will be restarted."""
        with self._lock:
            return self._process.poll() is None or (self._port != 0 and self._restarts > 0)

    def url(self) -> str:
        """Wait until the player listens, and return its URL."""
        if not self._url:
            self._url = self._url_of_command() if self._spec.command else self._reported_url()
        return self._url

    def close(self) -> None:
        """End the player; kill it if it does not end by itself."""
        with self._lock:
            self._closed = True
            process = self._process
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for reader in self._readers:
            reader.join(_READ_TIMEOUT)  # a child of the player may keep the pipe open

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> subprocess.Popen[str]:
        is_command = bool(self._spec.command)
        process = subprocess.Popen(
            ending_with_parent(self._command()) if is_command else self._serve(),
            cwd=self._folder if is_command else None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if is_command else subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env=None if is_command else child_environment(),
        )
        log = threading.Thread(target=self._read_log, args=(process,), name="player log", daemon=True)
        self._readers = [log]
        if not is_command:
            output = threading.Thread(target=self._read_output, args=(process, log), name="player output", daemon=True)
            self._readers.insert(0, output)
        for reader in self._readers:
            reader.start()
        return process

    def _command(self) -> list[str]:
        return [word.replace(PORT, str(self._port)) for word in self._spec.command]

    def _serve(self) -> list[str]:
        """Return the words that start a player of this program."""
        spec = self._spec
        words = [sys.executable, "-m", "ggp_agent", "serve", "--port", str(self._port), "--player", spec.policy]
        words += ["--quiet", "--exit-with-parent", "--no-ponder"]
        words += ["--config", spec.config] if spec.config else []
        words += ["--seed", str(spec.seed)] if spec.seed is not None else []
        return words if spec.native else [*words, "--no-native"]

    def _reported_url(self) -> str:
        """Return the URL that a player of this program reports."""
        try:
            line = self._first_line.get(timeout=START_TIMEOUT)
        except queue.Empty:
            line = ""
        found = re.search(r"http://\S{1,255}:(\d{1,5})", line)
        if found is None:
            self.close()
            raise UserError(f"the player '{self._spec.policy}' does not start: {self._last_line or 'no output'}")
        self._port = int(found[1])
        return found[0]

    def _url_of_command(self) -> str:
        """Wait until a command listens at its port."""
        deadline = Deadline(START_TIMEOUT)
        while deadline.left() > 0 and self.alive():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=1.0):
                return f"http://127.0.0.1:{self._port}"
            time.sleep(0.05)
        self.close()
        output = self._last_line[:_SHOWN_OUTPUT] or "it printed nothing"
        raise UserError(f"the player '{' '.join(self._command())}' does not listen at port {self._port}: {output}")

    def _read_output(self, process: subprocess.Popen[str], log: threading.Thread) -> None:
        """Read the player's address, and wait for its end."""
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self._first_line.put(line)
        self._first_line.put("")
        if self._port and not self._closed:
            self._report_end(process, log)

    def _read_log(self, process: subprocess.Popen[str]) -> None:
        lines = process.stdout if process.stderr is None else process.stderr
        assert lines is not None
        with lines:
            for line in lines:
                self._last_line = line.strip().removeprefix("ggp-agent: error: ")
                if self._log is not None and not self._closed:
                    self._log(self._last_line)

    def _report_end(self, process: subprocess.Popen[str], log: threading.Thread) -> None:
        """Report that a player has ended early, and restart it if restarts are left."""
        assert process.stdin is not None
        status = process.wait()
        log.join(_READ_TIMEOUT)
        cause = how_it_ended(status)
        output = f"; last output: {self._last_line}" if self._last_line else ""
        with self._lock:
            if self._closed:
                return
            again = self._restarts > 0
            if self._note is not None:
                self._note(f"the player has died ({cause}){output}{'; restarting it' if again else ''}")
            if again:
                self._restarts -= 1
                process.stdin.close()
                self._last_line = ""
                self._process = self._start()


class Players:
    """Start the players of matches; players that listen are kept for later matches, text players are not.

    With `substitutes`, an address that closes each connection replaces a player that does not start: the match
    continues, and its record has the errors of this player. Without them, the match does not begin.
    """

    def __init__(
        self,
        specs: Mapping[str, PlayerSpec],  # by the name of the player in notes
        note: Note,
        *,
        folder: Path | None = None,  # the working directory of commands
        restarts: int = 0,  # the number of restarts of each player
        logs: bool = False,  # whether the lines of the players' logs are noted
        substitutes: bool = False,
        dialect: Dialect = GGP_BASE,
    ) -> None:
        self._specs = specs
        self._note = note
        self._folder = folder
        self._restarts = restarts
        self._logs = logs
        self._dialect = dialect
        self._running: dict[str, PlayerProcess] = {}
        self._substitute = _ClosingServer() if substitutes else None

    @contextlib.contextmanager
    def seated(
        self, seating: Sequence[tuple[str, str, str]], cores: Mapping[str, Collection[int]] = _NO_CORES
    ) -> Iterator[list[Seat]]:
        """Yield the seats of a match: role, player in the record, name in notes; the name is empty for chance.

        Players that do not run are started, all at once. `cores` restricts the processes of players.
        """
        texts: dict[str, TextSeat] = {}
        with contextlib.ExitStack() as stack:
            for _, _, name in seating:
                if name and (text := self._specs[name].text) is not None:
                    process = TextProcess(
                        text.words,
                        folder=self._folder,
                        restarts=min(self._restarts, _MAX_TEXT_RESTARTS),
                        cores=cores.get(name, ()),
                        note=self._note_of(name) if self._logs else None,
                    )
                    texts[name] = TextSeat(stack.enter_context(process), text)
            urls = self._urls([name for _, _, name in seating if name and name not in texts])
            for name in urls:
                if name in self._running and cores.get(name):
                    pin(self._running[name].pid, cores[name])
            yield [
                Seat(
                    role,
                    player,
                    PlayerClient(urls[name], player, self._dialect) if name in urls else None,
                    name in urls and self._specs[name].policy == AGENT,
                    texts.get(name),
                )
                for role, player, name in seating
            ]

    def memory(self, names: Sequence[str]) -> dict[str, float]:
        """Return the resident memory in MB of each of these players that was started here and is kept."""
        return {name: resident_mb(self._running[name].pid) for name in names if name in self._running}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        for player in self._running.values():
            player.close()
        if self._substitute is not None:
            self._substitute.close()

    def _urls(self, names: Sequence[str]) -> dict[str, str]:
        """Return the URLs of players, after starting the players that do not run."""
        for name in names:
            if self._needs_start(name):
                self._running[name] = PlayerProcess(
                    self._specs[name],
                    folder=self._folder,
                    note=self._note_of(name),
                    log=self._note_of(name) if self._logs else None,
                    restarts=self._restarts,
                )
        urls = {}
        for name in names:
            try:
                urls[name] = self._specs[name].url or self._running[name].url()
            except UserError as error:
                del self._running[name]
                if self._substitute is None:
                    raise
                self._note(f"{name}: {error}")
                urls[name] = self._substitute.url
        return urls

    def _needs_start(self, name: str) -> bool:
        if self._specs[name].url:
            return False
        player = self._running.get(name)
        if player is None:
            return True
        if player.alive():
            return False
        self._note(f"{name} has ended and is restarted")
        player.close()
        return True

    def _note_of(self, name: str) -> Note:
        return lambda line: self._note(f"{name}: {line}")


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

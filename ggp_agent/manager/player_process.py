"""The player of a role: a player process of this program, a running player, or a text player.

>>> read_spec("agent:mine.toml")
PlayerSpec(policy='agent', config='mine.toml', url='', command=None)
>>> read_spec("localhost:9148").url, read_spec("http://10.0.0.7/there").url
('http://localhost:9148', 'http://10.0.0.7:9147/there')
>>> read_spec("human")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: unknown player 'human'; give agent, random, legal, agent:CONFIG, exec:COMMAND or http://host:port
"""

from __future__ import annotations

import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from ..common.errors import UserError
from ..common.processes import child_environment, how_it_ended
from ..player.match_messages import POLICIES
from ..protocol.http_client import PlayerAddress
from ..protocol.text_command import EXEC, TextCommand

# The policy with a search; it takes a configuration.
AGENT = "agent"
_HOST_AND_PORT = re.compile(r"(?:[^\s:/]+|\[[0-9A-Fa-f:.]+\]):[0-9]+(?:/.*)?")
# Characters of an invalid specification in messages.
_SHOWN = 60

# Seconds until a started player reports its address, and until a player ends.
START_TIMEOUT = 30.0
END_TIMEOUT = 2.0
# Seconds to read the last log lines of a player that has ended.
_READ_TIMEOUT = 0.5


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """The specification of a player: a policy of this program, the address of a running player, or a text player."""

    policy: str = ""  # one of `POLICIES`; empty for another player
    config: str | None = None  # the configuration of the search, a TOML file or key=value,...; None for the default
    url: str = ""  # the address of a running player; otherwise empty
    command: TextCommand | None = None  # the command of a text player; otherwise None


def read_spec(text: str) -> PlayerSpec:
    """Parse the specification of a player: a policy, `agent:CONFIG`, `exec:COMMAND`, a URL, or host and port."""
    if text.startswith(EXEC):
        return PlayerSpec(command=TextCommand.read(text))
    policy, colon, config = text.partition(":")
    if policy in POLICIES and not config.startswith("//"):
        if not colon or (policy == AGENT and config):
            return PlayerSpec(policy, config if colon else None)
    elif "://" in text or _HOST_AND_PORT.fullmatch(text):
        return PlayerSpec(url=PlayerAddress(text).url)
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]}.."
    known = f"{', '.join(POLICIES)}, {AGENT}:CONFIG, {EXEC}COMMAND or http://host:port"
    raise UserError(f"unknown player {shown!r}; give {known}")


class PlayerProcess:
    """A player in a separate process: `ggp-agent serve` on a free port.

    The player ends when its standard input is closed, so it ends with this process even after a crash. It is not in
    the terminal's process group: only the manager receives Ctrl-C and sends ABORT to the players.
    """

    def __init__(
        self,
        policy: str,
        *,
        config: str | None = None,
        seed: int | None = None,
        modules: bool = True,
        note: Callable[[str], None] | None = None,
        restarts: int = 0,
    ) -> None:
        self._options = ["--player", policy, "--quiet", "--exit-with-parent", "--no-ponder"]
        if config is not None:
            self._options += ["--config", config]
        if seed is not None:
            self._options += ["--seed", str(seed)]
        if not modules:
            self._options.append("--no-native")
        self._policy = policy
        self._note = note
        self._restarts = restarts
        self._lock = threading.Lock()
        self._closed = False
        self._port = 0
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
        try:
            line = self._first_line.get(timeout=START_TIMEOUT)
        except queue.Empty:
            line = ""
        found = re.search(r"http://\S{1,255}:(\d{1,5})", line)
        if found is None:
            self.close()
            raise UserError(f"the player '{self._policy}' does not start: {self._last_line or 'no output'}")
        self._port = int(found[1])
        return found[0]

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

    def __enter__(self) -> PlayerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "ggp_agent", "serve", "--port", str(self._port), *self._options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env=child_environment(),
        )
        log = threading.Thread(target=self._read_log, args=(process,), name="player log", daemon=True)
        output = threading.Thread(target=self._read_output, args=(process, log), name="player output", daemon=True)
        self._readers = [output, log]
        log.start()
        output.start()
        return process

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
        assert process.stderr is not None
        with process.stderr:
            for line in process.stderr:
                self._last_line = line.strip().removeprefix("ggp-agent: error: ")
                if self._note is not None and not self._closed:
                    self._note(self._last_line)

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

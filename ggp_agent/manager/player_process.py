"""What plays a role: a player that is started here, or one that runs already.

>>> read_spec("agent:mine.toml")
PlayerSpec(policy='agent', config='mine.toml', url='')
>>> read_spec("localhost:9148").url, read_spec("http://10.0.0.7/there").url
('http://localhost:9148', 'http://10.0.0.7:9147/there')
>>> read_spec("human")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: no player is called 'human'; give agent, random, legal, agent:CONFIG or http://host:port
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

# The policy that searches, which can be configured.
AGENT = "agent"
_HOST_AND_PORT = re.compile(r"(?:[^\s:/]+|\[[0-9A-Fa-f:.]+\]):[0-9]+(?:/.*)?")
# Characters of what names no player, in messages.
_SHOWN = 60

# Seconds that a player may take from its start to its address, and from the request to end to its end.
START_TIMEOUT = 30.0
END_TIMEOUT = 2.0
# Seconds for the last lines of the log of a player that has ended.
_READ_TIMEOUT = 0.5


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """What plays, as a word says it: a policy of ours, which has to be started, or a player that runs already.

    Attributes:
        policy: one of `POLICIES`; empty for a player that runs already.
        config: how the policy searches, a TOML file or key=value,...; None for none.
        url: where the player is; empty for one of ours.
    """

    policy: str = ""
    config: str | None = None
    url: str = ""


def read_spec(text: str) -> PlayerSpec:
    """Read what plays a role, as the command line, a tournament's file and a match record say it.

    Raises:
        UserError: it is no policy, `agent:CONFIG`, URL, or host and port.
    """
    policy, colon, config = text.partition(":")
    if policy in POLICIES and not config.startswith("//"):
        if not colon or (policy == AGENT and config):
            return PlayerSpec(policy, config if colon else None)
    elif "://" in text or _HOST_AND_PORT.fullmatch(text):
        return PlayerSpec(url=PlayerAddress(text).url)
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]}.."
    known = f"{', '.join(POLICIES)}, {AGENT}:CONFIG or http://host:port"
    raise UserError(f"no player is called {shown!r}; give {known}")


class PlayerProcess:
    """A player in a process of its own, `ggp-agent serve` on a free port, which never outlives this process.

    The player ends when its standard input is closed, which the system does when this process dies, however it dies.
    It is kept out of the terminal's process group: Ctrl-C is for the manager, who tells the players.

    Args:
        policy: what plays: `agent`, `random` or `legal`.
        config: how `agent` searches, a TOML file or key=value,...
        seed: of its random choices.
        modules: whether it may play rules that it recognises by a hand-coded game.
        note: called with every line of its log, and when it dies, from another thread.
        restarts: how many times it is started again on its port when it dies after it has listened.

    Raises:
        UserError: it does not start.
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
        """Its process."""
        return self._process.pid

    def alive(self) -> bool:
        """Tell whether it still runs, or starts itself again because it has died after it has listened."""
        with self._lock:
            return self._process.poll() is None or (self._port != 0 and self._restarts > 0)

    def url(self) -> str:
        """Wait until the player listens, and return where.

        Raises:
            UserError: it ends before, or takes too long.
        """
        try:
            line = self._first_line.get(timeout=START_TIMEOUT)
        except queue.Empty:
            line = ""
        found = re.search(r"http://\S{1,255}:(\d{1,5})", line)
        if found is None:
            self.close()
            raise UserError(f"the player '{self._policy}' does not start: {self._last_line or 'it says nothing'}")
        self._port = int(found[1])
        return found[0]

    def close(self) -> None:
        """End the player, by force if it does not end by itself."""
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
            reader.join(_READ_TIMEOUT)  # a process that the player has started may hold the other end yet

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
        """Wait for the player's address, then for its end."""
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self._first_line.put(line)
        self._first_line.put("")
        if self._port and not self._closed:
            self._tell_end(process, log)

    def _read_log(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        with process.stderr:
            for line in process.stderr:
                self._last_line = line.strip().removeprefix("ggp-agent: error: ")
                if self._note is not None and not self._closed:
                    self._note(self._last_line)

    def _tell_end(self, process: subprocess.Popen[str], log: threading.Thread) -> None:
        """Tell that a player that has listened is dead, and start it again if that was asked for."""
        assert process.stdin is not None
        status = process.wait()
        log.join(_READ_TIMEOUT)
        cause = how_it_ended(status)
        said = f"; it said last: {self._last_line}" if self._last_line else ""
        with self._lock:
            if self._closed:
                return
            again = self._restarts > 0
            if self._note is not None:
                self._note(f"the player has died ({cause}){said}{'; it is started again' if again else ''}")
            if again:
                self._restarts -= 1
                process.stdin.close()
                self._last_line = ""
                self._process = self._start()

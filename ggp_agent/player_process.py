"""Players in processes of their own, which never outlive the program that started them."""

from __future__ import annotations

import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from types import TracebackType

from .errors import UserError

# Seconds that a player may take from its start to its address, and from the request to end to its end.
START_TIMEOUT = 30.0
END_TIMEOUT = 2.0


class PlayerProcess:
    """Run `ggp-agent serve` on a free port.

    The player ends when its standard input is closed, which the system does when this process dies, however it dies.
    It is kept out of the terminal's process group: Ctrl-C is for the manager, who tells the players.

    Args:
        policy: what plays: `agent`, `random` or `legal`.
        config: TOML file that says how `agent` searches.
        seed: of its random choices.
        modules: whether it may play rules that it recognises by a hand-coded game.
        note: called with every line of its log, from another thread.

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
    ) -> None:
        command = [sys.executable, "-m", "ggp_agent", "serve", "--port", "0", "--player", policy]
        command += ["--quiet", "--exit-with-parent", "--no-ponder"]
        if config is not None:
            command += ["--config", config]
        if seed is not None:
            command += ["--seed", str(seed)]
        if not modules:
            command.append("--no-modules")
        self._policy = policy
        self._note = note
        self._last_words = ""
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._first_line: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._readers = [
            threading.Thread(target=self._read_output, name="player output", daemon=True),
            threading.Thread(target=self._read_log, name="player log", daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def url(self) -> str:
        """Wait until the player listens, and return where.

        Raises:
            UserError: it ends before, or takes too long.
        """
        try:
            line = self._first_line.get(timeout=START_TIMEOUT)
        except queue.Empty:
            line = ""
        found = re.search(r"http://\S+", line)
        if found is None:
            self.close()
            raise UserError(f"the player '{self._policy}' does not start: {self._last_words or 'it says nothing'}")
        return found[0]

    def close(self) -> None:
        """End the player, by force if it does not end by itself."""
        assert self._process.stdin is not None and self._process.stdout is not None
        assert self._process.stderr is not None
        self._process.stdin.close()
        try:
            self._process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for reader in self._readers:
            reader.join(END_TIMEOUT)
        self._process.stdout.close()
        self._process.stderr.close()

    def __enter__(self) -> PlayerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._first_line.put(line)
        self._first_line.put("")

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._last_words = line.strip().removeprefix("ggp-agent: error: ")
            if self._note is not None:
                self._note(self._last_words)

"""A player served by a separate process, as by the command, and requests to it."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from exploding_sheets import children, is_alive
from places import ROOT
from waiting import wait_for

from gdl import MachineState, ReferenceMachine, parse_sheet
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.protocol.messages import Presence, parse_presence


class Served:
    """A served player, and the requests of a manager; its number of open files can be limited."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        port: int = 0,
        environment: dict[str, str] | None = None,
        files: int | None = None,
    ) -> None:
        self.log = folder / "log.txt"
        command = [sys.executable, str(ROOT / "run_agent.py"), "serve", "--port", str(port), *options]
        if files is not None:
            command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, **(environment or {})}
            )
        assert self.process.stdout is not None
        found = re.search(r"http://[^:]+:(\d+)", self.process.stdout.readline())
        assert found is not None, self.log.read_text()
        self.port = int(found[1])
        self.client = PlayerClient(f"http://127.0.0.1:{self.port}", "player")

    def ask(self, message: str, seconds: float = 60) -> str:
        return self.client.exchange(message, seconds).text

    def info(self) -> Presence:
        return parse_presence(self.ask("( INFO )"))

    def players(self) -> list[int]:
        return [child for fork_server in children(self.process.pid) for child in children(fork_server)]

    def player(self) -> int:
        """Return the process of the only match, as soon as there is one."""
        return wait_for(self.players)[0]

    def kill(self) -> None:
        self.process.kill()
        self.close()

    def close(self) -> None:
        fork_servers = children(self.process.pid)
        processes = self.players()
        self.process.terminate()
        self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        wait_for(lambda: not any(map(is_alive, fork_servers + processes)))  # no process is left


Serve = Callable[..., Served]

# Seconds beyond the play clock for the move on a busy machine; a player that waits for a lost process never answers.
LATE_SECONDS = 10.0


class Match:
    """A match between a served player and random moves, checked by the rules; every move must arrive in time."""

    def __init__(self, served: Served, text: str, role: str, startclock: float, playclock: float, name: str = "m.1"):
        self.served = served
        self.name = name
        self.role = role
        self.playclock = playclock
        self.machine = ReferenceMachine(parse_sheet(text))
        self.state: MachineState = self.machine.initial()
        self.moves = "NIL"
        self.left: list[float] = []
        self._random = random.Random(1)
        assert served.ask(f"( START {name} {role} ({text}) {startclock} {playclock} )") == "ready"

    def request(self) -> str:
        return f"( PLAY {self.name} {self.moves} )"

    def ask(self) -> str:
        began = time.monotonic()
        move = self.served.ask(self.request())
        self.left.append(self.playclock - (time.monotonic() - began))
        assert self.left[-1] > -LATE_SECONDS
        assert move in self.machine.legal(self.state, self.role)
        return move

    def advance(self, move: str) -> None:
        moves = [
            move if role == self.role else self._random.choice(sorted(self.machine.legal(self.state, role)))
            for role in self.machine.roles
        ]
        self.state = self.machine.next(self.state, moves)
        self.moves = f"({' '.join(moves)})"

    def play(self) -> str:
        move = self.ask()
        self.advance(move)
        return move

    def while_asked(self, happens: Callable[[], None]) -> None:
        """Call a function while a move is computed."""
        errors: list[BaseException] = []

        def run() -> None:
            try:
                happens()
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            self.play()
        finally:
            thread.join()
        if errors:
            raise errors[0]

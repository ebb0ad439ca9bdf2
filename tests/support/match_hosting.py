"""Helpers for tests of matches: a long game, hosting, processes."""

from __future__ import annotations

import contextlib
import itertools
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cli_process
from cli_process import start
from raw_player import reply
from small_games import counting

from gdl import ReferenceMachine, parse_sheet
from ggp_agent.game.game import Game
from ggp_agent.game.roles import is_chance
from ggp_agent.manager.match_manager import MatchManager
from ggp_agent.manager.seats import MatchObserver, Seat
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.protocol.messages import Message, Play, Start, parse_message
from ggp_agent.records.match_record import MatchRecord

# The number of turns of the long game.
TURNS = 12
LONG = counting(TURNS)


class Notes(MatchObserver):
    """Store notes, and call a function at the beginning of a turn."""

    def __init__(self, at: dict[int, Callable[[], None]] | None = None) -> None:
        self.lines: list[str] = []
        self.turn = 0
        self._at = at or {}

    def turn_began(self, number: int) -> None:
        self.turn = number
        if number in self._at:
            self._at[number]()

    def note(self, text: str) -> None:
        self.lines.append(f"{self.turn}: {text}")


def long_game() -> Game:
    return Game("game", parse_sheet(LONG), "test:game")


def new_record(play_clock: float = 1.0) -> MatchRecord:
    return MatchRecord("game.1", "game", "test:game", ("left", "right"), ("one", "two"), 2.0, play_clock)


def host(urls: Sequence[str], record: MatchRecord, notes: Notes | None = None, **options: Any) -> MatchRecord:
    """Host a match of the long game in this process, and check its record."""
    run_match(long_game(), seats_at(urls, record), record, observer=notes, **options)
    check(record)
    return record


def seats_at(urls: Sequence[str | None], record: MatchRecord) -> list[Seat]:
    """Return the seats of players at addresses; a player without an address makes random moves."""
    return [
        Seat(role, player, PlayerClient(url, player) if url else None)
        for role, player, url in zip(record.roles, record.players, urls, strict=True)
    ]


def run_match(game: Game, seats: Sequence[Seat], record: MatchRecord, **options: Any) -> None:
    options = {"save": lambda: None, "seed": 1, **options}
    MatchManager(game.initial_state("reasoner"), seats, record, **options).run()


def check(record: MatchRecord) -> None:
    """Compare the record of a finished match of the long game with the rules."""
    check_record(record.document(), LONG)
    assert len(record.moves) == TURNS
    assert (record.completed, record.aborted, record.goals) == (True, False, [50, 50])


def check_record(record: dict[str, Any], rules: str) -> None:
    """Check a record: each move is legal, and each state is the successor of the previous state."""
    machine = ReferenceMachine(parse_sheet(rules))
    state = machine.initial()
    assert len(record["states"]) == len(record["stateTimes"]) == len(record["errors"]) == len(record["moves"]) + 1
    assert len(record["moveTimes"]) == len(record["moves"])
    for index, text in enumerate(record["states"]):
        assert text == " ".join(["(", *machine.fluents(state), ")"])
        if index < len(record["moves"]):
            moves = record["moves"][index]
            for role, move in zip(machine.roles, moves, strict=True):
                assert move in machine.legal(state, role)
            if "percepts" in record:
                assert record["percepts"][index] == [machine.percepts(state, moves, role) for role in machine.roles]
            state = machine.next(state, moves)
    assert record["isCompleted"] is machine.terminal(state)
    if record["isCompleted"]:
        for role, goal in zip(machine.roles, record["goalValues"], strict=True):
            assert is_chance(role) or goal == machine.goal(state, role)
    assert record["stateTimes"] == sorted(record["stateTimes"])


def errors_of(record: MatchRecord, index: int) -> list[str]:
    return [errors[index] for errors in record.errors]


class Gate:
    """Stop a player in a turn until the test continues it, so that the load of the computer does not matter."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def wait(self) -> None:
        self.reached.set()
        self.open.wait(60)


def says(
    text: str, delay: float = 0.0, gates: Mapping[int, Gate] | None = None
) -> Callable[[socket.socket, str], None]:
    """Return a handler that replies ready, this move, done; with a gate before some of the moves, counted from 1."""
    plays = itertools.count(1)

    def handle(connection: socket.socket, message: str) -> None:
        word = message.split()[1]
        if word == "PLAY":
            gate = (gates or {}).get(next(plays))
            if gate is not None:
                gate.wait()
            time.sleep(delay)
        connection.sendall(reply({"START": "ready", "PLAY": text}.get(word, "done")))

    return handle


class Follower:
    """Play by the received rules: the longest of the legal moves, in upper case. For one match at a time.

    Args:
        gate: the gate before one of the moves.
        turn: the number of that move, counted from 1.
    """

    def __init__(self, gate: Gate | None = None, turn: int = 0) -> None:
        self.messages: list[Message] = []
        self._gate = gate
        self._turn = turn
        self._role = ""

    def handle(self, connection: socket.socket, text: str) -> None:
        message = parse_message(text)
        self.messages.append(message)
        answer = "ready"
        if isinstance(message, Start):
            self._role = message.role
            self._machine = ReferenceMachine(parse_sheet(message.rules))
            self._state = self._machine.initial()
        elif isinstance(message, Play):
            if message.moves is not None:
                self._state = self._machine.next(self._state, message.moves)
            answer = max(self._machine.legal(self._state, self._role), key=len).upper()
            if self._gate is not None and sum(isinstance(each, Play) for each in self.messages) == self._turn:
                self._gate.wait()
        connection.sendall(reply(answer))


def start_manager(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return cli_process.start("match", *arguments, cwd=folder)


def serve(port: int = 0) -> tuple[subprocess.Popen[str], str]:
    """Start a player that outlives its manager; return it and its address."""
    process = start("serve", "--port", str(port), "--player", "legal", "--quiet", stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found is not None
    return process, found[0]


@contextlib.contextmanager
def ended(*processes: subprocess.Popen[str]) -> Iterator[None]:
    """End processes that the test has started, at its end."""
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.communicate()

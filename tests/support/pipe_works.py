"""What the workers of tests do, and which workers run; imports little, so that they start quickly."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from ggp_agent.common.errors import UserError
from ggp_agent.common.processes import family


def echo(pipe: Connection) -> None:
    """Answer each message with the message and the process, until the message is None."""
    while (message := pipe.recv()) is not None:
        pipe.send((message, os.getpid()))


def hang(pipe: Connection) -> None:
    pipe.send(os.getpid())
    while True:
        time.sleep(60)


def send_zeros(pipe: Connection, count: int) -> None:
    pipe.send(bytes(count))


class AwkwardError(Exception):
    """Cannot be unpickled: its constructor wants more than its text."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one}\n{two}")


def fail(pipe: Connection, kind: str) -> None:
    match kind:
        case "user":
            raise UserError("no such\ngame")
        case "bug":
            raise KeyError("x")
        case "awkward":
            raise AwkwardError(1, 2)
        case "exit":
            sys.exit(3)
        case "abort":
            os._exit(4)
        case "signal":
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        case "ignored":
            os.kill(os.getpid(), signal.SIGINT)
            pipe.send("still here")


def pause(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def workers_of(pid: int) -> list[int]:
    """Return the workers of a process, without the fork server that has started them."""
    found = []
    for each in family(pid):
        with contextlib.suppress(OSError):
            if b"multiprocessing.forkserver" in Path(f"/proc/{each}/cmdline").read_bytes():
                found.append(each)
    return found[1:]


def surroundings(pipe: Connection) -> None:
    """Send the environment variables, the current folder and the path of imports."""
    pipe.send((dict(os.environ), os.getcwd(), sys.path))

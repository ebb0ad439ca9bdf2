"""What the workers of tests do; imports little, so that they start quickly."""

from __future__ import annotations

import os
import signal
import sys
import time
from multiprocessing.connection import Connection

from ggp_agent.common.errors import UserError


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

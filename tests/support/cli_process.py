"""The program in a process of its own."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from exploding_sheets import is_alive
from pipe_works import workers_of
from places import ROOT
from waiting import wait_for

from ggp_agent.common.processes import family


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and the parsers of its sub-commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from parsers(each)


def command(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "run_agent.py"), *arguments]


def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start the program; stdout and stderr are pipes unless the options for `Popen` say otherwise."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process: subprocess.Popen[str] = subprocess.Popen(command(*arguments), **(pipes | options))
    return process


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    usual = {"capture_output": True, "text": True, "timeout": 300}
    done: subprocess.CompletedProcess[str] = subprocess.run(command(*arguments), **(usual | options))
    return done


def interrupted(*arguments: str) -> tuple[int, str, str]:
    """Run the program and send Ctrl-C to its processes when three workers run; return status, stdout and stderr.

    No process is left.
    """
    process = start(*arguments, start_new_session=True)
    wait_for(lambda: len(workers_of(process.pid)) >= 3)
    started = family(process.pid)[1:]
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    wait_for(lambda: not any(map(is_alive, started)))
    return process.returncode, out, err

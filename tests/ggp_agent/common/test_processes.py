"""Starting processes while Ctrl-C is pressed, and ending them with the one that forked them."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.context import SpawnProcess

import pytest

from ggp_agent.common.processes import start_masked


def test_ctrl_c_that_another_thread_takes_waits_until_a_process_has_started() -> None:
    ended = threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    assert other.ident is not None
    process = Interrupted(other.ident)
    try:
        with pytest.raises(KeyboardInterrupt):
            start_masked(process)
    finally:
        ended.set()
        other.join()
    assert process.has_started
    process.join()
    assert process.exitcode == 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# The forked process hangs in Python, without a signal or a call of the system on which it could end.
FORKING = """
import os, sys, time
from ggp_agent.common.processes import Lifeline
lifeline = Lifeline()
for _ in range(2):
    if os.fork() == 0:
        lifeline.hold(by_pipe={by_pipe})
        os.write(1, b"x")
        while True:
            pass
time.sleep(60)
"""


@pytest.mark.parametrize("by_pipe", [False, True])
def test_forked_processes_end_with_one_that_is_killed(by_pipe: bool) -> None:
    if not by_pipe and sys.platform != "linux":
        pytest.skip("the system kills no process with its parent")
    program = FORKING.format(by_pipe=by_pipe)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert [process.stdout.read(1) for _ in range(2)] == [b"x", b"x"]
        process.kill()
        rest: list[bytes] = []
        reading = threading.Thread(target=lambda: rest.append(process.stdout.read()))  # type: ignore[union-attr]
        reading.start()
        reading.join(20)
        # It is open as long as one of them has it.
        assert rest == [b""]


class Interrupted(SpawnProcess):
    """A process during whose start Ctrl-C is pressed, and reaches a thread that does not mask it."""

    def __init__(self, thread: int) -> None:
        super().__init__(target=time.sleep, args=(0,))
        self.thread = thread
        self.has_started = False

    def start(self) -> None:
        signal.pthread_kill(self.thread, signal.SIGINT)
        time.sleep(0.1)
        multiprocessing.get_context("spawn").Process.start(self)
        self.has_started = True

"""Starting processes while Ctrl-C is pressed."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from multiprocessing.context import SpawnProcess

import pytest

from ggp_agent.processes import start_masked


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

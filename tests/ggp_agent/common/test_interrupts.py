"""Ctrl-C at any moment: also where Python cannot raise an exception, and where it must wait."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from ggp_agent.common.interrupts import interrupts_held, interrupts_repeated
from ggp_agent.common.processes import child_environment

# Nearly all of the time is spent in destructors and in callbacks of weak references and of the garbage collector.
DESTRUCTORS = """
import gc, sys, time, weakref
from ggp_agent.common.interrupts import interrupts_repeated

def work(*_):
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass

class Garbage:
    def __del__(self):
        work()

gc.callbacks.append(work)

@interrupts_repeated()
def run():
    print("begun", flush=True)
    end = time.monotonic() + 50
    while time.monotonic() < end:
        time.sleep(0.005)  # an interrupt that is sent again can arrive here
        Garbage()
        garbage = set()
        reference = weakref.ref(garbage, work)
        del garbage
        gc.collect(0)

try:
    run()
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("moment", [0.0, 0.013, 0.029, 0.041, 0.058, 0.3])
def test_an_interrupt_is_not_lost_in_a_destructor(moment: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DESTRUCTORS],
        env=child_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(moment)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert time.monotonic() - began < 60


class Failing:
    def __del__(self) -> None:
        raise ValueError("from a destructor")


def test_other_errors_of_destructors_are_reported_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda event: reported.append(event.exc_type))
    hook = sys.unraisablehook
    with interrupts_repeated():
        Failing()
    assert reported == [ValueError] and sys.unraisablehook is hook


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_wait_for_the_end_of_a_block(number: signal.Signals) -> None:
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    done = []
    try:
        with pytest.raises(KeyboardInterrupt), interrupts_held():
            with interrupts_held():
                os.kill(os.getpid(), number)
                done.append("inner")
            done.append("outer")
        assert done == ["inner", "outer"]
        assert signal.getsignal(signal.SIGINT) is signal.getsignal(signal.SIGTERM) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)

"""The environment of child processes, and the end of forked processes with the process that forked them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import ggp_agent
from ggp_agent.common.processes import child_environment


def test_a_child_finds_the_package_from_any_folder() -> None:
    folder = child_environment()["PYTHONPATH"].split(os.pathsep)[0]
    assert Path(ggp_agent.__file__) == Path(folder) / "ggp_agent" / "__init__.py"


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


LIMITED = """
from ggp_agent.common.processes import limit_memory
limit_memory({memory_mb})
try:
    bytearray(1 << 29)
    print("fits")
except MemoryError:
    print("does not fit")
"""


@pytest.mark.parametrize(("memory_mb", "said"), [(1, "does not fit"), (1024, "fits")])
def test_a_process_has_the_memory_of_its_limit(memory_mb: int, said: str) -> None:
    program = LIMITED.format(memory_mb=memory_mb)
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == said

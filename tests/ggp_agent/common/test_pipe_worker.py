"""Workers that answer, fail, are killed, hang or lose their parent."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import forkserver, resource_tracker
from pathlib import Path
from typing import Any

import pytest
from pipe_works import echo, fail, hang, pause, send_zeros, surroundings
from places import ROOT
from waiting import wait_for

from ggp_agent.common import pipe_worker
from ggp_agent.common.errors import UserError
from ggp_agent.common.pipe_worker import (
    FINISHED,
    PipeWorker,
    WorkerDiedError,
    run_alone,
    run_in_workers,
    wait_for_workers,
)
from ggp_agent.common.processes import child_environment, family


@pytest.fixture
def start() -> Iterator[Callable[..., PipeWorker]]:
    """Start workers; in the end no process and no zombie is left."""
    before = set(family(os.getpid()))
    started: list[PipeWorker] = []

    def start_one(*call: Any) -> PipeWorker:
        started.append(PipeWorker(*call))
        return started[-1]

    yield start_one
    for worker in started:
        worker.stop()
    # The resource tracker and the fork server of multiprocessing stay.
    kept = {resource_tracker._resource_tracker._pid, forkserver._forkserver._forkserver_pid}
    left = [pid for pid in family(os.getpid()) if pid not in before | kept]
    assert left == [] and multiprocessing.active_children() == []


def end_of(worker: PipeWorker) -> WorkerDiedError:
    with pytest.raises(WorkerDiedError) as caught:
        worker.receive(60)
    return caught.value


def test_messages_are_exchanged(start: Callable[..., PipeWorker]) -> None:
    worker = start(echo)
    worker.send("a")
    message, pid = worker.receive(60)
    assert message == "a" and pid != os.getpid()
    worker.send(None)
    assert str(end_of(worker)) == FINISHED
    worker.send("lost")
    assert str(end_of(worker)) == FINISHED


def test_the_reason_of_an_end_is_one_line(start: Callable[..., PipeWorker]) -> None:
    reasons = {
        "user": "no such game",
        "bug": "KeyError: 'x'",
        "awkward": "RuntimeError: AwkwardError: 1 2",
        "exit": "exit status 3",
        "abort": "exit status 4",
        "signal": "killed by SIGTERM",
    }
    workers = {kind: start(fail, kind) for kind in reasons}
    died = {kind: end_of(worker) for kind, worker in workers.items()}
    assert {kind: str(each) for kind, each in died.items()} == reasons
    errors = [each.error for each in died.values()]
    assert [type(error) for error in errors] == [UserError, KeyError, RuntimeError, *[type(None)] * 3]
    for error in errors[:3]:
        assert error is not None
        (note,) = error.__notes__
        assert note.startswith("In a worker process:\nTraceback") and "in fail" in note


def test_a_killed_worker_is_restarted(start: Callable[..., PipeWorker]) -> None:
    worker = start(echo)
    pids = set()
    for _ in range(2):
        worker.send("hello")
        _, pid = worker.receive(60)
        pids.add(pid)
        os.kill(pid, signal.SIGKILL)
        assert str(end_of(worker)) == "killed by SIGKILL (out of memory?)"
        worker.restart()
    assert len(pids) == 2


def test_a_worker_that_hangs_meets_the_time_limit_and_is_killed(start: Callable[..., PipeWorker]) -> None:
    worker = start(hang)
    pid = worker.receive(60)
    with pytest.raises(TimeoutError, match=r"sent nothing for 0\.1 s"):
        worker.receive(0.1)
    began = time.monotonic()
    worker.stop(grace=0.2)
    assert time.monotonic() - began >= 0.2
    assert not Path(f"/proc/{pid}").exists()
    assert str(end_of(worker)) == "it did not end within 0.2 s"


def test_a_stopped_worker_may_end_by_itself(start: Callable[..., PipeWorker]) -> None:
    worker = start(echo)
    worker.send("a")
    worker.receive(60)
    worker.stop(grace=60)
    assert str(end_of(worker)) == FINISHED


def test_messages_are_bounded(start: Callable[..., PipeWorker], monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(start(send_zeros, 20_000_000).receive(60)) == 20_000_000
    monkeypatch.setattr(pipe_worker, "MAX_MESSAGE_BYTES", 1 << 20)
    assert str(end_of(start(send_zeros, 20_000_000))) == "it sent a message of more than 1 MB"


def test_a_worker_killed_within_a_message_has_ended(start: Callable[..., PipeWorker]) -> None:
    worker = start(send_zeros, 200_000_000)
    assert wait_for_workers([worker], 60) == [worker]
    worker._process.kill()  # the message is larger than the pipe
    assert str(end_of(worker)) == "killed by SIGKILL (out of memory?)"


def test_many_workers_are_waited_for_at_once(start: Callable[..., PipeWorker]) -> None:
    workers = [start(echo) for _ in range(3)]
    assert wait_for_workers(workers, 0.0) == []
    workers[1].send("x")
    assert wait_for_workers(workers, 60) == [workers[1]]
    workers[1].receive()
    workers[2].send(None)
    assert wait_for_workers(workers, 60) == [workers[2]]


def test_ctrl_c_does_not_end_a_worker(start: Callable[..., PipeWorker]) -> None:
    assert start(fail, "ignored").receive(60) == "still here"


def test_results_have_the_order_of_the_items() -> None:
    pauses = [0.3, 0.0, 0.1, 0.0, 0.0]
    assert list(run_in_workers(pause, pauses, 3)) == pauses
    assert list(run_in_workers(pause, [], 3)) == []


def test_a_task_that_returns_early_with_an_exit_status_failed() -> None:
    with pytest.raises(WorkerDiedError, match=r"^its process ended early: exit status 0$"):
        run_alone(functools.partial(os._exit, 0))


PARENT = """
import os, time
from ggp_agent.common.pipe_worker import PipeWorker
from pipe_works import hang
if __name__ == "__main__":
    print(PipeWorker(hang).receive(), flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_worker_ends_with_its_parent(tmp_path: Path, end: signal.Signals) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    environment = child_environment()
    environment["PYTHONPATH"] += os.pathsep + str(ROOT / "tests" / "support")
    with subprocess.Popen(
        [sys.executable, script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.send_signal(end)
        parent.communicate(timeout=60)  # the worker has the pipes of its parent
        wait_for(lambda: not Path(f"/proc/{worker}").exists())


def test_ctrl_c_in_another_thread_waits_until_a_worker_has_started(
    start: Callable[..., PipeWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, has_started = threading.Event(), threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    process = multiprocessing.get_context("forkserver").Process
    start_process = process.start

    def start_and_interrupt(self: Any) -> None:
        # The other thread does not mask the signal.
        signal.pthread_kill(other.ident or 0, signal.SIGINT)
        time.sleep(0.1)
        start_process(self)
        has_started.set()

    monkeypatch.setattr(process, "start", start_and_interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            start(hang)
    finally:
        ended.set()
        other.join()
    assert has_started.is_set()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_worker_has_the_variables_the_folder_and_the_path_of_its_start(
    start: Callable[..., PipeWorker], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(echo).stop()  # the fork server runs now
    monkeypatch.setenv("GGP_AGENT_TEST", "later")
    monkeypatch.delenv("GGP_AGENT_CACHE", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    variables, folder, path = start(surroundings).receive(60)
    assert variables == dict(os.environ)
    assert folder == str(tmp_path) and path == sys.path


def test_a_killed_fork_server_is_replaced(start: Callable[..., PipeWorker]) -> None:
    worker = start(hang)
    worker.receive(60)
    server = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    os.kill(server, signal.SIGKILL)
    assert str(end_of(worker)) == "exit status 255"
    worker.restart()
    assert worker.receive(60)


def test_the_fork_server_imports_nothing_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "socket.py").write_text("raise SystemExit('imported')")
    script = tmp_path / "script" / "parent.py"
    script.parent.mkdir()
    script.write_text(PARENT.replace("time.sleep(60)", "os._exit(0)"))
    environment = child_environment()
    environment["PYTHONPATH"] += os.pathsep + str(ROOT / "tests" / "support")
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and done.stderr == "" and int(done.stdout)

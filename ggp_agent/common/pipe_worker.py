"""Worker processes: each runs one function and exchanges messages with this process through a pipe.

The fork server of `multiprocessing` forks the workers. It loads the module of the first worker's function before its
first fork, so the other workers of a pool start in a few milliseconds instead of half a second. It ends with this
process. Workers get the environment variables of the time of their start. Their standard output and error are the ones
that this process had when it started its first worker. On Linux the workers end with the fork server.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from multiprocessing import connection, forkserver, resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Self, TypeVar

from .errors import one_line
from .interrupts import interrupts_held
from .processes import child_environment, end_with_parent, how_it_ended, when_closed

T = TypeVar("T")
U = TypeVar("U")
Worker = TypeVar("Worker", bound="PipeWorker")

# The reason of the end if the work has returned.
FINISHED = "exit status 0"
# A larger message ends the worker that sends it.
MAX_MESSAGE_BYTES = 1 << 28
# Seconds between the last message of a worker and its end, after which the worker is killed.
_EXIT_SECONDS = 5.0
# The variables of the fork server: it imports nothing from the current folder, and NumPy starts no threads in it.
_OF_FORK_SERVER = {"PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1"}
_starting = threading.Lock()
# A system counts the milliseconds of one wait in 32 bits.
_MAX_WAIT_SECONDS = 3600.0


class WorkerDiedError(Exception):
    """Report that a worker has ended: there will be no more messages. The text is the reason, in one line."""

    def __init__(self, reason: str, error: Exception | None = None) -> None:
        super().__init__(reason)
        self.error = error  # the exception that ended the worker, with the worker's traceback as a note; None otherwise


class PipeWorker:
    """A worker process, started.

    The worker ignores Ctrl-C: this process stops it, or it ends with this process.
    """

    def __init__(self, work: Callable[..., None], *arguments: Any) -> None:
        self._call = (work, *arguments)
        self._ended = ""
        self._start()

    def fileno(self) -> int:
        """Return the file descriptor that is readable when `receive` returns at once."""
        return self._connection.fileno()

    def send(self, message: object) -> None:
        """Send a message; it is lost if the worker has ended, which `receive` reports."""
        with contextlib.suppress(OSError):
            self._connection.send(message)

    def receive(self, seconds: float | None = None) -> Any:
        """Wait for the next message and return it."""
        if self._ended:
            raise WorkerDiedError(self._ended)
        error = None
        try:
            if not self._connection.poll(seconds):
                raise TimeoutError(f"the worker sent nothing for {seconds:g} s")
            message = pickle.loads(self._connection.recv_bytes(MAX_MESSAGE_BYTES))
            if not isinstance(message, Exception):
                return message
            error, self._ended = message, one_line(message)
        except TimeoutError:
            raise
        except (EOFError, OSError) as problem:
            if "message length" in str(problem):
                self._ended = f"it sent a message of more than {MAX_MESSAGE_BYTES >> 20} MB"
        self.stop(_EXIT_SECONDS)
        raise WorkerDiedError(self._ended, error)

    def terminate(self) -> None:
        """Send SIGTERM to the worker."""
        self._process.terminate()

    def stop(self, grace: float = 0.0) -> None:
        """End the worker and wait for its end; its messages are dropped."""
        with interrupts_held():
            self._connection.close()
            if self._process.pid is not None:
                self._process.join(grace)
                status = self._process.exitcode
                self._process.kill()
                self._process.join()
                self._ended = self._ended or _reason(status, grace)

    def restart(self) -> None:
        """Stop the worker and start another one with the same arguments."""
        self.stop()
        self._ended = ""
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start(self) -> None:
        context = multiprocessing.get_context("forkserver")
        self._connection, theirs = context.Pipe()
        arguments = (theirs, dict(os.environ), *self._call)
        self._process = context.Process(target=_run, args=arguments, daemon=True)
        try:
            with interrupts_held(), theirs:
                start_fork_server(*(each.__module__ for each in self._call if callable(each)))
                self._process.start()
        except BaseException:
            self.stop()
            raise


def start_fork_server(*modules: str) -> None:
    """Start the fork server, unless it runs, and let it load modules before its first fork."""
    with _starting, _variables({**_OF_FORK_SERVER, "PYTHONPATH": child_environment()["PYTHONPATH"]}):
        forkserver.set_forkserver_preload([__name__, *modules])
        resource_tracker.ensure_running()  # the start of the server does this too and would undo the mask
        # Processes inherit the mask: without it, Ctrl-C would end a starting interpreter with a traceback.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            forkserver.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextlib.contextmanager
def _variables(values: dict[str, str]) -> Iterator[None]:
    """Set environment variables in a block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _reason(status: int | None, grace: float) -> str:
    if status is None:
        return f"it did not end within {grace:g} s"
    if status >= 0:
        return f"exit status {status}"
    return f"killed by {how_it_ended(status)}{' (out of memory?)' if status == -signal.SIGKILL else ''}"


def wait_for_workers(workers: Iterable[Worker], seconds: float) -> list[Worker]:
    """Wait until a worker has a message or has ended, and return all such workers."""
    by_descriptor = {worker.fileno(): worker for worker in workers}
    ready = connection.wait(list(by_descriptor), max(0.0, min(seconds, _MAX_WAIT_SECONDS)))
    return [worker for descriptor, worker in by_descriptor.items() if descriptor in ready]


def run_alone(task: Callable[[], T]) -> T:
    """Run a task in a worker, so that its memory and time are its own, and return its result."""
    start_fork_server(getattr(task, "func", task).__module__)
    (result,) = run_in_workers(_call, [task], 1)
    return result


def run_in_workers(function: Callable[[T], U], items: Sequence[T], jobs: int) -> Generator[U, None, None]:
    """Apply a function to items in workers and yield the results in the order of the items."""
    started, results = 0, dict[int, U]()
    under_way: dict[PipeWorker, int] = {}
    with contextlib.ExitStack() as stack:
        free = [stack.enter_context(PipeWorker(_apply, function)) for _ in range(min(jobs, len(items)))]
        for number in range(len(items)):
            while number not in results:
                while free and started < len(items):
                    worker = free.pop()
                    worker.send(items[started])
                    under_way[worker] = started
                    started += 1
                for worker in wait_for_workers(under_way, _MAX_WAIT_SECONDS):
                    try:
                        results[under_way.pop(worker)] = worker.receive()
                    except WorkerDiedError as died:
                        raise died.error or WorkerDiedError(f"its process ended early: {died}") from None
                    free.append(worker)
            yield results.pop(number)


def _call(task: Callable[[], T]) -> T:
    return task()


def _apply(pipe: Connection, function: Callable[[T], U]) -> None:
    while True:  # until the pipe is closed
        pipe.send(function(pipe.recv()))


def _run(pipe: Connection, environment: dict[str, str], work: Callable[..., None], *arguments: Any) -> None:
    """Run the work of a worker; report its exception."""
    end_with_parent()
    os.environ.clear()
    os.environ.update(environment)
    # Not SIG_IGN, which the programs that are started here would inherit.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    assert parent is not None
    when_closed(parent.sentinel, lambda: os._exit(1))
    try:
        work(pipe, *arguments)
    except Exception as error:
        with contextlib.suppress(OSError):  # the parent is gone
            pipe.send(_portable(error))


def _portable(error: Exception) -> Exception:
    """Return an exception that can be sent, with the traceback as a note."""
    note = f"In a worker process:\n{traceback.format_exc()}"
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(one_line(error))
    error.add_note(note)
    return error

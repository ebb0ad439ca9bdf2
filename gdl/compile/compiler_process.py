"""Compile a network in a child process, which can be limited and killed.

clingo cannot be interrupted within a join and has no limit of memory. So a child process does all work from the
program for clingo to the bytes of the compiled network. It loads only the compiled core, not this package, and starts
within a hundredth of a second. If it runs out of memory, is killed or crashes, the caller receives an outcome and can
continue with another strategy.
"""

from __future__ import annotations

import marshal
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import IO, cast

from .. import _network, _simulator
from .._simulator import StopFlag
from ..language.errors import GdlError, GdlLimitError, GdlRuleError
from .ground import AspProgram, clingo_library

# More gates than any network has.
NO_LIMIT = 2**62

# Seconds between two checks of the parent whether it should stop.
_POLL_SECONDS = 0.05

_CHUNK = 1 << 16

# The child imports nearly nothing: all but the module loader is built into the interpreter, the same one at both ends.
# Its input stays open as long as the parent lives. Where `confine` cannot end the child with its parent (macOS), a
# thread waits for the end of the input; under Linux a thread's stack would count as address space. An empty module
# stands for the package: when an extension imports another one by its full name, Python looks up the package, too.
_CHILD = """
import _thread, marshal, posix, sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec
extensions, bounds, request = marshal.load(sys.stdin.buffer)
if sys.platform != "linux":
    _thread.start_new_thread(lambda: posix._exit(len(posix.read(0, 1))), ())
sys.modules["gdl"] = type(sys)("gdl")
for name, path in extensions:
    loader = ExtensionFileLoader(name, path)
    module = sys.modules[name] = loader.create_module(ModuleSpec(name, loader, origin=path))
    loader.exec_module(module)
if module.confine(*bounds):
    sys.stdout.buffer.write(module.compile_game(*request))
"""

# What the child loads, in this order: the network's module uses the simulator's.
_EXTENSIONS = tuple((module.__name__, module.__file__) for module in (_simulator, _network))


@dataclass(frozen=True, slots=True)
class CompilerLimits:
    """The limits of one run of the compiler.

    Attributes:
        seconds: CPU-seconds; the time on the clock depends on the load of the machine.
        memory_mb: address space of the process, in units of 2^20 bytes.
        max_rules: number of ground rules.
    """

    seconds: float = 25.0
    memory_mb: int = 1500
    max_rules: int = 3_000_000


DEFAULT_LIMITS = CompilerLimits()


class Outcome(Enum):
    """How a run of the compiler ended."""

    NETWORK = "network"
    RULES = "rules"  # the rules do not describe a game
    NEGATION = "negation"  # a sentence depends on its own negation
    SIZE = "size"  # too many ground rules or gates
    MEMORY = "memory"
    TIME = "time"
    STOPPED = "stopped"  # by the caller
    LOST = "lost"  # killed by another process, crashed, or never started


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of a run of the compiler.

    Attributes:
        outcome: the kind of end of the run.
        network: the compiled network, for `_network.Network`; empty without a network.
        reason: the cause of a missing network, in one line; empty if there is a network.
        cpu_s: CPU-seconds of the process, including its start.
        peak_mb: largest resident memory of the process, in units of 2^20 bytes. The system counts at least the memory
            that the parent had when the process started.
    """

    outcome: Outcome
    network: bytes
    reason: str
    cpu_s: float
    peak_mb: float

    def error(self, source: str) -> GdlError:
        """Return the error to raise if a network is required."""
        if self.outcome in (Outcome.RULES, Outcome.NEGATION):
            return GdlRuleError(self.reason, source=source)
        return GdlLimitError(self.reason, source=source)


_LETTERS = {
    b"N": Outcome.NETWORK,
    b"L": Outcome.SIZE,
    b"M": Outcome.MEMORY,
    b"R": Outcome.RULES,
    b"S": Outcome.NEGATION,
}


def compile_program(
    program: AspProgram,
    roles: Sequence[str],
    limits: CompilerLimits,
    *,
    max_gates: int = NO_LIMIT,
    stop: StopFlag | None = None,
) -> Compilation:
    """Compile a program for clingo in a new process, and wait for its end."""
    bounds = (os.getpid(), limits.seconds, limits.memory_mb << 20)
    request = (clingo_library(), program.text, program.constants, tuple(roles), limits.max_rules, max_gates)
    try:
        child = _Child(marshal.dumps((_EXTENSIONS, bounds, request)))
    except OSError as error:
        return Compilation(Outcome.LOST, b"", f"the compiler's process cannot be started: {error.strerror}", 0.0, 0.0)
    ended: tuple[Outcome, str] | None = None
    with child:
        while child.exchange(_POLL_SECONDS):
            if stop is not None and stop.is_set:
                ended = Outcome.STOPPED, "compiling was stopped"
                child.kill()
                break
    outcome, content = ended or child.answer()
    if outcome is Outcome.NETWORK:
        assert isinstance(content, bytes)
        return Compilation(outcome, content, "", child.cpu_s, child.peak_mb)
    assert isinstance(content, str)
    return Compilation(outcome, b"", content, child.cpu_s, child.peak_mb)


class _Child:
    """Send input to the child process, collect its output, and wait for its end."""

    def __init__(self, message: bytes) -> None:
        self.cpu_s = 0.0
        self.peak_mb = 0.0
        self._status = 0
        self._unsent = memoryview(message)
        self._answer = bytearray()
        self._complaint = bytearray()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self._selector = selectors.DefaultSelector()
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._listen(self._process.stdin, selectors.EVENT_WRITE, None)
        self._listen(self._process.stdout, selectors.EVENT_READ, self._answer)
        self._listen(self._process.stderr, selectors.EVENT_READ, self._complaint)

    def _listen(self, pipe: IO[bytes], events: int, buffer: bytearray | None) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._selector.register(pipe, events, buffer)

    def exchange(self, seconds: float) -> bool:
        """Write and read what is possible within a time; return False once all output has been read."""
        for key, _ in self._selector.select(seconds):
            done = self._write(key.fd) if key.data is None else self._read(key.fd, key.data)
            if done:
                self._selector.unregister(key.fileobj)
                if key.data is not None:  # its input stays open, see _CHILD
                    cast(IO[bytes], key.fileobj).close()
        return bool(self._selector.get_map())

    def _write(self, pipe: int) -> bool:
        try:
            self._unsent = self._unsent[os.write(pipe, self._unsent[:_CHUNK]) :]
        except BrokenPipeError:  # the process has ended; its status contains the cause
            return True
        return not self._unsent

    def _read(self, pipe: int, buffer: bytearray) -> bool:
        data = os.read(pipe, _CHUNK)
        buffer += data
        return not data

    def kill(self) -> None:
        """Kill the process."""
        os.kill(self._process.pid, signal.SIGKILL)  # the id is valid until `__exit__` waits for the process

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            self.kill()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
        self._selector.close()
        try:
            _, status, usage = os.wait4(self._process.pid, 0)
        except ChildProcessError:  # no status is available if SIGCHLD is ignored
            self._process.returncode = 0
            return
        self._process.returncode = self._status = os.waitstatus_to_exitcode(status)
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.peak_mb = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)

    def answer(self) -> tuple[Outcome, bytes | str]:
        """Return the outcome of a process that has ended by itself, with the network or the reason."""
        if self._status == 0 and bytes(self._answer[:1]) in _LETTERS:
            outcome = _LETTERS[bytes(self._answer[:1])]
            content = bytes(self._answer[1:])
            return outcome, content if outcome is Outcome.NETWORK else content.decode()
        complaint = self._complaint.decode(errors="replace").strip().rpartition("\n")[2][:200] or "no message"
        if "bad_alloc" in complaint or "MemoryError" in complaint:
            return Outcome.MEMORY, "there is not enough memory to compile the rules"
        if self._status == -signal.SIGPROF:
            return Outcome.TIME, "compiling takes longer than its limit"
        if self._status < 0:
            return Outcome.LOST, f"the compiler's process was killed ({signal.Signals(-self._status).name})"
        return (
            Outcome.LOST,
            f"the compiler's process ended with status {self._status}: {complaint}",
        )

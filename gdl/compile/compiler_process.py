"""Compile a network in a process of its own, which can be limited and killed.

clingo cannot be interrupted within a join and knows no limit of memory. So a child process does all from the program
for clingo to the bytes of the compiled network; it loads two compiled modules, not this package, and starts within a
hundredth of a second. Whatever becomes of it, out of memory, killed from outside or crashed, is an outcome here and no
more, after which a caller goes on with something else.
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
from .asp import AspProgram
from .ground import clingo_library

# How often the parent looks whether it should stop; seconds.
_PATIENCE = 0.05

_CHUNK = 1 << 16

# Next to nothing is imported: what is not about modules is part of the interpreter, and both ends are the same one.
# An empty module stands for the package: when the second extension imports the first by its full name, Python looks the
# package up, too.
# Its input stays open as long as the parent. Where no call of the system makes it end with that, as on macOS, a thread
# waits for the end of the input; under Linux a thread's share of the address space would count.
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
    """Bound one run of the compiler.

    Attributes:
        seconds: CPU-seconds; how long they take on the clock depends on what else the machine does.
        memory_mb: address space of the process, in units of 2^20 bytes.
        max_rules: ground rules.
    """

    seconds: float = 25.0
    memory_mb: int = 1500
    max_rules: int = 3_000_000


DEFAULT_LIMITS = CompilerLimits()


class Outcome(Enum):
    """The end of a run of the compiler."""

    NETWORK = "network"
    RULES = "rules"  # they are no game
    NEGATION = "negation"  # likewise, for something depends on its own negation
    SIZE = "size"  # too many ground rules or gates
    MEMORY = "memory"
    TIME = "time"
    STOPPED = "stopped"  # because the caller asked for it
    LOST = "lost"  # killed by somebody else, crashed, or never started


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of a run of the compiler.

    Attributes:
        outcome: how it ended.
        network: the compiled network, for `_network.Network`; empty where there is none.
        reason: why there is no network, in one line; empty where there is one.
        cpu_s: CPU-seconds of the process, its start included.
        peak_mb: its largest resident memory, in units of 2^20 bytes; no less than ours was when it started, as the
            system counts.
    """

    outcome: Outcome
    network: bytes
    reason: str
    cpu_s: float
    peak_mb: float

    def error(self, source: str) -> GdlError:
        """Return what to raise where no network is no answer."""
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
    program: AspProgram, roles: Sequence[str], limits: CompilerLimits, *, stop: StopFlag | None = None
) -> Compilation:
    """Compile a program for clingo in a new process, and wait for its end.

    Args:
        program: what to ground and compile.
        roles: the roles in their order.
        limits: of the process.
        stop: set it from another thread to kill the process.
    """
    bounds = (os.getpid(), limits.seconds, limits.memory_mb << 20)
    request = (clingo_library(), program.text, program.constants, tuple(roles), limits.max_rules)
    try:
        child = _Child(marshal.dumps((_EXTENSIONS, bounds, request)))
    except OSError as error:
        return Compilation(Outcome.LOST, b"", f"the compiler's process cannot be started: {error.strerror}", 0.0, 0.0)
    ended: tuple[Outcome, str] | None = None
    with child:
        while child.exchange(_PATIENCE):
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
    """Feed the child process, gather what it says, and see it to its end.

    Raises:
        OSError: the system starts no process.
    """

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
        """Wait for so long until there is something to write or to read; return False when there will be no more."""
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
        except BrokenPipeError:  # it has ended; why, its status tells
            return True
        return not self._unsent

    def _read(self, pipe: int, buffer: bytearray) -> bool:
        data = os.read(pipe, _CHUNK)
        buffer += data
        return not data

    def kill(self) -> None:
        """End the process at once."""
        os.kill(self._process.pid, signal.SIGKILL)  # there until it is waited for, which `__exit__` alone does

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
        except ChildProcessError:  # who ignores SIGCHLD is not told
            self._process.returncode = 0
            return
        self._process.returncode = self._status = os.waitstatus_to_exitcode(status)
        self.cpu_s = usage.ru_utime + usage.ru_stime
        self.peak_mb = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)

    def answer(self) -> tuple[Outcome, bytes | str]:
        """Return how it went, with the network or else the reason, of a process that has ended by itself."""
        if self._status == 0 and bytes(self._answer[:1]) in _LETTERS:
            outcome = _LETTERS[bytes(self._answer[:1])]
            content = bytes(self._answer[1:])
            return outcome, content if outcome is Outcome.NETWORK else content.decode()
        complaint = self._complaint.decode(errors="replace").strip().rpartition("\n")[2][:200] or "it says nothing"
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

"""The compiler's process: its limits, how it ends, and that it leaves nothing behind."""

from __future__ import annotations

import _thread
import contextlib
import gc
import itertools
import marshal
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from exploding_sheets import EXPLODING, JOIN, compilers, is_alive
from quick import few
from waiting import wait_for

from gdl import GdlLimitError, NetworkMachine, _network, _simulator, parse_sheet
from gdl._simulator import StopFlag
from gdl.compile import compiler_process
from gdl.compile.compiler_process import Compilation, CompilerLimits, Outcome, compile_program
from gdl.compile.ground import AspProgram, clingo_library, to_asp
from kif_games import rules

NO_END = CompilerLimits(seconds=100, max_rules=10**9)


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Check that no process, living or unreaped, is left after a test."""
    gc.collect()  # objects of earlier tests
    before = len(os.listdir("/proc/self/fd"))
    yield
    assert compilers() == []
    with contextlib.suppress(ChildProcessError):  # there are no children
        assert os.waitpid(-1, os.WNOHANG) == (0, 0)
    assert len(os.listdir("/proc/self/fd")) == before


def compiled(text: str, limits: CompilerLimits = NO_END, stop: StopFlag | None = None) -> Compilation:
    sheet = parse_sheet(text)
    return compile_program(to_asp(sheet), sheet.roles(), limits, stop=stop)


def when_started(act: Callable[[int], None]) -> threading.Thread:
    """Call a function with the id of the compiler's process as soon as it exists."""

    def wait() -> None:
        (process,) = wait_for(compilers)
        time.sleep(0.1)
        act(process)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_a_network_comes_back_and_counts_what_it_took() -> None:
    compilation = compiled(rules("connect_four"))
    assert (compilation.outcome, compilation.reason) == (Outcome.NETWORK, "")
    assert compilation.cpu_s > 0
    # The system counts at least the memory of the parent.
    assert 5 < compilation.peak_mb <= max(500, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    network = _network.Network(compilation.network)
    gates = {name: gates for name, gates, _ in network.passes}
    assert len(network.moves) == 2 and gates["shared"] < network.raw_gates < network.ground_rules
    assert gates["shared"] < gates["look ahead"] <= network.gates


def test_equal_programs_give_equal_networks() -> None:
    one, other = (_network.Network(compiled(rules("tic_tac_toe")).network) for _ in range(2))
    assert (one.fluents, one.moves, one.gates, one.depth) == (other.fluents, other.moves, other.gates, other.depth)


def test_input_and_output_may_exceed_the_size_of_a_pipe() -> None:
    names = [f"{'n' * 40}{number}" for number in range(4000)]
    facts = " ".join(f"(thing {name})" for name in names)
    machine = NetworkMachine(parse_sheet(f"(role r) {facts} (<= (legal r (take ?x)) (thing ?x)) (init x)"))
    assert sorted(machine.legal(machine.initial(), "r")) == sorted(f"(take {name})" for name in names)


@pytest.mark.parametrize("name", few(sorted(EXPLODING), 2))
def test_limits_are_kept(name: str) -> None:
    by_size = compiled(EXPLODING[name], CompilerLimits(max_rules=20_000))
    assert (by_size.outcome, by_size.network) == (Outcome.SIZE, b"")
    assert "too large" in by_size.reason
    by_time = compiled(EXPLODING[name], CompilerLimits(seconds=0.2, max_rules=10**9))
    assert by_time.outcome is Outcome.TIME
    by_memory = compiled(EXPLODING[name], CompilerLimits(seconds=100, memory_mb=60, max_rules=10**9))
    assert by_memory.outcome is Outcome.MEMORY
    # The peak that the system reports includes the memory of the parent at the start of the process.
    assert by_memory.peak_mb <= max(60, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    assert "memory" in by_memory.reason


def test_only_seconds_of_the_processor_count(monkeypatch: pytest.MonkeyPatch) -> None:
    jumps = itertools.count()
    now = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: now() + 1e6 * next(jumps))  # a busy computer
    compilation = compiled(rules("tic_tac_toe"), CompilerLimits(seconds=20))
    assert (compilation.outcome, compilation.reason) == (Outcome.NETWORK, "")


def test_a_killed_process_is_lost() -> None:
    killer = when_started(lambda process: os.kill(process, signal.SIGKILL))
    compilation = compiled(JOIN)
    killer.join()
    assert compilation.outcome is Outcome.LOST
    assert compilation.reason == "the compiler's process was killed (SIGKILL)"
    assert isinstance(compilation.error("game.kif"), GdlLimitError)


def test_the_flag_stops_it_at_once() -> None:
    stop = StopFlag()
    assert not stop.is_set
    setter = when_started(lambda process: stop.set())
    compilation = compiled(JOIN, stop=stop)
    setter.join()
    assert (compilation.outcome, compilation.reason) == (Outcome.STOPPED, "compiling was stopped")


def test_an_interrupt_ends_it() -> None:
    interrupter = when_started(lambda process: _thread.interrupt_main())
    with pytest.raises(KeyboardInterrupt):
        compiled(JOIN)
    interrupter.join()


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text(JOIN)
    code = (
        "import sys, gdl; gdl.NetworkMachine(gdl.read_sheet(sys.argv[1]), limits=gdl.CompilerLimits(100, 1500, 10**9))"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "game.kif")]) as parent:
        (process,) = wait_for(lambda: compilers(parent.pid))
        parent.kill()
    wait_for(lambda: not is_alive(process))


def test_it_ends_with_its_input() -> None:
    """Required on systems without a call that ends it with its parent."""
    program = f"import sys; sys.platform = 'darwin'\n{compiler_process._CHILD}"
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", program], stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        sheet = parse_sheet(JOIN)
        rules_of = to_asp(sheet)
        request = (clingo_library(), rules_of.text, rules_of.constants, sheet.roles(), 10**9, 10**9)
        extensions = [(module.__name__, module.__file__) for module in (_simulator, _network)]
        child.stdin.write(marshal.dumps((extensions, (os.getpid(), 100.0, 1500 << 20), request)))
        child.stdin.flush()
        time.sleep(0.5)
        assert child.poll() is None  # it compiles
        child.stdin.close()
        assert child.wait(60) == 0


def test_it_inherits_no_files(tmp_path: Path) -> None:
    found: list[str] = []

    def look(process: int) -> None:
        files = Path(f"/proc/{process}/fd")
        found.extend(os.readlink(file) for file in files.iterdir())
        os.kill(process, signal.SIGKILL)

    with open(tmp_path / "secret", "w") as secret:
        os.set_inheritable(secret.fileno(), True)
        looker = when_started(look)
        compiled(JOIN)
        looker.join()
    assert len(found) >= 3
    assert not any("secret" in name for name in found)


@pytest.mark.parametrize(
    ("child", "reason"),
    few(
        [
            ("import sys; sys.exit('out of order')", "ended with status 1: out of order"),
            ("import os; os.abort()", r"was killed \(SIGABRT\)"),
            ("print('something else')", "ended with status 0: no message"),
            ("", "ended with status 0: no message"),
            ("import sys; sys.stderr.write('x' * 1000000); sys.exit(3)", "ended with status 3: xxx"),
            ("import marshal, sys; marshal.load(sys.stdin.buffer); x = 1 / 0", "ended with status 1"),
        ],
        3,
    ),
)
def test_every_end_of_the_process_is_reported(monkeypatch: pytest.MonkeyPatch, child: str, reason: str) -> None:
    monkeypatch.setattr(compiler_process, "_CHILD", child)
    program = AspProgram(f"% {'x' * 1_000_000}", ())
    compilation = compile_program(program, ["r"], NO_END)
    assert compilation.outcome is Outcome.LOST
    assert len(compilation.reason) < 500
    with pytest.raises(GdlLimitError, match=reason):
        raise compilation.error("game.kif")


def test_a_process_that_cannot_be_started_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    compilation = compiled("(role r) (legal r go)")
    assert compilation.outcome is Outcome.LOST
    assert compilation.reason == "the compiler's process cannot be started: No such file or directory"


@pytest.mark.parametrize("content", [b"", b"x", b"N", bytes(100), b"GGPN" + bytes(100)])
def test_bytes_that_are_not_a_network_are_refused(content: bytes) -> None:
    with pytest.raises(RuntimeError, match=r"^no compiled network: "):
        _network.Network(content)

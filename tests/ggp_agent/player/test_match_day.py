"""Failures during a match: killed and stopped processes, busy machines, clocks that jump."""

from __future__ import annotations

import contextlib
import os
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from exploding_sheets import PIGEONS, children, compilers, is_alive
from raw_player import free_port
from served import Match, Serve, Served
from small_games import COUNTING, NIM
from waiting import wait_for

from ggp_agent.player.guard import fork_server
from kif_games import rules


def thinks(served: Served) -> bool:
    """Return whether the search has findings."""
    thoughts = served.info().thoughts
    return thoughts is not None and thoughts.simulations > 0


def abort_search(served: Served) -> None:
    """Abort the match when the search has findings."""
    wait_for(lambda: thinks(served))
    assert served.ask("( ABORT m.1 )") == "aborted"


# ---- the process of the search


@pytest.mark.slow
def test_a_killed_search_costs_no_turn(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("breakthrough"), "white", 60, 4)
    first = served.player()

    def kill() -> None:
        wait_for(lambda: thinks(served))
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: served.players() not in ([], [first]))
        wait_for(lambda: thinks(served))  # in the same turn

    match.while_asked(kill)
    match.play()  # there is only one legal move
    match.while_asked(lambda: abort_search(served))
    wait_for(
        lambda: (
            "m.1: the match process ended early (SIGKILL; crash 1); starting another one\n" in served.log.read_text()
        )
    )


@pytest.mark.slow
def test_a_stopped_search_costs_at_most_a_move(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("breakthrough"), "white", 60, 2)
    first = served.player()

    def stop() -> None:
        wait_for(lambda: thinks(served))
        os.kill(first, signal.SIGSTOP)

    match.while_asked(stop)
    match.play()
    match.while_asked(lambda: abort_search(served))
    assert not is_alive(first)
    log = served.log.read_text()
    assert "the match process hangs" in log or "the best move so far" in log


@pytest.mark.slow
def test_a_silent_search_is_replaced(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("breakthrough"), "white", 60, 2)
    os.kill(served.player(), signal.SIGSTOP)
    match.play()
    wait_for(lambda: "no legal moves yet; a second process searches for them" in served.log.read_text())
    for _ in range(3):
        match.play()


@pytest.mark.slow
def test_after_several_crashes_the_match_continues_without_a_search(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("breakthrough"), "white", 60, 2)

    def kill() -> None:
        for _ in range(3):
            (player,) = wait_for(served.players)
            with contextlib.suppress(ProcessLookupError):
                os.kill(player, signal.SIGKILL)
            wait_for(lambda player=player: player not in served.players())  # type: ignore[misc]

    match.while_asked(kill)
    for _ in range(3):
        match.play()
    wait_for(lambda: "crash 3); starting another one without a search" in served.log.read_text())
    assert served.ask("( ABORT m.1 )") == "aborted"
    Match(served, NIM, "first", 60, 2, "m.2").play()


@pytest.mark.slow
def test_all_processes_except_the_server_may_be_killed(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("connect_four"), "red", 60, 8)  # a new fork server takes one second on a quiet machine
    (forking,) = children(served.process.pid)
    match.while_asked(lambda: os.kill(forking, signal.SIGKILL))
    match.play()
    match.while_asked(lambda: abort_search(served))
    wait_for(lambda: "the match process ended early" in served.log.read_text())


def test_fork_server_has_one_thread_and_the_server_does_not_load_numpy(serve: Serve) -> None:
    served = serve()
    (forking,) = children(served.process.pid)
    assert len(list(Path(f"/proc/{forking}/task").iterdir())) == 1  # otherwise it must not fork
    assert "numpy" in Path(f"/proc/{forking}/maps").read_text()
    front = Path(f"/proc/{served.process.pid}/maps").read_text()
    assert "numpy" not in front


def test_fork_server_that_does_not_answer_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "_ANSWER_SECONDS", 0.2)
    with fork_server.ForkServer() as server:
        server.wait()
        monkeypatch.setattr(fork_server, "_ANSWER_SECONDS", 60.0)  # of the next fork server
        first = pid_of(server)
        os.kill(first, signal.SIGSTOP)
        ours, theirs = socket.socketpair()
        with ours:
            worker = server.fork(theirs)
            assert not is_alive(first)
            assert children(pid_of(server)) == [worker]
            assert os.getsid(worker) == pid_of(server)  # Ctrl-C in a terminal must reach only the server process
            assert resource.prlimit(worker, resource.RLIMIT_CORE)[0] == 0
        assert server.end(worker) == "status 0"  # the other end of its pipe is closed


def pid_of(server: fork_server.ForkServer) -> int:
    assert server._process is not None
    return server._process.pid


# ---- the server process


@pytest.fixture
def journals(tmp_path: Path) -> dict[str, str]:
    return {"GGP_AGENT_STATE": str(tmp_path / "state")}


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_restarted_player_continues_its_match(serve: Serve, tmp_path: Path, journals: dict[str, str]) -> None:
    port = free_port()
    served = serve("--no-ponder", port=port, environment=journals)
    match = Match(served, rules("connect_four"), "red", 60, 1.5)
    for _ in range(3):
        match.play()
    served.kill()
    (journal,) = files(tmp_path / "state")
    with journal.open("ab") as file:
        file.write(b'{"turn": 4, "mo')  # cut off
    match.served = served = serve("--no-ponder", port=port, environment=journals)
    wait_for(lambda: "m.1: resumed after turn 3" in served.log.read_text())
    match.play()

    # Killed during a search: the manager makes a move itself, or sends PLAY again.
    for retried in (False, True):
        match.play()

        def ask(match: Match = match) -> None:
            with contextlib.suppress(Exception):
                match.served.ask(match.request())

        asking = threading.Thread(target=ask)
        asking.start()
        wait_for(lambda: f'"turn": {len(match.left)}'.encode() in journal.read_bytes())
        served.kill()
        asking.join()
        match.served = served = serve("--no-ponder", port=port, environment=journals)
        if not retried:
            move = min(match.machine.legal(match.state, "red"))
            match.left.append(0)
            match.advance(move)
        match.play()
    assert served.ask(f"( STOP m.1 {match.moves} )") == "done"
    assert files(tmp_path / "state") == []
    wait_for(lambda: f"PLAY m.1 turn {len(match.left)} " in served.log.read_text())
    assert "missed" not in served.log.read_text() and "PLAY m.1 (" not in served.log.read_text()


@pytest.mark.slow
def test_answers_from_before_a_restart_are_repeated(serve: Serve, journals: dict[str, str]) -> None:
    port = free_port()
    served = serve("--player", "random", port=port, environment=journals)
    match = Match(served, rules("connect_four"), "red", 60, 3)
    for _ in range(4):
        match.play()
    move = match.ask()
    served.kill()
    match.served = serve("--player", "random", port=port, environment=journals)
    assert match.ask() == move
    match.served.close()
    # A player that the user ends does not resume its match.
    served = serve("--player", "random", port=port, environment=journals)
    assert served.info().status == "available"
    assert served.ask(match.request()) == "busy"


@pytest.mark.slow
def test_a_new_match_replaces_resumed_matches_without_a_manager(
    serve: Serve, tmp_path: Path, journals: dict[str, str]
) -> None:
    port = free_port()
    served = serve("--player", "legal", port=port, environment=journals)
    Match(served, NIM, "first", 60, 3)
    served.kill()
    served = serve("--player", "legal", port=port, environment=journals)
    assert served.info().status == "available"
    Match(served, NIM, "first", 60, 3, "m.2").play()
    assert served.info().status == "busy"
    assert served.ask("( PLAY m.1 NIL )") == "busy"
    assert len(files(tmp_path / "state")) == 1


def test_journal_on_a_full_disk(serve: Serve, journals: dict[str, str]) -> None:
    served = serve("--player", "legal", port=free_port(), environment=journals)
    # A limit of 500 bytes per file, less than the rules, acts like a full disk.
    log = served.log.stat().st_size
    assert log < 500
    hard = resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (500, hard))
    match = Match(served, rules("connect_four"), "red", 60, 3)
    for _ in range(3):
        match.play()
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    match.play()
    assert served.ask(f"( STOP m.1 {match.moves} )") == "done"
    wait_for(lambda: "cannot be written: " in served.log.read_text())
    assert served.log.read_text().count("the journal") == 1
    Match(served, NIM, "first", 60, 3, "m.2").play()
    assert served.log.read_text().count("the journal") == 1


# ---- managers


def test_two_managers_with_one_match_each(serve: Serve) -> None:
    served = serve("--matches", "2", "--player", "random")
    first = Match(served, NIM, "first", 60, 3)
    second = Match(served, rules("connect_four"), "yellow", 60, 3, "m.2")
    assert served.ask(f"( START m.3 first ({NIM}) 5 3 )") == "busy"
    assert served.ask("( PLAY m.3 NIL )") == "busy"
    assert served.info().status == "busy"
    assert len(served.players()) == 2
    for _ in range(3):
        first.play()
        second.play()
    assert served.ask("( ABORT m.2 )") == "aborted"
    assert served.info().status == "available"
    Match(served, COUNTING, "left", 60, 3, "m.3").play()
    first.ask()


# ---- clocks


def test_info_is_answered_during_search(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("breakthrough"), "white", 60, 600)

    def ask() -> None:
        wait_for(lambda: thinks(served))
        assert all(thinks(served) for _ in range(100))
        abort_search(served)

    match.while_asked(ask)


def test_info_and_abort_during_compilation(serve: Serve, tmp_path: Path, journals: dict[str, str]) -> None:
    served = serve("--no-ponder", port=free_port(), environment=journals)
    match = Match(served, PIGEONS, "r", 1, 600)
    (compiler,) = wait_for(lambda: compilers(served.player()))  # compilation takes minutes
    (journal,) = files(tmp_path / "state")

    def ask() -> None:
        wait_for(lambda: b'"turn": 0' in journal.read_bytes())
        assert all(served.info().status == "busy" for _ in range(20))
        assert is_alive(compiler)
        assert served.ask("( ABORT m.1 )") == "aborted"

    match.while_asked(ask)
    wait_for(lambda: not is_alive(compiler))


JUMPING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
static int (*real)(clockid_t, struct timespec*);
static long jump(void) {  /* a day ahead and a day back, every second */
    struct timespec now;
    real(CLOCK_MONOTONIC, &now);
    return now.tv_sec % 2 ? 86400 : -86400;
}
int clock_gettime(clockid_t clock, struct timespec* found) {
    if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, found);
    if (clock == CLOCK_REALTIME) found->tv_sec += jump();
    return status;
}
time_t time(time_t* where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(struct timeval* found, void* zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    found->tv_sec = now.tv_sec;
    found->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""


@pytest.fixture
def jumping_clock(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which the wall clock jumps all the time."""
    (tmp_path / "jumping.c").write_text(JUMPING)
    library = str(tmp_path / "jumping.so")
    # The C++ compiler also compiles C.
    compiler = shlex.split(os.environ.get("CXX", "")) or ["c++" if shutil.which("c++") else "g++"]
    subprocess.run(
        [*compiler, "-x", "c", "-shared", "-fPIC", "-o", library, str(tmp_path / "jumping.c"), "-ldl"], check=True
    )
    environment = {"LD_PRELOAD": library}
    shown = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time())"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert abs(float(shown.stdout) - time.time()) > 80_000
    return environment


@pytest.mark.slow
def test_the_wall_clock_may_jump(serve: Serve, jumping_clock: dict[str, str]) -> None:
    served = serve(environment=jumping_clock)
    match = Match(served, rules("amazons"), "white", 2, 1.5)
    for _ in range(4):
        match.play()
    assert match.left[0] < 1  # the search ran and was not cut off
    assert served.info().status == "busy"
    assert served.ask(f"( STOP m.1 {match.moves} )") == "done"
    assert "ended early" not in served.log.read_text()
    assert "silent" not in served.log.read_text()

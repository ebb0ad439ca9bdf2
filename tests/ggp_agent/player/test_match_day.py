"""Failures during a match: killed and stopped processes, busy machines, clocks that jump."""

from __future__ import annotations

import contextlib
import os
import re
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
from match_hosting import wait_for
from served import TOLERANCE, Match, Serve, Served
from small_games import COUNTING, NIM

from ggp_agent.player import fork_server
from kif_games import rules


def thinks(served: Served) -> bool:
    """Return whether the search has findings."""
    thoughts = served.info().thoughts
    return thoughts is not None and thoughts.simulations > 0


# ---- the process of the search


def test_a_killed_search_costs_no_turn(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("breakthrough"), "white", 5, 2.5)
    first = served.player()

    def kill() -> None:
        wait_for(lambda: thinks(served))
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: served.players() not in ([], [first]))
        wait_for(lambda: thinks(served))  # in the same turn

    match.while_asked(kill)
    match.play()  # there is only one legal move
    match.while_asked(lambda: wait_for(lambda: thinks(served)) and None)
    wait_for(
        lambda: (
            "m.1: the match process ended early (SIGKILL; crash 1); starting another one\n" in served.log.read_text()
        )
    )
    assert served.ask(f"( STOP m.1 {match.moves} )") == "done"


@pytest.mark.slow
def test_a_stopped_search_costs_at_most_a_move(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("breakthrough"), "white", 5, 2)
    first = served.player()

    def stop() -> None:
        wait_for(lambda: thinks(served))
        os.kill(first, signal.SIGSTOP)

    match.while_asked(stop)
    match.play()
    match.while_asked(lambda: wait_for(lambda: thinks(served)) and None)
    assert not is_alive(first)
    log = served.log.read_text()
    assert "the match process hangs" in log or "the best move so far" in log


@pytest.mark.slow
def test_a_silent_search_is_replaced(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("breakthrough"), "white", 5, 2)
    os.kill(served.player(), signal.SIGSTOP)
    match.play()
    wait_for(lambda: "no legal moves yet; a second process searches for them" in served.log.read_text())
    for _ in range(3):
        match.play()


@pytest.mark.slow
def test_after_several_crashes_the_match_continues_without_a_search(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("breakthrough"), "white", 5, 2)

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
    Match(served, NIM, "first", 5, 2, "m.2").play()


@pytest.mark.slow
def test_all_processes_except_the_server_may_be_killed(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("connect_four"), "red", 5, 5)  # a new fork server takes one second, more if others work
    (forking,) = children(served.process.pid)
    match.while_asked(lambda: os.kill(forking, signal.SIGKILL))
    match.play()
    match.play()
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


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


@pytest.fixture
def journals(tmp_path: Path) -> dict[str, str]:
    return {"GGP_AGENT_STATE": str(tmp_path / "state")}


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_restarted_player_continues_its_match(serve: Serve, tmp_path: Path, journals: dict[str, str]) -> None:
    port = free_port()
    served = serve("--no-ponder", port=port, environment=journals)
    match = Match(served, rules("connect_four"), "red", 5, 1.5)
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
    assert "missed" not in served.log.read_text()


@pytest.mark.slow
def test_answers_from_before_a_restart_are_repeated(serve: Serve, journals: dict[str, str]) -> None:
    port = free_port()
    served = serve("--player", "random", port=port, environment=journals)
    match = Match(served, rules("connect_four"), "red", 5, 3)
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
    Match(served, NIM, "first", 5, 3)
    served.kill()
    served = serve("--player", "legal", port=port, environment=journals)
    assert served.info().status == "available"
    Match(served, NIM, "first", 5, 3, "m.2").play()
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
    match = Match(served, rules("connect_four"), "red", 5, 3)
    for _ in range(3):
        match.play()
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    match.play()
    assert served.ask(f"( STOP m.1 {match.moves} )") == "done"
    wait_for(lambda: "cannot be written: " in served.log.read_text())
    assert served.log.read_text().count("the journal") == 1
    Match(served, NIM, "first", 5, 3, "m.2").play()
    assert served.log.read_text().count("the journal") == 1


# ---- managers


def test_two_managers_with_one_match_each(serve: Serve) -> None:
    served = serve("--matches", "2", "--player", "random")
    first = Match(served, NIM, "first", 5, 3)
    second = Match(served, rules("connect_four"), "yellow", 5, 3, "m.2")
    assert served.ask(f"( START m.3 first ({NIM}) 5 3 )") == "busy"
    assert served.ask("( PLAY m.3 NIL )") == "busy"
    assert served.info().status == "busy"
    assert len(served.players()) == 2
    for _ in range(3):
        first.play()
        second.play()
    assert served.ask("( ABORT m.2 )") == "aborted"
    assert served.info().status == "available"
    Match(served, COUNTING, "left", 5, 3, "m.3").play()
    first.ask()


# ---- clocks


def times_of_info(served: Served, requests: int) -> list[float]:
    """Return the seconds that each answer to INFO takes, sorted."""
    taken = []
    for _ in range(requests):
        began = time.monotonic()
        served.info()
        taken.append(time.monotonic() - began)
        time.sleep(0.002)
    return sorted(taken)


@pytest.mark.slow
def test_info_is_answered_at_once_during_search(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("amazons"), "white", 5, 3)
    rounds: list[list[float]] = []

    def ask() -> None:
        wait_for(lambda: thinks(served))
        for _ in range(3):  # other programs may need the machine for a moment
            rounds.append(times_of_info(served, 200))
            if rounds[-1][-3] < 0.1:
                break

    match.while_asked(ask)
    assert min(taken[-3] for taken in rounds) < 0.1  # the 99th percentile of 200


def test_rules_that_are_still_compiled_when_the_first_move_is_due(serve: Serve) -> None:
    served = serve("--no-ponder")
    began = time.monotonic()
    match = Match(served, PIGEONS, "r", 1, 1)
    assert time.monotonic() - began < 1 + TOLERANCE / 2
    wait_for(lambda: compilers(served.player()))
    times: list[float] = []
    match.while_asked(lambda: times.extend(times_of_info(served, 50)))
    assert times[25] < 0.5  # the move takes a second
    match.play()
    began = time.monotonic()
    assert served.ask("( ABORT m.1 )") == "aborted"
    assert time.monotonic() - began < 15  # compilation takes minutes


@pytest.mark.slow
def test_margin_that_is_left(serve: Serve) -> None:
    served = serve("--no-ponder")
    match = Match(served, rules("amazons"), "white", 5, 1.5)
    match.play()
    wide = serve("--no-ponder", "--margin", "1")
    other = Match(wide, rules("amazons"), "white", 5, 2)  # with a margin of a quarter of the clock
    other.play()
    assert other.left[0] > 0.1  # 0.5 on a quiet machine
    pattern = r"PLAY m\.1 turn 1 NIL -> .* after .* s, (\d\.\d+) s left"
    found = wait_for(lambda: re.search(pattern, served.log.read_text()))
    assert abs(float(found[1]) - match.left[0]) < 0.1
    assert match.left[0] < 0.3  # at least 0.05 on a quiet machine, which a test cannot assume


@pytest.mark.slow
def test_busy_machine(serve: Serve) -> None:
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * len(os.sched_getaffinity(0)))
    ]
    try:
        served = serve()
        match = Match(served, rules("breakthrough_6x6"), "white", 2, 1)
        for _ in range(3):
            match.play()
        assert sorted(match.left)[1] > 0  # other work on the machine may have delayed one
        assert served.ask(f"( STOP m.1 {match.moves} )") == "done"
    finally:
        for process in busy:
            process.kill()
            process.wait()


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

"""Matches in which players and the disk fail."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from match_hosting import TURNS, Gate, Notes, ended, errors_of, host, long_game, new_record, says, serve, start_manager
from raw_player import HEAD, RawPlayer, reply
from waiting import wait_for

from ggp_agent.common.errors import UserError
from ggp_agent.manager.conditions import Conditions
from ggp_agent.manager.players import PlayerProcess, PlayerSpec
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.protocol.messages import Play, Start, parse_message
from ggp_agent.records.keeper import RecordKeeper
from ggp_agent.records.match_record import MatchRecord


@pytest.fixture
def good() -> Iterator[RawPlayer]:
    with RawPlayer(says("wait")) as player:
        yield player


def test_each_fault_costs_one_move_and_the_match_continues(good: RawPlayer) -> None:
    faults: list[bytes | None] = [
        HEAD + b"\r\n( WAIT )",
        HEAD + b"\r\n(wave 9)",
        HEAD + b"\r\n((no) move",
        HEAD + b"\r\n(wave ?x)",
        HEAD + b"\r\n",
        HEAD + b"\r\nNIL",
        b"HTTP/1.0 503 Service Unavailable\r\n\r\n",
        HEAD + b"Content-length: 9\r\n\r\nwait",
        b"",
        None,  # silence
        HEAD + b"\r\n" + b"wait " * 100_000,
        HEAD + b"\r\n(wave\n 11) ; at last",
    ]
    assert len(faults) == TURNS
    rest = iter(faults)
    stopped = threading.Event()

    def handle(connection: socket.socket, message: str) -> None:
        if "PLAY" in message:
            data = next(rest)
            if data is None:
                connection.recv(1)
            else:
                connection.sendall(data)
        elif "STOP" in message:
            stopped.set()
            connection.sendall(reply("done"))
        # no answer to START: the connection is closed

    notes = Notes()
    with RawPlayer(handle) as player:
        record = host([player.url, good.url], new_record(0.5), notes, conditions=Conditions(tolerance=0.5))
    assert stopped.is_set()
    assert errors_of(record, 0) == [
        "CE", "", "IL (Wave 9)", "IN ((no) move", "IN (wave ?x)", "IN", "IN nil", "CE", "CE", "CE", "TO", "IN", "",
    ]  # fmt: skip
    assert errors_of(record, 1) == [""] * (TURNS + 1)
    assert record.moves[0][0] == "wait"
    assert record.moves[-1][0] == "(Wave 11)"
    assert 1000 <= record.move_times[9][0] < 4000
    assert len(notes.lines) == 12 and notes.lines[-1].endswith("left (one): 10 of 12 moves were drawn for it")
    assert record.extra["drawnMoves"] == [10, 0]
    assert "0: left (one): START: the connection was closed without a reply" in notes.lines
    assert re.fullmatch(r"2: left \(one\): \(Wave 9\) is not a legal move; drew \S.* instead", notes.lines[1])


def test_a_player_that_is_busy_with_another_manager(good: RawPlayer) -> None:
    with PlayerProcess(PlayerSpec(policy="legal")) as process:
        client = PlayerClient(process.url(), "legal")
        rules = " ".join(map(str, long_game().sheet.rules))
        assert client.exchange(f"( START other.1 left ({rules}) 5 5 )", 10).text == "ready"
        record = host([client.url, good.url], new_record())
        assert errors_of(record, 0) == ["IN busy"] * (TURNS + 1)
        assert errors_of(record, 1) == [""] * (TURNS + 1)
        assert client.exchange("( PLAY other.1 NIL )", 10).text in ("wait", "(Wave 0)")  # undisturbed


def test_a_killed_player_is_restarted_and_plays_on(good: RawPlayer) -> None:
    reported: list[str] = []
    with PlayerProcess(PlayerSpec(policy="legal"), note=reported.append, restarts=1) as process:
        url = process.url()
        notes = Notes({5: lambda: os.kill(process.pid, signal.SIGKILL)})
        record = host([url, good.url], new_record(60.0), notes)
    assert reported == ["the player has died (SIGKILL); restarting it"]
    errors = errors_of(record, 0)
    assert errors[:5] == [""] * 5
    assert sum(error != "" for error in errors) <= 1  # at most one move is lost
    assert errors[-1] == ""
    assert errors_of(record, 1) == [""] * (TURNS + 1)


def test_a_player_that_is_not_restarted_costs_little_time(good: RawPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp_agent.protocol.client.RECONNECT_SECONDS", 0.5)
    reported: list[str] = []
    with PlayerProcess(PlayerSpec(policy="legal"), note=reported.append) as process:
        url = process.url()
        notes = Notes({5: lambda: os.kill(process.pid, signal.SIGKILL)})
        record = host([url, good.url], new_record(30.0), notes)
    assert reported == ["the player has died (SIGKILL)"]
    errors = errors_of(record, 0)
    assert set(errors[:5]) == {""}
    assert set(errors[6:]) == {"CE"}
    assert sum(times[0] for times in record.move_times) < 20_000


@pytest.mark.slow
def test_a_player_that_is_restarted_from_outside_plays_on(good: RawPlayer) -> None:
    first, url = serve()
    port = int(url.rpartition(":")[2])
    later: list[subprocess.Popen[str]] = []

    def kill() -> None:
        first.kill()
        threading.Timer(2.0, lambda: later.append(serve(port)[0])).start()

    with ended(first), RawPlayer(says("wait", 0.1)) as slow:
        notes = Notes({4: kill})
        record = host([url, slow.url], new_record(5.0), notes)
        with ended(*wait_for(lambda: later)):
            pass
    errors = errors_of(record, 0)
    assert errors[:4] == [""] * 4
    missed = [error for error in errors if error]
    assert len(missed) < 8
    assert set(missed) <= {"CE", "IN busy", "TO"}
    assert errors[-1] == ""  # the player plays on
    assert any("retrying" in line for line in notes.lines)


def test_a_player_that_lost_the_match_receives_the_current_state(good: RawPlayer) -> None:
    known = threading.Event()
    starts: list[Start] = []
    plays: list[Play] = []

    def handle(connection: socket.socket, text: str) -> None:
        message = parse_message(text)
        answer = "done"
        if isinstance(message, Start):
            starts.append(message)
            known.set()
            answer = "ready"
        elif isinstance(message, Play):
            plays.append(message)
            answer = "wait" if known.is_set() else "busy"
        elif "INFO" in text:
            answer = "available"
        connection.sendall(reply(answer))

    with RawPlayer(handle) as player:
        record = host([player.url, good.url], new_record(), Notes({4: known.clear}))
    assert [number for number, error in enumerate(errors_of(record, 0)) if error] == [4]
    assert record.errors[4][0] == "IN busy"
    first, second = starts
    assert "( init ( step 0 ) )" in first.rules
    assert "( init ( step 0 ) )" not in second.rules
    assert "( init ( step 4 ) )" in second.rules
    assert (first.match_id, first.role) == (second.match_id, second.role)
    assert plays[4].moves is None  # as in the first turn
    assert plays[5].moves is not None


def test_the_wall_clock_may_jump(good: RawPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    hours = 3_600_000_000_000
    now = time.time_ns
    jump = 0

    def set_clock(by: int) -> None:
        nonlocal jump
        jump += by

    monkeypatch.setattr(time, "time_ns", lambda: now() + jump)
    monkeypatch.setattr(time, "time", lambda: (now() + jump) / 1e9)
    notes = Notes({3: lambda: set_clock(-5 * hours), 6: lambda: set_clock(24 * hours)})
    record = host([good.url, good.url], new_record(), notes)
    assert {error for errors in record.errors for error in errors} == {""}
    assert record.state_times == sorted(record.state_times)
    assert record.state_times[6] - record.state_times[0] > 18 * hours // 1_000_000
    assert max(time for times in record.move_times for time in times) < 3_600_000


@pytest.mark.slow
@pytest.mark.parametrize("until_the_end", [False, True])
def test_a_full_disk_does_not_stop_the_match(tmp_path: Path, until_the_end: bool) -> None:
    """The system refuses larger files for a while, as a full disk does."""
    (tmp_path / "game.kif").write_text("\n".join(map(str, long_game().sheet.rules)))
    full, free = Gate(), Gate()
    path = tmp_path / "record.json"
    with RawPlayer(says("wait", gates={4: full, 9: free})) as gated, RawPlayer(says("wait")) as quick:
        options = ("--playclock", "30", "--record", "record.json", "--json")
        manager = start_manager(tmp_path, "game.kif", "--player", gated.url, quick.url, *options)
        with ended(manager):
            assert full.reached.wait(60)
            assert len(json.loads(path.read_text())["moves"]) == 3
            resource.prlimit(manager.pid, resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
            full.open.set()
            assert free.reached.wait(60)
            assert len(json.loads(path.read_text())["moves"]) == 3  # the complete record from before
            if not until_the_end:
                resource.prlimit(manager.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            free.open.set()
            out, err = manager.communicate(timeout=60)
    printed = json.loads(out)
    assert (printed.pop("record"), printed["isCompleted"], len(printed["moves"])) == ("record.json", True, TURNS)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["game.kif", "record.json"]
    lines = err.splitlines()
    assert lines[0] == "record.json: file too large; the match continues, and its record is kept in memory"
    written = json.loads(path.read_text())
    if until_the_end:
        assert manager.returncode == 1
        assert lines[1:] == [
            "ggp-agent: error: record.json: file too large; the file contains only the match up to an earlier turn"
        ]
        assert written["moves"] == printed["moves"][:3]
    else:
        assert manager.returncode == 0
        assert lines[1:] == ["record.json: the complete record is written again"]
        assert written == printed


def test_an_unwritable_record_ends_the_match_before_it_begins(tmp_path: Path, good: RawPlayer) -> None:
    record = new_record()
    (tmp_path / "file").write_text("")
    keeper = RecordKeeper(record, tmp_path / "file" / "record.json", print)
    with pytest.raises(UserError, match=r"record\.json: the record cannot be written: file exists; choose"):
        host([good.url, good.url], record, save=keeper.save)
    assert good.messages == []


@pytest.mark.slow
def test_many_matches_at_once_leave_no_threads(good: RawPlayer) -> None:
    """Each manager runs in its own thread, and one player of each match never answers."""
    results: list[MatchRecord] = []
    conditions = Conditions(tolerance=0.05, start_clocks=(5.0, 0.05), play_clocks=(5.0, 0.05))

    def silent(connection: socket.socket, message: str) -> None:
        connection.recv(1)

    def play() -> None:
        with contextlib.suppress(AssertionError):
            results.append(host([good.url, mute.url], new_record(5.0), conditions=conditions))

    with RawPlayer(silent) as mute:
        threads = threading.active_count()
        hosts = [threading.Thread(target=play) for _ in range(4)]
        for thread in hosts:
            thread.start()
        for thread in hosts:
            thread.join()
        assert len(results) == 4
        assert all(errors_of(record, 0) == [""] * (TURNS + 1) for record in results)
        assert all(errors_of(record, 1) == ["TO"] * (TURNS + 1) for record in results)
        wait_for(
            lambda: threading.active_count() <= threads
        )  # threads of the silent player end when the connections close

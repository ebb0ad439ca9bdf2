"""Complete matches between separate processes over sockets, with valid and faulty players."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import cli_process
import pytest
from exploding_sheets import children, is_alive
from match_hosting import check_record, says
from quick import few
from raw_player import RawPlayer
from small_games import CARDS, COUNTING, NIM
from waiting import wait_for

CLOCKS = ("--startclock", "5", "--playclock", "1")


def host(folder: Path, rules: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "game.kif").write_text(rules)
    return cli_process.run("match", "game.kif", *arguments, cwd=folder)


def test_match_prints_every_turn_and_writes_its_record(tmp_path: Path) -> None:
    before = time.time() * 1000
    done = host(tmp_path, NIM, "--player", "random", "--player", "legal", *CLOCKS, "--seed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "game: first random, second legal; 5 s to prepare, 1 s a move"
    assert re.fullmatch(r"ready after \d\.\d\d s", lines[1])
    found = re.fullmatch(r"record: (matches/game\.\d+\.[0-9a-f]{4}\.json)", lines[-1])
    assert found is not None
    assert sorted(path.name for path in (tmp_path / "matches").iterdir()) == [".rules", Path(found[1]).name]
    (rules,) = (tmp_path / "matches" / ".rules").iterdir()
    assert rules.read_text() == NIM
    record = json.loads((tmp_path / found[1]).read_text())
    check_record(record, NIM)
    turns = lines[2:-2]
    assert len(turns) == len(record["moves"])
    for number, (line, moves) in enumerate(zip(turns, record["moves"], strict=True), 1):
        first, second = (re.escape(move) + r" \d\.\d\d s" for move in moves)
        assert re.fullmatch(rf" +{number}  first {first}  second {second}", line)
    goals = record["goalValues"]
    assert lines[-2] == f"goals: first {goals[0]}, second {goals[1]}"
    assert record["matchId"] == Path(found[1]).stem
    assert re.fullmatch(r"[A-Za-z0-9]{32}", record["randomToken"])
    assert before <= record["startTime"] <= record["stateTimes"][0] <= time.time() * 1000
    assert re.fullmatch(r"ggp-agent:game:sha256-[0-9a-f]{16}", record["gameMetaURL"])
    assert (record["startClock"], record["playClock"], record["previewClock"]) == (5, 1, -1)
    assert record["playerNamesFromHost"] == ["random", "legal"]
    assert record["isPlayerHuman"] == [False, False]
    assert record["roleNames"] == ["first", "second"]
    assert (record["isCompleted"], record["isAborted"], record["scrambled"]) == (True, False, False)
    assert {error for errors in record["errors"] for error in errors} == {""}


@pytest.mark.slow
def test_json_prints_the_record_and_equal_seeds_play_equally(tmp_path: Path) -> None:
    moves = []
    for name in ("a.json", "b.json"):
        arguments = ("--player", "random", "random", *CLOCKS, "--seed", "11", "--record", name, "--json")
        done = host(tmp_path, COUNTING, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        document = json.loads(done.stdout)
        assert document.pop("record") == name
        assert document == json.loads((tmp_path / name).read_text())
        check_record(document, COUNTING)
        moves.append(document["moves"])
    assert moves[0] == moves[1]


def test_role_called_random_is_played_by_the_manager(tmp_path: Path) -> None:
    done = host(tmp_path, CARDS, "--player", "legal", *CLOCKS, "--json")
    record = json.loads(done.stdout)
    check_record(record, CARDS)
    assert record["playerNamesFromHost"] == ["legal", "random"]


def test_served_player_is_reached_by_its_address_and_ends_by_signal(tmp_path: Path) -> None:
    with cli_process.start("serve", "--port", "0", "--player", "legal", "--name", "tester") as player:
        assert player.stdout is not None and player.stderr is not None
        found = re.fullmatch(r"legal player 'tester' listens at (http://127\.0\.0\.1:\d+)\n", player.stdout.readline())
        assert found is not None
        done = host(tmp_path, NIM, "--player", found[1], "random", *CLOCKS, "--json")
        check_record(json.loads(done.stdout), NIM)
        player.send_signal(signal.SIGINT)
        assert player.wait(5) == 0
        log = player.stderr.read()
    assert "Traceback" not in log
    assert "START game." in log
    assert "PLAY game." in log


def test_requests_are_those_of_known_managers(tmp_path: Path) -> None:
    with RawPlayer(says("wait")) as player:
        address = player.url.removeprefix("http://")
        done = host(tmp_path, COUNTING, "--player", address, "legal", *CLOCKS, "--json")
    record = json.loads(done.stdout)
    assert record["playerNamesFromHost"] == [address, "legal"]
    received, name = player.messages, record["matchId"]
    start = f"( START {name} left (( role left ) ( role right ) ( init ( step 0 ) ) ( succ 0 1 ) "
    assert received[0].startswith(start)
    assert received[0].endswith("( <= ( goal ?p 50 ) ( role ?p ) ) ) 5 1)")
    assert received[1] == f"( PLAY {name} NIL )"
    assert received[2] == f"( PLAY {name} (wait ( Wave 0 ) ) )"
    assert received[5:] == [f"( STOP {name} (wait ( Wave 3 ) ) )"]
    for request in player.requests:
        first, *headers = request.decode().partition("\r\n\r\n")[0].splitlines()
        assert first.startswith("POST / HTTP/1.")
        fields = dict(line.split(": ", 1) for line in headers)
        assert set(fields) == {"Host", "Accept", "Sender", "Receiver", "Content-Type", "Content-Length"}
        assert (fields["Accept"], fields["Sender"], fields["Content-Type"]) == ("text/delim", "GAMESERVER", "text/acl")
        assert fields["Receiver"] == address


def test_values_of_our_players_are_recorded_and_other_players_get_no_info(tmp_path: Path) -> None:
    with RawPlayer(says("wait")) as player:
        done = host(tmp_path, COUNTING, "--player", player.url, "agent", *CLOCKS, "--json")
    assert [message.split()[1] for message in player.messages] == ["START", *["PLAY"] * 4, "STOP"]
    values = json.loads(done.stdout)["roleValues"]
    assert len(values) == 4 and values[-1] == [None, 50.0] and all(each in (None, [None, 50.0]) for each in values)


@pytest.mark.parametrize("ending", few([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], 1))
def test_interrupted_match(tmp_path: Path, fake_player: Callable[..., str], ending: signal.Signals) -> None:
    received: list[str] = []
    released = threading.Event()

    def answer(text: str) -> str:
        received.append(text)
        if text.count("PLAY") and len(received) >= 4:  # after START and two moves
            released.wait(60)
        return "ready" if "START" in text else "wait"

    (tmp_path / "game.kif").write_text(COUNTING)
    arguments = ["--player", "legal", fake_player(answer), "--startclock", "60", "--playclock", "60"]
    with cli_process.start("match", "game.kif", *arguments, "--record", "record.json", cwd=tmp_path) as manager:
        wait_for(lambda: len(received) >= 4)
        players = children(manager.pid)
        assert len(players) == 1
        manager.send_signal(ending)
        out, err = manager.communicate(timeout=60)
        wait_for(lambda: not any(map(is_alive, players)))
        released.set()
    record = json.loads((tmp_path / "record.json").read_text())
    check_record(record, COUNTING)
    assert len(record["moves"]) == 2
    assert record["isCompleted"] is False
    assert "goalValues" not in record
    left = {path.name for path in tmp_path.iterdir()} - {"game.kif", "record.json"}
    assert left == (
        {".record.json.lock"} if ending == signal.SIGKILL else set()
    )  # unlocked; the next writer removes it
    if ending == signal.SIGKILL:
        assert record["isAborted"] is False
        return
    assert manager.returncode == 130
    assert record["isAborted"] is True
    assert any("ABORT" in text for text in received)
    assert err == "interrupted after 2 turns; the record so far: record.json\n"
    assert "Traceback" not in out


def test_record_that_cannot_be_written_aborts_the_match(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = host(tmp_path, NIM, "--player", "legal", "legal", *CLOCKS, "--record", "file/record.json")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    complaint = f"--record file/record.json: {tmp_path / 'file'} is not a directory"
    assert f"ggp-agent: error: {complaint}\n" in done.stderr


def test_rules_that_leave_a_role_without_moves_abort_the_match(tmp_path: Path) -> None:
    rules = "(role r) (init a) (<= (legal r go) (true a)) (<= (next b) (true a)) (<= terminal (true c)) (goal r 1)"
    done = host(tmp_path, rules, "--player", "legal", *CLOCKS, "--record", "record.json")
    assert done.returncode == 2
    assert done.stderr == "ggp-agent: error: turn 2: r has no legal move, but the game is not over; correct the rules\n"
    assert json.loads((tmp_path / "record.json").read_text())["isAborted"] is True


def test_terminal_shows_what_players_think(tmp_path: Path, fake_player: Callable[..., str]) -> None:
    thinking, seen = threading.Event(), threading.Event()

    def answer(text: str) -> str:
        if "INFO" in text:
            thoughts = "((move (Wave 7)) (value 81.0) (simulations 123456))" if thinking.is_set() else "nil"
            return f"((name thinker) (status busy) (thinking {thoughts}))"
        if "PLAY" in text and "NIL" in text:
            thinking.set()
            seen.wait(60)
            thinking.clear()
        return "ready" if "START" in text else "wait"

    (tmp_path / "game.kif").write_text(COUNTING)
    players = ["--player", fake_player(answer), "legal", "--startclock", "60", "--playclock", "60"]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    options = {"stdin": subprocess.DEVNULL, "stdout": theirs, "stderr": theirs, "env": environment}
    with cli_process.start("match", "game.kif", *players, cwd=tmp_path, **options) as manager:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # a closed terminal raises this error
            while data := os.read(ours, 65536):
                shown += data
                if b"thinks (Wave 7)" in shown:
                    seen.set()
        os.close(ours)
    assert manager.returncode == 0
    text = shown.decode()
    assert "of 60 s; left thinks (Wave 7) 81 (123,456 simulations)" in text
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)
    assert re.search(r"\r  1  left wait \d+\.\d\d s  right \(Wave 0\) \d\.\d\d s\r\n", plain)
    assert re.search(r"record: matches/game\.\S+\.json\r\n$", plain)

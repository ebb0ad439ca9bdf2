"""Failures in a tournament: killed, silent and interrupted processes, and failing players."""

from __future__ import annotations

import itertools
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from exploding_sheets import command_line, is_alive
from pipe_works import workers_of
from tournaments import QUICK, SHORT, check_complete, family, finished, interrupt, lay_out, play, rows, under_way
from waiting import wait_for

from ggp_agent.cli import main


@pytest.mark.slow
def test_a_killed_tournament_loses_and_repeats_no_match(tmp_path: Path, solvers: dict[str, str]) -> None:
    lay_out(tmp_path, SHORT.replace("tables = 1", "tables = 2"), rounds=24, **solvers)
    for delay in (0.23, 0.0, 0.11):
        before = finished(tmp_path)
        with under_way(tmp_path) as process:
            wait_for(lambda before=before: finished(tmp_path) > before or process.poll() is not None)  # type: ignore[misc]
            time.sleep(delay)
            process.kill()
            process.wait()
        assert finished(tmp_path) > before
    done = play(tmp_path)
    assert done.returncode == 0, done.stderr
    check_complete(tmp_path, 48)
    assert rows(tmp_path, "SELECT player, sum(goal) FROM seats GROUP BY player") == [("nay", 0), ("yea", 2400)]
    # Each player has one address, so it played one match at a time.
    for player in solvers:
        times = rows(
            tmp_path,
            "SELECT began, ended FROM attempts a JOIN seats s ON s.match = a.match "
            f"WHERE s.player = '{player}' AND outcome = 'finished' ORDER BY began",
        )
        assert len(times) == 24 and all(one[1] <= two[0] for one, two in itertools.pairwise(times))


def test_a_killed_worker_is_replaced_and_its_match_repeated(tmp_path: Path) -> None:
    lay_out(tmp_path, QUICK, rounds=12)
    with under_way(tmp_path) as process:
        for number in (1, 8):
            wait_for(lambda number=number: finished(tmp_path) >= number)  # type: ignore[misc]
            workers = workers_of(process.pid)
            assert workers
            os.kill(workers[number % len(workers)], signal.SIGKILL)
        assert process.wait(120) == 0
        assert process.stderr is not None
        assert "ended unexpectedly" in process.stderr.read()
    check_complete(tmp_path, 48)


@pytest.mark.slow
def test_a_silent_worker_is_ended_and_replaced(
    tmp_path: Path, solvers: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lay_out(tmp_path, SHORT, rounds=10, **solvers)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ggp_agent.manager.tournament.director._SILENCE_SECONDS", 5.0 - 10 - 5)  # both clocks are added

    def stop_a_worker() -> None:
        wait_for(lambda: finished(tmp_path) >= 3)
        worker = workers_of(os.getpid())[0]
        os.kill(worker, signal.SIGSTOP)

    stopper = threading.Thread(target=stop_a_worker)
    stopper.start()
    assert main(["tournament", "cup.toml", "--quiet"]) == 0
    stopper.join()
    assert "worker 1 has been silent for 5 s and is ended" in capfd.readouterr().err
    check_complete(tmp_path, 20)


@pytest.mark.slow
def test_a_killed_player_is_restarted(tmp_path: Path) -> None:
    lay_out(tmp_path, QUICK.replace('"nim.kif", ', ""), rounds=40)
    with under_way(tmp_path, "--tables", "1") as process:
        wait_for(lambda: finished(tmp_path) >= 4)
        victims = [pid for pid in family(process.pid) if "serve" in command_line(pid) and "random" in command_line(pid)]
        os.kill(victims[0], signal.SIGKILL)
        assert process.wait(120) == 0
        assert process.stderr is not None
        err = process.stderr.read()
    assert "dice: the player has died (SIGKILL); restarting it" in err
    check_complete(tmp_path, 80)


@pytest.mark.slow
def test_ctrl_c_aborts_the_matches_and_the_same_command_resumes(
    tmp_path: Path, fake_player: Callable[[Callable[[str], str]], str]
) -> None:
    heard: list[str] = []
    go = threading.Event()

    def answer(text: str) -> str:
        heard.append(text.split()[1].upper())
        if heard[-1] == "PLAY" and heard.count("PLAY") >= 4:
            go.wait(60)
        return "ready" if heard[-1] == "START" else "noop"

    url = fake_player(answer)
    lay_out(tmp_path, QUICK + 'slow = "{url}"\n', rounds=1, url=url)
    with under_way(tmp_path) as process:
        wait_for(lambda: heard.count("PLAY") >= 4)
        begun = set(family(process.pid))
        interrupt(process)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "run the same command to resume" in err and "Traceback" not in err
        assert "matches played" in out
        wait_for(lambda: not any(map(is_alive, begun)))
    assert heard[-1] == "ABORT"
    assert rows(tmp_path, "SELECT count(*) FROM matches WHERE state = 'running'") == [(0,)]
    aborted = rows(tmp_path, "SELECT match_id FROM attempts WHERE outcome = 'aborted'")
    # A match that was interrupted while its players started has no record yet.
    records = [tmp_path / "cup.matches" / f"{match_id}.json" for (match_id,) in aborted]
    assert [json.loads(path.read_text())["isAborted"] for path in records if path.exists()].count(True) >= 1
    go.set()
    done = play(tmp_path, "--quiet")
    assert done.returncode == 0, done.stderr
    check_complete(tmp_path, 3 * 2 + 3)


@pytest.mark.slow
def test_a_player_that_fails_three_matches_in_a_row_is_benched(
    tmp_path: Path, fake_player: Callable[[Callable[[str], str]], str]
) -> None:
    text = (
        QUICK.replace("tables = 2", "tables = 1")
        + f"""
mute = "{fake_player(lambda text: "nonsense")}"
broken = {{{{ command = ["false", "{{{{port}}}}"] }}}}
"""
    )
    lay_out(tmp_path, text, rounds=1)
    done = play(tmp_path)
    assert done.returncode == 0, done.stderr
    counts = dict(rows(tmp_path, "SELECT state, count(*) FROM matches GROUP BY state"))
    # All matches between the other players were played.
    good = (
        "SELECT count(*) FROM matches WHERE state = 'finished' "
        "AND number NOT IN (SELECT match FROM seats WHERE player IN ('mute', 'broken'))"
    )
    assert rows(tmp_path, good) == [(4,)]
    assert counts["cancelled"] > 0 and set(counts) == {"finished", "cancelled"}
    for name, code in (("mute", "I"), ("broken", "CE")):
        assert f"{name} is benched: no legal move in 3 matches in a row, last {code}" in done.stdout
        played = (
            f"SELECT count(*) FROM seats JOIN matches ON number = match WHERE player = '{name}' AND state = 'finished'"
        )
        assert rows(tmp_path, played) == [(3,)]
    assert "cancelled, because a player is benched" in done.stdout
    assert play(tmp_path).returncode == 0
    assert dict(rows(tmp_path, "SELECT state, count(*) FROM matches GROUP BY state")) == counts

    refused = play(tmp_path, "--unbench", "dice")
    assert refused.returncode == 2 and "'dice' is not benched; benched: broken, mute" in refused.stderr
    again = play(tmp_path, "--unbench", "mute")
    assert again.returncode == 0
    assert rows(tmp_path, "SELECT failures, benched != '' FROM players WHERE name = 'mute'") == [(3, 1)]


@pytest.mark.slow
def test_a_silent_player_costs_only_its_clocks(
    tmp_path: Path, fake_player: Callable[[Callable[[str], str]], str]
) -> None:
    played = threading.Event()

    def sleep(text: str) -> str:
        played.wait(60)
        return "noop"

    text = """
games = ["puzzle.kif"]
startclock = 0.3
playclock = 0.2
on_error = "random"
[players]
dead = "{url}"
"""
    lay_out(tmp_path, text, url=fake_player(sleep))
    done = play(tmp_path)
    played.set()
    assert done.returncode == 0, done.stderr
    check_complete(tmp_path, 1)
    document = json.loads(play(tmp_path, "--report", "--json").stdout)
    (dead,) = document["players"]
    assert dead["errors"]["TO"] == dead["moves"] + 1 == 4
    assert (dead["matches"], dead["unanswered"], document["not_counted"]) == (0, 1, 1)

"""`ggp-agent arena` with text players: results, resumption, mistakes in one line, and programs that are ended."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cli_process
import pytest
from exploding_sheets import is_alive
from match_hosting import ended
from quick import few
from waiting import wait_for

from ggp_agent.cli import main

LAST = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    is_wrong = request["turn"] == 4 and request["attempt"] == 1
    print("nothing" if is_wrong else request["legal"][-1], flush=True)
"""
# A program that never answers and ignores SIGTERM, as its child process does; both store their process ids. The file
# `parent` has the id of its parent process, which is a child process of the worker.
STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open("parent", "w").write(str(os.getppid()))
os.fork()
open("pids", "a").write(f"{os.getpid()}\\n")
while True: time.sleep(60)
"""
PLAYER = f"exec:{sys.executable} player.py"
ARENA = ["arena", "tic_tac_toe", "--a", "default", "--b", PLAYER, "--simulations", "20", "--opening-plies", "1"]


@pytest.fixture(autouse=True)
def folder(in_empty_folder: Path) -> Path:
    Path("player.py").write_text(LAST)
    return in_empty_folder


def test_a_resumed_comparison_has_equal_results(document: Callable[..., Any], refusal: Callable[..., str]) -> None:
    whole = document(*ARENA, "--games", "8", "--jobs", "2", "--out", "games.jsonl")
    records = [json.loads(line) for line in Path("games.jsonl").read_text().splitlines()]
    assert whole["games"] == len(records) == 8
    player = whole["contestants"]["b"]
    assert (player["command"], player["milliseconds"]) == (PLAYER, 10_000)
    counts = [next(each for each in record["answers"] if each is not None) for record in records]
    assert [record["answers"][record["seats"].index("a")] for record in records] == [None] * 8
    for name in ("requests", "retried", "late", "illegal", "invalid", "missing"):
        assert player["answers"][name] == sum(each[name] for each in counts)
    assert player["answers"]["requests"] > player["answers"]["retried"] > 0 == player["answers"]["illegal"]

    document(*ARENA, "--games", "4", "--jobs", "1", "--store", "games.sqlite")
    resumed = document(*ARENA, "--games", "8", "--jobs", "1", "--store", "games.sqlite")
    assert {**resumed, "seconds": 0} == {**whole, "seconds": 0}
    # Neither other programs nor configurations or times continue the games of the store.
    others = (["--b", f"{PLAYER}?retries=3"], ["--b", "default"], ["--seconds-per-answer", "9"])
    for other in others:
        line = refusal(*ARENA, "--games", "8", "--store", "games.sqlite", *other)
        assert "(contestants) has changed since the games of this file were played" in line


def test_the_counts_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("player.py").write_text(LAST.replace(" == 1", " > 0"))
    assert main([*ARENA, "--games", "2", "--jobs", "1", "--sprt", "-400", "400"]) == 0
    shown = capsys.readouterr()
    out = shown.out.splitlines()
    assert shown.err == "" and out[0].startswith("tic_tac_toe: 2 games in ")
    assert any(line.startswith("sequential test: ") for line in out)
    (line,) = (line for line in out if line.startswith("answers of b: "))
    assert "1 illegal, 1 retried in " in line and line.endswith("first error: nothing is not a legal move")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--b", "exec:"], "the command is missing"),
        (["--b", "exec:no_such_program_1"], "there is no program 'no_such_program_1' on the PATH"),
        (["--simulations", "2", "3"], "argument --simulations: given more than once"),
        (["--a", PLAYER], "--simulations: no effect, because a and b are text players"),
        (["--b", "default", "--seconds-per-answer", "1"], "neither a nor b is a text player"),
        (["--seconds-per-answer", "0"], "'0' is not a number of seconds above 0"),
    ],
)
def test_mistakes_are_one_line(refusal: Callable[..., str], arguments: list[str], expected: str) -> None:
    assert expected in refusal(*ARENA, "--games", "2", "--out", "games.jsonl", *arguments)
    assert not Path("games.jsonl").exists()


def test_a_text_player_has_no_second_limit(refusal: Callable[..., str]) -> None:
    two_limits = ["arena", "tic_tac_toe", "--a", "default", "--b", PLAYER, "--simulations", "2", "3", "--games", "2"]
    assert "--simulations: give one number" in refusal(*two_limits)


def test_a_program_without_answers_is_one_line(refusal: Callable[..., str]) -> None:
    line = refusal(*ARENA, "--games", "2", "--jobs", "2", "--b", f"exec:{sys.executable} missing.py")
    assert "b: no answer in match " in line and "missing.py" in line


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.slow
@pytest.mark.parametrize("number", few([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], 1))
def test_the_programs_end_with_the_arena(folder: Path, number: signal.Signals) -> None:
    Path("player.py").write_text(STUBBORN)
    process = cli_process.start(*ARENA, "--games", "2", "--jobs", "1")

    def pids() -> list[int]:
        return [int(line) for line in Path("pids").read_text().split()] if Path("pids").exists() else []

    with ended(process):
        wait_for(lambda: len(pids()) == 2)
        if number == signal.SIGINT:  # the worker is killed first, so its match is played by another one
            os.kill(parent_of(int(Path("parent").read_text())), signal.SIGKILL)
            wait_for(lambda: not any(map(is_alive, pids()[:2])) and len(pids()) == 4)
        os.kill(process.pid, number)
        assert process.wait(30) == {signal.SIGKILL: -9}.get(number, 130)
        wait_for(lambda: not any(map(is_alive, pids())))

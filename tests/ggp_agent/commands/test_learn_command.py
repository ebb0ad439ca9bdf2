"""`ggp-agent learn`: it learns, continues after an interruption, moves networks, and refuses with one line."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cli_process
import pytest
from places import ROOT
from small_games import COUNTING
from waiting import wait_for

from gdl import NetworkMachine, ReasonerMachine
from gdl.compile.cache import FOLDER_VARIABLE
from ggp_agent.cli import main
from ggp_agent.commands.learn import second_half_gain
from ggp_agent.common.errors import EXIT_INTERRUPTED
from ggp_agent.evaluation.learned_network import (
    CoursePoint,
    Encoding,
    LearnedNetwork,
    LearnedStore,
    NetworkShape,
    Training,
    load_learned,
)
from ggp_agent.game.load import load_game
from ggp_agent.mcts.configurations import read_configuration
from ggp_agent.mcts.searcher import Searcher

# A number of steps that is never reached by random play.
ENDLESS = """
(role walker) (init (in north)) (door north south) (door south north)
(<= (legal walker (go ?to)) (true (in ?from)) (door ?from ?to)) (legal walker wait)
(<= (next (in ?to)) (does walker (go ?to))) (<= (next (in ?from)) (true (in ?from)) (does walker wait))
(<= terminal (true (in west)))
(<= (goal walker 100) (true (in west))) (<= (goal walker 0) (not (true (in west))))
"""

# Different choices end in a state that repeats for ever.
TRAP = """
(role a) (role b) (init start) (side left) (side right)
(<= (legal ?r ?s) (role ?r) (side ?s) (true start)) (<= (legal ?r noop) (role ?r) (true trap))
(<= (next (won ?r)) (does a ?s) (does b ?s) (goes_to ?s ?r)) (goes_to left a) (goes_to right b)
(<= (next trap) (does a ?s) (does b ?t) (side ?s) (side ?t) (distinct ?s ?t)) (<= (next trap) (true trap))
(<= terminal (true (won ?r)))
(<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (role ?r) (not (true (won ?r))))
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command with a cache and a folder of its own; return the exit status and the output."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def learn(*arguments: object) -> tuple[int, str, str]:
        status = main(["learn", *map(str, arguments)])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return learn


def refused(learn: Run, *arguments: object) -> str:
    status, out, err = learn(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1), err
    return err


# Two equal players have a standard deviation of 0.08 in so many games.
_GAMES = 40


def beats_random(machine: NetworkMachine) -> float:
    """Return the mean score against random play, seats swapped."""
    load_learned(machine)
    config = read_configuration("learned")
    draw, points = random.Random(4), 0.0
    for game in range(_GAMES):
        seat = machine.roles[game % 2]
        searcher = Searcher(machine, config)
        state = machine.initial()
        while not machine.terminal(state):
            moves = [draw.choice(machine.legal(state, role)) for role in machine.roles]
            if len(machine.legal(state, seat)) > 1:
                searcher.run(simulations=60)
                moves[game % 2] = searcher.best_move(seat)
            searcher.advance(moves)
            state = machine.next(state, moves)
        points += machine.goals(state, seat)[0] / 100
    return points / _GAMES


def test_a_game_is_learned_and_used(learn: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = learn("tic_tac_toe", "--minutes", 0.05, "--threads", 1, "--hidden", 32)
    assert status == 0, err
    assert "games of self-play" in out and "ggp-agent play tic_tac_toe --config learned" in out
    assert "error" in err and "left" in err
    assert (tmp_path / "learning" / "tic_tac_toe" / "run.json").is_file()
    machine = load_game("tic_tac_toe").machine()
    assert isinstance(machine, NetworkMachine)
    assert beats_random(machine) > 0.7
    assert main(["search", "tic_tac_toe", "--config", "learned", "--simulations", "200", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["simulations"] == 200
    # The network can be moved to another computer.
    assert learn("tic_tac_toe", "--export", "net.npz")[0] == 0
    assert "exists already" in refused(learn, "tic_tac_toe", "--export", "net.npz")
    assert "ends in .npz" in refused(learn, "tic_tac_toe", "--export", "net.weights")
    assert "learned for another game" in refused(learn, "connect_four", "--import", "net.npz")
    (tmp_path / "half.npz").write_bytes((tmp_path / "net.npz").read_bytes()[:-50])
    assert "is not a learned network" in refused(learn, "tic_tac_toe", "--import", "half.npz")
    os.environ[FOLDER_VARIABLE] = str(tmp_path / "other")
    assert "no network was learned" in refused(learn, "tic_tac_toe", "--export", "new.npz")
    assert learn("tic_tac_toe", "--import", "net.npz")[0] == 0
    moved = LearnedStore().read(machine)
    assert moved is not None and moved.course
    assert main(["inspect", "tic_tac_toe", "--show", "learned", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["course"] == [list(point) for point in moved.course]


def start(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the command in a process of its own and wait for its first line of progress."""
    process = cli_process.start("learn", "tic_tac_toe", "--threads", "1", "--hidden", "16", *arguments, cwd=tmp_path)
    assert process.stderr is not None
    assert "games" in process.stderr.readline()
    return process


def minutes_after(counts: dict[str, Any]) -> float:
    """Return a time limit that leaves a second for another generation."""
    return float(counts["cpu_seconds"] / 60 + 1 / 60)


@pytest.mark.slow
def test_an_interrupted_run_continues(learn: Run, tmp_path: Path) -> None:
    process = start(tmp_path, "--minutes", "30")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == EXIT_INTERRUPTED
    assert err.endswith("contains the checkpoint; run the same command with --resume\n") and "Traceback" not in err
    folder = Path("learning/tic_tac_toe")
    before = json.loads((folder / "run.json").read_text())["counts"]
    assert "continue it with --resume" in refused(learn, "tic_tac_toe")
    assert "give the same values" in refused(learn, "tic_tac_toe", "--resume", "--seed", 2)
    options = ("--resume", "--threads", 1, "--hidden", 16, "--json")
    assert "its time was up or nothing improved" in refused(learn, "tic_tac_toe", *options, "--minutes", 0.0001)
    status, out, _ = learn("tic_tac_toe", *options, "--minutes", minutes_after(before))
    found: dict[str, Any] = json.loads(out)
    assert status == 0 and found["games"] > before["games"] and found["interrupted"] is False
    after = json.loads((folder / "run.json").read_text())["counts"]
    assert after["losses"][: len(before["losses"])] == before["losses"]
    assert after["generation"] > before["generation"]


@pytest.mark.slow
def test_a_killed_run_continues_from_its_checkpoint(
    learn: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A checkpoint in each generation, instead of a minute, so that the test need not wait.
    (tmp_path / "sitecustomize.py").write_text(
        "from functools import partial\n"
        "from ggp_agent.commands import learn\n"
        "from ggp_agent.learning import learner\n"
        "learn.LearningOptions = partial(learn.LearningOptions, checkpoint_seconds=0.5)\n"
        "learner.score_between = lambda *_: (0.5, 2)\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    command = [sys.executable, "-m", "ggp_agent", "learn", "tic_tac_toe", "--threads", "1", "--hidden", "16"]
    process = subprocess.Popen([*command, "--minutes", "30", "--quiet"], cwd=tmp_path)
    run = tmp_path / "learning" / "tic_tac_toe" / "run.json"
    try:
        wait_for(run.is_file)
        time.sleep(0.3)
    finally:
        process.kill()
        process.wait()
    before = json.loads(run.read_text())["counts"]
    assert before["generation"] >= 1
    options = ("--resume", "--minutes", minutes_after(before), "--threads", 1, "--hidden", 16, "--json")
    status, out, err = learn("tic_tac_toe", *options)
    assert status == 0, err
    assert json.loads(out)["games"] > before["games"]


@pytest.mark.slow
def test_one_role_is_learned(learn: Run) -> None:
    status, out, _ = learn("lights_out", "--minutes", 0.03, "--threads", 1, "--hidden", 16, "--json", "--state", "one")
    assert status == 0
    assert json.loads(out)["positions"] > 0


def test_games_that_cannot_be_learned_are_refused(learn: Run, tmp_path: Path) -> None:
    for name, text in (("endless", ENDLESS), ("level", COUNTING)):
        (tmp_path / f"{name}.kif").write_text(text)
    assert "no random play-out of this game ends" in refused(learn, "endless.kif")
    assert "end with the same goals" in refused(learn, "level.kif")
    assert "is played by the native game breakthrough" in refused(learn, "fast:breakthrough")
    assert "no checkpoint to resume" in refused(learn, "tic_tac_toe", "--resume")


def test_a_sheet_that_the_reasoner_plays_is_refused(learn: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_game("tic_tac_toe")
    # As if the network exceeded a limit, which would take half a minute to find out.
    monkeypatch.setattr(type(game), "machine", lambda self: ReasonerMachine(self.sheet))
    assert "needs the network of a rule sheet, but this game is played by the reasoner" in refused(learn, "tic_tac_toe")


@pytest.mark.slow
def test_games_with_an_endless_part_are_learned(learn: Run, tmp_path: Path) -> None:
    (tmp_path / "trap.kif").write_text(TRAP)
    begun = time.process_time()
    status, out, err = learn("trap.kif", "--minutes", 0.03, "--threads", 1, "--hidden", 16, "--json")
    assert status == 0, err
    assert json.loads(out)["games"] > 0
    assert time.process_time() - begun < 30  # far fewer positions than a generation has in other games


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--minutes", "0"), "is not a number of minutes above 0"),
        (("--hidden", "100"), "a multiple of 16 units, 16 to 4096"),
        (("--seed", "-1"), "the seed is -1"),
        (("--threads", "65"), "1 to 64 threads"),
        (("--state", "file"), "file: File exists"),
    ],
)
def test_bad_options_are_refused(learn: Run, tmp_path: Path, options: tuple[str, str], reason: str) -> None:
    (tmp_path / "file").touch()
    assert reason in refused(learn, "tic_tac_toe", *options)


def test_a_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    done = cli_process.run(
        *("learn", "tic_tac_toe", "--threads", "1", "--minutes", "0.001", "--hidden", "256", "--quiet"),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )
    assert done.returncode == 2
    assert re.search(r"toe/(positions|training)-1\.npz: file too large; the network learned so far is ", done.stderr)
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "learning" / "tic_tac_toe" / "run.json").exists()


def test_a_network_without_a_checkpoint_is_stored(learn: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("ggp_agent.learning.checkpoint.write_whole", no_room)
    options = ("tic_tac_toe", "--minutes", 0.001, "--threads", 1, "--hidden", 16, "--quiet")
    err = refused(learn, *options)
    assert "learning/tic_tac_toe/positions-1.npz: no space left on device; the network learned so far is stored" in err
    machine = load_game("tic_tac_toe").machine()
    assert isinstance(machine, NetworkMachine)
    stored = LearnedStore().read(machine)
    assert stored is not None
    long = replace(stored, training=replace(stored.training, cpu_seconds=1000.0))
    LearnedStore().write(machine, long)
    assert "the stored network stays" in refused(learn, *options)
    kept = LearnedStore().read(machine)
    assert kept is not None and kept.training == long.training


def test_a_cache_that_is_off_is_reported(learn: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, "off")
    status, _, err = learn("tic_tac_toe", "--minutes", 0.001, "--threads", 1, "--hidden", 16, "--quiet")
    assert status == 2
    assert "the network cannot be stored" in err
    assert "learned,evaluation.name=none,evaluation.file=learning/tic_tac_toe/network.npz uses it" in err


def test_the_outlook_comes_from_the_second_half_of_the_course() -> None:
    shape, encoding = NetworkShape(1, 1, 1, 16, 16, True), Encoding(1, 1, 1, [], [])
    course = CoursePoint(60.0, 0.9, 0.0), CoursePoint(100.0, 0.8, 250.0), CoursePoint(200.0, 0.7, 310.0)
    network = LearnedNetwork("", shape, encoding, {}, Training(cpu_seconds=200.0, elo=310.0), course)
    assert second_half_gain(network) == 60.0
    assert second_half_gain(replace(network, course=course[2:])) is None

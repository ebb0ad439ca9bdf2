"""`serve --learn`: an idle player learns the games of its matches, within its limits, and a match stops it at once."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from exploding_sheets import is_alive
from places import ROOT
from served import Match, Serve, Served
from small_games import COUNTING, NIM
from waiting import wait_for

from gdl import NetworkMachine, parse_sheet
from gdl.compile.cache import FOLDER_VARIABLE, Cache
from ggp_agent.evaluation.learned_network import LearnedStore

# A busy machine may take long.
PATIENCE = 120

# Learning begins soon, in small steps, and only slightly below the priority of the tests, which may load the machine.
QUICKLY = """
import sys
if any("fork_server" in word for word in sys.orig_argv):
    from functools import partial
    from ggp_agent.learning.options import LearningOptions, SelfPlayOptions
    from ggp_agent.player.match import learning_worker
    games = SelfPlayOptions(games=16, full_simulations=8, fast_simulations=4)
    learning_worker._NICE = 1
    learning_worker._CHECKPOINT_SECONDS = 0.1
    learning_worker._MIN_TEST_SECONDS = learning_worker._MAX_TEST_SECONDS = 1.0
    learning_worker.LearningOptions = partial(LearningOptions, positions=300, hidden1=16, hidden2=16, self_play=games)
elif "serve" in sys.orig_argv:
    from ggp_agent.player.server import player
    player.IDLE_SECONDS = 0.3
    player._IDLE_CHECK_SECONDS = 0.05
    player._RETRY_SECONDS = 0.1
"""


@pytest.fixture
def learner(serve: Serve, tmp_path: Path) -> Callable[..., Served]:
    """Serve players that learn, with a cache of their own."""
    code = tmp_path / "code"
    code.mkdir()
    (code / "sitecustomize.py").write_text(QUICKLY)
    environment = {"PYTHONPATH": f"{code}{os.pathsep}{ROOT}", FOLDER_VARIABLE: str(tmp_path / "cache")}
    return lambda *options: serve("--learn", "--no-ponder", *options, environment=environment)


def play_briefly(served: Served, name: str, text: str = NIM, role: str = "first") -> None:
    match = Match(served, text, role, 1, 1, name)
    match.play()
    assert served.ask(f"( ABORT {name} )") == "aborted"


def counts(tmp_path: Path) -> dict[str, Any] | None:
    """Return the counts of the latest checkpoint."""
    for path in tmp_path.glob("cache/learning/*/run.json"):
        found: dict[str, Any] = json.loads(path.read_text())["counts"]
        return found
    return None


def logged(served: Served, text: str) -> None:
    wait_for(lambda: text in served.log.read_text(), PATIENCE)


@pytest.mark.slow
def test_a_match_interrupts_learning_which_continues_afterwards(learner: Callable[..., Served], tmp_path: Path) -> None:
    served = learner()
    play_briefly(served, "m.1")
    wait_for(lambda: counts(tmp_path), PATIENCE)
    logged(served, "m.1: learning begins: 0.0 of 30 CPU-minutes are used")
    assert served.info().status == "available"
    (process,) = served.players()
    own = os.getpriority(os.PRIO_PROCESS, served.process.pid)
    assert os.getpriority(os.PRIO_PROCESS, process) == min(19, own + 1)

    match = Match(served, NIM, "first", 1, 1, "m.2")
    before = counts(tmp_path)
    assert before is not None
    wait_for(lambda: not is_alive(process))
    match.play()
    time.sleep(1)  # longer than the idle time
    assert len(served.players()) == 1  # only the match
    assert counts(tmp_path) == before
    match.play()
    assert served.ask(f"( ABORT {match.name} )") == "aborted"

    logged(served, "m.1: learning is interrupted: a match begins")
    wait_for(lambda: (counts(tmp_path) or before)["generation"] > before["generation"], PATIENCE)
    after = counts(tmp_path)
    assert after is not None and after["losses"][: len(before["losses"])] == before["losses"]
    logged(served, "m.2: learning begins")
    assert "ended early" not in served.log.read_text()


@pytest.mark.slow
def test_no_learning_while_another_match_runs_and_again_after_a_crash(
    learner: Callable[..., Served], tmp_path: Path
) -> None:
    served = learner("--matches", "2")
    for name in ("m.1", "m.2"):
        Match(served, NIM, "first", 1, 1, name)
    assert served.ask("( ABORT m.1 )") == "aborted"
    time.sleep(1)
    assert "learning begins" not in served.log.read_text() and counts(tmp_path) is None
    assert served.ask("( STOP m.2 NIL )") == "done"
    wait_for(lambda: counts(tmp_path), PATIENCE)

    os.kill(served.player(), signal.SIGKILL)  # the process of a match that was stopped has ended before
    logged(served, "the learning process ended early (SIGKILL; crash 1); it starts again in 0.1 s")
    wait_for(lambda: served.log.read_text().count("learning begins") == 2, PATIENCE)
    os.kill(served.player(), signal.SIGKILL)
    logged(served, "the learning process ended early (SIGKILL; crash 2); it starts again in 0.2 s")
    play_briefly(served, "m.3")


@pytest.mark.slow
def test_a_network_is_stored_although_its_checkpoint_cannot_be_written(
    learner: Callable[..., Served], tmp_path: Path
) -> None:
    served = learner()
    play_briefly(served, "m.1")
    wait_for(lambda: counts(tmp_path), PATIENCE)
    (stored,) = tmp_path.glob("cache/learning/*/run.json")
    blocked = stored.parent / "network.npz"
    while not blocked.is_dir():
        blocked.unlink(missing_ok=True)
        with contextlib.suppress(FileExistsError):  # another checkpoint was written in between
            blocked.mkdir()
    logged(served, "m.1: learning stops: the checkpoint cannot be written")
    assert LearnedStore(Cache(tmp_path / "cache")).read(NetworkMachine(parse_sheet(NIM))) is not None
    blocked.rmdir()
    wait_for(blocked.is_file, PATIENCE)  # a later process learns on


@pytest.mark.slow
def test_the_limit_holds_over_restarts(learner: Callable[..., Served], tmp_path: Path) -> None:
    served = learner("--learn-minutes", "0.01", "--config", "learned")
    play_briefly(served, "m.1")
    logged(served, "m.1: learning ends: the limit of 0.01 CPU-minutes is reached; ")
    wait_for(lambda: not served.players())
    (stored,) = tmp_path.glob("cache/*learned*.beside")
    content = stored.read_bytes()
    time.sleep(1)
    assert not served.players()
    play_briefly(served, "m.2")
    served.close()

    again = learner("--learn-minutes", "0.01", "--config", "learned")
    play_briefly(again, "m.3")
    logged(again, "m.3: nothing is left to learn about this game in 0.01 CPU-minutes")
    wait_for(lambda: not again.players())
    assert stored.read_bytes() == content
    assert again.log.read_text().count("learning begins") == 1  # in the log of the first player


@pytest.mark.slow
def test_a_game_without_anything_to_learn_gives_way_and_nothing_survives_a_killed_player(
    learner: Callable[..., Served], tmp_path: Path
) -> None:
    served = learner()
    play_briefly(served, "m.1")
    play_briefly(served, "m.2", COUNTING, "left")
    wait_for(lambda: counts(tmp_path), PATIENCE)
    log = served.log.read_text()
    assert "m.2: this game is not learned: all random play-outs of this game end with the same goals" in log
    assert "m.1: learning begins" in log
    (process,) = served.players()
    served.process.kill()
    wait_for(lambda: not is_alive(process))
    served.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learn-minutes", "3"], "--learn-minutes requires --learn"),
        (["--learn-threads", "2"], "--learn-threads requires --learn"),
        (["--learn", "--learn-minutes", "0"], "'0' is not a number of minutes above 0"),
        (["--learn", "--learn-minutes", "inf"], "'inf' is not a number of minutes above 0"),
        (["--learn", "--learn-threads", "0"], "'0' is not a whole number above 0"),
        (["--learn", "--player", "random"], "--learn requires --player agent"),
        (["--learn", "--config", "playout.policy=rank"], "would not use learned networks"),
        (["--learn", "--no-cache"], "leave out --no-cache"),
    ],
)
def test_wrong_options_are_one_line(options: list[str], message: str, refusal: Callable[..., str]) -> None:
    assert message in refusal("serve", "--port", "0", *options)


@pytest.mark.parametrize(
    ("folder", "reason"), [("off", "the cache is off"), ("file/cache", "cannot be written: Not a ")]
)
def test_learning_requires_a_cache(
    folder: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Callable[..., str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(FOLDER_VARIABLE, folder if folder == "off" else str(tmp_path / folder))
    assert reason in refusal("serve", "--port", "0", "--learn")

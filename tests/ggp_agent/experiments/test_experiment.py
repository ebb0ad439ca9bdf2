"""`ggp-agent experiment`: killed runs resume, results depend on the study only, errors are one line."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import cli_process
import pytest
from exploding_sheets import is_alive
from pipe_works import workers_of
from waiting import wait_for

from ggp_agent.arena.scores import Score, pair_interval
from ggp_agent.cli import main
from ggp_agent.common.processes import family
from ggp_agent.experiments.runner import (
    NEED_TEST,
    CellProgress,
    CellState,
    RunSettings,
    StudyHandout,
    _Account,
    by_need,
    load_states,
)
from ggp_agent.experiments.study_file import Study
from ggp_agent.experiments.study_store import StudyStore
from ggp_agent.game.load import load_game

STUDY = """
games = ["tic_tac_toe"]
simulations = [40, 80]
games_per_cell = 20
variants.bold = "selection.exploration=0.7"
variants.none = "playout.decisive=false"
"""


STORE = Path("experiments/mine.sqlite")


@pytest.fixture(autouse=True)
def study(in_empty_folder: Path) -> None:
    Path("mine.toml").write_text(STUDY)


def test_a_report_of_a_changed_study_says_what_has_changed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "run", "mine.toml", "--games", "2", "--jobs", "1"]) == 0
    Path("mine.toml").write_text(STUDY.replace("[40, 80]", "[50, 90]"))
    assert main(["experiment", "report", "mine.toml", "--store", str(STORE)]) == 2
    assert "has games of tic_tac_toe/bold/40, which is not asked for now" in capsys.readouterr().err


def write_long_study(games: int) -> None:
    Path("mine.toml").write_text(STUDY.replace("games_per_cell = 20", f"games_per_cell = {games}"))


def rows(path: str | Path = STORE) -> Any:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return db.execute(
            "SELECT cell, pair, seat, seats, goals, turns, simulations FROM games ORDER BY cell, pair, seat"
        ).fetchall()


def experiment(*words: str) -> int:
    return main(["experiment", *words])


def start(*words: str) -> subprocess.Popen[str]:
    return cli_process.start("experiment", *words, start_new_session=True)


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    wait_for(lambda: process.poll() is not None or condition(), 120)
    assert process.poll() is None


def count() -> int:
    try:
        return len(rows())
    except sqlite3.Error:
        return 0


def test_results_depend_on_the_study_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert experiment("run", "mine.toml", "--jobs", "1") == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 4 and all("of 20 games (20 of 20 played)" in line for line in out)
    assert experiment("run", "mine.toml", "--jobs", "3", "--store", "other.sqlite", "--by-need") == 0
    assert rows() == rows("other.sqlite")
    assert len(rows()) == len(set(rows())) == 80
    # Nothing is left, so nothing is played.
    assert experiment("run", "mine.toml") == 0
    assert rows() == rows("other.sqlite")


def test_each_process_has_its_own_cell_while_cells_can_be_divided_evenly() -> None:
    states = [CellState(cell, cell.games, ("x", "o")) for cell in Study.load("mine.toml").cells[:3]]
    game = load_game("tic_tac_toe")
    handout = StudyHandout(states, {"tic_tac_toe": game}, RunSettings(2))
    first, second, third = (state.cell.number for state in states)
    whole = handout.next_task()
    assert whole is not None and (whole.number, whole.matches) == (first, 20)
    other = handout.next_task([first])
    assert other is not None and (other.number, other.matches) == (second, 20)
    for _ in range(20):
        handout.next_plan(whole)
    shared = handout.next_task([second])
    assert shared is not None and (shared.number, shared.matches) == (third, 10)
    handout.next_plan(other)
    for _ in range(20):
        handout.next_plan(shared)
    joined = handout.next_task([second, third])
    assert joined is not None and (joined.number, joined.matches) == (second, 10)


@pytest.mark.slow
def test_a_run_killed_repeatedly_loses_no_game_and_repeats_none() -> None:
    write_long_study(200)
    before: list[Any] = []
    for more in (1, 50, 150):
        enough = len(before) + more
        with start("run", "mine.toml", "--jobs", "2") as process:
            wait_until(lambda enough=enough: count() >= enough, process)  # type: ignore[misc]
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        assert set(before) <= set(rows())
        before = rows()
    assert experiment("run", "mine.toml") == 0
    assert experiment("run", "mine.toml", "--jobs", "1", "--store", "whole.sqlite") == 0
    assert rows() == rows("whole.sqlite")


@pytest.mark.slow
def test_a_killed_driver_leaves_no_process_and_the_run_resumes() -> None:
    write_long_study(50)
    with start("run", "mine.toml", "--jobs", "2") as process:
        wait_until(lambda: count() >= 10, process)
        workers = family(process.pid)[1:]
        process.kill()  # without a signal to the group
        process.wait(60)
        wait_for(lambda: not any(map(is_alive, workers)))
        process.communicate()
    assert len(workers) >= 2
    before = rows()
    assert experiment("run", "mine.toml") == 0
    after = rows()
    assert set(before) <= set(after)
    assert len(after) == len(set(after)) == 200


def test_a_worker_that_is_killed_is_replaced() -> None:
    write_long_study(200)
    with start("run", "mine.toml", "--jobs", "2", "--cells", "bold") as process:
        wait_until(lambda: count() >= 10, process)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert len(rows()) == 400 and "Traceback" not in err


@pytest.mark.slow
def test_ctrl_c_stores_finished_games() -> None:
    write_long_study(1000000)
    with start("run", "mine.toml", "--jobs", "2") as process:
        wait_until(lambda: count() >= 10, process)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "every finished game is stored" in err and "Traceback" not in err
    played = re.findall(r"\(([\d,]+) of 1,000,000 played\)", out)
    assert sum(int(number.replace(",", "")) for number in played) == len(rows())


def test_minutes_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    write_long_study(1000000)
    seconds = _Account.seconds.fget
    assert seconds is not None
    # The time is over as soon as a game is stored.
    later = property(lambda account: seconds(account) + (60 if count() else 0))
    monkeypatch.setattr(_Account, "seconds", later)
    assert experiment("run", "mine.toml", "--jobs", "1", "--minutes", "1") == 0
    assert 0 < len(rows()) < 1_000_000


def test_chosen_cells_and_more_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert experiment("run", "mine.toml", "--cells", "*/bold/40", "--games", "4") == 0
    assert capsys.readouterr().out.count("\n") == 1 and len(rows()) == 4
    assert experiment("run", "mine.toml", "--cells", "bold", "--games", "6") == 0
    assert len(rows()) == 12
    assert experiment("status", "mine.toml", "--json") == 0
    cells = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [(cell["cell"], cell["played"]) for cell in cells] == [
        ("tic_tac_toe/bold/40", 6),
        ("tic_tac_toe/bold/80", 6),
        ("tic_tac_toe/none/40", 0),
        ("tic_tac_toe/none/80", 0),
    ]


def test_a_sequential_test_ends_a_cell_that_is_decided(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.toml").write_text(
        """
        games = ["tic_tac_toe"]
        simulations = 20
        games_per_cell = 20000
        variants.same = "default"
        [variants.weak]
        config = "default"
        opponent = "playout.limit=1,playout.decisive=false,solver.enabled=false"
        """
    )
    assert experiment("run", "mine.toml", "--cells", "weak", "--sprt", "0", "150", "--jobs", "1") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "H1 accepted (weak is 150 Elo points ahead), LLR " in line and "Ptnml(0-2): [" in line
    assert len(rows()) < 2000 and len(rows()) % 2 == 0
    assert experiment("status", "mine.toml") == 0
    assert "weak/20: " in (shown := capsys.readouterr().out) and "H1 accepted (weak" in shown
    assert experiment("report", "mine.toml") == 0
    assert "## Sequential tests" in capsys.readouterr().out


def test_a_study_that_has_changed_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert experiment("run", "mine.toml", "--games", "2") == 0
    before = rows()
    Path("mine.toml").write_text(STUDY.replace("0.7", "0.8"))
    assert experiment("run", "mine.toml") == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert "tic_tac_toe/bold/40 (contestants) has changed since the games of this file were played" in line
    assert "--new" in line
    assert rows() == before
    assert experiment("run", "mine.toml", "--games", "2", "--new") == 0
    assert rows("experiments/mine.1.sqlite") == before and len(rows()) == 8


def test_games_of_the_earlier_baseline_are_read_and_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert experiment("run", "mine.toml", "--games", "2") == 0
    # Only the variant `bold` changes; another one is new, so the numbers of the cells change, too.
    another = "variants.another = 'final_move=score'\nvariants.bold"
    Path("mine.toml").write_text(STUDY.replace("0.7", "0.8").replace("variants.bold", another))
    capsys.readouterr()
    assert experiment("status", "mine.toml") == 0
    shown = {line.partition(": ")[0]: line for line in capsys.readouterr().out.splitlines()}
    assert shown["tic_tac_toe/bold/40"].endswith("(2 of 20 played); played with the earlier baseline")
    assert "(2 of 20 played)" in shown["tic_tac_toe/none/40"] and "earlier" not in shown["tic_tac_toe/none/40"]
    assert "not started" in shown["tic_tac_toe/another/40"]
    assert experiment("status", "mine.toml", "--json") == 0
    states = {each["cell"]: each["earlier_baseline"] for each in json.loads(capsys.readouterr().out)}
    assert [name for name, earlier in states.items() if earlier] == ["tic_tac_toe/bold/40", "tic_tac_toe/bold/80"]
    assert experiment("report", "mine.toml") == 0
    page = capsys.readouterr().out
    assert "‡: played with the earlier baseline" in page
    assert "| tic_tac_toe/bold/40 ‡ | 40 simulations | `selection.exploration = 0.7` |" in page
    assert "| tic_tac_toe/none/40 | 40 simulations |" in page


def test_another_meaning_of_a_key_is_another_baseline() -> None:
    """Games of implicit minimax over tried actions were stored with the same keys."""
    study = Study.from_toml(
        """
        games = ["fast:breakthrough_6x6"]
        simulations = 10
        base = "evaluation.name=pieces"
        variants.mixed = "selection.implicit_minimax.alpha=0.4"
        variants.plain = "selection.exploration=1"
        variants.ended = "reward.qualitative_bonus.enabled=true,playout.early_termination.plies=4"
        """,
        "mine",
    )
    mixed, plain, ended = (cell.document() for cell in study.cells)
    assert ended["contestants"][0]["revisions"] == [
        "reward.qualitative_bonus: also for simulations that an evaluation ends"
    ]
    assert mixed["contestants"][0]["revisions"] and "revisions" not in mixed["contestants"][1]
    assert not any("revisions" in side for side in plain["contestants"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["run", "nothing"], "no study is called 'nothing'; known are ablation"),
        (["run", "mine.toml", "--cells", "hex"], "no cell matches 'hex'; examples of cells: tic_tac_toe/bold/40"),
        (["run", "mine.toml", "--games", "3"], "'3' is odd"),
        (["run", "mine.toml", "--budget", "paper"], "mine.toml: the study has no budgets"),
        (["run", "mine.toml", "--sprt", "5", "0"], "--sprt: a test needs"),
        (["run", "mine.toml", "--minutes", "0"], "'0' is not a number of minutes above 0"),
        (["run", "bad_game.toml"], "no game is called 'hexx'; did you mean hex?"),
        (["run", "mine.toml", "--store", "mine.toml"], "mine.toml: this is not a file of games"),
        (["run", "mine.toml", "--store", "newer.sqlite"], "newer.sqlite: written by another version of this program"),
        (["run", "mine.toml", "--store", "damaged.sqlite"], "damaged.sqlite: this file of games is damaged"),
        (["run", "mine.toml", "--store", "mine.toml/x"], "mine.toml: file exists"),
        (["status", "mine.toml"], "experiments/mine.sqlite: this file of games does not exist"),
        (["status", "mine.toml"], "('ggp-agent experiment run mine.toml' creates it)"),
        (["report", "mine.toml", "--store", "newer.sqlite"], "another version of this program (format 99, not 2)\n"),
        (["report", "mine.toml", "--store", "empty.sqlite"], "empty.sqlite: no game of this study has finished yet"),
    ],
)
def test_errors_are_reported_in_one_line(capsys: pytest.CaptureFixture[str], words: list[str], complaint: str) -> None:
    Path("bad_game.toml").write_text(STUDY.replace("tic_tac_toe", "hexx"))
    study = Study.load("mine.toml")
    for name in ("empty", "newer", "damaged"):
        with StudyStore(Path(f"{name}.sqlite"), new=True) as store:
            store.begin(study.cells)
            host = store.host("{}")
    with sqlite3.connect("newer.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    with sqlite3.connect("damaged.sqlite") as db:
        db.execute(f"INSERT INTO games VALUES (0, -1, 7, 'x', '[]', 0, 0, '[]', '[]', '', {host})")
    assert experiment(*words) == 2
    shown = capsys.readouterr()
    assert complaint in shown.err.splitlines(keepends=True)[-1] and "Traceback" not in shown.err


def test_a_second_run_of_a_study_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    write_long_study(1000000)
    with start("run", "mine.toml", "--jobs", "1") as process:
        wait_until(lambda: count() >= 1, process)
        assert experiment("run", "mine.toml") == 2
        assert f"process {process.pid} is playing the games of this file" in capsys.readouterr().err
        assert experiment("run", "mine.toml", "--new") == 2
        assert f"process {process.pid} is playing the games of this file" in capsys.readouterr().err
        assert STORE.exists() and not STORE.with_name("mine.1.sqlite").exists()
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.slow
def test_a_full_disk_is_one_line() -> None:
    """Files may grow to 64 kB only, as if the disk were full."""
    write_long_study(20000)
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18));"
        "from ggp_agent.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "experiment", "run", "mine.toml", "--jobs", "1"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 2, done.stderr
    assert "experiments/mine.sqlite: cannot be written" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    with StudyStore(STORE) as store:
        states = load_states(store, Study.load("mine.toml").cells)
    assert sum(len(state.matches) for state in states) > 0


def test_undecided_cells_come_first() -> None:
    pairs = [[3, 6, 12, 6, 3], [10, 20, 60, 32, 22], [0, 0, 10, 50, 200], [0] * 5]
    assert by_need([CellProgress(number, counts) for number, counts in enumerate(pairs)]) == [3, 1, 0, 2]


def test_cells_of_equal_sides_are_rarely_decided_at_any_time() -> None:
    """An interval that leaves 50 % at some time would decide about a fifth of these cells."""
    draw = Random(1)
    wrong = by_interval = 0
    for _ in range(200):
        pairs, games = [0] * 5, [0, 0]
        decided = left = False
        for number in range(1, 301):
            # A strong role: most pairs are 1 : 1.
            points = [draw.random() < 0.7, draw.random() < 0.3]
            pairs[2 * sum(points)] += 1
            games = [games[0] + sum(points), games[1] + 2 - sum(points)]
            if number % 20 == 0:
                decided |= NEED_TEST.verdict(pairs) in {"above", "below"}
                low, high = Score(games[0], 0, games[1]).interval
                left |= number >= 20 and not low < 0.5 < high
        wrong += decided
        by_interval += left
    assert wrong <= 0.08 * 200 < by_interval  # 0.05, and two standard deviations


def test_the_report_of_games_by_need_has_the_verdict_of_the_test(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.toml").write_text(
        """
        games = ["tic_tac_toe"]
        simulations = 20
        games_per_cell = 400
        [variants.strong]
        config = "default"
        opponent = "playout.limit=1,playout.decisive=false,solver.enabled=false"
        """
    )
    assert experiment("run", "mine.toml", "--games", "8", "--by-need", "--jobs", "1") == 0
    capsys.readouterr()
    assert experiment("report", "mine.toml") == 0
    page = capsys.readouterr().out
    assert "a sequential test decided" in page and "| **" not in page
    assert experiment("run", "mine.toml", "--jobs", "1") == 0  # stays a study by need
    capsys.readouterr()
    assert experiment("report", "mine.toml") == 0
    page = capsys.readouterr().out
    assert "a sequential test decided" in page and "| **" in page


def test_pairs_are_counted_by_their_points(capsys: pytest.CaptureFixture[str]) -> None:
    assert experiment("run", "mine.toml", "--games", "20", "--cells", "bold") == 0
    with StudyStore(STORE) as store:
        state: CellState = load_states(store, Study.load("mine.toml").cells)[0]
    assert sum(state.pairs) == 10
    points = sum(number * points / 2 for points, number in enumerate(state.pairs))
    assert points == pytest.approx(state.score.share * 20)
    capsys.readouterr()
    assert experiment("status", "mine.toml", "--json") == 0
    interval = json.loads(capsys.readouterr().out)[0]["interval"]
    assert interval == [100 * end for end in pair_interval(state.score, state.pairs)]


def test_a_side_without_a_difference_is_named_also_after_a_resumption(capsys: pytest.CaptureFixture[str]) -> None:
    text = STUDY.replace("playout.decisive=false", "memory_mb=64").replace("[40, 80]", "40")
    Path("mine.toml").write_text(text)
    assert experiment("run", "mine.toml", "--jobs", "1", "--games", "4") == 0
    assert experiment("run", "mine.toml", "--jobs", "2") == 0
    shown = capsys.readouterr().out
    assert shown.count("both sides made the same moves (2 pairs of games)") == 1
    assert experiment("report", "mine.toml") == 0
    reported = capsys.readouterr().out.splitlines()
    assert (
        "- § tic_tac_toe, none, 40 simulations: uninformative, both sides made the same moves (10 pairs of games)"
        in reported
    )

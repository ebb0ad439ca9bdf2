"""Parameters optimised over real games: results, resumed runs, and errors."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ggp_agent.arena.comparison import arena
from ggp_agent.cli import main
from ggp_agent.common.database import owned
from ggp_agent.experiments import tuning
from ggp_agent.experiments.parameters import with_values
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import SearchConfig

optuna = pytest.importorskip("optuna")

WORDS = ["--simulations", "20", "--games", "10", "--final-games", "10", "--jobs", "1"]


pytestmark = pytest.mark.usefixtures("in_empty_folder")


def _run(capsys: pytest.CaptureFixture[str], *words: str, games: Sequence[str] = ("tic_tac_toe",)) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["tune", *games, *WORDS, "--json", *words]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def _refused(capsys: pytest.CaptureFixture[str], *words: str, games: Sequence[str] = ("tic_tac_toe",)) -> str:
    capsys.readouterr()
    assert main(["tune", *games, *WORDS, *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.slow
def test_the_winner_plays_again_with_new_seeds(capsys: pytest.CaptureFixture[str], in_empty_folder: Path) -> None:
    found = _run(capsys, "--trials", "5", "--chart", "history.svg", "--parameters", "selection.exploration=0.2..2")
    assert [trial["trial"] for trial in found["trials"]] == [0, 1, 2, 3, 4]
    assert found["trials"][0]["values"] == {"selection.exploration": 1.4}, "the base itself comes first"
    assert all(0.2 <= trial["values"]["selection.exploration"] <= 2 for trial in found["trials"])
    assert found["best"] == max(found["trials"], key=lambda trial: trial["score"])

    game = load_game("tic_tac_toe")
    base = SearchConfig()
    seeds = [(1 << 32) + number for number in range(6)]
    for one, seed in zip([found["final"], *found["trials"]], seeds, strict=True):
        tried = with_values(base, one["values"])
        score = arena(game.machine(), tried, base, games=10, simulations=20, seed=seed).score
        assert one["games"] == {"tic_tac_toe": {"wins": score.wins, "draws": score.draws, "losses": score.losses}}
    assert (in_empty_folder / "history.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.slow
def test_several_games_count_equally_and_a_run_resumes(capsys: pytest.CaptureFixture[str]) -> None:
    games = ("tic_tac_toe", "connect_four")
    words = ["--store", "two.sqlite", "--parameters", "playout.policy=uniform|mast"]
    first = _run(capsys, *words, "--trials", "2", games=games)
    then = _run(capsys, *words, "--trials", "4", games=games)
    assert then["trials"][:2] == first["trials"]
    assert len(then["trials"]) == 4
    for trial in then["trials"]:
        shares = [(each["wins"] + each["draws"] / 2) / 10 for each in trial["games"].values()]
        assert trial["score"] == pytest.approx(100 * sum(shares) / 2)
    again = _run(capsys, *words, "--trials", "4", "--minutes", "1", games=games)
    assert again == then, "nothing was left to play"


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_stores_its_trials_and_resumes(
    end: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*WORDS[:-2], "--jobs", "2", "--trials", "1000", "--store", "ended.sqlite"]
    command = [sys.executable, "-m", "ggp_agent", "tune", "tic_tac_toe", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    with process:
        assert process.stderr is not None
        for number, line in enumerate(process.stderr):
            assert line.startswith("trial ")
            if number == 2:
                break
        process.send_signal(end)
        process.stderr.read()
    assert process.returncode == (-9 if end is signal.SIGKILL else 130)
    with _study("ended.sqlite") as study:
        before = {trial.number: (trial.state.name, trial.value, trial.params) for trial in study.trials}
    kept = [number for number, (state, _, _) in before.items() if state == "COMPLETE"]
    under_way = [params for state, _, params in before.values() if state == "RUNNING" and params]
    assert len(kept) >= 3
    found = _run(capsys, "--trials", str(len(kept) + 3), "--store", "ended.sqlite")
    assert [trial["trial"] for trial in found["trials"]][: len(kept)] == kept
    assert [trial["score"] / 100 for trial in found["trials"]][: len(kept)] == [before[number][1] for number in kept]
    assert len(found["trials"]) == len(kept) + 3
    new = [trial["values"] for trial in found["trials"][len(kept) :]]
    assert all(params in new for params in under_way), "what was under way is played again"


class _study:  # noqa: N801
    """Read a storage with optuna, as its other tools do."""

    def __init__(self, name: str) -> None:
        self._storage = optuna.storages.RDBStorage(f"sqlite:///{name}")

    def __enter__(self) -> Any:
        return optuna.load_study(study_name=None, storage=self._storage)

    def __exit__(self, *error: object) -> None:
        self._storage.remove_session()
        self._storage.engine.dispose()


@pytest.mark.slow
def test_a_bad_trial_is_stopped_halfway(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--games", "80", "--trials", "8", "--final-games", "2", "--parameters", "playout.decisive=true|false"]
    found = _run(capsys, *words)
    given_up = [trial for trial in found["trials"] if trial["given_up"]]
    assert given_up
    assert not found["best"]["given_up"]
    for trial in found["trials"]:
        (counts,) = trial["games"].values()
        assert sum(counts.values()) == (40 if trial["given_up"] else 80)
    assert all(trial["interval"][1] < found["best"]["score"] for trial in given_up)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--parameters", "selection.explore=0..1"], "did you mean selection.exploration?"),
        (["--parameters", "seed=0..1"], "there is no parameter 'seed'"),
        (["--parameters", "selection.exploration=2..1"], "the range ends at 1, which is not above 2"),
        (["--parameters", "selection.exploration=1"], "not a range of numbers LOW..HIGH"),
        (["--parameters", "selection.exploration=0..inf"], "not a range of numbers LOW..HIGH"),
        (["--parameters", "selection.exploration"], "does not have the form KEY=LOW..HIGH"),
        (["--parameters", "playout.epsilon=0..2"], "playout.epsilon must be 0 .. 1, not 2.0"),
        (["--parameters", "playout.ngram=1.5..4"], "playout.ngram takes whole numbers only"),
        (["--parameters", "playout.policy=mast"], "needs at least two different choices"),
        (["--parameters", "playout.policy=mast|best"], "playout.policy must be"),
        (["--parameters", "playout.epsilon=0..1", "playout.epsilon=0..1"], "name each key once"),
        (["--base", "threads=2"], "a contestant searches in one thread"),
        (["--base", "nothing.toml"], "nothing.toml"),
        (["--games", "3"], "'3' is odd"),
        (["--chart", "history.txt"], "a chart must have the suffix"),
    ],
)
def test_wrong_parameters_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], in_empty_folder: Path
) -> None:
    assert message in _refused(capsys, *words)
    assert not (in_empty_folder / "tuning").exists()


def test_unknown_and_repeated_games_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean tic_tac_toe" in _refused(capsys, games=["tic_tac_tow"])
    assert "name each game once" in _refused(capsys, games=["tic_tac_toe", "tic_tac_toe"])


def test_a_foreign_file_is_refused_and_unchanged(capsys: pytest.CaptureFixture[str], in_empty_folder: Path) -> None:
    words = ["--trials", "1", "--store"]
    text, tables, other = (in_empty_folder / f"{name}.sqlite" for name in ("text", "tables", "other"))
    text.write_text("no database\n")
    with sqlite3.connect(tables) as database:
        database.execute("CREATE TABLE games (number INTEGER)")
    database.close()
    storage = optuna.storages.RDBStorage(f"sqlite:///{other}")
    optuna.create_study(storage=storage, study_name="mine")
    storage.remove_session()
    storage.engine.dispose()
    for path, message in (
        (text, "this is not an optuna storage"),
        (tables, "this is not an optuna storage"),
        (other, "the file has other studies of optuna"),
        (in_empty_folder, "this is not an optuna storage"),
    ):
        before = path.read_bytes() if path.is_file() else None
        assert message in _refused(capsys, *words, str(path))
        assert before is None or path.read_bytes() == before


@pytest.mark.slow
def test_a_store_of_another_plan_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--store", "one.sqlite", "--trials", "1"]
    _run(capsys, *words)
    assert "its trials have other games" in _refused(capsys, *words, games=["connect_four"])
    for others, message in (
        (["--parameters", "selection.exploration=0.5..1"], "its trials have other parameters"),
        (["--base", "solver.enabled=false"], "its trials have other base"),
        (["--seed", "2"], "its trials have other seed: 1, not 2"),
        (["--games", "20"], "its trials have other games per trial: 10, not 20"),
    ):
        assert message in _refused(capsys, *words, *others)


def test_one_process_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    with owned(Path("busy.sqlite"), "adding trials"):
        assert f"process {os.getpid()} is adding trials to this file" in _refused(capsys, "--store", "busy.sqlite")


def test_without_optuna_its_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(tuning.importlib.util, "find_spec", lambda name: None)
    assert "pip install optuna" in _refused(capsys)

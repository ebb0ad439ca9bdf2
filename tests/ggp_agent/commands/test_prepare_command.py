"""`ggp-agent prepare --all`: the line of each sheet, known and refused sheets, interrupted runs, and mistakes."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cli_process
import pytest
from places import ROOT
from quick import few
from small_games import NIM

from ggp_agent.cli import main
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.prepare import preparation, preparer
from ggp_agent.prepare.choice import ChoiceStore

ONE_ROLE = "the default: games of one role are solved instead of compared"
TOO_SHORT = "the default: 1.0 s are too short for test games, which take 4 s or more"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_AGENT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "sheets"
    path.mkdir()
    return path


def add(folder: Path, names: Iterable[str]) -> None:
    """Copy sheets of the catalogue into a folder."""
    for name in names:
        shutil.copy(ROOT / "kif_games" / f"{name}.kif", folder)


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return cli_process.start("prepare", "--all", str(folder), *words)


def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a preparation end after a few test games."""
    monkeypatch.setattr(preparer, "_MAX_GAMES", 12)
    monkeypatch.setattr(preparer, "_LONGER_GAMES", 2)


def document(capsys: pytest.CaptureFixture[str], folder: Path, *words: str, status: int = 0) -> Any:
    assert main(["prepare", "--all", str(folder), "--json", *words]) == status
    return json.loads(capsys.readouterr().out)


def test_each_sheet_has_a_line_and_is_known_afterwards(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(folder, ("tic_tac_toe", "connect_four", "lights_out", "monty_hall"))
    (folder / "broken.kif").write_text("(role x")
    (folder / "notes.txt").write_text("not a sheet")
    with start(folder, "--cpu-seconds", "1") as process:
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == f"1/5 broken.kif: refused: {folder / 'broken.kif'}:1:1: this parenthesis is never closed"
    for number, name, reason in (
        (1, "connect_four", TOO_SHORT),
        (2, "lights_out", ONE_ROLE),
        (4, "tic_tac_toe", TOO_SHORT),
    ):
        assert lines[number].startswith(f"{number + 1}/5 {name}.kif: {reason}; ")
        assert lines[number].endswith(" CPU-s")
    assert lines[3].startswith("4/5 monty_hall.kif: refused: monty_hall hides information from its players")
    assert lines[5] == "5 sheets: 3 prepared (3 of them without test games), 0 known, 2 refused"

    (folder / "broken.kif").unlink()
    assert main(["prepare", "--all", str(folder), "--cpu-seconds", "0.5"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == f"1/4 connect_four.kif: known: {TOO_SHORT}"
    assert shown[-1] == "4 sheets: 0 prepared, 3 known, 1 refused"


@pytest.mark.parametrize("end", few([signal.SIGKILL, signal.SIGINT], 1))
def test_an_interrupted_run_resumes(end: signal.Signals, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(folder, ("connect_four",))
    shutil.copy(ROOT / "kif_games" / "lights_out.kif", folder / "a_puzzle.kif")
    with start(folder, "--cpu-seconds", "600", "--jobs", "1") as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(end)
        out, err = process.communicate(timeout=120)
    assert first.startswith("1/2 a_puzzle.kif: the default: games of one role are solved instead of compared; ")
    if end is signal.SIGKILL:
        assert (process.returncode, out) == (-9, "")
    else:
        assert process.returncode == 130
        assert err == "interrupted; every finished sheet is stored; run the same command to resume\n"
        assert out == "1 of 2 sheets: 1 prepared (1 of them without test games), 0 known, 0 refused\n"
    resumed = document(capsys, folder, "--cpu-seconds", "1")
    assert [sheet["outcome"] for sheet in resumed["sheets"]] == ["known", "prepared"]


def test_a_choice_is_known_to_runs_with_less_time(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few_games(monkeypatch)
    (folder / "nim.kif").write_text(NIM)
    (folder / "other_names.kif").write_text(NIM.replace("heap", "pile"))
    first = document(capsys, folder, "--cpu-seconds", "5")
    nim, copy = first["sheets"]
    assert (first["prepared"], first["known"], first["refused"], first["interrupted"]) == (1, 1, 0, False)
    assert (nim["outcome"], nim["chosen"], nim["obstacle"]) == ("prepared", "default", "")
    assert nim["score"]["wins"] + nim["score"]["losses"] >= 2 and nim["total_cpu_seconds"] >= nim["cpu_seconds"] > 0
    assert (copy["outcome"], copy["trials"]) == ("known", nim["trials"])
    assert document(capsys, folder, "--cpu-seconds", "4.5")["known"] == 2
    assert document(capsys, folder, "--cpu-seconds", "5.5")["prepared"] == 1
    # A run without a choice leaves the earlier one, which had more time.
    assert main(["prepare", str(folder / "nim.kif"), "--cpu-seconds", "1"]) == 0
    capsys.readouterr()
    assert document(capsys, folder, "--cpu-seconds", "5.5")["known"] == 2


def test_a_single_preparation_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "nim.kif").write_text(NIM)
    assert main(["prepare", str(folder / "nim.kif"), "--cpu-seconds", "1"]) == 0
    capsys.readouterr()
    assert document(capsys, folder, "--cpu-seconds", "1")["known"] == 1


def test_a_recognised_game_is_prepared_as_players_play_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(folder, ("lines_of_action",))
    (sheet,) = document(capsys, folder, "--cpu-seconds", "1")["sheets"]
    assert (sheet["played_by"], sheet["outcome"]) == ("fast:lines_of_action", "prepared")
    machine = NativeMachine(native_game("lines_of_action"))
    store = ChoiceStore()
    known = store.prepared(machine, 1.0)
    assert known is not None and known.word.startswith("playout.policy=game-mast")
    assert store.prepared(machine, 2.0) is None
    assert main(["prepare", "--all", str(folder), "--cpu-seconds", "1"]) == 0
    assert "known: playout.policy=game-mast" in (shown := capsys.readouterr().out)
    assert "(players play these rules by fast:lines_of_action)" in shown


def test_an_unexpected_error_does_not_end_the_run(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("two\nlines")

    add(folder, ("lights_out", "tic_tac_toe"))
    monkeypatch.setattr(preparation, "prepare_beforehand", fail)
    assert main(["prepare", "--all", str(folder)]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "1/2 lights_out.kif: refused: RuntimeError: two lines"
    assert shown[1].startswith("2/2 tic_tac_toe.kif: refused") and shown[2].endswith("2 refused")


def test_an_unreadable_file_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "absent.kif").symlink_to("nothing")
    (sheet,) = document(capsys, folder, status=2)["sheets"]
    assert sheet["outcome"] == "refused" and sheet["reason"].endswith("absent.kif: no such file or directory")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "one of the arguments GAME --all is required"),
        (["hex", "--all", "{folder}"], "argument --all: not allowed with argument GAME"),
        (["--all", "{folder}/missing"], "missing: no such folder; give a folder of .kif files"),
        (["--all", "{folder}/notes.txt"], "notes.txt: this is not a folder; give a folder of .kif files"),
        (["--all", "{folder}"], "sheets: the folder has no .kif files"),
        (["--all", "{folder}/full", "--no-cache"], "--all stores its results in the cache; leave out --no-cache"),
    ],
)
def test_mistakes(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str) -> None:
    (folder / "notes.txt").write_text("text")
    (folder / "full").mkdir()
    (folder / "full" / "nim.kif").write_text(NIM)
    assert main(["prepare", *(word.format(folder=folder) for word in words)]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.startswith("ggp-agent: error: ") and shown.err.count("\n") == 1
    assert complaint in shown.err


def test_a_cache_that_is_off_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "nim.kif").write_text(NIM)
    monkeypatch.setenv("GGP_AGENT_CACHE", "off")
    assert main(["prepare", "--all", str(folder)]) == 2
    assert "--all stores its results in the cache, but the cache is off (GGP_AGENT_CACHE)\n" in capsys.readouterr().err

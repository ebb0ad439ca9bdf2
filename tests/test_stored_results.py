"""The stored results of studies: their databases can be resumed, and the folder stays small."""

from __future__ import annotations

import contextlib
import importlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from ggp_agent.cli import main

RESULTS = ROOT / "docs" / "results"
MAX_BYTES = 2_500_000
NAMES = sorted(path.name.removesuffix(".sqlite.xz") for path in RESULTS.glob("*.sqlite.xz"))


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("stored_results")


@pytest.mark.parametrize("name", NAMES)
def test_restored_databases_belong_to_their_studies(
    tool: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    database = tool.restore(name, tmp_path)
    study, _, budget = name.rpartition("-")
    assert main(["experiment", "status", study, "--budget", budget, "--store", str(database)]) == 0
    assert "moves searched" in capsys.readouterr().out


def test_a_run_plays_only_the_missing_games(tool: Any, tmp_path: Path) -> None:
    path = tool.restore("ablation-desk", tmp_path)

    def games() -> list[tuple[Any, ...]]:
        with contextlib.closing(sqlite3.connect(path)) as database:
            return database.execute("SELECT cell, pair, seat, goals, host FROM games ORDER BY 1, 2, 3").fetchall()

    before = games()
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM games WHERE cell = (SELECT min(cell) FROM games) AND pair = 0")
    missing = set(before) - set(games())
    assert len(missing) == 2
    command = ["--budget", "desk", "--store", str(path), "--jobs", "1"]
    assert main(["experiment", "run", "ablation", *command]) == 0
    assert len(games()) == len(before) > 1000
    assert set(before) - set(games()) <= missing


def test_restoring_replaces_no_file(tool: Any, tmp_path: Path) -> None:
    tool.restore("bhrf_go-desk", tmp_path)
    with pytest.raises(SystemExit, match="the file exists"):
        tool.restore("bhrf_go-desk", tmp_path)
    with pytest.raises(SystemExit, match="no stored database"):
        tool.restore("unknown-desk", tmp_path)


def test_a_study_has_one_page_one_table_and_one_chart() -> None:
    assert len(NAMES) > 15
    for name in NAMES:
        assert (RESULTS / f"{name}.md").is_file()
        assert (RESULTS / f"{name}.csv").is_file()
        assert len(list(RESULTS.glob(f"{name}-*.svg"))) == 1, name
    files = [path for path in RESULTS.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".md", ".csv", ".svg", ".xz"}
    assert sum(path.stat().st_size for path in files) <= MAX_BYTES

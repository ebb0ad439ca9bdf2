"""The stored results of studies: their databases can be resumed, and the folder stays small."""

from __future__ import annotations

import contextlib
import importlib
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from places import RESULTS, ROOT
from quick import few
from test_links import broken

from ggp_agent.cli import main

MAX_BYTES = 1_500_000
NAMES = sorted(path.name.removesuffix(".sql.xz") for path in RESULTS.glob("*.sql.xz"))


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("stored_results")


@pytest.mark.parametrize("name", few(NAMES, 5))
def test_restored_databases_belong_to_their_studies(
    tool: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    database = tool.restore(name, tmp_path)
    study, _, budget = name.rpartition("-")
    assert main(["experiment", "status", study, "--budget", budget, "--store", str(database)]) == 0
    assert "moves searched" in capsys.readouterr().out


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_page_has_the_table_of_signs_of_the_databases(tool: Any) -> None:
    signs = importlib.import_module("table_of_signs")
    text = signs.PAGE.read_text(encoding="utf-8")
    assert text[text.index(signs.BEGIN) + len(signs.BEGIN) : text.index(signs.END)].strip() == signs.table()


def test_a_stored_database_is_restored_whole(tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def content(path: Path) -> list[str]:
        with contextlib.closing(sqlite3.connect(path)) as database:
            marks = [database.execute(f"PRAGMA {key}").fetchone()[0] for key in ("application_id", "user_version")]
            return [*map(str, marks), *database.iterdump()]

    before = tool.restore("bhrf_go_budget-desk", tmp_path / "before")
    monkeypatch.setattr(tool, "RESULTS", tmp_path)
    tool.store("bhrf_go_budget-desk", before.parent)
    assert content(tool.restore("bhrf_go_budget-desk", tmp_path / "after")) == content(before)


def test_restoring_replaces_no_file(tool: Any, tmp_path: Path) -> None:
    tool.restore("bhrf_go-desk", tmp_path)
    with pytest.raises(SystemExit, match="the file exists"):
        tool.restore("bhrf_go-desk", tmp_path)
    with pytest.raises(SystemExit, match="no stored database"):
        tool.restore("unknown-desk", tmp_path)


def test_a_page_is_made_of_a_database(tool: Any, tmp_path: Path) -> None:
    tool.draw("bhrf_go_budget-desk", tmp_path)
    assert sorted(path.name.removeprefix("bhrf_go_budget-desk") for path in tmp_path.iterdir()) == [
        "-curve.svg",
        "-scores.svg",
        ".csv",
        ".md",
    ]
    assert list(broken(tmp_path / "bhrf_go_budget-desk.md")) == []
    page = (tmp_path / "bhrf_go_budget-desk.md").read_text()
    assert page.startswith("# ") and "](bhrf_go_budget-desk.csv)" in page and "](bhrf_go_budget-desk-curve.svg)" in page
    rows = (tmp_path / "bhrf_go_budget-desk.csv").read_text().splitlines()
    assert len(rows) == 9


def test_pages_are_written_if_they_are_missing_or_old(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "RESULTS", tmp_path)
    for name in ("a-desk", "b-desk"):
        (tmp_path / f"{name}.sql.xz").touch()
    assert tool.outdated() == ["a-desk", "b-desk"]
    (tmp_path / "a-desk.md").touch()
    assert tool.outdated() == ["b-desk"]
    os.utime(tmp_path / "a-desk.md", (1.0, 1.0))
    assert tool.outdated() == ["a-desk", "b-desk"]


def test_the_folder_has_databases_and_a_summary_that_leads_to_each_page() -> None:
    assert len(NAMES) > 15
    summary = (RESULTS / "README.md").read_text()
    assert [name for name in NAMES if f"]({name}.md)" not in summary] == []
    files = [path for path in RESULTS.rglob("*.xz") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MAX_BYTES


def test_git_ignores_all_files_that_are_made() -> None:
    ignored = set((ROOT / ".gitignore").read_text().splitlines())
    excluded = set((ROOT / "MANIFEST.in").read_text().split())
    for pattern in ("docs/results/*-*.md", "docs/results/*.csv", "docs/results/*.svg"):
        assert f"/{pattern}" in ignored and pattern in excluded

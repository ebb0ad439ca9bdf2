"""Names of cells on the command line, limits of columns in tables, and the list of studies."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp_agent.arena.scores import Score
from ggp_agent.cli import main
from ggp_agent.experiments.table import TableEntry


def shown(capsys: pytest.CaptureFixture[str], *patterns: str) -> list[str]:
    assert main(["experiment", "show", "quality_table1", "--cells", *patterns]) == 0
    lines = capsys.readouterr().out.splitlines()
    return [line.partition(":")[0] + ":" + line.split(":")[1] for line in lines if line.startswith("fast:")]


@pytest.mark.parametrize("name", ["breakthrough", "Breakthrough", "fast:breakthrough", "FAST:breakthrough/*"])
def test_a_game_is_named_in_any_case_with_or_without_prefix(capsys: pytest.CaptureFixture[str], name: str) -> None:
    found = shown(capsys, name)
    assert len(found) == 4 and all(line.startswith("fast:breakthrough/") for line in found)


def test_a_label_with_blanks_names_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert {line.split("/")[0] for line in shown(capsys, "chinese checkers")} == {"fast:chinese_checkers"}


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "show", "quality_table1", "--cells", "chess"]) == 2
    assert "no cell matches 'chess'; examples of cells: fast:amazons/" in capsys.readouterr().err


def test_titles_of_studies_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = lines[0].index("What each part")
    assert all(line[start - 1] == " " and line[start] != " " for line in lines)


@pytest.mark.parametrize(
    ("column", "limit", "label"),
    [
        ("1 second", "250 simulations", "250 simulations"),
        ("1,000", "1,000 simulations", "1,000 simulations"),
        ("with solver", "250 simulations", "with solver"),
        ("20 ms", "20 ms", "20 ms"),
    ],
)
def test_a_column_with_the_time_of_a_paper_shows_the_simulations(column: str, limit: str, label: str) -> None:
    entry = TableEntry("Go", "a", column, Score(1, 0, 1), None, 2, 2, 0, "", 9.0, None, limit=limit)
    assert entry.limit_label == label


def test_a_run_without_a_finished_game_says_so(in_empty_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'games = ["breakthrough"]\nmilliseconds = 20000\nvariants.a = "seed=2"\n'
    Path("slow.toml").write_text(text)
    assert main(["experiment", "run", "slow.toml", "--jobs", "1", "--games", "2", "--minutes", "0.001"]) == 0
    assert "the time ended before a game did: nothing is stored" in capsys.readouterr().err

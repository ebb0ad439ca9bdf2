"""The developer programs of the folder `tools`."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from quick import few

TOOLS = sorted((ROOT / "tools").glob("*.py"))


@pytest.fixture
def comparison(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("compare_with_openspiel")


def test_the_comparison_measures_both_programs(comparison: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
    assert comparison.main(["tic_tac_toe", "--rounds", "2", "--seconds", "0.02"]) == 0
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    game, *cells = rows[2]
    ours, theirs, ratio = (float(cell.replace(",", "")) for cell in cells[:3])
    assert game == "tic_tac_toe"
    assert ratio == pytest.approx(ours / theirs, rel=0.1)
    assert min(float(cell.replace(",", "")) for cell in cells) > 0
    assert rows[-1][0].startswith("geometric mean")


def test_each_game_of_the_comparison_exists_in_both(comparison: Any) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
    from kif_games import catalogue

    for sheet, name in comparison.GAMES.items():
        assert sheet in catalogue()
        assert pyspiel.load_game(name).num_players() == len(catalogue()[sheet].roles)


def test_a_missing_openspiel_is_one_line(
    comparison: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    assert comparison.main(["tic_tac_toe"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "OpenSpiel is not installed; install it with: pip install open_spiel\n"


@pytest.mark.parametrize("arguments", [["chess"], ["--rounds", "0"], ["--seconds", "-1"]])
def test_wrong_arguments_of_the_comparison_are_refused(
    comparison: Any, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        comparison.main(arguments)
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("tool", few(TOOLS, 3), ids=lambda path: path.stem)
def test_tools_are_described(tool: Path) -> None:
    text = tool.read_text(encoding="utf-8")
    assert f"python tools/{tool.name}" in text.split('"""')[1]
    done = subprocess.run([sys.executable, str(tool), "--help"], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")

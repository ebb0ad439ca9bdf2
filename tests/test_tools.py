"""The developer programs of the folder `tools`."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
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


def test_the_gain_of_a_sheet_is_predicted_without_the_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    tool = importlib.import_module("predict_gain")
    random = np.random.default_rng(1)
    x, noise = random.normal(size=(9, 2)), random.normal(size=9)
    gains, weights = x @ [3.0, 0.0] + noise, random.integers(100, 400, size=9).astype(float)
    squares = [0.0, 0.0]
    for left_out in range(9):
        others = np.arange(9) != left_out
        for which, columns in enumerate((np.insert(x, 0, 1, axis=1), np.ones((9, 1)))):
            root = np.sqrt(weights[others])
            fit = np.linalg.lstsq(root[:, None] * columns[others], root * gains[others])[0]
            squares[which] += weights[left_out] * (gains[left_out] - columns[left_out] @ fit) ** 2
    found = tool.q_squared(x, np.stack([gains, noise]), weights)
    assert found[0] == pytest.approx(1 - squares[0] / squares[1])
    assert found[0] > 0.5 > found[1]
    assert tool.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


@pytest.mark.parametrize("tool", few(TOOLS, 3), ids=lambda path: path.stem)
def test_tools_are_described(tool: Path) -> None:
    text = tool.read_text(encoding="utf-8")
    assert f"python tools/{tool.name}" in text.split('"""')[1]
    done = subprocess.run([sys.executable, str(tool), "--help"], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")

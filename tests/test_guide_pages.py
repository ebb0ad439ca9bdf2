"""Pages of the guide that need more than a look: the notebook runs, and the tutorial names what exists."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from places import ROOT

GUIDE = ROOT / "docs" / "guide"
TUTORIAL = (ROOT / "docs" / "develop" / "new_selection_formula.md").read_text()


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((GUIDE / "first_analysis.ipynb").read_text())
    assert notebook["nbformat"] == 4
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "the notebook is stored without outputs"
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    out = capsys.readouterr().out
    assert "best line:" in out and " 500 nodes" in f" {out}".replace("\n", " ") and "of 40 games" in out


def test_files_of_the_tutorial_exist() -> None:
    named = set(re.findall(r"`((?:csrc|ggp_agent|tests|docs|tools)/[\w./]+\w)`", TUTORIAL))
    assert len(named) >= 10
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("csrc/search/config/config.hpp", ["enum class Formula"]),
        ("csrc/search/config/config_fields.cpp", ["GGP_WORD(selection.formula"]),
        (
            "csrc/search/selection/formulas.hpp",
            ["struct Ucb1Tuned {", "float operator()(const Candidate& of) const {", "node_visits", "inverse_root"],
        ),
        ("csrc/search/selection/selection.cpp", ["make_selection(const SelectionConfig& config)", "by(Ucb1Tuned{expl"]),
        ("csrc/search/tree/actions.hpp", ["struct Action"]),
        ("csrc/search/driver/backup.cpp", ["Traversal::backup"]),
        ("docs/reference/configuration.md", ["| `selection.formula` |"]),
        ("tests/ggp_agent/mcts/test_search.py", ["FORMULAS", "def test_every_formula_finds"]),
    ],
)
def test_places_of_the_tutorial_exist(file: str, names: list[str]) -> None:
    text = (ROOT / file).read_text()
    assert [name for name in names if name not in text] == []

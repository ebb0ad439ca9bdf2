"""Pages of the guide that need more than a look: notebooks run and show pictures, the tutorial names what exists."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from places import ROOT

import ggp_agent as ggp

GUIDE = ROOT / "docs" / "guide"
TUTORIAL = (ROOT / "docs" / "develop" / "new_selection_formula.md").read_text()


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((GUIDE / "first_analysis.ipynb").read_text())
    assert notebook["nbformat"] == 4
    names: dict[str, object] = {"__name__": "__main__"}
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "the notebook is stored without outputs"
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
            shown += [names[cell["source"][-1]]] if cell["source"][-1] in names else []
    out = capsys.readouterr().out
    assert "best line:" in out and " 500 nodes" in f" {out}".replace("\n", " ") and "of 40 games" in out
    assert [type(each) for each in shown] == [ggp.State]  # the next test reads its picture


@pytest.mark.parametrize("word", ["connect_four", "fast:breakthrough_6x6", "kuhn_poker"])
def test_what_a_notebook_shows_is_well_formed(word: str) -> None:
    game = ggp.load_game(word)
    state = game.initial_state()
    after = state.play(*(moves[0] for moves in state.legal_moves().values()))
    shown = [game._repr_html_(), state._repr_svg_(), after._repr_svg_()]
    if word != "kuhn_poker":
        shown.append(after.search(simulations=50)._repr_html_())
    trees = [ElementTree.fromstring(f"<div>{text}</div>") for text in shown]
    pictures = [tree.find(".//{http://www.w3.org/2000/svg}svg") for tree in trees[:3]]
    assert all(picture is not None and picture.get("width") == "320" for picture in pictures)
    assert all(tree.find("table/caption") is not None for tree in trees[3:])


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

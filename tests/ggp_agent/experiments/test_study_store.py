"""The stored games of a study belong to it, also if the words of its configurations have changed since."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from ggp_agent.common.errors import UserError
from ggp_agent.experiments.study_file import Study
from ggp_agent.experiments.study_store import StudyStore

LIGHT = """
games = ["fast:go_5x5"]
simulations = 10
base = { playout.policy = "game-light" }
variants.forest = { config = { playout.policy = "bhrf", playout.forest.fallback = "game-light" } }
"""


def store_of(path: Path, text: str, *, earlier: bool) -> None:
    """Write a store of a study; an earlier one does not say which policies its words mean."""
    with StudyStore(path, new=True) as store:
        store.begin(Study.from_toml(text, "mine").cells)
    if earlier:
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            database.execute("DELETE FROM study WHERE key = 'policies'")


def test_game_meant_the_light_policy_of_go_in_earlier_stores(tmp_path: Path) -> None:
    light, game = (
        Study.from_toml(LIGHT, "mine").cells,
        Study.from_toml(LIGHT.replace("game-light", "game"), "mine").cells,
    )
    store_of(tmp_path / "earlier", LIGHT.replace("game-light", "game"), earlier=True)
    with StudyStore(tmp_path / "earlier") as store:
        store.require_same(light)
        assert store.stored_document(light[0]) == light[0].document()
        with pytest.raises(UserError, match=r"fast:go_5x5/forest/10 \(contestants\) has changed since games"):
            store.require_same(game)
        store.begin(light)
        store.require_same(light)
        assert store.stored_document(light[0]) == light[0].document()
    store_of(tmp_path / "now", LIGHT.replace("game-light", "game"), earlier=False)
    with StudyStore(tmp_path / "now") as store:
        store.require_same(game)
        with pytest.raises(UserError, match="has changed since games"):
            store.require_same(light)


def test_only_go_has_other_words(tmp_path: Path) -> None:
    text = LIGHT.replace("game-light", "game").replace("go_5x5", "kalah")
    store_of(tmp_path / "kalah", text, earlier=True)
    with StudyStore(tmp_path / "kalah") as store:
        store.require_same(Study.from_toml(text, "mine").cells)


def test_adjudication_is_part_of_a_study(tmp_path: Path) -> None:
    rules = "adjudication = { agreement = 3, points = 2 }\n"
    ended = Study.from_toml(rules + LIGHT, "mine").cells
    assert ended[0].adjudication.agreement == 3
    store_of(tmp_path / "whole", LIGHT, earlier=False)
    with StudyStore(tmp_path / "whole") as store, pytest.raises(UserError, match=r"\(adjudication\) has changed"):
        store.require_same(ended)
    with pytest.raises(UserError, match=r"agreement must be 0 \.\. 1000, not -1"):
        Study.from_toml(LIGHT + "adjudication.agreement = -1\n", "mine")

"""The stored games of a study belong to it and to no other study."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp_agent.arena.match_result import MatchPlan, MatchResult
from ggp_agent.common.errors import UserError
from ggp_agent.experiments.study_file import Cell, Study
from ggp_agent.experiments.study_store import StudyStore

LIGHT = """
games = ["fast:go_5x5"]
simulations = 10
base = { playout.policy = "game-light" }
variants.forest = { config = { playout.policy = "bhrf", playout.forest.fallback = "game-light" } }
"""


def store_of(path: Path, text: str) -> None:
    """Make a store with one game of the first cell of a study."""
    with StudyStore(path, new=True) as store:
        cells = Study.from_toml(text, "mine").cells
        store.begin(cells)
        store.add(cells[0], [game_of(cells[0])], store.host("{}"))


def game_of(cell: Cell) -> MatchResult:
    return MatchResult(MatchPlan(0, 0, cell.seed, (0, 1)), 1, 0, (100, 0), (10, 10), (0.0, 0.0), "")


def test_a_study_with_another_policy_is_another_study(tmp_path: Path) -> None:
    light = Study.from_toml(LIGHT, "mine").cells
    store_of(tmp_path / "light", LIGHT)
    with StudyStore(tmp_path / "light") as store:
        store.require_same(light)
        assert store.stored_document(light[0]) == light[0].document()
        with pytest.raises(UserError, match=r"fast:go_5x5/forest/10 \(contestants\) has changed since the games"):
            store.require_same(Study.from_toml(LIGHT.replace("game-light", "game"), "mine").cells)


def test_adjudication_is_part_of_a_study(tmp_path: Path) -> None:
    rules = "adjudication = { agreement = 3, points = 2 }\n"
    ended = Study.from_toml(rules + LIGHT, "mine").cells
    assert ended[0].adjudication.agreement == 3
    store_of(tmp_path / "whole", LIGHT)
    with StudyStore(tmp_path / "whole") as store, pytest.raises(UserError, match=r"\(adjudication\) has changed"):
        store.require_same(ended)
    with pytest.raises(UserError, match=r"agreement must be 0 \.\. 1000, not -1"):
        Study.from_toml(LIGHT + "adjudication.agreement = -1\n", "mine")


def test_new_cells_keep_the_games_of_the_others(tmp_path: Path) -> None:
    more = LIGHT.replace("simulations = 10", "simulations = [5, 10]")
    (ten,) = Study.from_toml(LIGHT, "mine").cells
    five, again = Study.from_toml(more, "mine").cells
    assert (five.column, again.column, again.number) == ("5", "10", 1)
    game = game_of(ten)
    with StudyStore(tmp_path / "games", new=True) as store:
        store.begin([ten])
        store.add(ten, [game], store.host("{}"))
        store.begin([five, again])
        assert [len(store.matches(cell)) for cell in (five, again)] == [0, 1]
        store.add(five, [game], store.host("{}"))
        assert [len(store.matches(cell)) for cell in (five, again)] == [1, 1]
        with pytest.raises(UserError, match="has games of fast:go_5x5/forest/5, which is not asked for now"):
            store.begin([ten])


def test_a_cell_without_games_may_change(tmp_path: Path) -> None:
    more = LIGHT.replace("simulations = 10", "simulations = [10, 20]")
    before = Study.from_toml(more, "mine").cells
    after = (Study.from_toml("seed = 5\n" + more, "mine").cells[0], before[1])
    assert after[0].document() != before[0].document()
    with StudyStore(tmp_path / "games", new=True) as store:
        store.begin(before)
        store.add(before[1], [game_of(before[1])], store.host("{}"))
        store.begin(after)
        assert store.stored_document(after[0]) == after[0].document()
        store.add(after[0], [game_of(after[0])], store.host("{}"))
        assert store.played() == {0: 1, 1: 1}  # the cells keep their numbers

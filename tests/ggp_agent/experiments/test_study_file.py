"""Studies as TOML: their content and their errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp_agent.common.errors import UserError
from ggp_agent.experiments.study_file import Study, bundled
from ggp_agent.mcts.config import SearchConfig

THREE_LINES = """
games = ["connect_four"]
simulations = 1000
variants.bold = "selection.exploration=0.7"
"""

LARGE = """
games = ["breakthrough", "fast:cannon"]
seed = 7
base = "playout.policy=mast"
opponent = { solver.enabled = false }
published = [["fast:cannon", "short", "1 s", 62.8, 1.3]]

[variants.short]
label = "k"
x = 2.5
config = { reward.relative_bonus.enabled = true, playout.epsilon = 0.1 }

[variants.plain]
config = "default"
opponent = "uniform"
columns = ["5 s"]

[game."fast:cannon"]
label = "Cannon"
base = { playout.policy = "game" }
variants.all = { reward.relative_bonus.k = 3.0 }
variants.short = { playout.epsilon = 0.2 }

[budgets.small]
games_per_cell = 20
simulations."1 s" = { "breakthrough" = 170, "fast:cannon" = 20 }

[budgets.large]
milliseconds."1 s" = 1000
milliseconds."5 s" = 5000
"""


def test_a_study_of_three_lines() -> None:
    (cell,) = Study.from_toml(THREE_LINES, "mine").cells
    assert (str(cell), cell.games, cell.seed, cell.opening_plies) == ("connect_four/bold/1000", 400, 1, 0)
    assert cell.tested.config.changes() == {"selection.exploration": 0.7}
    assert cell.opponent.config.changes() == {}
    assert cell.tested.simulations == cell.opponent.simulations == 1000


def test_preparation_is_a_key_of_a_study() -> None:
    text = "games = ['connect_four']\nsimulations = 9\nbase = { search.prepare = false }\n"
    (cell,) = Study.from_toml(text + "variants.one = 'search.prepare=true'", "mine").cells
    assert cell.tested.config.search.prepare
    assert not cell.opponent.config.search.prepare


def test_values_of_the_study_a_game_and_a_variant_are_combined() -> None:
    study = Study.from_toml(LARGE, "mine")
    assert study.budget == "small" and study.budgets == ("small", "large")
    short, cannon = study.cells
    assert [str(cell) for cell in study.cells] == ["breakthrough/short/1 s", "fast:cannon/short/1 s"]
    assert short.tested.config.changes() == {
        "playout.policy": "mast",
        "playout.epsilon": 0.1,
        "reward.relative_bonus.enabled": True,
    }
    assert short.opponent.config.changes() == {"playout.policy": "mast", "solver.enabled": False}
    assert cannon.tested.config.changes() == {
        "playout.policy": "game",
        "playout.epsilon": 0.2,
        "reward.relative_bonus.enabled": True,
        "reward.relative_bonus.k": 3.0,
    }
    assert (short.tested.simulations, cannon.tested.simulations, short.games) == (170, 20, 20)
    assert short.published is None
    assert cannon.published is not None and (cannon.published.value, cannon.published.half) == (62.8, 1.3)
    assert (study.game_label("fast:cannon"), study.variant_label("short"), study.x("short")) == ("Cannon", "k", 2.5)


def test_values_of_the_study_come_before_its_baseline() -> None:
    text = """
    games = ["fast:amazons", "connect_four"]
    simulations = 10
    baseline = "004"
    base = "playout.decay = 0.5"
    game."fast:amazons".base = "selection.exploration = 0.25"
    variants.bonus = "reward.relative_bonus.enabled = true"
    """
    study = Study.from_toml(text, "mine")
    amazons, other = (cell.opponent.config for cell in study.cells)
    assert (amazons.selection.exploration, amazons.playout.decay, amazons.playout.policy) == (0.25, 0.5, "game-mast")
    assert (other.playout.decay, other.tree.reuse, other.playout.policy) == (0.5, False, SearchConfig().playout.policy)
    assert study.game_label("fast:amazons") == "Amazons"
    assert study.about.startswith("Baseline of both sides")


def test_another_budget_has_other_columns() -> None:
    study = Study.from_toml(LARGE, "mine", "large")
    assert [f"{cell.variant} {cell.column} {cell.tested.milliseconds}" for cell in study.cells[:3]] == [
        "short 1 s 1000",
        "short 5 s 5000",
        "plain 5 s 5000",
    ]
    assert study.cells[2].opponent.config.changes() == {"playout.decisive": False, "solver.enabled": False}


def test_published_values_of_a_number_belong_to_cells_with_this_number() -> None:
    text = """games = ["connect_four"]
variants.bold = "selection.exploration=0.7"
published = [["connect_four", "bold", "1,000", 60.0, 1.0], ["connect_four", "bold", "10,000", 70.0, 1.0]]
simulations = { "1,000" = 100, "10,000" = 1000, "many" = 10000 }"""
    study = Study.from_toml(text, "mine")
    assert [cell.published and cell.published.value for cell in study.cells] == [None, 60.0, None]
    assert [published.column for _, _, published in study.published] == ["1,000", "10,000"]


def test_a_variant_may_have_a_share_of_the_limit_of_its_opponent() -> None:
    half = 'variants.half = { config = "selection.exploration=0.7", share = 0.5 }'
    for amount, kind, spent in (
        ("simulations", "simulations", (500, 1000)),
        ("milliseconds", "milliseconds", (500, 1000)),
    ):
        text = THREE_LINES.replace("simulations", amount) + half
        bold, halved = Study.from_toml(text, "mine").cells
        assert (getattr(halved.tested, kind), getattr(halved.opponent, kind)) == spent
        assert getattr(bold.tested, kind) == getattr(bold.opponent, kind) == 1000
    (_, least) = Study.from_toml(THREE_LINES + half.replace("0.5", "0.0001"), "mine").cells
    assert least.tested.simulations == 1


@pytest.mark.parametrize("name", bundled())
def test_bundled_studies_are_valid(name: str) -> None:
    study = Study.load(name)
    assert study.title and study.about
    for budget in study.budgets:
        cells = Study.load(name, budget).cells
        assert len({str(cell) for cell in cells}) == len(cells) > 0
        # In a column of a paper every cell has a published value.
        if study.source and name.startswith("quality"):
            assert all(cell.published is not None for cell in cells), budget


def test_the_tables_have_the_figures_of_the_paper() -> None:
    table = {str(cell): cell for cell in Study.load("quality_table1", "paper").cells}
    assert len(table) == 24
    cannon = table["fast:cannon/online/1 second"]
    assert cannon.published is not None and cannon.published.value == 62.8
    assert (cannon.tested.simulations, cannon.games) == (2000, 5000)
    assert cannon.tested.config.changes()["reward.relative_bonus.k"] == 3.0
    combined = {str(cell): cell for cell in Study.load("quality_table4", "paper").cells}
    assert len(combined) == 30
    quality = combined["fast:pentalath/quality/1 second"]
    assert quality.published is not None and quality.published.value == 27.0
    assert quality.tested.config.reward.source == "quality"


def test_both_sides_of_the_tables_have_the_baseline_of_the_paper() -> None:
    exploration = {
        "amazons": 0.5,
        "breakthrough": 1.0,
        "cannon": 0.8,
        "checkers": 1.0,
        "chinese_checkers": 0.8,
        "pentalath": 0.8,
    }
    for name in ("quality_table1", "quality_table3", "quality_table4", "draft_settings"):
        for cell in Study.load(name).cells:
            for side in (cell.tested.config, cell.opponent.config):
                game = cell.game.removeprefix("fast:")
                assert side.selection.exploration == exploration[game], cell
                assert not side.tree.reuse and not side.playout.orders_tree and side.playout.decay == 0
                assert side.playout.mast_moves == ("policy" if game == "amazons" else "all")
                assert side.playout.learns == "goal"
    for cell in Study.load("quality_table2").cells:
        for side in (cell.tested.config, cell.opponent.config):
            playout = side.playout
            assert (playout.policy, playout.ngram, playout.unknown, playout.decisive) == ("nst", 3, 1.0, False)
            assert not side.solver.enabled and side.selection.exploration == 0.8


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("games =", "gmes ="), "mine: unknown key gmes; known are"),
        (('games = ["connect_four"]', "games = []"), "games must be an array of games, not an empty one"),
        (('["connect_four"]', '["connect_four", "connect_four"]'), "games: name each game once"),
        (("simulations = 1000", ""), "simulations or milliseconds is missing"),
        (("simulations = 1000", "simulations = 0"), "simulations must be 1 .. "),
        (("simulations = 1000", "simulations = [10, true]"), "simulations must be a whole number"),
        (("simulations = 1000", "simulations = 10\nmilliseconds = 5"), "give one of the two"),
        (("simulations = 1000", "simulations.x = {hex = 5}"), "'hex' is unknown; known are connect_four"),
        (("exploration=0.7", "explration=0.7"), "variants.bold: unknown key selection.explration"),
        (("exploration=0.7", "exploration=-1"), "variants.bold: selection.exploration must be finite and at least 0"),
        (('variants.bold = "selection.exploration=0.7"', ""), "variants is missing; give at least one"),
        (("simulations = 1000", "simulations = 10\ngames_per_cell = 7"), "games_per_cell must be even"),
        (("simulations = 1000", "simulations = 10\ngame.hex.label = 'Hex'"), "game: 'hex' is unknown"),
        (("simulations = 1000", "simulations = 10\npublished = [['connect_four', 'bold']]"), "published, entry 1 must"),
        (("simulations = 1000", "simulations = 10\ncompare = [['bold', 'shy']]"), "compare: 'shy' is unknown"),
        (("simulations = 1000", "simulations = 10\nremarks = [['hex', 'odd']]"), "remarks: 'hex' is unknown"),
        (('bold = "selection.exploration=0.7"', "bold.columns = ['5']"), "variants.bold.columns: '5' is unknown"),
        (
            ('bold = "selection.exploration=0.7"', "bold.share = 0"),
            "variants.bold.share must be 1e-06 .. 1000000, not 0",
        ),
        (
            ("simulations = 1000", 'simulations = 10\nbaseline = "005"'),
            "baseline: '005' is unknown; known are 004, cadiaplayer",
        ),
        (("simulations = 1000", "simulations = 10\nbudgets.a.simulations = 5"), "belong in the tables budgets.NAME"),
    ],
)
def test_errors_are_one_line(change: tuple[str, str], complaint: str) -> None:
    with pytest.raises(UserError) as caught:
        Study.from_toml(THREE_LINES.replace(*change), "mine")
    assert complaint in str(caught.value) and "\n" not in str(caught.value)


def test_unknown_budgets_and_studies(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="budgets: 'huge' is unknown; known are small, large"):
        Study.from_toml(LARGE, "mine", "huge")
    with pytest.raises(UserError, match="the study has no budgets, so huge is unknown"):
        Study.from_toml(THREE_LINES, "mine", "huge")
    with pytest.raises(UserError, match="no study is called 'nothing'; known are ablation, "):
        Study.load("nothing")
    with pytest.raises(UserError, match=r"none\.toml: cannot read the study: no such file"):
        Study.load(str(tmp_path / "none.toml"))

"""Statistics of simulations: exact sums of a search, their way into the results of matches and studies."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ggp_agent import _search
from ggp_agent.arena.samples import of_search
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.experiments.report import StudyReport
from ggp_agent.experiments.study_file import Study
from ggp_agent.experiments.study_store import StudyStore
from ggp_agent.game.load import load_game
from ggp_agent.mcts.configurations import read_configuration
from ggp_agent.mcts.limits import Limits

STUDY = """
games = ["fast:breakthrough_6x6"]
simulations = 400
variants.quality = "reward.qualitative_bonus.enabled=true"
games_per_cell = 4
"""


def sums(config: str, game: str = "connect_four", simulations: int = 400) -> tuple[Any, Any]:
    """Return the statistics and the sums of a search of the initial state."""
    searcher = _search.Searcher(load_game(game).machine().simulator(64), read_configuration(f"seed=5,{config}"))
    searcher.keep_samples()
    return searcher.run(Limits(simulations=simulations)), searcher.samples()


def test_sums_contain_every_simulation() -> None:
    found, (plies, backed_up, quality) = sums("in_flight=1")
    assert plies[0] == found.simulations == 400
    assert plies[2] / 400 == pytest.approx(found.roles[0].mean, abs=1e-5)
    assert backed_up[1:3] == (plies[2], plies[2])
    assert backed_up[3:] == (plies[4],) * 3
    assert quality[0] == 0  # connect four has no quality


def test_bonuses_change_what_is_backed_up() -> None:
    found, (plies, backed_up, _) = sums("reward.relative_bonus.enabled=true")
    assert backed_up[1] / 400 == pytest.approx(found.roles[0].mean, abs=1e-5)
    assert backed_up[1] != plies[2]
    assert backed_up[5] != backed_up[4]


def test_quality_is_known_without_a_bonus() -> None:
    _, (plies, _, quality) = sums("in_flight=1", "fast:breakthrough_6x6")
    assert quality[0] == plies[0] == 400
    assert 0 < quality[1] < 400


def test_values_are_those_of_numpy() -> None:
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(2, 50))
    both = np.array([np.ones(50), x, y, x * x, y * y, x * y]).sum(axis=1)
    found = of_search(tuple(both), tuple(both), (0,) * 6)
    assert found["length"] == pytest.approx(x.mean())
    assert found["length_deviation"] == pytest.approx(x.std(ddof=1))
    assert found["length_correlation"] == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert found["reward_deviation"] == pytest.approx(y.std(ddof=1))
    assert found["root_deviation"] == pytest.approx(x.std(ddof=1) / 50**0.5)
    assert "quality_correlation" not in found


def test_a_constant_has_no_correlation_in_spite_of_rounding() -> None:
    generator = np.random.default_rng(2)
    x, y = np.full(1000, 0.1), generator.normal(size=1000)
    both = tuple(float(sum(values)) for values in (np.ones(1000), x, y, x * x, y * y, x * y))
    found = of_search(both, both, both)  # type: ignore[arg-type]
    assert found["length_deviation"] == 0
    assert "length_correlation" not in found and "quality_correlation" not in found


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of games of a small study."""
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(STUDY)
    assert main(["experiment", "run", "mine.toml", "--store", "mine.sqlite", "--jobs", "1"]) == 0
    return tmp_path / "mine.sqlite"


def study() -> Study:
    return Study.from_toml(STUDY, "mine")


def test_a_study_stores_statistics_and_time_of_each_game(played: Path) -> None:
    with StudyStore(played) as store:
        games = store.samples(study().cells[0])
        assert len(games) == 4
        assert all(
            0 < role["length"] < 60 and -1 <= role["quality_correlation"] <= 1 for _, two in games for role in two
        )
        matches = store.matches(study().cells[0])
        assert sum(seconds for match in matches for seconds in match.cpu_seconds) > 0
        page = StudyReport.of(study(), store).markdown()
    assert "## Simulations" in page
    assert "| fast:breakthrough_6x6/quality/400 |" in page


def test_older_files_have_no_statistics_until_they_are_continued(played: Path) -> None:
    with contextlib.closing(sqlite3.connect(played)) as database:
        database.execute("DROP TABLE samples")
    with StudyStore(played) as store:
        assert store.samples(study().cells[0]) == []
        assert "## Simulations" not in StudyReport.of(study(), store).markdown()
    assert main(["experiment", "run", "mine.toml", "--store", "mine.sqlite", "--games", "6", "--jobs", "1"]) == 0
    with StudyStore(played) as store:
        assert len(store.samples(study().cells[0])) == 2


@pytest.mark.parametrize("means", ["7", '["length"]', '[{"length": "long"}, {}]', "[{}]"])
def test_damaged_statistics_are_one_line(played: Path, means: str) -> None:
    with contextlib.closing(sqlite3.connect(played)) as database, database:
        database.execute("UPDATE samples SET means = ?", (means,))
    with StudyStore(played) as store, pytest.raises(UserError, match="damaged: in samples, a value is invalid"):
        store.samples(study().cells[0])

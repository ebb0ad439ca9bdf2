"""Reports of a tournament: names of configurations, likelihood of superiority, and the chart of the HTML page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from stored_tournaments import MARKUP, begun, play

from ggp_agent.arena.scores import Score
from ggp_agent.manager.tournament.plan import read_plan
from ggp_agent.manager.tournament.reports import as_document, as_html, as_text, result_tables
from ggp_agent.manager.tournament.standings import Standings, standings


@pytest.fixture
def results(tmp_path: Path) -> Standings:
    with begun(tmp_path) as store:
        for number, goals in enumerate([(100, 0), (0, 100), (100, 0), (50, 50)], start=1):
            play(store, number, goals)
        return standings(store)


def test_configurations_are_named(tmp_path: Path) -> None:
    (tmp_path / "bold.toml").write_text("selection.exploration = 1.2\n")
    (tmp_path / "cup.toml").write_text(
        'games = ["tic_tac_toe"]\n[players]\nplain = "agent"\nnamed = "agent:bold.toml"\ndice = "random"\n'
        'written = { player = "agent", config = { selection = { exploration = 1.5 } } }\n'
    )
    specs = {each.name: each.spec for each in read_plan(tmp_path / "cup.toml").entrants}
    assert specs == {
        "plain": "agent",
        "named": "agent:bold.toml",
        "dice": "random",
        "written": "agent:selection.exploration=1.5",
    }


def test_superiority_is_shown_for_each_pair(results: Standings) -> None:
    # One player won all three decided games.
    score = results.cross[MARKUP, "rest"]
    assert score == Score(wins=3, draws=1, losses=0) and round(100 * score.superiority, 1) == 95.8
    text = as_text(results)
    rows = text[text.index("LOS") :].splitlines()[2:4]
    assert [row.split()[-1] for row in rows] == ["95.8", "4.2"]
    assert {pair["player"]: round(pair["los"], 3) for pair in as_document(results)["cross"]} == {
        MARKUP: 0.958,
        "rest": 0.042,
    }


def test_goals_that_repeat_the_score_are_left_out(results: Standings) -> None:
    standings_table = as_text(results).split("\n\n")[1]
    assert "goal" not in standings_table and "95 % interval" in standings_table


def test_the_html_page_has_a_chart_and_shows_names_as_text(results: Standings) -> None:
    html = as_html(results)
    assert MARKUP not in html and html.count('class="mark"') == 2
    (label,) = re.findall(r'class="ratings" role="img" aria-label="([^"]*)"', html)
    assert "&lt;b id=bad&gt;" in label and "95 % intervals" in label
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")


def test_goals_are_shown_by_role_if_they_differ_between_roles(results: Standings, tmp_path: Path) -> None:
    def rows(shown: Standings) -> list[tuple[str, ...]]:
        (table,) = (each for each in result_tables(shown) if each.title.startswith("Mean goal"))
        return list(table.rows)

    # The first player won twice as x; as o it lost no match and drew one.
    assert rows(results) == [
        ("Tic-tac-toe", "", "0.875", "0.125"),
        ("Tic-tac-toe", "x", "1.000", "0.250"),
        ("Tic-tac-toe", "o", "0.750", "0.000"),
    ]
    (tmp_path / "drawn").mkdir()
    with begun(tmp_path / "drawn") as store:
        play(store, 1, (50, 50))
        play(store, 2, (50, 50))
        assert rows(standings(store)) == [("Tic-tac-toe", "0.500", "0.500")]

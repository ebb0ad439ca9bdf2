"""Tournaments on the page: standings, ratings, schedule and records, from states on disk, while they change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recorded import played, write
from stored_tournaments import MARKUP, begun, play
from web_pages import ServedPage

from ggp_agent.manager.tournament.tournament_store import MatchOrder, Store
from ggp_agent.ui.web.page_server import WebServer


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[tuple[ServedPage, Store]]:
    (tmp_path / "other.db").write_bytes(b"no database")
    (tmp_path / "cup.matches").mkdir()
    server = WebServer("127.0.0.1", 0, tmp_path / "matches", tournaments=tmp_path)
    with begun(tmp_path) as store, ServedPage(tmp_path, server) as page:
        yield page, store


def test_a_tournament_is_told_as_it_goes_on(cup: tuple[ServedPage, Store]) -> None:
    page, store = cup
    (listed,) = page.get("/api/tournaments")["tournaments"]
    assert listed["name"] == "cup" and listed["tournament"] == "Spring cup" and not listed["complete"]
    play(store, 1, (100, 0))
    play(store, 2, (50, 50))
    store.start(MatchOrder(3, "toe.3", "tic_tac_toe", (MARKUP, "rest"), 1))
    told = page.get("/api/tournaments/cup")
    assert told["counts"]["finished"] == 2 and told["tables"][0]["rows"][0][0] == MARKUP
    assert [each["number"] for each in told["schedule"]] == [3, 2, 1, 4, 5, 6]
    assert told["schedule"][0]["title"] == "Tic-tac-toe" and "<svg" in told["chart"]
    los = next(table for table in told["tables"] if "LOS" in table["title"])
    assert los["rows"] == [[MARKUP, "", "84.1"], ["rest", "15.9", ""]]
    assert told["schedule"][0]["record"] == "toe.3" and told["schedule"][3]["record"] == ""
    assert told["schedule"][2]["seats"] == [
        {"role": "x", "player": MARKUP, "goal": 100},
        {"role": "o", "player": "rest", "goal": 0},
    ]
    assert [each["after"] for each in told["course"]] == [1, 2]
    first, second = (each["elo"] for each in told["course"])
    assert first[MARKUP] > second[MARKUP] > 0 and first[MARKUP] == pytest.approx(-first["rest"])
    assert page.get("/api/tournaments/cup/records/toe.1")["word"] == "tic_tac_toe"
    body: dict[str, Any] = {"game": "tic_tac_toe", "record": "toe.1", "tournament": "cup", "turn": 2}
    game = page.begin(**body, players={"x": "person", "o": "person"})
    assert page.position(game)["turn"] == 2


def test_nothing_else_is_read(cup: tuple[ServedPage, Store], tmp_path: Path) -> None:
    page, _ = cup
    outside = tmp_path.parent / f"{tmp_path.name}.db"
    begun_elsewhere = Store(outside, new=True)
    begun_elsewhere.close()
    (tmp_path / "link.db").symlink_to(outside)
    for name in ("absent", "..", f"..%2f{tmp_path.name}", "link", "x" * 300):
        page.get(f"/api/tournaments/{name}", 404)
    assert "not a tournament" in page.get("/api/tournaments/other", 409)["error"]
    page.get("/api/tournaments/cup/records/absent", 404)
    page.get("/api/tournaments/absent/records/toe.1", 404)
    assert [each["name"] for each in page.get("/api/tournaments")["tournaments"]] == ["cup"]


@pytest.mark.slow
def test_a_tournament_is_watched_in_a_browser(cup: tuple[ServedPage, Store], page: Any) -> None:
    from playwright.sync_api import expect

    served, store = cup
    play(store, 1, (100, 0))
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(f"{served.address}/#/tournaments")
    page.click("text=Spring cup")
    expect(page.locator(".tables h2").first).to_have_text("Standings")
    expect(page.locator("svg.ratings .mark")).to_have_count(2)
    assert MARKUP in page.inner_text("main") and page.query_selector("#bad") is None
    expect(page.locator(".graph")).to_have_count(0)
    play(store, 2, (0, 100))
    expect(page.locator(".graph .series").first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(page.locator(".livelist")).to_be_hidden()
    record = played("tic_tac_toe", match="toe.3", turns=2)
    path = write(store.path.with_suffix(".matches") / "toe.3.json", record.document())
    store.start(MatchOrder(3, "toe.3", "tic_tac_toe", (MARKUP, "rest"), 1))
    expect(page.locator(".livelist li")).to_contain_text("Tic-tac-toe, match 3")
    first = page.get_attribute(".livelist img", "src")
    write(path, played("tic_tac_toe", match="toe.3", turns=3).document())
    expect(page.locator(".livelist img")).not_to_have_attribute("src", first)
    expect(page.locator(".livelist img")).to_have_js_property("complete", True)
    page.click("text=/^match 2$/")
    page.wait_for_selector(".boardbox svg")
    page.keyboard.press("End")
    expect(page.locator(".state")).to_contain_text(" wins, 100 : 0")

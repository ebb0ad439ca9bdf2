"""Recorded matches in a real browser: on the page, and as files that were exported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recorded import played, write
from web_pages import ServedPage

from ggp_agent.records.match_drawing import MatchDrawing, animated
from ggp_agent.records.values import values_of, values_path, write_values
from ggp_agent.ui.web.match_page import match_page

pytest.importorskip("playwright", reason="no browser: these tests need Playwright for Python")
from playwright.sync_api import expect

MARKUP = "<b id=bad>"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPage]:
    folder = tmp_path_factory.mktemp("matches")
    write(folder / "toe.json", played("tic_tac_toe").document())
    with ServedPage(folder) as page:
        yield page


@pytest.mark.slow
def test_an_exported_page_is_stepped_through_without_a_server(page: Any, tmp_path: Path) -> None:
    record = played("tic_tac_toe", players=(MARKUP, "plain"))
    path = tmp_path / "m.html"
    path.write_text(match_page(MatchDrawing(record)))
    page.set_viewport_size({"width": 360, "height": 700})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector(".boardbox svg")
    assert MARKUP in page.inner_text(".seats") and page.query_selector("#bad") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for turn in (1, 2):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".turn")).to_have_text(f"turn {turn} of {len(record.moves)}")
    assert page.locator(".cell[aria-label$=': x'], .cell[aria-label$=': o']").count() == 2
    assert re.match(r"turn 2: o \d,\d", page.inner_text("#says"))
    page.keyboard.press("End")
    expect(page.locator(".state")).to_contain_text(re.compile(" wins, 100 : 0|a draw, 50 : 50"))
    assert record.goals == [100, 0]
    expect(page.locator(".ring.won")).to_have_count(3)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".ring")).to_have_count(0)
    page.select_option("select", "500")
    page.keyboard.press("Home")
    page.click("text=Run")
    expect(page.locator(".turn")).to_contain_text("turn 9 of")  # it may pass others between two looks
    assert asked == [path.as_uri()]


@pytest.mark.slow
def test_a_moving_picture_is_one_that_a_browser_shows(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.svg"
    path.write_text(animated(MatchDrawing(played("tic_tac_toe")), 60))
    page.goto(path.as_uri())
    shown = "[...document.querySelectorAll('.cell')].filter((cell) => cell.getClientRects().length).length"
    assert page.evaluate(shown) == 9


def test_a_match_is_exported_from_its_page(page: Any, served: ServedPage) -> None:
    page.goto(f"{served.address}/#/match/toe")
    page.wait_for_selector(".boardbox svg")
    for kind, start in (("html", "<!doctype html>"), ("svg", "<svg ")):
        with page.expect_download() as download:
            page.click(f"a[download='toe.{kind}']")
        assert download.value.suggested_filename == f"toe.{kind}"
        assert Path(download.value.path()).read_text().startswith(start)


@pytest.mark.slow
def test_a_hostile_record_shows_as_text(page: Any, tmp_path: Path) -> None:
    moves = [[f"(mark 1 {number})" if number != 2 else MARKUP.replace(" ", "/"), MARKUP] for number in (1, 2)]
    document = {
        **played("tic_tac_toe", turns=2).document(),
        "matchId": MARKUP,
        "gameName": MARKUP,
        "roleNames": [MARKUP, "<script>document.title='bad'</script>"],
        "playerNamesFromHost": [MARKUP, "'\"><img src=x onerror=document.title='bad'>"],
        "states": [f'( (cell 1 1 {MARKUP.replace(" ", "/")}) (cell 1 2 b) (cell 2 1 b) (cell 2 2 "onload=x) )'] * 3,
        "moves": moves,
        "errors": [["", ""], ["", MARKUP], [MARKUP, ""]],
        "isCompleted": True,
        "goalValues": [0, 100],
    }
    write(tmp_path / "<b id=bad>.json", document)
    (tmp_path / "<u id=bad>.json").write_text("{")
    with ServedPage(tmp_path) as served:
        page.goto(f"{served.address}/#/matches")
        expect(page.locator(".matches a")).to_have_text(MARKUP)
        expect(page.locator("details li")).to_contain_text("<u id=bad>.json")
        page.click(".matches a")
        page.wait_for_selector(".boardbox svg")
        page.keyboard.press("End")
        expect(page.locator(".state")).to_contain_text(MARKUP)
        expect(page.locator(".seats")).to_contain_text("<img src=x onerror")
        assert page.locator(".cell").count() == 4
        assert page.query_selector("#bad, .boardbox b, img[src=x]") is None and page.title() != "bad"


@pytest.mark.slow
def test_a_match_that_is_being_played_moves_on_by_itself(page: Any, tmp_path: Path) -> None:
    running, later, over = (played("tic_tac_toe", turns=turns) for turns in (2, 3, None))
    write(tmp_path / "toe.json", running.document())
    with ServedPage(tmp_path) as served:
        page.goto(f"{served.address}/#/match/toe/2")
        expect(page.locator(".state")).to_contain_text("new turns are shown as they are played")
        write(tmp_path / "toe.json", later.document())
        expect(page.locator(".turn")).to_have_text("turn 3 of 3")
        page.keyboard.press("Home")
        write(tmp_path / "toe.json", over.document())
        expect(page.locator(".turn")).to_have_text(f"turn 0 of {len(over.moves)}")


@pytest.mark.slow
def test_a_position_of_a_match_is_analysed(page: Any, served: ServedPage) -> None:
    page.goto(f"{served.address}/#/match/toe/2")
    page.click("text=Analyse this position")
    page.wait_for_selector(".analysis .graph .series")
    assert page.locator(".history li").count() == 2
    page.check("#ghosts")
    page.wait_for_selector(".ghost.number")
    page.wait_for_selector(".line button", state="attached")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".boardbox.ahead")
    expect(page.locator(".state")).to_contain_text("Expected, 1 ahead")
    assert page.locator(".cell[aria-label$=': x'], .cell[aria-label$=': o']").count() == 3
    page.keyboard.press("Escape")
    expect(page.locator(".boardbox.ahead")).to_have_count(0)
    page.click("text=The tree")
    page.locator(".tree > li > button").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".tree li li")
    assert "visits, value" in page.inner_text(".tree li li >> nth=0")
    page.keyboard.press("Escape")
    page.click(".history button >> nth=0")
    page.wait_for_selector("dialog .main")
    address = page.url
    page.click("dialog .main")
    expect(page).not_to_have_url(address)
    expect(page.locator(".history li").first).to_be_visible()


@pytest.mark.slow
def test_a_match_is_searched_through_on_its_page_and_what_it_lost_is_marked(page: Any, tmp_path: Path) -> None:
    record = played("tic_tac_toe", turns=4)
    record.aborted = True
    path = write(tmp_path / "toe.json", record.document())
    with ServedPage(tmp_path) as served:
        served.post("/api/records/toe/analysis", {"seconds": 0}, 409)
        page.goto(f"{served.address}/#/matches")
        expect(page.locator(".matches img")).to_have_js_property("complete", True)
        assert page.evaluate("document.querySelector('.matches img').naturalWidth") > 1
        write(tmp_path / "new.json", played("tic_tac_toe", match="new", players=("newcomer", "x")).document())
        page.evaluate("dispatchEvent(new Event('focus'))")  # as when the window is chosen again
        expect(page.locator(".matches")).to_contain_text("newcomer")  # without a reload
        page.goto(f"{served.address}/#/match/toe")
        page.click("text=Analyse the match")
        expect(page.locator(".note[role=status]")).to_contain_text("All positions were searched")
        expect(page.locator(".graph .series")).to_have_count(2)
        told = served.get("/api/records/toe")
        assert len(told["values"]) == 5 and values_of(record, path) == [tuple(each) for each in told["values"]]
        # As if o had lost much in its first move.
        write_values(values_path(path), record, [(50.0, 50.0), (50.0, 50.0), (90.0, 10.0), (90.0, 10.0), (90.0, 10.0)])
        page.reload()
        expect(page.locator(".history .loss")).to_have_text("o lost 40")
        expect(page.locator(".graph .mark")).to_have_count(1)
        page.click(".history button >> nth=1")
        expect(page.locator(".state")).to_contain_text("o lost 40")

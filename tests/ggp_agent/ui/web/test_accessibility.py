"""Every view is held against the rules of axe-core, light and dark: nothing serious may be found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recorded import played, write
from stored_tournaments import begun, play
from web_pages import ServedPage

from ggp_agent.ui.web.page_server import WebServer

pytest.importorskip("playwright", reason="no browser: these tests need Playwright for Python")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing")

SERIOUS = ("serious", "critical")
SHEET = "(role robot) ; a comment\\n(init (at 1))"


def complaints(page: Any) -> list[str]:
    """Return what axe-core finds that is serious, with the element it is about."""
    found = axe.Axe().run(page).response
    assert found["passes"], "nothing was looked at"
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found["violations"] if each["impact"] in SERIOUS
    ]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_is_found(browser: Any, tmp_path: Path, scheme: str) -> None:
    write(tmp_path / "toe.json", {**played("tic_tac_toe").document(), "roleValues": [[50, 50], [60, 40], [20, 80]]})
    server = WebServer("127.0.0.1", 0, tmp_path, tournaments=tmp_path)
    with begun(tmp_path) as store, ServedPage(tmp_path, server) as served:
        for number in (1, 2):
            play(store, number, (100, 0))
        page = browser.new_page(color_scheme=scheme)
        page.set_default_timeout(60_000)
        views = {
            "#/": ".card",
            "#/matches": ".matches a",
            "#/tournaments": ".panel a",
            "#/tournament/cup": ".graph",
            "#/match/toe/2": ".boardbox svg",
            "#/write": "textarea",
        }
        found = {}
        for view, ready in views.items():
            page.goto(f"{served.address}/{view}")
            page.wait_for_selector(ready)
            if view == "#/write":
                page.fill("textarea", SHEET)
                page.wait_for_selector(".findings li")
            found[view] = complaints(page)
        page.goto(f"{served.address}/#/match/toe/1")
        page.click("text=Analyse this position")
        page.wait_for_selector(".analysis .graph")
        page.check("#ghosts")
        found["#/play"] = complaints(page)
        page.goto(served.address)
        page.click(".card:has(strong:text-is('Kuhn poker'))")
        page.click("dialog .main")
        page.click("text=Hint")
        page.wait_for_selector(".thoughts table")
        found["hidden information"] = complaints(page)
        page.close()
        assert {view: told for view, told in found.items() if told} == {}

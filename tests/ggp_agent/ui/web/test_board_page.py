"""The page of a position: it has no script, and only sites that the user allows may show it in a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import requests
from loopback_site import Page, Site
from web_pages import WAIT, ServedPage

import ggp_agent as ggp
from ggp_agent.ui.web.board_page import board_page
from ggp_agent.ui.web.page_server import WebServer

LATE = ggp.load_game("tic_tac_toe").initial_state().play("(mark 1 1)").play("(mark 2 1)").play("(mark 1 2)")
BOARD = f"/board/tic_tac_toe/{quote(' '.join(LATE.fluents))}"


def test_a_position_is_a_picture_a_sentence_and_a_link(served: ServedPage) -> None:
    text = requests.get(served.address + BOARD, timeout=WAIT).text
    assert "<title>Tic-tac-toe: o to move.</title>" in text and 'aria-label="1,2: x"' in text and "<script" not in text
    assert f'href="/#/set/tic_tac_toe/{quote(" ".join(LATE.fluents), safe="")}"' in text
    over = LATE.play("(mark 2 2)").play("(mark 1 3)").fluents
    assert "Tic-tac-toe: x wins, 100 : 0." in board_page("tic_tac_toe", " ".join(over))
    assert "Go 5x5: black to move." in board_page("fast:go_5x5")
    for path, words in (("kuhn_poker", "hides information"), ("x", "no game"), ("tic_tac_toe/<b>", "no position")):
        assert words in served.get(f"/board/{path}", 409)["error"]


def test_only_allowed_sites_may_frame_positions_and_no_site_may_frame_other_pages(
    served: ServedPage, tmp_path: Path
) -> None:
    def ancestors(page: ServedPage, path: str) -> str:
        policy = requests.get(page.address + path, timeout=WAIT).headers["Content-Security-Policy"]
        return policy.partition("frame-ancestors ")[2]

    server = WebServer("127.0.0.1", 0, tmp_path, frames=["https://A.example", "*"])
    with ServedPage(tmp_path, server) as allowing:
        assert [ancestors(page, BOARD) for page in (served, allowing)] == ["'none'", "https://a.example *"]
        for path in ("/", "/api/catalogue", "/board/x", "/board"):
            assert ancestors(allowing, path) == "'none'"


@pytest.mark.slow
def test_a_frame_of_another_site_shows_a_position_only(browser: Any, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    with Site() as site, ServedPage(tmp_path, WebServer("127.0.0.1", 0, tmp_path, frames=[site.url("")])) as served:
        for path in (BOARD, "/"):
            body = f'<iframe width="400" height="440" src="{served.address}{path}"></iframe>'.encode()
            site.pages[f"/{len(path)}"] = Page(body, headers={"Content-Type": "text/html"})
        page = browser.new_page()
        page.goto(site.url(f"/{len(BOARD)}"))
        expect(page.frame_locator("iframe").locator("[data-cell]")).to_have_count(9)
        with page.expect_popup() as opened:
            page.frame_locator("iframe").get_by_text("Play or analyse").click()
        expect(opened.value.locator("h1")).to_have_text("A position of tic_tac_toe")
        with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
            page.goto(site.url("/1"))
        page.context.close()

"""Two persons on two machines: a link for each seat, spectators, an agreed draw; not on a server without an address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from web_pages import WAIT, ServedPage

from ggp_agent.ui.web.page_server import WebServer

PLAYERS = {"x": "person", "o": "guest"}


@pytest.fixture
def open_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedPage]:
    """A server as one for other machines, but on loopback."""
    server = WebServer("127.0.0.1", 0, tmp_path)
    monkeypatch.setattr(server._app, "_guests", True)
    with ServedPage(tmp_path, server) as page:
        yield page


def test_a_server_of_this_machine_has_no_guests(served: ServedPage) -> None:
    assert not served.get("/api/configurations")["guests"]
    error = served.post("/api/games", {"game": "tic_tac_toe", "players": PLAYERS}, 409)["error"]
    assert "--host" in error


def test_only_the_token_of_a_role_moves_it(open_server: ServedPage) -> None:
    began = open_server.post("/api/games", {"game": "tic_tac_toe", "players": PLAYERS}, 201)
    game, tokens = began["id"], began["tokens"]
    assert set(tokens) == {"x", "o"} and all(re.fullmatch(r"[\w-]{20,}", token) for token in tokens.values())
    open_server.position(game)
    for token, seat in ((tokens["x"], "x"), (tokens["o"], "o"), ("", ""), ("é" * 30, "")):
        assert open_server.post(f"/api/games/{game}/seat", {"token": token}) == {"role": seat, "seats": True}
    move = {"turn": 0, "role": "x", "move": "(mark 1 1)"}
    for token in ("", tokens["o"], "wrong"):
        open_server.order(game, "move", 409, token=token, **move)
    for what in ("undo", "hint", "analyse", "again", "now", "look", "watched"):
        assert "only the persons" in open_server.order(game, what, 409, token=tokens["x"])["error"]
    open_server.order(game, "move", token=tokens["x"], **move)
    assert open_server.position(game, 1)["waiting"] == ["o"]
    # A role in the body has no effect.
    open_server.order(game, "resign", token=tokens["o"], role="x")
    assert open_server.position(game, 1)["outcome"] == "o has resigned"
    assert "can end it" in open_server.post(f"/api/games/{game}/end", {"token": "wrong"}, 409)["error"]
    open_server.post(f"/api/games/{game}/end", {"token": tokens["x"]})
    # Without its tokens the game does not continue from its record.
    assert "no longer on the server" in open_server.get(f"/api/games/{game}", 404)["error"]


def test_a_draw_is_agreed_by_both(open_server: ServedPage) -> None:
    began = open_server.post("/api/games", {"game": "tic_tac_toe", "players": PLAYERS}, 201)
    game, tokens = began["id"], began["tokens"]
    open_server.position(game)
    open_server.order(game, "draw", token=tokens["x"])
    assert open_server.position(game)["draws"] == ["x"]
    open_server.order(game, "move", token=tokens["x"], turn=0, role="x", move="(mark 1 1)")
    assert open_server.position(game, 1)["draws"] == []  # a move declines the offer
    open_server.order(game, "draw", token=tokens["o"])
    open_server.order(game, "draw", token=tokens["x"])
    last = open_server.position(game, 1)
    assert last["over"] and last["outcome"] == "the players have agreed on a draw"


def test_tokens_are_not_sent_to_viewers(open_server: ServedPage) -> None:
    began = open_server.post("/api/games", {"game": "tic_tac_toe", "players": PLAYERS}, 201)
    open_server.position(began["id"])
    seen = requests.get(f"{open_server.address}/api/games/{began['id']}", timeout=WAIT).text
    assert not any(token in seen for token in began["tokens"].values())


@pytest.mark.slow
def test_a_game_is_played_between_two_browsers(browser: Any, open_server: ServedPage) -> None:
    from playwright.sync_api import expect

    first, second, third = (browser.new_context().new_page() for _ in range(3))
    for page in (first, second, third):
        page.set_default_timeout(60_000)
    first.goto(open_server.address)
    first.fill("input[type=search]", "Tic-tac-toe")
    first.click(".card:has(strong:text-is('Tic-tac-toe'))")
    first.select_option("dialog label:has-text('o') select >> nth=1", "guest")
    first.click("dialog .main")
    expect(first.locator(".panel:has-text('Send a link') a")).to_have_count(2)
    links = first.locator(".panel:has-text('Send a link') a").evaluate_all("all => all.map((each) => each.href)")
    second.goto(links[0])
    third.goto(links[1])
    expect(first.locator(".state")).to_contain_text("x: it is your move")
    expect(second.locator(".state")).to_contain_text("the other players choose")
    for number, cell in enumerate(["1,1", "2,1", "1,2", "2,2", "1,3"]):
        page, other = (first, second) if number % 2 == 0 else (second, first)
        page.click(f"[data-cell='{cell}']")
        for each in (page, other, third):
            expect(each.locator(".history li")).to_have_count(number + 1)
    for page in (first, second, third):
        expect(page.locator(".state")).to_contain_text("x wins, 100 : 0")
        page.context.close()

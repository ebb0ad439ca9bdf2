"""Positions that a person sets up: text and JSON of fluents, cells and facts by clicks, a game from there, pictures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import requests
from web_pages import WAIT, ServedPage

import ggp_agent as ggp
from ggp_agent.common.errors import UserError
from ggp_agent.ui.web.set_position import fluents_of, obstacle, state_of
from kif_games import rules

START = ggp.load_game("tic_tac_toe").initial_state()
# x wins by (mark 1 3), o by (mark 3 1).
LATE = START.play("(mark 1 1)").play("(mark 2 1)").play("(mark 1 2)").play("(mark 2 2)")


def test_texts_of_positions_are_read() -> None:
    fluents = LATE.fluents
    for text in (
        "\n".join(fluents),
        " ".join(f"(true {each})" for each in fluents),
        json.dumps(fluents),
        json.dumps(LATE.to_dict()),
    ):
        assert state_of(START, fluents_of(text)) == LATE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(cell 1 1 x", "never closed"),
        ("cell 1)", "without an opening one"),
        ("{", "not valid JSON"),
        ("[1]", "a list of fluents"),
        ('{"fluents": "a"}', "a list of fluents"),
        ("[" * 50_000, "not valid JSON"),
        ("x" * 100_001, "at most 100,000"),
    ],
)
def test_texts_that_are_no_positions_are_refused_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(UserError, match=r"^[^\n]*$") as refused:
        fluents_of(text)
    assert words in str(refused.value)


def test_fluents_of_another_game_and_positions_without_moves_are_refused() -> None:
    for start in (START, ggp.load_game("fast:breakthrough_6x6").initial_state()):
        with pytest.raises(UserError, match=r"no position of .*: .*cell 9 9 x"):
            state_of(start, ["(cell 9 9 x)"])
    assert obstacle(state_of(START, [])) == "no legal move in this position: x, o"
    assert not obstacle(LATE)


def test_a_game_starts_at_a_position(served: ServedPage) -> None:
    position = "\n".join(LATE.fluents)
    game = served.begin(game="tic_tac_toe", players={"x": "person", "o": "agent"}, position=position, seconds=0.1)
    first = served.position(game)
    assert first["waiting"] == ["x"] and sorted(first["fluents"]) == LATE.fluents
    served.order(game, "move", turn=0, role="x", move="(mark 1 3)")
    last = served.position(game, 1)
    assert last["over"] and last["outcome"] == "x wins, 100 : 0" and "record" not in last
    served.order(game, "again")
    assert sorted(served.position(game)["fluents"]) == LATE.fluents


def test_a_position_has_the_choices_of_its_cells(served: ServedPage) -> None:
    found = served.post("/api/positions", {"game": "tic_tac_toe"})
    assert found["fluents"] == START.fluents and found["legal"] == {"x": 9, "o": 1} and not found["problem"]
    assert "(marked x 1 1)" in found["cells"]["1,1"] and len(found["cells"]) == 9
    assert found["svg"].startswith("<svg")
    stuck = served.post("/api/positions", {"game": "tic_tac_toe", "text": "[]"})
    assert "no legal move" in stuck["problem"]
    for body, words in (
        ({"game": "../x"}, "the catalogue has no game"),
        ({"game": "kuhn_poker"}, "hides information"),
        ({"game": "tic_tac_toe", "text": "(marked x 4 4)"}, "no position of tic_tac_toe"),
        ({"game": "tic_tac_toe", "text": 7}, "must be a text"),
    ):
        assert words in served.post("/api/positions", body, 409)["error"]
    both = {"game": "tic_tac_toe", "position": "a", "record": "b"}
    assert "not from both" in served.post("/api/games", both, 409)["error"]


@pytest.mark.slow
def test_a_position_is_set_up_by_clicks_and_played(page: Any, served: ServedPage, tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason="no browser: these tests need Playwright for Python")
    from playwright.sync_api import expect

    page.goto(f"{served.address}/#/set/tic_tac_toe")
    expect(page.locator(".state")).to_contain_text("Legal moves: x 9")
    page.click("[data-cell='2,2']")
    page.click("section.panel >> text=marked x 2 2")
    expect(page.locator(".state")).to_contain_text("Legal moves: x 8")
    assert "marked%20x%202%202" in page.url
    with page.expect_download() as saved:
        page.click("text=Picture as SVG")
    saved.value.save_as(tmp_path / "a.svg")
    assert "2,2: x" in (tmp_path / "a.svg").read_text()
    with page.expect_download() as saved:
        page.click("text=as PNG")
    saved.value.save_as(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    page.fill("textarea", "(marked x 9 9)")
    page.click("text=Use this text")
    expect(page.locator("#trouble")).to_contain_text("this is no position of tic_tac_toe")
    page.click("text=Play or analyse")
    page.click("dialog .main")
    expect(page.locator(".state")).to_contain_text("x: it is your move")
    expect(page.locator("[data-cell='2,2']")).to_have_attribute("aria-label", "2,2: x")


def test_python_opens_the_page_at_a_state(tmp_path: Path) -> None:
    script = (
        "import ggp_agent as ggp\n"
        "state = ggp.load_game('tic_tac_toe').initial_state().play('(mark 2 2)')\n"
        "print(ggp.open_page(state) == ggp.open_page(state), flush=True)\n"
        "input()\n"
    )
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o700)
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"BROWSER": f"{browser} %s"},
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "True\n"
        address, _, text = opened.read_text().partition("#/set/tic_tac_toe/")
        assert "<title>" in requests.get(address, timeout=WAIT).text
        asked = {"game": "tic_tac_toe", "text": unquote(text)}
        found = requests.post(f"{address}api/positions", json=asked, timeout=WAIT).json()
        assert found["fluents"] == START.play("(mark 2 2)").fluents and not found["over"]
        process.stdin.close()
    assert process.returncode != 0  # input() ends with EOFError, and the server with the process


def test_a_state_that_the_page_cannot_show_is_refused() -> None:
    own = ggp.load_game(rules("tic_tac_toe").replace("mark", "put")).initial_state()
    with pytest.raises(UserError, match="not in the catalogue"):
        ggp.open_page(own)
    with pytest.raises(UserError, match="hides information"):
        ggp.open_page(ggp.load_game("monty_hall").initial_state())
    with pytest.raises(ggp.ArgumentTypeError, match="state must be a State"):
        ggp.open_page("tic_tac_toe")  # type: ignore[arg-type]

"""Puzzles on the page: the position, wrong moves, the solution, the next puzzle; and files that are no puzzles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from web_pages import ServedPage

import ggp_agent as ggp
from ggp_agent.common.errors import UserError
from ggp_agent.records.record_puzzles import Puzzle, read_puzzles
from ggp_agent.ui.web.page_server import WebServer

START = ggp.load_game("tic_tac_toe").initial_state()
# x wins by (mark 1 3).
LATE = START.play("(mark 1 1)").play("(mark 2 1)").play("(mark 1 2)").play("(mark 2 2)")
NATIVE = ggp.load_game("fast:breakthrough_6x6").initial_state()
REPLY = NATIVE.play(NATIVE.legal_moves("white")[0])
PUZZLES = [
    Puzzle("m", "tic_tac_toe", 4, "x", "(mark 1 3)", 12, LATE.fluents, {"(mark 3 2)": (0, 0), "(mark 3 3)": (0, 50)}),
    Puzzle("n", "fast:breakthrough_6x6", 0, "white", NATIVE.legal_moves("white")[0], 1500, NATIVE.fluents),
    Puzzle("o", "tic_tac_toe", 0, "o", "(mark 1 1)", 1, START.fluents),
    Puzzle("p", "../secret", 0, "o", "(mark 1 1)", 1, START.fluents),
    Puzzle("q", "fast:breakthrough_6x6", 1, "black", REPLY.legal_moves("black")[0], 1500, REPLY.fluents),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPage]:
    folder = tmp_path_factory.mktemp("matches")
    with ServedPage(folder, WebServer("127.0.0.1", 0, folder, puzzles=PUZZLES)) as page:
        yield page


def test_a_puzzle_has_its_position_moves_and_solution(served: ServedPage) -> None:
    first = served.get("/api/puzzles/1")
    assert (first["count"], first["role"], first["solution"]) == (5, "x", "(mark 1 3)")
    assert {"move": "(mark 1 3)", "cells": ["1,3"], "column": []} in first["legal"]
    assert 'aria-label="1,3: empty"' in first["svg"] and 'aria-label="1,3: x"' in first["solved"]["svg"]
    native = served.get("/api/puzzles/2")
    assert native["solution"] in [each["move"] for each in native["legal"]]


def test_puzzles_that_do_not_exist_or_contradict_their_game_are_refused(served: ServedPage) -> None:
    assert "puzzles 1 to 5" in served.get("/api/puzzles/6", 404)["error"]
    served.get("/api/puzzles/0", 404)
    assert served.get(f"/api/puzzles/{'9' * 5000}", 404) == served.get(f"/api/records/m.json/turns/{'9' * 5000}", 404)
    assert "o cannot choose (mark 1 1)" in served.get("/api/puzzles/3", 409)["error"]
    assert "the catalogue has no game" in served.get("/api/puzzles/4", 409)["error"]


def test_files_of_puzzles_are_read(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.json"
    first, second = map(asdict, PUZZLES[:2])
    del second["bounds"]  # a file of an earlier version
    path.write_text(json.dumps({"puzzles": [first, second, first | {"game": "", "address": ""}]}))
    assert read_puzzles(path) == PUZZLES[:2]
    odd = json.dumps({"puzzles": [first | {"bounds": {"(mark 3 3)": [0]}}]})
    for text in ("", "[]", "{}", '{"puzzles": [{}]}', '{"puzzles": [1]}', '{"puzzles": 1}', odd, "[" * 50_000, "\xff"):
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(UserError, match=r"^[^\n]*this is not a list of puzzles[^\n]*$"):
            read_puzzles(path)
    for name, message in (("absent", "cannot read the list of puzzles: no such file"), (".", "not a list of puzzles")):
        with pytest.raises(UserError, match=message):
            read_puzzles(tmp_path / name)


@pytest.mark.slow
def test_puzzles_are_solved_in_a_browser(page: Any, served: ServedPage) -> None:
    from playwright.sync_api import expect

    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(served.address)
    page.get_by_role("link", name="Puzzles").click()
    expect(page.locator(".state")).to_have_text("x moves and wins: find the only winning move.")
    for cell, verdict in (("3,3", "does not win"), ("3,2", "loses")):
        page.click(f"[data-cell='{cell}']")
        expect(page.locator(".state")).to_have_text(f"{cell} {verdict}; try again.")
    expect(page.locator(".cell[aria-label$=': x']")).to_have_count(2)
    page.click("[data-cell='1,3']")
    expect(page.locator(".state")).to_have_text("Solved: 1,3 wins.")
    expect(page.locator(".cell[aria-label$=': x']")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.keyboard.press("Enter")  # the next puzzle has the focus
    expect(page.locator("h1")).to_have_text("Breakthrough 6x6: puzzle 2 of 5")
    page.click("text=Show the solution")
    expect(page.locator(".state")).to_contain_text("The solution is ")
    page.click("text=Play or analyse this position")
    expect(page.locator("h1")).to_have_text("A position of breakthrough_6x6")


@pytest.mark.slow
def test_the_role_that_moves_sits_at_the_bottom(page: Any, served: ServedPage) -> None:
    from playwright.sync_api import expect

    for number, role, turned in ((2, "white", 0), (5, "black", 1)):
        page.goto(f"{served.address}/#/puzzles/{number}")
        expect(page.locator(".state")).to_contain_text(f"{role} moves")
        expect(page.locator("svg.flipped")).to_have_count(turned)
    page.click("text=Show the solution")
    expect(page.locator(".over")).to_be_visible()
    expect(page.locator("svg.flipped")).to_have_count(1)


@pytest.mark.slow
def test_a_page_without_puzzles_says_how_to_write_them(page: Any, fresh: ServedPage) -> None:
    from playwright.sync_api import expect

    page.goto(f"{fresh.address}/#/puzzles")
    expect(page.locator(".empty")).to_contain_text("--puzzles puzzles.json")

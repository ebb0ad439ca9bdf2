"""Games with hidden information in a real browser: what is shown during the game, at the end, and of the record."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browsers import YOURS, begin, choose_game
from web_pages import ServedPage

pytest.importorskip("playwright", reason="no browser: these tests need Playwright for Python")
from playwright.sync_api import expect

HIDDEN = "hidden information"


@pytest.mark.slow
def test_a_game_of_cards_to_its_end(page: Any, served: ServedPage) -> None:
    begin(page, served.address, "Kuhn poker", HIDDEN)
    expect(page.get_by_label("What your role observed").locator("li")).to_have_count(1)
    assert "sees dealt " in page.inner_text(".history")
    expect(page.locator("[data-cell='holds,second'][aria-label*=' 50%, ']")).to_be_visible()
    expect(page.locator(".left")).to_contain_text("2 possible states")
    for absent in ("Take back", "Analyse", "Show shares on the board"):
        assert page.query_selector(f"text={absent}") is None
    page.click("text=Hint")
    expect(page.locator(".thoughts h2")).to_have_text("Hint for first")
    while not page.query_selector(".state.over"):
        before = page.inner_text(".turn")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        expect(page.locator(".turn")).not_to_have_text(before)
        page.wait_for_selector(YOURS)
    everything = page.get_by_label("Moves and percepts of all roles")
    assert "random deal " in everything.inner_text()
    everything.locator("button").first.click()
    expect(page.locator(".state")).to_contain_text("The state after turn 1")
    page.keyboard.press("Escape")
    expect(page.locator(".state")).to_contain_text(" wins, ")
    page.click("text=Step through the record")
    expect(page.locator(".turn")).to_contain_text("turn 0 of")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".state")).to_contain_text("random deal ")
    page.select_option("label:has-text('Show') select", "second")
    expect(page.locator(".state")).to_contain_text(re.compile(r"second noop, sees dealt \w+"))
    expect(page.locator("[data-cell='holds,first'][aria-label*=' 50%, ']")).to_be_visible()
    assert page.query_selector("text=Continue from here") is None


@pytest.mark.slow
def test_a_board_shows_what_may_be_there_and_moves_are_chosen_on_it(page: Any, served: ServedPage) -> None:
    begin(page, served.address, "Blind tic-tac-toe", HIDDEN)
    page.click("[data-cell='2,2']")
    page.wait_for_selector(YOURS)
    expect(page.locator(".boardbox [aria-label*='marked o']")).to_have_count(8)
    page.click("text=Resign")
    page.click("text=Resign: press again")
    expect(page.locator(".state")).to_contain_text("x has resigned")
    assert "%" not in page.inner_text(".boardbox")
    page.click("text=Play again")
    expect(page.locator(".left")).to_contain_text("You know the state")
    page.reload()
    expect(page.locator(".left")).to_contain_text("You know the state")


@pytest.mark.slow
def test_one_person_plays_and_the_view_fits_a_narrow_screen(page: Any, served: ServedPage) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    choose_game(page, served.address, "Battleships", HIDDEN)
    blue = page.locator("dialog label:has-text('blue') select")
    blue.select_option("person")
    expect(page.locator("dialog label:has-text('red') select")).to_have_value("agent")
    page.click("dialog .main")
    page.wait_for_selector(YOURS)
    page.click("text=Hint")
    page.wait_for_selector(".thoughts table")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

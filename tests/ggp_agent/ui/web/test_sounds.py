"""The sounds of a game: off at first, remembered, and played only while they are on."""

from __future__ import annotations

from typing import Any

import pytest
from web_pages import ServedPage

pytest.importorskip("playwright", reason="no browser: these tests need Playwright for Python")
from playwright.sync_api import expect

# Records the frequency of each tone that the page starts.
LISTEN = """
window.tones = [];
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
  window.tones.push(this.frequency.value);
  start.apply(this, when);
};
"""
TONES = "window.tones.map(Math.round)"
MOVE = [520]
END = [392, 494, 587]


def play(page: Any, *cells: str) -> None:
    for cell in cells:
        turns = page.locator(".history li").count()
        page.click(f"[data-cell='{cell}']")
        expect(page.locator(".history li")).to_have_count(turns + 1)


@pytest.mark.slow
def test_sounds_are_off_at_first_and_remembered(page: Any, served: ServedPage) -> None:
    page.add_init_script(LISTEN)
    game = served.begin(game="tic_tac_toe", players={"x": "person", "o": "person"})
    page.goto(f"{served.address}/#/play/{game}")
    expect(page.get_by_label("Sounds")).not_to_be_checked()
    play(page, "1,1", "2,1")
    assert page.evaluate(TONES) == []
    page.get_by_label("Sounds").check()
    assert page.evaluate(TONES) == MOVE  # the switch plays an example
    play(page, "1,2")
    assert page.evaluate(TONES) == MOVE * 2
    page.click("text=Take back")
    expect(page.locator(".history li")).to_have_count(2)
    assert page.evaluate(TONES) == MOVE * 2
    page.reload()
    expect(page.get_by_label("Sounds")).to_be_checked()
    # A page that was only loaded has no sounds: the user has neither clicked nor pressed a key.
    served.order(game, "move", turn=2, role="x", move="(mark 1 2)")
    expect(page.locator(".history li")).to_have_count(3)
    assert page.evaluate(TONES) == []
    play(page, "2,2", "1,3")
    expect(page.locator(".state")).to_contain_text("x wins")
    assert page.evaluate(TONES) == MOVE + END
    page.get_by_label("Sounds").uncheck()
    page.reload()
    expect(page.get_by_label("Sounds")).not_to_be_checked()


@pytest.mark.slow
def test_a_game_with_hidden_information_has_the_switch(page: Any, served: ServedPage) -> None:
    page.add_init_script(LISTEN)
    game = served.begin(game="blind_tic_tac_toe", players={"x": "person", "o": "random"})
    page.goto(f"{served.address}/#/play/{game}")
    page.get_by_label("Sounds").check()
    page.locator(".moves button").first.click()
    page.wait_for_selector("[aria-label='What your role observed'] li")
    tones = page.evaluate(TONES)
    assert len(tones) > 1 and set(tones) == set(MOVE)  # the example of the switch, then moves

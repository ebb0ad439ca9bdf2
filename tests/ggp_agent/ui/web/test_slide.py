"""Pieces slide or fade in when a move is shown, in games and records; not backwards, and not with reduced motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recorded import played, write
from web_pages import ServedPage

import ggp_agent as ggp

pytest.importorskip("playwright", reason="no browser: these tests need Playwright for Python")
from playwright.sync_api import expect

# Records where each slide of a piece starts, relative to the end, and each new piece.
LISTEN = """
window.slides = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, ...options) {
  if (frames.transform) window.slides.push(frames.transform[0]);
  else if (frames.opacity[1]) window.slides.push("new");
  return animate.call(this, frames, ...options);
};
"""


@pytest.mark.slow
def test_a_piece_slides_when_it_moves(page: Any, served: ServedPage) -> None:
    def move(start: str, end: str, turn: int) -> None:
        page.click(f"[data-cell={start}]")
        page.click(f"[data-cell={end}]")
        expect(page.locator(".history li")).to_have_count(turn)

    page.add_init_script(LISTEN)
    game = served.begin(game="fast:breakthrough_6x6", players={"white": "person", "black": "person"})
    page.goto(f"{served.address}/#/play/{game}")
    move("b2", "c3", 1)
    move("b5", "b4", 2)  # faster than the animation: the position is right
    expect(page.locator("[data-cell=c3]")).to_have_attribute("aria-label", "c3: white")
    assert page.evaluate("window.slides") == ["translate(-40px, 40px)", "translate(0px, -40px)"]
    expect(page.locator(".slide")).to_have_count(0)
    page.click("text=Flip the board")
    move("c3", "b4", 3)  # a capture
    page.click("text=Take back")
    expect(page.locator(".history li")).to_have_count(2)
    page.emulate_media(reduced_motion="reduce")
    move("c3", "b4", 3)
    assert page.evaluate("window.slides.slice(2)") == ["translate(40px, 40px)"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "position", "clicks", "slide"),
    [
        ("fast:checkers", "(piece black man d 7) (piece white man b 7) (moved white)", "26 31", "-40px, -40px"),
        ("skirmish", "(piece white pawn 1 7) (piece black rook 2 8) (turn white)", "1,7 2,8", "-40px, 40px"),
        ("connect_four", "", "4,1", ""),
        ("reversi", "", "d3", ""),
    ],
)
def test_a_promoted_piece_slides_and_a_dropped_one_fades_in(
    page: Any, served: ServedPage, game: str, position: str, clicks: str, slide: str
) -> None:
    page.add_init_script(LISTEN)
    players = dict.fromkeys(ggp.load_game(game).roles, "person")
    page.goto(f"{served.address}/#/play/{served.begin(game=game, position=position, players=players)}")
    for cell in clicks.split():
        page.click(f"[data-cell='{cell}']")
    expect(page.locator(".history li")).to_have_count(1)
    assert page.evaluate("window.slides") == [f"translate({slide})" if slide else "new"]


@pytest.mark.slow
def test_a_record_slides_forwards(page: Any, tmp_path: Path) -> None:
    write(tmp_path / "slides.json", played("breakthrough_6x6", turns=3).document())
    write(tmp_path / "seeds.json", played("kalah", turns=8).document())
    page.add_init_script(LISTEN)
    with ServedPage(tmp_path) as served:
        page.goto(f"{served.address}/#/match/slides/0")
        expect(page.locator(".turn")).to_have_text("turn 0 of 3")
        counts = []
        for key, turn in zip(("Next", "Next", "Back", "Next", "First", "Last"), (1, 2, 1, 2, 0, 3), strict=True):
            page.get_by_role("button", name=key, exact=True).click()
            expect(page.locator(".turn")).to_have_text(f"turn {turn} of 3")
            counts.append(page.evaluate("window.slides.length"))
        assert counts == [1, 2, 2, 3, 3, 3]
        page.goto(f"{served.address}/#/match/seeds/0")
        for turn in range(9):  # numbers of seeds are no pieces
            expect(page.locator(".turn")).to_have_text(f"turn {turn} of 8")
            page.get_by_role("button", name="Next", exact=True).click()
        assert page.evaluate("window.slides.length") == 3

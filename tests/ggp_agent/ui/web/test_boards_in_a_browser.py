"""Boards in a real browser: every game of the catalogue held against its stored picture, and public sheets."""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image
from places import CORPUS, ROOT
from web_pages import ServedPage

from ggp_agent.game.native.registry import native_games
from kif_games import catalogue

pytest.importorskip("playwright", reason="no browser: these tests need Playwright for Python")
from playwright.sync_api import expect

# Pixels of a picture's side, and what the mean difference of two may be in any of its squares, 0..255: edges that are
# smoothed in another way stay far below that, and a piece of another colour or shape comes far above.
SIDE = 160
SQUARE = 8
MAX_APART = 12.0
ROW = 8
# Draws all pictures as the page draws boards, or shows the stored ones as they are.
SHOW = """async ({pictures, stored, side, row}) => {
  const { drawing } = await import("/static/svg.js");
  document.body.replaceChildren();
  for (const [number, [name, svg]] of pictures.entries()) {
    const made = stored ? new Image() : drawing(svg);
    if (stored) { made.src = `/static/boards/${name}.svg`; await made.decode(); }
    made.setAttribute("width", side);
    made.setAttribute("height", side);
    const place = document.createElement("div");
    place.className = "boardbox";
    place.style.cssText = `position: absolute; left: ${number % row * side}px; ` +
      `top: ${Math.floor(number / row) * side}px; width: ${side}px; height: ${side}px; ` +
      "margin: 0; padding: 0; border: 0; background: #fff; max-width: none";
    made.style.cssText = `display: block; width: ${side}px; height: ${side}px; max-height: none`;
    place.append(made);
    document.body.append(place);
  }
}"""
# Sheets with one role, with moves at the same time, with a board of squares, and with six roles.
SHEETS = ("hanoi", "roshambo2", "quad_5x5", "tictactoe_3d_small_6player")


def differences(page: Any, pictures: Sequence[tuple[str, str]]) -> list[float]:
    """Return by how much each drawing, shown by the page, differs from the stored picture where it does most."""
    rows = -(-len(pictures) // ROW)
    page.set_viewport_size({"width": ROW * SIDE, "height": rows * SIDE})
    shots = []
    for stored in (False, True):
        page.evaluate(SHOW, {"pictures": pictures, "stored": stored, "side": SIDE, "row": ROW})
        with Image.open(io.BytesIO(page.screenshot())) as shot:
            shots.append(np.asarray(shot.convert("RGB"), dtype=float))
    apart = np.abs(shots[0] - shots[1]).mean(axis=2)
    across = SIDE // SQUARE
    squares = apart.reshape(rows, across, SQUARE, ROW, across, SQUARE).mean(axis=(2, 5)).max(axis=(1, 3))
    return list(map(float, squares.flat))[: len(pictures)]


@pytest.mark.slow
def test_every_game_of_the_catalogue_looks_as_its_stored_picture(
    page: Any, served: ServedPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    picture_of = importlib.import_module("draw_boards").picture_of
    without_sheet = [name for name, game in native_games().items() if not game.reference_sheet]
    names = [name for name, entry in catalogue().items() if not entry.hidden] + without_sheet
    pictures = {name: picture_of(name) for name in names}
    one_piece_less = pictures["breakthrough"].replace("<circle", "<nothing", 1)
    page.goto(served.address)
    page.wait_for_selector(".card")
    *found, mutant = differences(page, [*pictures.items(), ("breakthrough", one_piece_less)])
    apart = {name: each for name, each in zip(pictures, found, strict=True) if each > MAX_APART}
    assert apart == {}, "draw them again: python tools/draw_boards.py"
    assert mutant > MAX_APART


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus {CORPUS} is not there")
@pytest.mark.parametrize("name", SHEETS)
def test_public_sheets_are_opened_and_played(page: Any, served: ServedPage, name: str) -> None:
    page.goto(served.address)
    page.set_input_files("input[type=file]", CORPUS / "rules" / f"{name}.kif")
    page.select_option("dialog label:has-text('thinks') select", "0.5")
    page.click("dialog .main")
    page.wait_for_selector(".moves button")
    expect(page.locator(".boardbox svg, .facts.alone")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".history li")

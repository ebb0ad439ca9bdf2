"""The appearance of a sheet in the editor: the answers of the server, and the form in a browser."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from web_pages import ServedPage

from ggp_agent.common.errors import UserError
from ggp_agent.game.drawing.appearance import read_appearance
from ggp_agent.game.load import game_of_text
from ggp_agent.ui.web.game_process import Begin
from ggp_agent.ui.web.sheets import look_into
from kif_games import boards, rules


def test_the_answer_has_the_board_the_words_and_one_line_for_an_error() -> None:
    found = look_into(rules("breakthrough_6x6"), 'board = "felt"\n[colours]\nwhite = "teal"\n')
    assert boards()["felt"]["light"][0] in found["svg"] and "#137a77" in found["svg"]
    assert found["appearance"]["pieces"] == ["piece"] and found["appearance"]["problem"] == ""
    assert "felt" in found["appearance"]["choices"]["boards"]
    wrong = look_into(rules("breakthrough_6x6"), 'board = "velvet"')
    assert wrong["svg"] and wrong["appearance"]["problem"].startswith("appearance: board must be chess, ")


def test_a_game_of_a_text_is_played_with_its_appearance() -> None:
    game = game_of_text(rules("breakthrough_6x6"), "mine")
    own = Begin("mine", "", game.text, 'board = "sea"').appearance_of(game)
    assert own is not None and own.board == "sea" and Begin("mine", "", game.text).appearance_of(game) is None
    with pytest.raises(UserError, match="appearance: unknown key sea"):
        Begin("mine", "", game.text, "sea = 1").appearance_of(game)


@pytest.mark.slow
def test_the_form_writes_the_file_and_draws_the_board(page: Any, served: ServedPage) -> None:
    page.goto(f"{served.address}#/write")
    page.fill("textarea", rules("breakthrough_6x6"))
    page.click("summary:has-text('Appearance')")
    page.select_option("label:has-text('Board') select", "go")
    page.select_option("label:has-text('Orientation') select", "rows_down")
    page.select_option("label:has-text('Colour of white') select", "yellow")
    page.select_option("label:has-text('Symbol of piece') select", "pawn")
    page.wait_for_selector(".seen svg [fill='#f4c531']")
    text = page.inner_text(".toml")
    assert tomllib.loads(text) == {
        "board": "go",
        "orientation": "rows_down",
        "colours": {"white": "yellow"},
        "symbols": {"piece": "pawn"},
    }
    assert read_appearance(text, "my_game.toml").board == "go"


@pytest.mark.slow
def test_the_form_has_the_colours_of_the_board(page: Any, served: ServedPage) -> None:
    from playwright.sync_api import expect

    page.goto(f"{served.address}#/write")
    page.fill("textarea", rules("breakthrough_6x6"))
    page.click("summary:has-text('Appearance')")
    page.click("summary:has-text('Colours of the board')")
    light, dark = (page.get_by_label(f"Cells, {mode} page", exact=True) for mode in ("light", "dark"))
    expect(light).to_have_value(boards()["chess"]["light"][0])
    expect(dark).to_have_value(boards()["chess"]["light"][1])
    page.select_option("label:has-text('Board') select", "felt")
    expect(light).to_have_value(boards()["felt"]["light"][0])
    light.fill("#123456")
    light.dispatch_event("change")
    page.wait_for_selector(".seen svg [fill='#123456']")
    wanted = {"board": "felt", "light": ["#123456", boards()["felt"]["light"][1]]}
    assert tomllib.loads(page.inner_text(".toml")) == wanted
    assert read_appearance(page.inner_text(".toml"), "my_game.toml").light == tuple(wanted["light"])
    page.reload()
    page.wait_for_selector(".seen svg [fill='#123456']")
    page.click("summary:has-text('Appearance')")
    page.click("summary:has-text('Colours of the board')")
    expect(light).to_have_value("#123456")
    page.get_by_label("Cells as usual", exact=True).click()
    expect(light).to_have_value(boards()["felt"]["light"][0])
    expect(page.locator(".seen svg [fill='#123456']")).to_have_count(0)
    assert tomllib.loads(page.inner_text(".toml")) == {"board": "felt"}

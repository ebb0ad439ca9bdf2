"""The page in a real browser: played by mouse and by keys alone, reloaded, watched by two, and hostile text."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cli_process
import pytest
from browsers import YOURS, begin
from raw_player import free_port
from web_pages import ServedPage

pytest.importorskip("playwright", reason="no browser: these tests need Playwright for Python")
from playwright.sync_api import expect

RESULT = re.compile("wins, 100 : 0|a draw, 50 : 50")
MARKUP = "<b/id=bad>"
HOSTILE = f"""(role {MARKUP}) (init (at {MARKUP})) (legal {MARKUP} {MARKUP}) (legal {MARKUP} go)
(goal {MARKUP} 50) (<= terminal (true (at 2)))"""


@pytest.mark.slow
def test_a_game_is_played_to_its_end_by_mouse_and_replayed(page: Any, served: ServedPage) -> None:
    begin(page, served.address, "Tic-tac-toe")
    while not page.query_selector(".state.over"):
        turns = page.locator(".history li").count()
        page.locator(".cell.open").first.click()
        expect(page.locator(".history li")).not_to_have_count(turns)
        page.wait_for_selector(YOURS)
    assert RESULT.search(page.inner_text(".state"))
    page.click("nav >> text=Matches")
    page.click(".matches a >> nth=0")
    page.wait_for_selector(".boardbox svg")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".turn")).to_contain_text("turn 1 of")
    page.keyboard.press("End")
    expect(page.locator(".state")).to_contain_text(RESULT)


def test_a_game_is_played_by_keys_alone_and_survives_a_reload(page: Any, served: ServedPage) -> None:
    page.goto(served.address)
    page.wait_for_selector(".card")
    for _ in range(40):
        page.keyboard.press("Tab")
        if "Tic-tac-toe" in page.evaluate("document.activeElement.innerText || ''").split("\n"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog .main")
    page.keyboard.press("Enter")
    page.wait_for_selector(YOURS)
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector(".history li >> nth=1")
    before = page.inner_text(".history")
    page.reload()
    page.wait_for_selector(YOURS)
    assert page.inner_text(".history") == before
    while not page.query_selector(".state.over"):
        turns = page.locator(".history li").count()
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        expect(page.locator(".history li")).not_to_have_count(turns)
        page.wait_for_selector(YOURS)
    assert RESULT.search(page.inner_text("#says"))


@pytest.mark.slow
def test_pieces_are_taken_up_and_put_down_and_two_may_look_on(page: Any, served: ServedPage) -> None:
    begin(page, served.address, "Breakthrough 6x6")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".boardbox svg")
    page.click("[data-cell=b2]")
    assert page.locator(".ring.target").count() == 3
    page.keyboard.press("Escape")
    assert page.locator(".ring").count() == 0
    page.click("[data-cell=b2]")
    page.click("[data-cell=b3]")
    other.wait_for_selector(".history li >> nth=1")
    assert "b2-b3" in other.inner_text(".history")
    page.wait_for_selector(".thoughts table")
    assert "simulations" in page.inner_text(".thoughts") and "it expects" in page.inner_text(".thoughts")


@pytest.mark.slow
def test_rules_are_checked_while_they_are_typed_and_stay_text(page: Any, served: ServedPage) -> None:
    page.goto(f"{served.address}/#/write")
    page.fill("textarea", "(role robot")
    expect(page.locator(".paint .kif-keyword")).to_have_text("role")
    text = "; a\n(<= (next (at ?x 2))\n  (does robot (go ?x))) ; b (c\n)((;" + "(" * 50_000
    page.fill("textarea", text)
    expect(page.locator(".paint")).to_have_text(text, use_inner_text=False)
    painted = page.locator(".paint span").evaluate_all("all => all.map((each) => [each.className, each.textContent])")
    assert ["kif-comment", "; b (c"] in painted and ["kif-variable", "?x"] in painted
    assert ["kif-relation", "at"] in painted and ["kif-number", "2"] in painted
    page.wait_for_selector(".findings li.error")
    page.fill("textarea", HOSTILE)
    expect(page.locator(".seen")).to_contain_text(MARKUP)
    assert page.query_selector("#bad") is None
    page.reload()
    assert page.input_value("textarea") == HOSTILE
    page.click("text=Play it")
    page.click("dialog .main")
    page.wait_for_selector(YOURS)
    assert MARKUP in page.inner_text(".moves") and page.query_selector("#bad") is None


@pytest.mark.slow
def test_every_view_fits_a_narrow_screen(page: Any, served: ServedPage) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    for view in ("#/", "#/matches", "#/write"):
        page.goto(f"{served.address}/{view}")
        page.wait_for_selector("h1")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, view
    begin(page, served.address, "Connect Four")
    page.click("text=Analyse")
    page.wait_for_selector(".thoughts table")
    page.wait_for_selector(".analysis .graph")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@contextmanager
def program(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """Run the server as users do, in a process of its own."""
    words = ["web", "--port", str(port), "--records", str(folder)]
    with cli_process.start(*words, stderr=None, cwd=folder) as process:
        try:
            assert process.stdout is not None and "the page is at" in process.stdout.readline()
            yield process
        finally:
            process.kill()


@pytest.mark.slow
def test_a_game_goes_on_when_the_server_was_killed(page: Any, tmp_path: Path) -> None:
    port = free_port()
    with program(tmp_path, port) as killed:
        begin(page, f"http://127.0.0.1:{port}", "Tic-tac-toe")
        page.locator(".cell.open").first.click()
        expect(page.locator(".history li")).to_have_count(2)
        before = page.inner_text(".history")
        killed.kill()
        expect(page.locator(".lost")).to_contain_text("The connection is lost")
    with program(tmp_path, port):
        page.reload()  # its address continues the game
        page.wait_for_selector(YOURS)
        assert page.inner_text(".history") == before
        page.goto("about:blank")
        page.go_back()
        page.wait_for_selector(YOURS)
        assert page.inner_text(".history") == before


@pytest.mark.slow
def test_a_search_shows_the_game_of_that_name_first_and_it_can_be_played(page: Any, served: ServedPage) -> None:
    page.goto(f"{served.address}/#/")
    page.fill("input[type=search]", "go")
    expect(page.locator(".card strong").first).to_have_text(re.compile("^Go "))
    expect(page.locator(".card img").first).to_have_js_property("complete", True)
    assert page.evaluate("document.querySelector('.card img').naturalWidth") > 1
    page.click(".card:has-text('Go 5x5')")
    page.click("dialog .main")
    page.wait_for_selector(YOURS)
    assert page.locator(".cell").count() == 25
    page.goto(f"{served.address}/#/write")
    assert "Go 5x5" not in page.locator("select option").all_text_contents()


@pytest.mark.slow
def test_the_board_is_turned_and_a_click_without_effect_is_explained(page: Any, served: ServedPage) -> None:
    begin(page, served.address, "Breakthrough 6x6")
    page.click("[data-cell=a5]")
    expect(page.locator(".refused")).to_contain_text("No legal move of white starts at a5")
    page.click("[data-cell=a2]")
    expect(page.locator(".refused")).to_be_empty()
    page.click("[data-cell=a5]")
    expect(page.locator(".refused")).to_contain_text("a2 cannot move to a5")
    box = "document.querySelector('[data-cell=a1]').getBoundingClientRect().y"
    before = page.evaluate(box)
    page.click("text=Flip the board")
    assert page.evaluate(box) < before
    page.click("text=Analyse")
    page.check("#heat")
    page.wait_for_selector("path.heat")
    expect(page.locator(".heatkey li")).to_have_count(5)
    expect(page.locator(".evaluation")).to_have_attribute("aria-label", re.compile(r"white \d+, black \d+"))


@pytest.mark.slow
def test_a_hint_is_shown_beside_the_line_of_the_role_that_moves(page: Any, served: ServedPage) -> None:
    game = served.begin(game="breakthrough_6x6", players={"white": "person", "black": "person"}, seconds=0.2)
    page.goto(f"{served.address}/#/play/{game}")
    expect(page.locator(".state")).to_contain_text("white: it is your move")
    expect(page.locator(".advice")).to_be_hidden()
    page.click("text=Hint")
    expect(page.locator(".advice")).to_have_text(re.compile(r"Hint for white: \d,2-\d,3 \(expects \d+ of 100\)"))
    expect(page.locator(".state")).to_have_text(re.compile("white: it is your move.*turn 1"))
    expect(page.locator("path.suggested")).to_have_count(1)
    expect(page.locator(".ring.hinted")).to_have_count(2)
    page.click("[data-cell='2,2']")  # marks of a selected piece do not remove the hint
    expect(page.locator("path.suggested")).to_have_count(1)
    page.click("[data-cell='2,3']")
    expect(page.locator(".state")).to_contain_text("black: it is your move")
    expect(page.locator(".advice")).to_be_hidden()
    expect(page.locator("path.suggested, .ring.hinted")).to_have_count(0)


@pytest.mark.slow
def test_the_winning_line_is_drawn_and_the_game_is_reviewed(page: Any, served: ServedPage) -> None:
    players = {"red": "person", "yellow": "person"}
    game = served.begin(game="connect_four", players=players, seconds=0.2)
    for turn, column in enumerate((1, 2, 1, 2, 1, 3, 1)):
        (role,) = served.position(game, turn)["waiting"]
        served.order(game, "move", turn=turn, role=role, move=f"(drop {column})")
    page.goto(f"{served.address}/#/play/{game}")
    expect(page.locator(".state")).to_contain_text("red wins, 100 : 0")
    expect(page.locator(".ring.won")).to_have_count(4)
    expect(page.locator(".ring.wonline")).to_have_count(1)
    expect(page.locator(".evaluation")).to_have_attribute("aria-label", "Expected goals: red 100, yellow 0")
    page.click("text=Review this game")
    expect(page.locator(".note[role=status]")).to_contain_text("All positions were searched")
    expect(page.locator(".blunders")).to_contain_text("better: drop 1")
    page.locator(".blunders button").last.click()  # the position before the mistake, with the better move
    expect(page.locator(".turn")).to_contain_text("turn 5 of 7")
    expect(page.locator(".state")).to_contain_text("next yellow drop 3 loses")
    expect(page.locator("[data-cell='1,4'] .ring.hinted")).to_have_count(1)
    expect(page.locator(".ring.won")).to_have_count(0)
    page.keyboard.press("End")
    expect(page.locator(".ring.won")).to_have_count(4)
    expect(page.locator(".ring.wonline")).to_have_count(1)


@pytest.mark.slow
def test_players_swap_sides_in_another_game(page: Any, served: ServedPage) -> None:
    players = {"x": "person", "o": "agent:20 simulations"}
    game = served.begin(game="tic_tac_toe", players=players, seconds=0.2)
    served.position(game)
    served.order(game, "move", turn=0, role="x", move="(mark 2 2)")
    served.position(game, 2)
    page.goto(f"{served.address}/#/play/{game}")
    expect(page.get_by_role("button", name="Swap sides")).to_be_hidden()
    served.order(game, "resign", role="x")
    page.get_by_role("button", name="Swap sides").click()
    expect(page.locator(".seats")).to_contain_text("x agent, 20 simulations")
    expect(page.locator(".state")).to_contain_text("o: it is your move")
    other = served.position(page.url.rsplit("/", 1)[1], 1)
    assert other["players"] == {"x": "agent", "o": "person"} and other["names"] == {"x": "20 simulations"}


def hidden(tab: Any, value: bool) -> None:
    """Let a tab believe that another tab covers it, as a headless browser never does."""
    tab.evaluate(
        "(value) => { Object.defineProperty(document, 'hidden', { value, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange')); }",
        value,
    )


@pytest.mark.slow
def test_eight_tabs_of_games_work(page: Any, served: ServedPage) -> None:
    players = {"x": "person", "o": "person"}
    tabs = [page, *(page.context.new_page() for _ in range(7))]
    for tab in tabs:
        tab.goto(f"{served.address}/#/play/{served.begin(game='tic_tac_toe', players=players)}")
        expect(tab.locator(".state")).to_contain_text("x: it is your move")
        hidden(tab, True)
    for tab in tabs:
        hidden(tab, False)
        tab.locator(".cell.open").first.click()
        expect(tab.locator(".history li")).to_have_count(1)
        hidden(tab, True)


@pytest.mark.slow
def test_a_person_who_moves_second_sees_the_own_pieces_at_the_bottom(page: Any, served: ServedPage) -> None:
    players = {"white": "agent:10 simulations", "black": "person"}
    page.goto(f"{served.address}/#/play/{served.begin(game='fast:breakthrough_6x6', players=players)}")
    page.wait_for_selector(YOURS)
    place = "(name) => document.querySelector(`[data-cell=${name}]`).getBoundingClientRect().y"
    assert page.evaluate(place, "a6") > page.evaluate(place, "a1")
    page.click("text=Analyse")
    expect(page.locator(".evaluation")).to_have_class(re.compile("turned"))
    page.click("text=Flip the board")
    page.check("#heat")
    page.reload()  # what is shown stays
    page.wait_for_selector(YOURS)
    assert page.evaluate(place, "a6") < page.evaluate(place, "a1")
    expect(page.locator("#heat")).to_be_checked()


@pytest.mark.slow
def test_a_resignation_is_confirmed_and_can_be_taken_back(page: Any, served: ServedPage) -> None:
    begin(page, served.address, "Tic-tac-toe")
    page.click("text=Resign")
    expect(page.locator(".state")).to_contain_text("your move")
    page.click("text=Resign: press again")
    expect(page.locator(".state")).to_contain_text("x has resigned")
    page.click("text=Take back")
    expect(page.locator(".state")).to_contain_text("x: it is your move")


@pytest.mark.slow
def test_each_step_of_a_move_of_an_amazon_has_an_arrow(page: Any, served: ServedPage) -> None:
    players = {"white": "person", "black": "person"}
    page.goto(f"{served.address}/#/play/{served.begin(game='fast:amazons_6x6', players=players, seconds=0.2)}")
    page.wait_for_selector(YOURS)
    page.click("text=Hint")
    expect(page.locator("path.suggested")).to_have_count(2)
    expect(page.locator("path.suggested.later")).to_have_count(1)

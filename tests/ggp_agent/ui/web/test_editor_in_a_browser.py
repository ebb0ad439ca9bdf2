"""Functions of editors on the page in a browser: meaning, completion by keyboard, renaming, fixes, definition."""

from __future__ import annotations

from typing import Any

import pytest
from web_pages import ServedPage

pytest.importorskip("playwright", reason="no browser: these tests need Playwright for Python")
from playwright.sync_api import expect

SHEET = """; \U0001f600
(role robot) (init (at 1)) (succ 1 2)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (legal robot wait)
(goal robot 50) (<= terminal (true (at 2)))
"""
AND = "(<= (legal robot stay) (and (true (at 1))))"

# True if a part of the text is selected.
SELECTED = (
    "() => (({ selectionStart, selectionEnd }) => selectionEnd > selectionStart)(document.querySelector('textarea'))"
)


@pytest.fixture
def editor(page: Any, served: ServedPage) -> Any:
    """The page with a sheet in the editor."""
    page.goto(f"{served.address}/#/write")
    page.fill("textarea", SHEET)
    return page


def go(page: Any, before: str) -> None:
    """Place the cursor after the first occurrence of a text."""
    page.focus("textarea")
    page.evaluate(
        """(before) => {
        const area = document.querySelector("textarea");
        const place = area.value.indexOf(before) + before.length;
        area.setSelectionRange(place, place);
    }""",
        before,
    )


def selected(page: Any) -> str:
    """Return the selected text of the editor."""
    text: str = page.evaluate(
        """() => {
        const area = document.querySelector("textarea");
        return area.value.slice(area.selectionStart, area.selectionEnd);
    }"""
    )
    return text


@pytest.mark.slow
def test_the_meaning_of_the_name_at_the_cursor(editor: Any) -> None:
    go(editor, "(true (a")
    meaning = editor.get_by_role("region", name="Meaning of the name at the cursor")
    expect(meaning).to_contain_text("at: fluent with 1 argument; 4 occurrences")
    expect(meaning.locator("pre").first).to_have_text("(init (at 1))")
    expect(meaning.locator("pre .kif-keyword").first).to_have_text("init")
    go(editor, "; ")
    expect(meaning).to_contain_text("Place the cursor on a name")


@pytest.mark.slow
def test_a_word_is_completed_by_the_keyboard(editor: Any) -> None:
    area, words = editor.locator("textarea"), editor.locator("#completions")
    go(editor, "(true (at 2)))\n")
    editor.keyboard.type("(<= (legal robot go) (su")
    expect(words.get_by_role("option")).to_have_text(["succrelation, 2 arguments"])
    box, around = words.bounding_box(), area.bounding_box()
    assert box and around and box["x"] > around["x"] + 100  # at the word, not at the start of the line
    assert area.get_attribute("aria-controls") == "completions" and area.get_attribute("aria-activedescendant") is None
    editor.keyboard.press("ArrowDown")
    expect(words.locator("[aria-selected=true]")).to_have_id(area.get_attribute("aria-activedescendant"))
    editor.keyboard.press("Enter")
    expect(words).to_be_hidden()
    assert area.get_attribute("aria-activedescendant") is None
    editor.keyboard.type(" 1 2) (t")
    expect(words.get_by_role("option").first).to_contain_text("true")
    editor.keyboard.press("Tab")
    expect(area).to_be_focused()
    expect(area).to_have_value(SHEET + "(<= (legal robot go) (succ 1 2) (true")
    editor.keyboard.press("Control+z")
    expect(area).to_have_value(SHEET + "(<= (legal robot go) (succ 1 2) (t")


@pytest.mark.slow
def test_the_list_does_not_disturb_writing(editor: Any) -> None:
    area, words = editor.locator("textarea"), editor.locator("#completions")
    go(editor, "(true (at 2)))\n")
    editor.keyboard.type("(in")
    expect(words.get_by_role("option")).to_have_count(2)
    editor.keyboard.press("Enter")  # no word is selected
    expect(words).to_be_hidden()
    expect(area).to_have_value(SHEET + "(in\n")
    editor.keyboard.type("(in")
    expect(words).to_be_visible()
    editor.keyboard.press("Escape")
    expect(words).to_be_hidden()
    editor.keyboard.press("ArrowUp")
    expect(area).to_have_value(SHEET + "(in\n(in")
    editor.keyboard.press("Control+Space")
    expect(words.locator("[aria-selected=true]")).to_have_count(1)
    editor.keyboard.press("ArrowLeft")
    expect(words).to_be_hidden()
    editor.keyboard.press("Tab")
    expect(area).not_to_be_focused()


@pytest.mark.slow
def test_a_name_is_renamed_in_the_whole_text(editor: Any) -> None:
    area = editor.locator("textarea")
    go(editor, "(true (a")
    editor.keyboard.press("F2")
    dialog = editor.get_by_role("dialog")
    expect(dialog.get_by_label("New name")).to_have_value("at")
    editor.keyboard.type("succ")
    editor.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_have_text("this sheet has the name succ already")
    editor.keyboard.type("place")
    editor.keyboard.press("Enter")
    expect(area).to_have_value(SHEET.replace("(at", "(place"))
    expect(area).to_be_focused()
    editor.keyboard.press("F2")  # the cursor is still at the name
    expect(dialog.get_by_label("New name")).to_have_value("place")
    editor.keyboard.press("Escape")
    expect(area).to_be_focused()
    editor.keyboard.press("Control+z")
    expect(area).to_have_value(SHEET)
    go(editor, "(ini")
    editor.get_by_role("button", name="Rename").click()
    expect(editor.locator(".meaning [role=alert]")).to_have_text("init is a word of GDL, which cannot be renamed")


def test_a_button_applies_the_fix_of_a_finding(editor: Any) -> None:
    area = editor.locator("textarea")
    editor.fill("textarea", SHEET + AND)
    button = editor.get_by_role("button", name="Fix: Write the formulas directly into the body")
    button.click()
    expect(area).to_have_value(SHEET + "(<= (legal robot stay) (true (at 1)))")
    expect(button).to_have_count(0)
    expect(area).to_be_focused()


@pytest.mark.slow
def test_the_definition_of_a_name_is_selected(editor: Any) -> None:
    go(editor, "(true (at ?x)) (su")
    editor.keyboard.press("F12")
    editor.wait_for_function(SELECTED)
    assert selected(editor) == "(succ 1 2)"
    go(editor, "; ")
    editor.get_by_role("button", name="Definition").click()
    expect(editor.locator(".meaning [role=alert]")).to_have_text("there is no definition of a name here")
    left, top, line = editor.evaluate(
        """() => {
        const style = getComputedStyle(document.querySelector("textarea"));
        return [style.paddingLeft, style.paddingTop, style.lineHeight].map(parseFloat);
    }"""
    )
    editor.locator("textarea").click(position={"x": left + 60, "y": top + 1.5 * line}, modifiers=["Control"])
    editor.wait_for_function(SELECTED)
    assert selected(editor) == "(role robot)"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_open_list_and_dialog_are_accessible(browser: Any, served: ServedPage, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing")
    page = browser.new_page(color_scheme=scheme, viewport={"width": 390, "height": 800})
    page.goto(f"{served.address}/#/write")
    page.fill("textarea", SHEET + AND)
    page.wait_for_selector(".findings button:has-text('Fix')")
    found = []
    go(page, AND)
    page.keyboard.type("\n(")
    option = page.locator("#completions [aria-selected=true]")
    expect(page.locator("#completions")).to_be_visible()
    for place in (1, 2):
        page.keyboard.press("ArrowDown")
        expect(option).to_have_attribute("aria-posinset", str(place))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")  # from the first word to the last one
    expect(option).to_have_attribute("aria-posinset", option.get_attribute("aria-setsize") or "")
    expect(page.locator("#completions li")).to_have_count(8)
    found += axe.Axe().run(page).response["violations"]
    page.keyboard.press("Escape")
    go(page, "(true (a")
    expect(page.locator(".meaning pre").first).to_be_visible()
    page.keyboard.press("F2")
    expect(page.get_by_role("dialog")).to_be_visible()
    found += axe.Axe().run(page).response["violations"]
    page.close()
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []

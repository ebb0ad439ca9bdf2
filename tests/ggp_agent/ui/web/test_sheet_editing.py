"""Functions of editors over HTTP: meaning, definition, completion, renaming and fixes; refused requests."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from web_pages import ServedPage

# The comment has a character of two UTF-16 code units.
SHEET = """; \U0001f600
(role robot) (init (at 1)) (succ 1 2)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (legal robot wait)
(goal robot 50) (<= terminal (true (at 2)))
"""


def units(text: str, offset: int) -> int:
    """Return the UTF-16 code units before an offset."""
    return len(text[:offset].encode("utf-16-le")) // 2


def part(text: str, start: int, end: int) -> str:
    """Return the text between two offsets of UTF-16 code units."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text after edits, as a browser applies them."""
    parts, kept = [], 0
    for edit in edits:
        parts += [part(text, kept, edit["start"]), edit["replacement"]]
        kept = edit["end"]
    return "".join([*parts, part(text, kept, units(text, len(text)))])


def found(page: ServedPage, what: str, before: str, status: int = 200, **more: str) -> Any:
    """Return the result of a function for the place after a part of `SHEET`."""
    offset = units(SHEET, SHEET.index(before) + len(before))
    return page.post("/api/sheets/names", {"what": what, "text": SHEET, "offset": offset, **more}, status)


def test_the_meaning_of_a_name_and_its_definition(served: ServedPage) -> None:
    help_ = found(served, "help", "true (a")
    assert help_["help"].startswith("`at`: fluent with 1 argument; 4 occurrences") and "(init (at 1))" in help_["help"]
    assert part(SHEET, *help_["word"]) == "at"
    assert found(served, "help", "; ") == {"word": None, "help": ""}
    assert part(SHEET, *found(served, "definition", "(true (at ?x)) (suc")["definition"]) == "(succ 1 2)"
    assert found(served, "definition", "; ") == {"definition": None}


def test_completion_starts_at_the_word(served: ServedPage) -> None:
    words = found(served, "complete", "(<= termi")
    assert part(SHEET, words["start"], words["start"] + 5) == "termi"
    assert words["words"] == [{"word": "terminal", "kind": "keyword", "detail": "terminal"}]


def test_renaming_changes_the_whole_sheet_or_says_why_not(served: ServedPage) -> None:
    assert part(SHEET, *found(served, "rename", "(init (a")["word"]) == "at"
    edits = found(served, "rename", "(init (a", new="place")["edits"]
    assert applied(SHEET, edits) == SHEET.replace("(at", "(place")
    assert found(served, "rename", "(ini", 409)["error"] == "init is a word of GDL, which cannot be renamed"
    assert found(served, "rename", "(init (a", 409, new="succ")["error"] == "this sheet has the name succ already"
    assert found(served, "rename", "; ", 409)["error"] == "there is no name here"


def test_findings_have_fixes_at_the_places_of_a_browser(served: ServedPage) -> None:
    text = SHEET.replace("\n", "\r\n") + "(<= (legal robot wait) (and (true (at 1))))"
    (fix,) = [fix for each in served.post("/api/sheets", {"text": text})["findings"] for fix in each.get("fixes", ())]
    assert fix["title"] == "Write the formulas directly into the body"
    assert applied(text, fix["edits"]) == text.replace("(and (true (at 1)))", "(true (at 1))")
    assert not any("fixes" in each for each in served.post("/api/sheets", {"text": SHEET})["findings"])


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"what": "guess"}, "'what' must be one of help, definition, complete, rename"),
        ({"what": 1}, "'what' must be a text"),
        ({"text": ["(role a)"]}, "'text' must be a text"),
        ({"new": {}}, "'new' must be a text"),
        ({"offset": -1}, "'offset' must be a whole number from 0 to the length of the text"),
        ({"offset": True}, "'offset' must be a whole number from 0 to the length of the text"),
        ({"offset": 1.5}, "'offset' must be a whole number from 0 to the length of the text"),
        ({"offset": None}, "'offset' must be a whole number from 0 to the length of the text"),
        ({"offset": 9}, "'offset' must be a whole number from 0 to 8"),
        ({"offset": 10**30}, "'offset' must be a whole number from 0 to 8"),
        ({"text": "a " * 250_001}, "the rules have 500,002 characters; names are found in at most 500,000"),
    ],
)
def test_a_wrong_request_is_refused_in_one_line(served: ServedPage, change: dict[str, Any], error: str) -> None:
    body = {"what": "help", "text": "(role a)", "offset": 8, **change}
    assert served.post("/api/sheets/names", body, 409) == {"error": error}


def test_what_is_no_json_or_too_large_is_refused(served: ServedPage) -> None:
    address = f"{served.address}/api/sheets/names"
    kind = {"Content-Type": "application/json"}
    assert requests.post(address, b"{", headers=kind, timeout=60).json()["error"].startswith("the body is not JSON")
    assert requests.post(address, b"[]", headers=kind, timeout=60).json() == {"error": "the body is not a JSON object"}
    large = requests.post(address, b" " * (2 << 20) + b"{}", headers=kind, timeout=60)
    assert large.status_code == 413 and "at most 2,097,152 are allowed" in large.json()["error"]


@pytest.mark.parametrize(
    "text",
    ["(" * 499_000, "?x " * 166_000, "\U0001f600" * 150_000, "", "\ufeff(role a)\r(b"],
    ids=["deep", "variables", "wide", "empty", "marked"],
)
def test_odd_texts_are_answered(served: ServedPage, text: str) -> None:
    end = units(text, len(text))
    for what in ("help", "definition", "complete"):
        assert "error" not in served.post("/api/sheets/names", {"what": what, "text": text, "offset": end})

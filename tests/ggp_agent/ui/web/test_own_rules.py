"""Rules of the user's own on the page: random games of the editor, and records of their matches."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
import requests
from recorded import played, write
from web_pages import ServedPage

from kif_games import rules

# Nim with a misspelt fluent: no role has a legal move.
MISSPELT = """
(role first) (role second) (succ 0 1) (succ 1 2) (init (heap 2)) (init (contrl first))
(<= (legal ?r take) (true (control ?r)))
(<= (legal ?r noop) (role ?r) (true (control ?other)) (distinct ?r ?other))
(<= (next (heap ?x)) (true (heap ?y)) (succ ?x ?y))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))
(<= terminal (true (heap 0)))
(<= (goal ?r 100) (true (control ?r)))
(<= (goal ?r 0) (role ?r) (not (true (control ?r))))
"""


def test_random_games_find_what_the_text_does_not_show(fresh: ServedPage) -> None:
    checked = fresh.post("/api/sheets", {"text": MISSPELT})
    assert [each["code"] for each in checked["findings"]] == ["GDL218"]
    assert checked["findings"][0]["message"].endswith("do you mean control?")
    found = fresh.post("/api/sheets/games", {"text": MISSPELT})
    assert [(each["code"], each["moves"]) for each in found["findings"]] == [("GDL801", [])]
    assert found["findings"][0]["message"].startswith("first has no legal move") and found["problem"] == ""
    good = fresh.post("/api/sheets/games", {"text": rules("tic_tac_toe")})
    assert (good["findings"], good["games"], good["problem"]) == ([], 20, "")
    bad = fresh.post("/api/sheets/games", {"text": MISSPELT + "(<= (goal first ?x) (not (true ?x)))"})
    assert bad["games"] == 0 and "have errors" in bad["problem"]


@pytest.mark.slow
def test_random_games_have_a_time_limit(fresh: ServedPage) -> None:
    endless = (
        "(role r) (init (n z)) (<= (next (n (s ?x))) (true (n ?x))) (legal r a) (goal r 1) (<= terminal (true (n a)))"
    )
    found = fresh.post("/api/sheets/games", {"text": endless})
    assert found["problem"] or found["findings"] or found["games"] < 20


def test_a_match_of_own_rules_has_board_picture_and_analysis(fresh: ServedPage, tmp_path: Path) -> None:
    text = rules("tic_tac_toe") + "\n; mine\n"
    game = fresh.begin(text=text, name="my_toe", players={"x": "random", "o": "random"})
    for _, kind, document in fresh.events(game):
        assert kind != "failed", document
        if kind == "position" and document["over"]:
            break
    (listed,) = fresh.get("/api/records")["records"]
    assert (listed["title"], listed["state"]) == ("My toe", "complete")
    path = f"/api/records/{listed['name']}"
    match = fresh.get(path)
    assert match["rules"] and match["board"] and match["word"] == ""
    assert "<svg" in requests.get(f"{fresh.address}{path}/thumbnail", timeout=60).text
    assert "data-cell" in fresh.get(f"{path}/turns/1")["svg"]
    again = fresh.begin(record=listed["name"], turn=2, players={"x": "person", "o": "person"})
    assert fresh.position(again)["turn"] == 2
    fresh.post(f"{path}/analysis", {"seconds": 0.05}, 201)
    until = time.monotonic() + 60
    while (state := fresh.get(f"{path}/analysis"))["running"] and time.monotonic() < until:
        time.sleep(0.1)
    assert state["problem"] == "" and state["done"] == match["turns"] + 1
    (kept,) = (tmp_path / ".rules").iterdir()
    kept.unlink()
    write(tmp_path / "later.json", {**_document(tmp_path, listed["name"]), "matchId": "later"})
    assert not fresh.get("/api/records/later")["rules"]


def test_an_old_unfinished_match_is_not_running(fresh: ServedPage, tmp_path: Path) -> None:
    document = {**played("tic_tac_toe", turns=2).document(), "isAborted": False}
    old = write(tmp_path / "old.json", {**document, "matchId": "old"})
    write(tmp_path / "new.json", {**document, "matchId": "new"})
    os.utime(old, (1_700_000_000, 1_700_000_000))
    states = {each["name"]: each["state"] for each in fresh.get("/api/records")["records"]}
    assert states == {"old": "not finished", "new": "running"}
    assert fresh.get("/api/records/old")["abandoned"] and not fresh.get("/api/records/new")["abandoned"]


def test_the_match_of_another_manager_has_the_title_of_its_game(fresh: ServedPage, tmp_path: Path) -> None:
    document: dict[str, Any] = {**played("tic_tac_toe").document(), "matchId": "host.tic_tac_toe.1795576052143"}
    for name in ("gameName", "gameMetaURL"):
        document.pop(name, None)
    write(tmp_path / "theirs.json", document)
    (listed,) = fresh.get("/api/records")["records"]
    assert listed["title"] == fresh.get("/api/records/theirs")["title"] == "Tic-tac-toe"


@pytest.mark.slow
def test_findings_of_random_games_are_shown_in_the_editor(page: Any, fresh: ServedPage) -> None:
    from playwright.sync_api import expect

    page.goto(f"{fresh.address}/#/write")
    page.fill("textarea", MISSPELT)
    expect(page.locator(".findings li").first).to_contain_text("GDL801")
    expect(page.locator(".verdict")).to_have_text("1 error, 1 warning. 20 random games played.")
    page.fill("textarea", rules("tic_tac_toe"))
    expect(page.locator(".verdict")).to_have_text("No errors or warnings. 20 random games played without a problem.")


def _document(folder: Path, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    return document

"""The learning curve of a game on the page: sent by the process of the game, and drawn in a browser."""

from __future__ import annotations

from typing import Any

import pytest
from web_pages import ServedPage

from gdl import NetworkMachine, parse_sheet
from ggp_agent import _learning
from ggp_agent.evaluation.learned_network import (
    Course,
    CoursePoint,
    LearnedNetwork,
    LearnedStore,
    NetworkShape,
    Training,
    game_digest,
)
from ggp_agent.learning.learner import encode_game

# Two players take one, two or four of nine stones. No other test learns this game. The tests may run at the same time
# and share the cache, so tests with other networks have other numbers of stones.
STONES = """
(role first) (role second) (init (stones 9)) (init (turn first)) (other first second) (other second first)
(minus 9 1 8) (minus 9 2 7) (minus 9 4 5) (minus 8 1 7) (minus 8 2 6) (minus 8 4 4) (minus 7 1 6) (minus 7 2 5)
(minus 7 4 3) (minus 6 1 5) (minus 6 2 4) (minus 6 4 2) (minus 5 1 4) (minus 5 2 3) (minus 5 4 1) (minus 4 1 3)
(minus 4 2 2) (minus 4 4 0) (minus 3 1 2) (minus 3 2 1) (minus 2 1 1) (minus 2 2 0) (minus 1 1 0)
(<= (legal ?r (take ?k)) (true (turn ?r)) (true (stones ?n)) (minus ?n ?k ?m))
(<= (legal ?r noop) (other ?r ?s) (true (turn ?s)))
(<= (next (stones ?m)) (does ?r (take ?k)) (true (stones ?n)) (minus ?n ?k ?m))
(<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
(<= terminal (true (stones 0)))
(<= (goal ?s 100) (true (turn ?r)) (other ?r ?s)) (<= (goal ?r 0) (true (turn ?r)))
"""
TRAINING = Training(games=30, positions=240, cpu_seconds=90.0, loss=0.4, elo=85.0)
COURSE = (CoursePoint(30.0, 0.95, 0.0), CoursePoint(60.0, 0.6, 70.0), CoursePoint(90.0, 0.4, 85.0))


def learned(text: str, course: Course) -> str:
    """Store an untrained network with a learning curve for a game; return the game."""
    machine = NetworkMachine(parse_sheet(text))
    encoding = encode_game(machine)
    shape = NetworkShape.of(encoding, 16, 16)
    weights = _learning.initial_weights(shape, 1, 4.0)
    LearnedStore().write(machine, LearnedNetwork(game_digest(machine), shape, encoding, weights, TRAINING, course))
    return text


def begin(served: ServedPage, text: str) -> str:
    return served.begin(text=text, name="stones", players={"first": "person", "second": "person"}, seconds=0.2)


def test_the_course_of_an_uploaded_game_is_an_event(served: ServedPage) -> None:
    game = begin(served, learned(STONES, COURSE))
    document = next(document for _, kind, document in served.events(game) if kind == "learned")
    assert document["course"] == [list(point) for point in COURSE]
    assert (document["games"], document["elo"]) == (30, 85.0) and "1.5 CPU-minutes" in document["description"]
    assert served.get(f"/api/games/{game}")["learned"] == document


def test_a_game_without_a_network_has_no_course(served: ServedPage) -> None:
    game = begin(served, STONES.replace("(stones 9)", "(stones 8)"))
    position = served.position(game)
    served.order(game, "move", turn=0, role="first", move=position["legal"]["first"][0]["move"])
    served.position(game, 1)  # sent after the event of a network
    assert "learned" not in served.get(f"/api/games/{game}")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_draws_error_and_elo(browser: Any, served: ServedPage, scheme: str) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    game = begin(served, learned(STONES, COURSE))
    page = browser.new_page(color_scheme=scheme, viewport={"width": 360, "height": 800})
    page.set_default_timeout(60_000)
    page.goto(f"{served.address}/#/play/{game}")
    panel = page.locator("details:has(summary:text-is('Learned network'))")
    expect(panel.locator(".graph")).to_have_count(2, timeout=60_000)
    labels = [graph.get_attribute("aria-label") for graph in panel.locator(".graph").all()]
    assert labels == [
        "Error in new games over the CPU-minutes of learning: first 0.95, at the end 0.40",
        "Elo over the untrained network over the CPU-minutes of learning: first 0, at the end 85",
    ]
    assert "1.5 CPU-minutes" in panel.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing")
    found = axe.Axe().run(page).response
    assert [each["id"] for each in found["violations"] if each["impact"] in ("serious", "critical")] == []
    page.close()


@pytest.mark.slow
def test_short_courses_are_not_drawn(browser: Any, served: ServedPage) -> None:
    page = browser.new_page()
    page.set_default_timeout(60_000)
    game = begin(served, learned(STONES.replace("(stones 9)", "(stones 7)"), COURSE[:1]))
    next(document for _, kind, document in served.events(game) if kind == "learned")
    page.goto(f"{served.address}/#/play/{game}")
    page.wait_for_selector(".state:has-text('your move')")
    assert page.locator("summary:text-is('Learned network'):visible").count() == 0
    page.close()

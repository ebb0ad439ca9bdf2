"""The learning curve of a game on the page: sent by the process of the game, and drawn in a browser."""

from __future__ import annotations

from typing import Any

import pytest
from small_games import nim
from web_pages import ServedPage

from gdl import NetworkMachine, parse_sheet
from ggp_agent import _learning
from ggp_agent.arena.scores import Score
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
from ggp_agent.prepare.candidates import NETWORK
from ggp_agent.prepare.choice import Choice, ChoiceStore

# Tests may run at the same time and share the cache, so each test that learns nim has its own size of the heap.
STONES = nim(9)
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


def test_the_page_searches_with_the_network_that_was_chosen_and_says_why(served: ServedPage) -> None:
    machine = NetworkMachine(parse_sheet(text := learned(nim(10), COURSE)))
    ChoiceStore().write(machine, Choice(NETWORK, Score(wins=18, losses=4), 100.0, 9.0, ()))
    game = served.begin(text=text, name="stones", players={"first": "agent", "second": "person"}, seconds=0.2)
    served.position(game, 1)
    thoughts = served.get(f"/api/games/{game}")["thoughts"]
    assert thoughts["why"].startswith("learned, which scored 81.8 %") and "22 games" in thoughts["why"]
    assert all(0 <= move["probability"] <= 1 for move in thoughts["roles"]["first"]["moves"])


def test_a_game_without_a_network_has_no_course(served: ServedPage) -> None:
    game = begin(served, nim(8))
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
    game = begin(served, learned(nim(7), COURSE[:1]))
    next(document for _, kind, document in served.events(game) if kind == "learned")
    page.goto(f"{served.address}/#/play/{game}")
    page.wait_for_selector(".state:has-text('your move')")
    assert page.locator("summary:text-is('Learned network'):visible").count() == 0
    page.close()

"""Fixtures of the page: one served page for each module, one browser. Without Chromium these tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import chromium
from web_pages import ServedPage

SLOW = 60_000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPage]:
    """The page without stored matches."""
    with ServedPage(tmp_path_factory.mktemp("matches")) as page:
        yield page


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[ServedPage]:
    """The page of one test, with the folder of the test."""
    with ServedPage(tmp_path) as page:
        yield page


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """The browser of all modules; a page of its own for each test."""
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A fresh window, in which not one script may fail, nor the policy be violated."""
    from playwright.sync_api import expect

    context = browser.new_context()
    opened = context.new_page()
    opened.set_default_timeout(SLOW)
    expect.set_options(timeout=SLOW)
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda message: wrong.append(message.text) if "Content Security" in message.text else None)
    yield opened
    context.close()
    assert wrong == []

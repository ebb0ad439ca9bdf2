"""Chromium for tests of pages; a test that needs it is skipped if it is missing."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Playwright, while a browser is open: a process can run it only once.
_RUNNING: list[Any] = []


# The page while a person has to choose a move, or after the end of a game.
YOURS = ".state:has-text('your move'), .state.over"


def choose_game(page: Any, address: str, title: str, search: str = "") -> None:
    """Open the dialog of a game on the page."""
    page.goto(address)
    page.fill("input[type=search]", search or title)
    page.click(f".card:has(strong:text-is('{title}'))")
    page.select_option("dialog label:has-text('thinks') select", "0.5")


def begin(page: Any, address: str, title: str, search: str = "") -> None:
    """Begin a game on the page, as the first role."""
    choose_game(page, address, title, search)
    page.click("dialog .main")
    page.wait_for_selector(YOURS)


@contextlib.contextmanager
def chromium(arguments: Sequence[str] = ()) -> Iterator[Any]:
    """Start Chromium with arguments of its command line, and close it."""
    if BROWSER is None:
        pytest.skip("no browser: these tests need Chromium (apt install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="no browser: these tests need Playwright for Python")
    with contextlib.ExitStack() as stack:
        if not _RUNNING:
            _RUNNING.append(stack.enter_context(playwright.sync_playwright()))
            stack.callback(_RUNNING.clear)
        started = _RUNNING[0].chromium.launch(executable_path=BROWSER, args=["--disable-gpu", *arguments])
        yield started
        started.close()

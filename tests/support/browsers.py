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
        started = _RUNNING[0].chromium.launch(executable_path=BROWSER, args=list(arguments))
        yield started
        started.close()

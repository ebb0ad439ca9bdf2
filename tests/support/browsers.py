"""Chromium for tests of pages; a test that needs it is skipped if it is missing."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def chromium(arguments: Sequence[str] = ()) -> Iterator[Any]:
    """Start Chromium with arguments of its command line, and close it."""
    if BROWSER is None:
        pytest.skip("no browser: these tests need Chromium (apt install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="no browser: these tests need Playwright for Python")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=BROWSER, args=list(arguments))
        yield started
        started.close()

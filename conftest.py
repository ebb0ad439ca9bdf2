"""What all tests share: a cache and a place for the journals of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests, and the processes they start, out of the user's folders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GGP_AGENT_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("GGP_AGENT_STATE", str(tmp_path_factory.mktemp("state")))
        yield

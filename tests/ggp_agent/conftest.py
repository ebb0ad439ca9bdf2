"""What the tests of the agent share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ggp_agent.player.nursery import Nursery


@pytest.fixture(scope="session")
def nursery(cache_of_the_tests: None) -> Iterator[Nursery]:
    """Fork the processes of all matches of players in this process."""
    with Nursery() as nursery:
        nursery.wait()
        yield nursery

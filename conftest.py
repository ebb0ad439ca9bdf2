"""What all tests share: a cache and a place for journals of their own, Ctrl-C in their processes, and the kernels."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from gdl._core import has_kernel
from gdl.machines.network import DEFAULT_LANES, KERNEL_VARIABLE

# Shells let what they start in the background ignore it, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests, and the processes they start, out of the user's folders, and away from the terminal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COLUMNS", raising=False)  # what runs the tests on several cores says how wide its own terminal is
        # What runs the tests on several cores gives each process a folder in one that they share.
        base = tmp_path_factory.getbasetemp()
        cache = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
        cache.mkdir(exist_ok=True)
        patch.setenv("GGP_AGENT_CACHE", str(cache))
        patch.setenv("GGP_AGENT_STATE", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(params=[isa for isa in DEFAULT_LANES if has_kernel(isa)])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test on every kernel of this machine, its processes too; the name of the kernel."""
    name: str = request.param
    monkeypatch.setenv(KERNEL_VARIABLE, name)
    return name

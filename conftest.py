"""What all tests share: order, inputs, a cache and a place for journals, Ctrl-C in their processes, and kernels."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import signal
from collections.abc import Iterator

import hypothesis
import pytest
from quick import few

from gdl._network import has_kernel
from gdl.machines.network import DEFAULT_LANES, KERNEL_VARIABLE

# Shells let what they start in the background ignore it, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Every run draws the same inputs, so a change fails only because of itself. The nightly workflow draws others
# (HYPOTHESIS_PROFILE=random). The quick suite draws fewer.
hypothesis.settings.register_profile("random", derandomize=False)
hypothesis.settings.register_profile("fixed", derandomize=True)
hypothesis.settings.register_profile("quick", derandomize=True, max_examples=25)

# The examples of the games for OpenSpiel need OpenSpiel.
collect_ignore = [] if importlib.util.find_spec("pyspiel") else ["ggp_agent/rl/openspiel.py"]


def pytest_configure(config: pytest.Config) -> None:
    """Choose the inputs of properties."""
    profile = "quick" if config.option.markexpr == "not slow" else "fixed"
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", profile))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Use two processes more than there are cores: many tests wait for the clock of a match or for another process."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slow tests first, or one core would wait for another in the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in a line which tests there was no browser for; other tests that are skipped say so by `-rs`."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [each.longrepr[2] for each in skipped if isinstance(each.longrepr, tuple)]
    without = [reason.removeprefix("Skipped: ") for reason in reasons if "no browser" in reason]
    if without:
        terminalreporter.write_line(f"{len(without)} skipped: {without[0]}")


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
        patch.setenv("PYTHONPATH", str(pathlib.Path(__file__).parent))  # for programs that run in other folders
        yield


@pytest.fixture(params=few(reversed([isa for isa in DEFAULT_LANES if has_kernel(isa)]), 1))
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test on every kernel of this machine, its processes too; the quick suite uses the widest one."""
    name: str = request.param
    monkeypatch.setenv(KERNEL_VARIABLE, name)
    return name

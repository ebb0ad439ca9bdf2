"""The memory limit of a search, measured as the memory of its process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from places import ROOT

# Searches connect four and plays the best moves. Prints the MB of the tree and the growth of the peak memory of the
# process after each search, and then the MB of a tree that has enough memory for the first search.
PROGRAM = """
import sys
from pathlib import Path
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher

def peak_mb():
    line, = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6

machine = load_game("connect_four").machine()
# The lanes and the moves of the machine have their memory before the measurement.
Searcher(machine, SearchConfig(memory_mb=1, threads=1)).run(simulations=2000)
before = peak_mb()
searcher = Searcher(machine, SearchConfig(memory_mb=int(sys.argv[1]), threads=1))
for simulations in (1_000_000, 100_000, 100_000):
    statistics = searcher.run(simulations=simulations)
    used = statistics.tree_bytes / 1e6
    searcher.advance(statistics.best)
    print(used, peak_mb() - before)
print(Searcher(machine, SearchConfig(memory_mb=1000)).run(simulations=1_000_000).tree_bytes / 1e6)
"""
# The tree of 1 MiB that the process frees before the measurement; the peak may reuse its pages.
FREED_MB = 2**20 / 1e6


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="this system does not report the peak memory")
def test_a_search_stays_within_its_limit_also_while_the_root_moves() -> None:
    limit = 16
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(limit)], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    megabytes = limit * 2**20 / 1e6
    *rows, (unlimited,) = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
    assert len(rows) == 3 and unlimited > megabytes
    assert all(used <= megabytes for used, _ in rows)
    # A second tree while the root moves would double the memory.
    largest, grown = max(used for used, _ in rows), rows[-1][1]
    assert largest - FREED_MB < grown < 1.5 * megabytes

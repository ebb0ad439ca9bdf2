"""Search one position in several threads, each with its own tree (root parallelization).

Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search", CG 2008: no thread waits for another. Equal
seeds and equal numbers of simulations give equal trees.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from gdl import CompiledMachine, LaneSimulator

from .. import _search
from .config import SearchConfig, lanes_for
from .limits import Limits
from .load_evaluation import load_evaluation
from .search_result import RootStatistics

# Returns the simulator to use instead of a simulator of a machine.
WrapSimulator: TypeAlias = Callable[[CompiledMachine, LaneSimulator], LaneSimulator]


def make_trees(
    machine: CompiledMachine, config: SearchConfig, isa: str | None = None, wrap: WrapSimulator | None = None
) -> list[_search.Searcher]:
    """Make one searcher for each thread of a configuration.

    The threads share the memory limit equally. The first tree uses the seed of the configuration; the seeds of the
    others are drawn from it.
    """
    load_evaluation(machine, config)
    threads = config.threads or 1
    in_flight = config.in_flight or machine.in_flight
    lanes = None if in_flight is None else lanes_for(in_flight)
    seeds = random.Random(config.seed)
    simulators = [machine.simulator(lanes, isa) for _ in range(threads)]
    return [
        _search.Searcher(
            simulator if wrap is None else wrap(machine, simulator),
            replace(
                config,
                in_flight=in_flight,
                seed=seeds.getrandbits(64) if number else config.seed,
                memory_mb=max(1, config.memory_mb // threads),
            ),
        )
        for number, simulator in enumerate(simulators)
    ]


def run_trees(trees: Sequence[_search.Searcher], limits: Limits) -> RootStatistics:
    """Search up to the limits and return the merged statistics; the first tree runs in the thread of the caller.

    The number of simulations is divided among the threads. Limits of time apply to each thread.
    """
    first, *others = trees
    if not others:
        return first.run(limits)
    simulations, stopped = limits.simulations, limits.stopped
    ended = threading.Event()
    if stopped is not None and stopped():
        ended.set()
    errors: list[BaseException] = []

    def end() -> None:
        # The event ends a run that has not begun yet, the call a run that has begun.
        ended.set()
        for tree in trees:
            tree.stop()

    def run_beside(tree: _search.Searcher, share: int | None) -> None:
        try:
            if tree.run(replace(limits, simulations=share, settled_role=None, stopped=ended.is_set)).is_proven:
                end()
        except BaseException as error:  # raised again by the waiting thread
            errors.append(error)
            end()

    shares = [None] * len(trees) if simulations is None else _shares(simulations, len(trees))
    threads = [
        threading.Thread(target=run_beside, args=each, name="search", daemon=True)
        for each in zip(others, shares[1:], strict=True)
    ]
    own = replace(limits, simulations=shares[0], stopped=lambda: ended.is_set() or (stopped is not None and stopped()))
    complete = False
    try:
        for thread in threads:
            thread.start()
        found = first.run(own)
        complete = simulations is not None and found.simulations == shares[0] and not found.is_proven
    finally:
        if not complete:
            end()
        for thread in threads:
            if thread.ident is not None:  # Ctrl-C may come before all threads have started
                thread.join()
    if errors:
        raise errors[0]
    return _search.merged(trees)


def tree_hash(trees: Sequence[_search.Searcher]) -> int:
    """Return 64 bits over all trees; for a single tree its own hash."""
    hashes = [tree.tree_hash() for tree in trees]
    return hashes[0] if len(hashes) == 1 else random.Random(repr(hashes)).getrandbits(64)


def _shares(simulations: int, threads: int) -> list[int | None]:
    """Divide a number of simulations among threads.

    >>> _shares(10, 4)
    [3, 3, 2, 2]
    """
    least, more = divmod(simulations, threads)
    return [least + (number < more) for number in range(threads)]

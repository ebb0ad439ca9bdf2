"""Search one position in several threads, each with a tree of its own (root parallelization).

Chaslot, Winands and van den Herik, "Parallel Monte-Carlo Tree Search", CG 2008: no thread waits for another, and equal
seeds and numbers of simulations give equal trees.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import replace

from gdl import CompiledMachine

from .. import _search
from .config import SearchConfig, lanes_for
from .limits import Limits
from .statistics import RootStatistics


class SearchThreads:
    """Drive one searcher per thread as if they were one; the first runs in the thread of the caller.

    Args:
        machine: of the game.
        config: the memory is shared out among the threads; the seeds of all but the first are drawn from its seed.
        isa: instruction set; None for the best.

    Raises:
        ValueError: the machine has too few lanes for `config.in_flight`, or no kernel for the instruction set.
    """

    def __init__(self, machine: CompiledMachine, config: SearchConfig, isa: str | None = None) -> None:
        threads = config.threads or 1
        in_flight = config.in_flight or machine.in_flight
        lanes = None if in_flight is None else lanes_for(in_flight)
        seeds = random.Random(config.seed)
        self._searchers = [
            _search.Searcher(
                machine.simulator(lanes, isa),
                replace(
                    config,
                    in_flight=in_flight,
                    seed=seeds.getrandbits(64) if number else config.seed,
                    memory_mb=max(1, config.memory_mb // threads),
                ),
            )
            for number in range(threads)
        ]

    @property
    def in_flight(self) -> int:
        """The simulations of a tree under way at the same time."""
        return self._searchers[0].in_flight

    @property
    def root_state(self) -> bytes:
        """The packed state of the root."""
        return self._searchers[0].root_state

    def set_root(self, state: bytes) -> None:
        """Forget the trees and start over at a state."""
        for searcher in self._searchers:
            searcher.set_root(state)

    def advance(self, moves: Sequence[int]) -> None:
        """Play a joint move, numbers in role order, and keep what the trees know behind it."""
        for searcher in self._searchers:
            searcher.advance(moves)

    def run(self, limits: Limits) -> RootStatistics:
        """Search up to the limits; simulations are shared out, time is that of each thread.

        Raises:
            MemoryError: there is no memory in one of the threads.
        """
        first, *others = self._searchers
        if not others:
            return first.run(limits)
        simulations, stopped = limits.simulations, limits.stopped
        ended = threading.Event()
        if stopped is not None and stopped():
            ended.set()
        errors: list[BaseException] = []

        def run_beside(searcher: _search.Searcher, share: int | None) -> None:
            try:
                own = replace(limits, simulations=share, settled_role=None, stopped=ended.is_set)
                if searcher.run(own).is_proven:
                    self._end(ended)
            except BaseException as error:  # raised again by the thread that waits
                errors.append(error)
                self._end(ended)

        shares = [None] * len(self._searchers) if simulations is None else _shares(simulations, len(self._searchers))
        threads = [
            threading.Thread(target=run_beside, args=each, name="search", daemon=True)
            for each in zip(others, shares[1:], strict=True)
        ]
        complete = False
        try:
            for thread in threads:
                thread.start()
            found = first.run(
                replace(
                    limits,
                    simulations=shares[0],
                    stopped=lambda: ended.is_set() or (stopped is not None and stopped()),
                )
            )
            complete = simulations is not None and found.simulations == shares[0] and not found.is_proven
        finally:
            if not complete:
                self._end(ended)
            for thread in threads:
                if thread.ident is not None:  # Ctrl-C may come before all are started
                    thread.join()
        if errors:
            raise errors[0]
        return self.statistics()

    def stop(self) -> None:
        """End the run under way, if any; from any thread."""
        for searcher in self._searchers:
            searcher.stop()

    def statistics(self) -> RootStatistics:
        """Return the latest published views of all, put together; from any thread."""
        return _search.merged(self._searchers)

    def tree_hash(self) -> int:
        """Return 64 bits over all trees: that of the only one, or else of all in turn."""
        hashes = [searcher.tree_hash() for searcher in self._searchers]
        return hashes[0] if len(hashes) == 1 else random.Random(repr(hashes)).getrandbits(64)

    def _end(self, ended: threading.Event) -> None:
        # The event ends a run that is about to begin, the call one that has begun.
        ended.set()
        self.stop()


def _shares(simulations: int, threads: int) -> list[int | None]:
    """Share simulations out.

    >>> _shares(10, 4)
    [3, 3, 2, 2]
    """
    least, more = divmod(simulations, threads)
    return [least + (number < more) for number in range(threads)]

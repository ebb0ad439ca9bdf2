"""Games whose searches run side by side in the lanes of one simulator."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import TypeAlias, TypeVar

from gdl.machines.compiled import LANE_WIDTHS

from .. import _search
from .config import lanes_for

R = TypeVar("R")
# A game: it yields each search that it needs, a searcher and a number of new simulations, continues when the search has
# ended, and returns its result.
GameSearches: TypeAlias = Generator[tuple[_search.Searcher, int], None, R]


class LaneBlocks:
    """Divide lanes into blocks for searches with given numbers of simulations in flight.

    If all searches have the same number, there are as many blocks as fit. Otherwise each number gets about the same
    number of lanes; if they do not fit together, all searches take turns in one block.

    >>> blocks = LaneBlocks([100, 20, 100], 256)
    >>> blocks.lanes, blocks.count, blocks.free
    (256, 7, {100: [0], 20: [100, 120, 140, 160, 180, 200]})
    >>> LaneBlocks([1], 256, 3).free
    {1: [0, 1, 2]}
    >>> blocks = LaneBlocks([512, 8], 256)
    >>> blocks.lanes, blocks.count, blocks.free
    (512, 1, {512: [0], 8: [0]})
    """

    def __init__(self, flights: Iterable[int], preferred: int, most: int = LANE_WIDTHS[-1]) -> None:
        widths = sorted(set(flights), reverse=True)
        part = max(preferred // len(widths), widths[0])
        self.free: dict[int, list[int]] = {}  # first lanes of the free blocks, by number in flight
        used = 0
        for width in widths:
            blocks = max(1, min(most, part // width))
            self.free[width] = [used + width * block for block in range(blocks)]
            used += width * blocks
        self.count = sum(map(len, self.free.values()))  # number of searches that can run at once
        if used > LANE_WIDTHS[-1]:
            used, self.count = widths[0], 1
            only = [0]
            self.free = dict.fromkeys(widths, only)
        self.lanes = lanes_for(used)  # number of lanes that the simulator needs


def play_side_by_side(
    searches: _search.SideBySide,
    blocks: LaneBlocks,
    games: Iterable[GameSearches[R]],
    seats: int,
    stopped: Callable[[], bool] | None = None,
) -> Iterator[R]:
    """Play at most `seats` games at once and yield their results as they end, until `stopped()` becomes true."""
    remaining = iter(games)
    free_seats = seats
    waiting: dict[int, deque[tuple[GameSearches[R], _search.Searcher, int]]] = {each: deque() for each in blocks.free}
    running: dict[_search.Searcher, tuple[GameSearches[R], int]] = {}

    def go_on(game: GameSearches[R]) -> Iterator[R]:
        """Queue the next search of a game, or yield its result."""
        nonlocal free_seats
        try:
            searcher, simulations = next(game)
            waiting[searcher.in_flight].append((game, searcher, simulations))
        except StopIteration as end:
            free_seats += 1
            yield end.value

    while True:
        begun = 0
        for game in islice(remaining, free_seats):
            begun += 1
            free_seats -= 1
            yield from go_on(game)
        for flight, line in waiting.items():  # the longest waiting first
            while line and blocks.free[flight]:
                game, searcher, simulations = line.popleft()
                lane = blocks.free[flight].pop()
                running[searcher] = game, lane
                searches.start(searcher, lane, simulations)
        if not running and begun == 0:
            return
        ended = searches.run(stopped)
        if running and not ended:
            searches.stop()
            return
        for searcher in ended:
            game, lane = running.pop(searcher)
            blocks.free[searcher.in_flight].append(lane)
            yield from go_on(game)

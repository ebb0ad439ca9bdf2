"""The lanes of one simulator, divided among searches side by side."""

from __future__ import annotations

from collections.abc import Iterable

from gdl.machines.lane_widths import LANE_WIDTHS

from ..mcts.config import lanes_for


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

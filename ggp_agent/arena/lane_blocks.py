"""The lanes of one simulator, shared out among searches side by side."""

from __future__ import annotations

from collections.abc import Iterable

from ..mcts.config import LANE_WIDTHS, lanes_for


class LaneBlocks:
    """Cut lanes into blocks for searches with so many simulations in flight.

    Where all searches have the same number, as many blocks are made as the machine has lanes for. Else about as many
    lanes go to each number as to the others; where they do not fit together, all take turns in one block.

    Args:
        flights: the numbers in flight.
        preferred: lanes that suit the machine; where the widest search needs more, they are taken.
        most: blocks of each number, at most.

    Attributes:
        lanes: that the simulator has to have.
        count: of searches that can run at once.
        free: by number in flight, the first lanes of the blocks that are free.

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
        self.free: dict[int, list[int]] = {}
        used = 0
        for width in widths:
            blocks = max(1, min(most, part // width))
            self.free[width] = [used + width * block for block in range(blocks)]
            used += width * blocks
        self.count = sum(map(len, self.free.values()))
        if used > LANE_WIDTHS[-1]:
            used, self.count = widths[0], 1
            only = [0]
            self.free = dict.fromkeys(widths, only)
        self.lanes = lanes_for(used)

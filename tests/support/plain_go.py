"""A simple implementation of Go by the rules of Tromp and Taylor, for comparison with the native game.

A position is a dict from (column, row), both from 0, to `b` or `w`; other points are empty.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Point = tuple[int, int]
Stones = dict[Point, str]


@dataclass
class PlainGo:
    """A game in progress; `past` contains every position of stones so far."""

    size: int
    komi: float = 7.5
    stones: Stones = field(default_factory=dict)
    past: list[Stones] = field(default_factory=lambda: [{}])
    moves: int = 0
    passes: int = 0

    @property
    def mover(self) -> str:
        return "bw"[self.moves % 2]

    @property
    def is_over(self) -> bool:
        return self.passes == 2 or self.moves == 2 * self.size**2

    def beside(self, point: Point) -> list[Point]:
        column, row = point
        around = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
        return [each for each in around if all(0 <= part < self.size for part in each)]

    def region(self, stones: Stones, start: Point) -> set[Point]:
        """Return the points of the same kind that can be reached from a point."""
        found, left = {start}, [start]
        while left:
            for point in self.beside(left.pop()):
                if point not in found and stones.get(point) == stones.get(start):
                    found.add(point)
                    left.append(point)
        return found

    def breathes(self, stones: Stones, group: set[Point]) -> bool:
        return any(point not in stones for each in group for point in self.beside(each))

    def after(self, point: Point) -> Stones:
        """Return the position after a stone is placed on an empty point."""
        own = self.mover
        stones = {**self.stones, point: own}
        for colour in ("w" if own == "b" else "b", own):  # the other's stones first
            dead: set[Point] = set()
            for each, kind in stones.items():
                if (
                    kind == colour
                    and each not in dead
                    and not self.breathes(stones, group := self.region(stones, each))
                ):
                    dead |= group
            stones = {each: kind for each, kind in stones.items() if each not in dead}
        return stones

    def legal(self) -> set[Point | None]:
        """Return the points where a stone may be placed, and None for the pass."""
        points = [(column, row) for column in range(self.size) for row in range(self.size)]
        return {None} | {point for point in points if point not in self.stones and self.after(point) not in self.past}

    def play(self, point: Point | None) -> None:
        if point is None:
            self.passes += 1
        else:
            self.stones = self.after(point)
            self.past.append(self.stones)
            self.passes = 0
        self.moves += 1

    def score(self) -> float:
        """Return the area of black minus the area of white and komi."""
        points = {(column, row) for column in range(self.size) for row in range(self.size)}
        areas = {colour: sum(kind == colour for kind in self.stones.values()) for colour in "bw"}
        empty = points - self.stones.keys()
        while empty:
            region = self.region(self.stones, next(iter(empty)))
            empty -= region
            touched = {self.stones[point] for each in region for point in self.beside(each) if point in self.stones}
            if len(touched) == 1:
                areas[touched.pop()] += len(region)
        return areas["b"] - areas["w"] - self.komi

"""Kalah: its picture, and its moves in the rule sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .native_game import NativeGame

_HOUSES, _SEEDS = 6, 48
_SHEET_MOVE = re.compile(r"\(sow ([1-6])\)")
_SHEET_SEEDS = re.compile(r"\(seeds (north|south) ([1-6]|store) (\d+)\)")
_PLACES = [*(str(house) for house in range(1, _HOUSES + 1)), "store"]


class Kalah(NativeGame):
    """A move is the number of a house: `3` is `(sow 3)` in the sheet; `3+` moves again, `3x` captures seeds."""

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(sow {move[0]})",)

    def turn(self, role: str, moves: Sequence[str]) -> str:
        read = _SHEET_MOVE.fullmatch(moves[0]) if len(moves) == 1 else None
        if read is None:
            raise ValueError(f"{' '.join(moves)} is not a turn of kalah")
        return read[1]

    def list_fluents(self) -> list[str]:
        numbers = range(_SEEDS + 1)
        seeds = [f"(seeds {role} {place} {number})" for role in self.roles for place in _PLACES for number in numbers]
        return [*seeds, *(f"(turn {role})" for role in self.roles)]

    def state_of(self, fluents: Iterable[str]) -> bytes:
        sides: dict[str, dict[str, str]] = {role: {} for role in self.roles}
        turns = []
        for fluent in fluents:
            if read := _SHEET_SEEDS.fullmatch(fluent):
                if sides[read[1]].setdefault(read[2], read[3]) != read[3]:
                    raise ValueError(f"{read[1]} has two numbers of seeds in {read[2]}")
            elif fluent in ("(turn north)", "(turn south)"):
                turns.append(fluent[6:-1])
            else:
                raise ValueError(f"{fluent} is false in all states of kalah")
        for role, seeds in sides.items():
            if missing := [place for place in _PLACES if place not in seeds]:
                raise ValueError(f"{role} has no number of seeds in {missing[0]}")
        north, south = ([seeds[place] for place in _PLACES] for seeds in sides.values())
        rows = [f"north {' '.join(reversed(north))}", f"south {' '.join(south)}"]
        if len(turns) != 1:
            raise ValueError(f"one role must have the turn, not {len(turns)}")
        return self.core.read_board("\n".join([*rows, f"{turns[0]} to move"]))

    def _seeds(self, state: bytes) -> tuple[dict[str, int], dict[str, int]]:
        """Return the seeds of north and south, by place."""
        _, north, south, *_ = self.board(state).splitlines()
        of_north, of_south = ([int(number) for number in line.split()[1:]] for line in (north, south))
        return dict(zip(_PLACES, reversed(of_north), strict=True)), dict(zip(_PLACES, of_south, strict=True))

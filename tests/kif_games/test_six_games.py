"""The six games of the benchmark: recorded positions with their counts of complete turns, and random matches.

The figures come from an independent implementation of the same rules. Without the file of the figures the tests are
skipped.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
from compiled import catalogue_network
from places import REFERENCE
from quick import few

from gdl import MachineState, NetworkMachine, StopFlag, _simulation

FIGURES = REFERENCE / "perft_six_games.json"
MAX_GATES = 500_000
# Limit of the sequences of moves that are counted from a position of the file.
ENOUGH = 20_000
# Number of tested positions of each kind (6x6: all); amazons has a thousand turns in each state on the way.
POSITIONS = {"amazons": 1, "amazons_8x8": 2}
# Number of random matches, and allowed standard errors between their results and the recorded ones.
MATCHES, ERRORS = 60, 3.5


@dataclass(frozen=True)
class SheetFigures:
    """The relation between a sheet and the figures of the same game.

    Attributes:
        game, size: the name of the game in the figures.
        width: the width of a row; the figures number squares row by row.
        height: the height of a board whose rows the sheet counts from the bottom; 0 if both count from 0 at the top.
        steps: the number of moves of the sheet in a complete turn, 0 if it varies.
    """

    game: str
    size: str
    width: int
    height: int
    steps: int


SHEETS = {
    "amazons": SheetFigures("amazons", "10x10", 10, 10, 2),
    "amazons_8x8": SheetFigures("amazons", "8x8", 8, 8, 2),
    "amazons_6x6": SheetFigures("amazons", "6x6, two a side", 6, 6, 2),
    "breakthrough": SheetFigures("breakthrough", "8x8", 8, 8, 1),
    "breakthrough_6x6": SheetFigures("breakthrough", "6x6", 6, 6, 1),
    "cannon": SheetFigures("cannon", "10x10", 10, 10, 1),
    "checkers": SheetFigures("checkers", "8x8", 8, 8, 0),
    "chinese_checkers": SheetFigures("chinese_checkers", "73 cells, 13 rows", 10, 0, 1),
    "pentalath": SheetFigures("pentalath", "61 cells", 9, 0, 1),
}


def figures(name: str) -> dict[str, Any]:
    if not FIGURES.is_file():
        pytest.skip(f"the figures {FIGURES} are not here")
    sheet = SHEETS[name]
    [found] = [
        game
        for game in json.loads(FIGURES.read_text())["games"]
        if (game["game"], game["size"]) == (sheet.game, sheet.size)
    ]
    return found


def chooser(machine: NetworkMachine, state: MachineState) -> str:
    [player] = [role for role in machine.roles if machine.legal(state, role) != ["noop"]]
    return player


def play(machine: NetworkMachine, state: MachineState, move: str) -> MachineState:
    player = chooser(machine, state)
    assert move in machine.legal(state, player)
    return machine.next(state, [move if role == player else "noop" for role in machine.roles])


def square(sheet: SheetFigures, column: str, row: str) -> int:
    if not sheet.height:
        return int(row) * sheet.width + int(column)
    across = "abcdefghij".index(column) if column.isalpha() else int(column) - 1
    return (sheet.height - int(row)) * sheet.width + across


def notation(sheet: SheetFigures, player: str, moves: tuple[str, ...]) -> str:
    """Write a complete turn in the notation of the figures, `from-to` followed by a shot or the victims."""
    words = [move.strip("()").split() for move in moves]
    kind, *first = words[0]
    last = words[-1]
    if kind == "found":
        return f"{square(sheet, first[0], '1' if player == 'white' else '10'):03d}"
    if kind in ("place", "shoot"):
        return f"{'x' if kind == 'shoot' else ''}{square(sheet, first[0], first[1]):03d}"
    start = square(sheet, first[0], first[1])
    if last[0] == "shoot":
        return f"{start:03d}-{square(sheet, first[2], first[3]):03d}-{square(sheet, last[1], last[2]):03d}"
    ends = [start, square(sheet, last[3], last[4])]
    if kind == "capture":
        ends += sorted((square(sheet, a, b) + square(sheet, c, d)) // 2 for _, a, b, c, d in words)
    return "-".join(f"{end:03d}" for end in ends)


def turns(name: str, state: MachineState) -> dict[str, MachineState]:
    """List the complete turns of a state: a turn continues until another role chooses, or the game ends.

    Chains of captures with the same start, end and victims are one turn.
    """
    machine, sheet = catalogue_network(name), SHEETS[name]
    player = chooser(machine, state)
    found: dict[str, MachineState] = {}
    begun: list[tuple[MachineState, tuple[str, ...]]] = [(state, ())]
    while begun:
        before, moves = begun.pop()
        for move in machine.legal(before, player):
            after = machine.next(before, [move if role == player else "noop" for role in machine.roles])
            if machine.terminal(after) or chooser(machine, after) != player:
                found[notation(sheet, player, (*moves, move))] = after
            else:
                begun.append((after, (*moves, move)))
    return found


def perft(name: str, state: MachineState, depth: int) -> list[tuple[int, int]]:
    """Count sequences of complete turns, and sequences that end the game, for every depth up to the given one."""
    machine, sheet = catalogue_network(name), SHEETS[name]
    if sheet.steps:
        return _simulation.perft(machine.simulator(), state, depth * sheet.steps, StopFlag())[
            sheet.steps - 1 :: sheet.steps
        ]
    level, counts = Counter({state: 1}), []
    for _ in range(depth):
        after: Counter[MachineState] = Counter()
        for before, times in level.items():
            for result in turns(name, before).values():
                after[result] += times
        level = Counter({each: times for each, times in after.items() if not machine.terminal(each)})
        counts.append((after.total(), after.total() - level.total()))
    return counts


@pytest.mark.parametrize("name", SHEETS)
def test_networks_are_small(name: str) -> None:
    size = catalogue_network(name).size
    assert size is not None and size.gates < MAX_GATES


@pytest.mark.parametrize("which", ["positions", "late_positions"])
@pytest.mark.parametrize("name", few(SHEETS, 6))
def test_positions_on_record_are_reached_by_the_same_moves_and_have_the_same_counts(name: str, which: str) -> None:
    """The figures choose moves by their index in the list of legal moves, so every list is compared."""
    machine = catalogue_network(name)
    for position in figures(name)[which][: POSITIONS.get(name)]:
        state = machine.initial()
        for ply, expected in enumerate(position["moves"]):
            legal = turns(name, state)
            assert sorted(legal)[(7 * ply + 3 * position["p"]) % len(legal)] == expected
            state = legal[expected]
        assert machine.terminal(state) == (position["result"] != "ongoing")
        if machine.terminal(state):
            scores = {"first_wins": [100, 0], "second_wins": [0, 100], "draw": [50, 50]}[position["result"]]
            assert [machine.goal(state, role) for role in machine.roles] == scores
        known = [(level["leaves"], level["terminals"]) for level in position["perft"]]
        depth = sum(leaves <= ENOUGH for leaves, _ in known)
        assert perft(name, state, depth) == known[:depth]


@pytest.mark.parametrize("name", [name for name, sheet in SHEETS.items() if sheet.steps == 1])
def test_random_matches_are_as_long_and_end_as_on_record(name: str) -> None:
    """If a turn has several moves, uniform moves do not give uniform turns. The matches are fixed."""
    machine, known = catalogue_network(name), figures(name)["playouts"]
    rng, lengths, score = random.Random(name), 0, 0
    for _ in range(MATCHES):
        state = machine.initial()
        while not machine.terminal(state):
            legal = sorted(machine.legal(state, chooser(machine, state)))
            state = play(machine, state, legal[int(rng.random() * len(legal))])
            lengths += 1
        score += machine.goals(state, machine.roles[0])[0]
    assert abs(lengths / MATCHES - known["mean_length"]) < ERRORS * known["sd_length"] / math.sqrt(MATCHES)
    share = known["first_win"] + known["draw"] / 2
    assert abs(score / 100 / MATCHES - share) < ERRORS * math.sqrt(share * (1 - share) / MATCHES)

"""`ggp-agent perft`: count move sequences."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from ..common.terminal_text import json_text
from ..game.load import load_game
from ..game.move_list import read_position
from ..game.sheet_errors import note_sheet_errors
from ..verify.perft import PerftLevel, perft
from ._arguments import add_game_argument, add_option, add_shared

DESCRIPTION = """\
Count the sequences of 1 to N joint moves from the initial state of GAME, and how many of them end the game.

Equal counts of two implementations of the same rules are strong evidence that both are correct. A joint move is one
move of every role; a sequence that ends the game is counted at its own length and not extended.

In the rules of Amazons and checkers a turn may be several moves of the same role. fast:NAME counts whole turns.
"""

EPILOG = """\
examples:
  ggp-agent perft breakthrough --depth 4
  ggp-agent perft fast:breakthrough --depth 6
  ggp-agent perft my_game.kif --depth 3 --machine reference
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser)
    add_option(parser, "--depth", "count", "maximal length of the sequences", required=True)
    add_shared(parser, "--position", "--machine", "--no-cache", "--json")


def run(args: argparse.Namespace) -> int:
    """Count and print; without --json level by level, so that the first counts appear at once."""
    game = load_game(args.game)
    machine = game.machine(args.machine)
    note_sheet_errors(game)
    start = None if args.position is None else read_position(machine, Path(args.position))

    def count(depth: int) -> list[PerftLevel]:
        return perft(machine, depth, start=start)

    if args.json:
        depths = list(map(asdict, count(args.depth)))
        print(json_text({"game": game.word, "machine": machine.kind, "depths": depths}))
        return 0
    print(f"{'depth':>5} {'leaves':>16} {'terminals':>16}")
    for depth in range(1, args.depth + 1):
        level = count(depth)[-1]
        print(f"{level.depth:>5} {level.leaves:>16,} {level.terminals:>16,}", flush=True)
    return 0

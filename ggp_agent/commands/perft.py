"""`ggp-agent perft`: count move sequences."""

from __future__ import annotations

import argparse

from ._arguments import add_cache_option, add_machine_option, positive_int

SUMMARY = "count move sequences of each length"

DESCRIPTION = """\
Count the sequences of 1 to N joint moves from the initial state of GAME, and how many of them end the game.

Equal counts from two implementations of the same rules are strong evidence that both are right. A joint move is one
move of every role; a sequence that ends the game is counted at its own length and not continued.
"""

EPILOG = """\
examples:
  ggp-agent perft breakthrough --depth 4
  ggp-agent perft my_game.kif --depth 3 --machine reference
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("game", metavar="GAME", help="a .kif file or a name of the catalogue")
    parser.add_argument("--depth", type=positive_int, required=True, metavar="N", help="longest sequences counted")
    add_machine_option(parser)
    add_cache_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Count, level by level where a person watches, so that the shallow counts come at once."""
    import json

    from ..games import load_game
    from ..machines import load_machine
    from ..perft import perft

    game = load_game(args.game)
    machine = load_machine(game.sheet, args.machine)
    if args.json:
        levels = perft(machine, args.depth)
        depths = [{"depth": x.depth, "leaves": x.leaves, "terminals": x.terminals} for x in levels]
        print(json.dumps({"game": game.name, "machine": machine.kind, "depths": depths}))
        return 0
    print(f"{'depth':>5} {'leaves':>16} {'terminals':>16}")
    for depth in range(1, args.depth + 1):
        level = perft(machine, depth)[-1]
        print(f"{level.depth:>5} {level.leaves:>16,} {level.terminals:>16,}", flush=True)
    return 0

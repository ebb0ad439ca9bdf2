"""`ggp-agent inspect`: what becomes of a rule sheet on its way to a machine."""

from __future__ import annotations

import argparse
from typing import Any

SUMMARY = "show stages and sizes of a game"

DESCRIPTION = """\
Show the stages through which the rules of GAME pass, and their sizes: rules, ground program, gates, and the seconds
that each stage takes; for the gates, how many each pass leaves and saves.

With --show a stage is printed in full: the rules as they were understood, the program that clingo grounds, the
fluents and the moves of the network.
"""

EPILOG = """\
examples:
  ggp-agent inspect connect_four
  ggp-agent inspect my_game.kif --show moves
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("game", metavar="GAME", help="a .kif file or a name of the catalogue")
    parser.add_argument("--show", choices=("rules", "asp", "fluents", "moves"), help="print one stage in full")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Load the game, stage by stage, and report."""
    import dataclasses
    import json
    import time

    from gdl import NetworkMachine
    from gdl.ground import to_asp

    from ..games import load_game

    started = time.process_time()
    game = load_game(args.game)
    parsed = time.process_time()
    if args.show == "rules":
        print(game.sheet, end="")
        return 0
    if args.show == "asp":
        program = to_asp(game.sheet)
        print("\n".join(f"% k{number} = {name}" for number, name in enumerate(program.constants)))
        print(program.text, end="")
        return 0
    machine = NetworkMachine(game.sheet)
    load_cpu_s = time.process_time() - started
    if args.show == "fluents":
        print("\n".join([*machine.fluent_names, *(f"{name}  ; always" for name in machine.constant_fluents)]))
        return 0
    if args.show == "moves":
        for number, role in enumerate(machine.roles):
            print("\n".join(f"{role} {move}" for move in machine.move_names(number)))
        return 0

    size = dataclasses.asdict(machine.size)
    passes = size["passes"]
    moves = {role: len(machine.move_names(number)) for number, role in enumerate(machine.roles)}
    document = {
        "game": game.name,
        "roles": list(machine.roles),
        "machine": machine.kind,
        **size,
        "moves_of_role": moves,
        "parse_cpu_s": parsed - started,
        "load_cpu_s": load_cpu_s,
    }
    if args.json:
        print(json.dumps(document))
        return 0
    print(f"{game.name}: {', '.join(machine.roles)}")
    gates = f"{size['raw_gates']:,}, simplified to {size['gates']:,}, depth {size['depth']}"
    rows: list[tuple[str, str, float | None]] = [
        ("parse", f"{size['rules']:,} rules", parsed - started),
        ("ground", f"{size['ground_rules']:,} ground rules, {size['ground_atoms']:,} atoms", size["ground_cpu_s"]),
        ("gates", gates, size["network_cpu_s"]),
        *(
            (f"  {done['name']}", f"  {done['gates']:,} gates" + _saved(before, done), done["cpu_s"])
            for before, done in zip([None, *passes], passes, strict=False)
        ),
        ("machine", f"{size['fluents']:,} fluents, {size['moves']:,} moves", None),
    ]
    for stage, what, seconds in rows:
        print(f"  {stage:<11} {what:<53} {'' if seconds is None else f'{seconds:8.3f} CPU-s'}")
    for role, count in moves.items():
        print(f"  {'':<11} {role}: {count:,} moves")
    if size["loop_variables"]:
        print(f"  {'':<11} {size['loop_variables']:,} loop variables (positive recursion)")
    print(f"  {'all':<11} {'':<53} {load_cpu_s:8.3f} CPU-s")
    return 0


def _saved(before: dict[str, Any] | None, done: dict[str, Any]) -> str:
    """Tell how many gates a pass has saved; it may add some that save operands or give outputs their sign."""
    if before is None or before["gates"] == done["gates"]:
        return ""
    saved = before["gates"] - done["gates"]
    return f", {saved:,} saved" if saved > 0 else f", {-saved:,} added"

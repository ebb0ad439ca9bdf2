"""`ggp-agent inspect`: what becomes of a rule sheet on its way to a machine."""

from __future__ import annotations

import argparse

SUMMARY = "show stages and sizes of a game"

DESCRIPTION = """\
Show the stages through which the rules of GAME pass, and their sizes: rules, ground program, gates, and the seconds
that each stage takes.

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
    rows = [
        ("parse", f"{size['rules']:,} rules", parsed - started),
        ("ground", f"{size['ground_rules']:,} ground rules, {size['ground_atoms']:,} atoms", size["ground_cpu_s"]),
        ("gates", gates, size["network_cpu_s"]),
        ("machine", f"{size['fluents']:,} fluents, {size['moves']:,} moves", None),
    ]
    for stage, what, seconds in rows:
        print(f"  {stage:<8} {what:<56} {'' if seconds is None else f'{seconds:8.3f} CPU-s'}")
    for role, count in moves.items():
        print(f"  {'':<8} {role}: {count:,} moves")
    if size["loop_variables"]:
        print(f"  {'':<8} {size['loop_variables']:,} loop variables (positive recursion)")
    print(f"  {'all':<8} {'':<56} {load_cpu_s:8.3f} CPU-s")
    return 0

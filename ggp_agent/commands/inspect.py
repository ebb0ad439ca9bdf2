"""`ggp-agent inspect`: show how a rule sheet is compiled."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from gdl import NetworkMachine, choose_machine
from gdl.compile.ground import to_asp
from gdl.machines.network import NetworkSize, listing

from ..bench.measure import cpu_seconds
from ..common.errors import UserError
from ..common.report import print_result
from ..common.terminal_text import amount, json_text
from ..evaluation.description import document_of, lines_of
from ..evaluation.found_evaluation import EvaluationStore
from ..evaluation.learned_network import Course, LearnedStore
from ..game.game import require_rules
from ..game.load import load_game
from ..game.native.native_machine import machine_to_play
from ..prepare.choice import ChoiceStore
from ._arguments import add_game_argument, add_option, add_shared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gdl import CompiledMachine

DESCRIPTION = """\
Show the stages in which the rules of GAME are compiled, and their sizes: rules, ground program, gates, and the seconds
of each stage. Several strategies of compilation are tried in turn, each in a process with limits. The result is stored
in a cache; a cached game shows the seconds of its first compilation. One line shows the search configuration that
'ggp-agent prepare' or a startclock chose for the game, and the reason.

With --show one stage is printed in full: the parsed rules, the program that clingo grounds, the gates of the network
and their outputs, or its fluents, moves or percepts. An evaluation is what the agent learned about the value of states:
points of the goal for each fluent. If there is none yet, it is computed in some seconds and stored for
'evaluation.name=found' in configurations. A learned network is shown with its size and its learning curve.
"""

EPILOG = """\
examples:
  ggp-agent inspect connect_four
  ggp-agent inspect my_game.kif --show moves
  ggp-agent inspect breakthrough --show evaluation
  ggp-agent inspect breakthrough --show learned
"""


# The largest number of rows of a learning curve.
_MAX_ROWS = 10
STAGES = ("rules", "asp", "gates", "fluents", "moves", "percepts", "evaluation", "learned")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser, native=False)
    add_option(parser, "--show", STAGES, f"print one stage in full: {', '.join(STAGES)}", metavar="STAGE")
    add_shared(parser, "--no-cache", "--json")


def run(args: argparse.Namespace) -> int:
    """Compile the game and print the stages."""
    started = cpu_seconds()
    game = load_game(args.game)
    if game.module is not None:
        require_rules(game)
        raise UserError(f"{args.game} is a native game and is not compiled; inspect its rules, {game.sheet.source}")
    parsed = cpu_seconds()
    if args.show == "rules":
        print(game.sheet, end="")
        return 0
    if args.show == "asp":
        program = to_asp(game.sheet)
        print("\n".join(f"% k{number} = {name}" for number, name in enumerate(program.constants)))
        print(program.text, end="")
        return 0
    choice = choose_machine(game.sheet)
    machine = choice.machine
    load_cpu_s = cpu_seconds() - started
    if args.show is not None:
        if not isinstance(machine, NetworkMachine):
            raise UserError(f"{game.name}: there is no network to show: {choice.attempts[-1].reason}")
        if args.show == "evaluation":
            _print_evaluation(game.name, machine, as_json=args.json)
        elif args.show == "learned":
            _print_learned(game.name, machine, as_json=args.json)
        else:
            print("\n".join(_stage(machine, args.show)))
        return 0
    recognised = machine_to_play(game.sheet)
    played = recognised or machine
    choice_of_search = ChoiceStore().read(played)
    document = {
        "game": game.name,
        "roles": list(machine.roles),
        "machine": machine.kind,
        "strategy": choice.strategy,
        "cached": choice.cached,
        "hides_information": machine.hides_information,
        **_sizes(machine, len(game.sheet.rules)),
        "strategies": [attempt.to_json() for attempt in choice.attempts],
        "played_by": None if recognised is None else recognised.game.name,
        "search": None if choice_of_search is None else choice_of_search.to_json(),
        "parse_cpu_s": parsed - started,
        "load_cpu_s": load_cpu_s,
    }
    if args.json:
        print(json_text(document))
    else:
        word = args.game if recognised is None else f"fast:{document['played_by']}"
        _print_table(
            document, str(choice_of_search or f"no configuration was chosen yet; run: ggp-agent prepare {word}")
        )
    return 0


def _print_evaluation(game: str, machine: NetworkMachine, *, as_json: bool) -> None:
    """Print the stored evaluation of a game; compute it first if there is none."""
    store = EvaluationStore()
    found = store.read(machine)
    if found is None:
        from ..prepare.evaluation_finder import find_evaluation  # imports SciPy, which takes 0.3 s

        found = find_evaluation(machine)
        store.write(machine, found)
    print_result({"game": game, **document_of(machine, found)}, lines_of(machine, found), as_json=as_json)


def _print_learned(game: str, machine: NetworkMachine, *, as_json: bool) -> None:
    """Print the network that was learned for a game."""
    network = LearnedStore().read(machine)
    if network is None:
        raise UserError(f"no network was learned for {game}: run ggp-agent learn {game}")
    shape, encoding = network.shape, network.encoding
    counts = {
        "features": shape.features,
        "policies": shape.policies,
        "values": shape.values,
        "hidden": [shape.hidden1, shape.hidden2],
        "weights": sum(array.size for array in network.weights.values()),
        "views": len(encoding.views),
        "symmetries": len(encoding.symmetries),
    }
    document = {"game": game, **dataclasses.asdict(network.training), **counts, "course": network.course}
    lines = [f"{game}: {network.training}"]
    for name, value in counts.items():
        lines.append(f"{name:<11} {' x '.join(map(str, value)) if isinstance(value, list) else f'{value:,}'}")
    if network.course:
        lines.append(f"{'CPU-minutes':>11} {'error':>7} {'Elo':>6}")
    for point in _spread(network.course):
        lines.append(f"{point.cpu_seconds / 60:11.2f} {point.error:7.3f} {point.elo:+6.0f}")
    print_result(document, lines, as_json=as_json)


def _spread(course: Course) -> Course:
    """Return at most `_MAX_ROWS` points of a learning curve, at about equal distances, with the first and the last."""
    if len(course) <= _MAX_ROWS:
        return course
    return tuple(course[round(row * (len(course) - 1) / (_MAX_ROWS - 1))] for row in range(_MAX_ROWS))


def _stage(machine: NetworkMachine, stage: str) -> Iterable[str]:
    """Return one stage of a network as lines."""
    match stage:
        case "gates":
            return listing(machine)
        case "fluents":
            return [*machine.fluent_names, *(f"{name}  ; always" for name in machine.constant_fluents)]
        case "percepts":
            percepts = [(role, machine.percept_names(number)) for number, role in enumerate(machine.roles)]
            return [f"{role} {percept}" for role, names in percepts for percept in names]
    return [f"{role} {move}" for number, role in enumerate(machine.roles) for move in machine.move_names(number)]


def _sizes(machine: CompiledMachine, rules: int) -> dict[str, Any]:
    """Return the sizes of all stages; the sizes of a network are None if there is no network."""
    if not isinstance(machine, NetworkMachine):
        names = [field.name for field in dataclasses.fields(NetworkSize)]
        return {
            **dict.fromkeys(names),
            "rules": rules,
            "machine_code": None,
            "moves_of_role": None,
            "percepts_of_role": None,
        }
    moves = {role: len(machine.move_names(number)) for number, role in enumerate(machine.roles)}
    code = machine.machine_code()
    return {
        **dataclasses.asdict(machine.size),
        "machine_code": code and dataclasses.asdict(code),
        "moves_of_role": moves,
        "percepts_of_role": {role: len(machine.percept_names(number)) for number, role in enumerate(machine.roles)},
    }


def _code(code: dict[str, Any] | None) -> str:
    """Describe how the gates are evaluated."""
    if code is None:
        return "gates are interpreted: machine code is not available for this kernel, or not allowed on this machine"
    return (
        f"machine code for {code['lanes']} lanes on {code['isa']}: {code['bytes']:,} bytes, "
        f"{code['values']:,} values in memory"
    )


def _print_table(document: dict[str, Any], choice_of_search: str) -> None:
    """Print stages, sizes and seconds, and the chosen search configuration, as text."""

    def row(stage: str, what: str, seconds: float | None = None) -> None:
        print(f"  {stage:<8} {what:<56} {'' if seconds is None else f'{seconds:8.3f} CPU-s'}".rstrip())

    print(f"{document['game']}: {', '.join(document['roles'])}")
    row("parse", f"{document['rules']:,} rules", document["parse_cpu_s"])
    if document["machine"] == "network":
        gates = f"{document['raw_gates']:,}, simplified to {document['gates']:,}, depth {document['depth']}"
        ground = f"{document['ground_rules']:,} ground rules, {document['ground_atoms']:,} atoms"
        row("ground", ground, document["ground_cpu_s"])
        row("gates", gates, document["network_cpu_s"])
    where = ", from the cache" if document["cached"] else ""
    if document["machine"] == "network":
        row(
            "machine",
            f"network ({document['strategy']}{where}): {amount(document['fluents'], 'fluent')}, "
            f"{amount(document['moves'], 'move')}",
        )
        for role, count in document["moves_of_role"].items():
            percepts = document["percepts_of_role"][role]
            row("", f"{role}: {amount(count, 'move')}" + (f", {amount(percepts, 'percept')}" if percepts else ""))
        row("", _code(document["machine_code"]))
        if document["phases"]:
            gates = ", ".join(f"{count:,}" for count in document["phases"])
            row("", f"{len(document['phases'])} phases of turns with {gates} gates")
        if document["loop_variables"]:
            row("", f"{document['loop_variables']:,} loop variables (positive recursion)")
    else:
        row("machine", f"{document['machine']}{where and ': the failed compilation is known' + where}")
    before = document["raw_gates"]
    if document["hides_information"]:
        row("", "a role may not know the state, because percepts do not show all moves (GDL-II)")
    for report in document["passes"] or ():
        row("pass", f"{report['name']}: {report['gates']:,} gates ({report['gates'] - before:+,})", report["cpu_s"])
        before = report["gates"]
    for attempt in document["strategies"]:
        what = attempt["reason"] or f"{attempt['ground_rules']:,} ground rules, {attempt['gates']:,} gates"
        row("strategy", f"{attempt['strategy']}: {what}", attempt["cpu_s"])
    if document["played_by"] is not None:
        row("player", f"plays these rules by fast:{document['played_by']}, unless --no-native is given")
    row("search", choice_of_search)
    row("all", "", document["load_cpu_s"])

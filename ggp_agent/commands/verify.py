"""`ggp-agent verify`: compare a state machine with recorded play-outs."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import sys
from pathlib import Path

from gdl import GdlError, load_machine

from ..common.errors import UserError
from ..common.interrupts import interrupts_repeated
from ..common.pipe_worker import WorkerDiedError, run_in_workers
from ..common.progress import BarDisplay
from ..common.report import print_result
from ..common.terminal_text import amount, printable
from ..verify.replay import Difference, ReplayResult, game_of_trace, replay
from ._arguments import add_option, add_shared

DESCRIPTION = """\
Replay recorded play-outs and compare every step with the record: legal moves, next state, termination, goals, and
what each role perceives (GDL-II). A trace has the name of its rule sheet: <game>.json.gz, or <game>.trace.xml as game
controllers write it, and <game>.kif. The exit status is 1 if anything differs; the first difference is printed in full.
"""

EPILOG = """\
examples:
  ggp-agent verify traces/*.json.gz --rules rules
  ggp-agent verify traces/chess.json.gz --rules rules --machine reference
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "traces", metavar="TRACE", nargs="+", help="a recorded trace, <game>.json.gz or <game>.trace.xml"
    )
    add_option(parser, "--rules", "DIR", "the folder with the rule sheets", required=True)
    add_shared(parser, "--machine", "--no-cache")
    add_option(parser, "--playouts", "count", "compare the first N play-outs only")
    add_option(parser, "--steps", "count", "compare the first N steps of each only")
    add_option(parser, "--jobs", "count", "games replayed at once", 1)
    add_shared(parser, "--json")


def _replay(trace: Path, rules: Path, kind: str, playouts: int | None, steps: int | None) -> ReplayResult:
    """Replay one trace in a worker; return an error while loading as a difference."""
    try:
        return replay(trace, rules, lambda sheet: load_machine(sheet, kind), playouts=playouts, steps=steps)
    except GdlError as error:
        difference = Difference("loading", "rules", "a game that can be played", str(error), [], [])
        return ReplayResult(game_of_trace(trace), "none", differences=[difference])


def _line(result: ReplayResult) -> str:
    verdict = amount(len(result.differences), "difference") if result.differences else "same"
    if result.ambiguity:
        verdict = f"another reading: {result.ambiguity}"
    steps = f"{result.steps:>6} steps {result.seconds:>7.2f} s"
    return f"{result.game:<40} {result.machine:<10} {steps}  {verdict}"


def _show(game: str, difference: Difference) -> None:
    """Print a difference in full."""
    lines = [
        f"first difference: {game}, {difference.where}, {difference.what}",
        f"  expected: {difference.expected}",
        f"  got:      {difference.got}",
        f"  moves so far: {'; '.join(difference.moves) or 'none'}",
        f"  state: {' '.join(difference.state)}",
    ]
    print("\n".join(map(printable, lines)), file=sys.stderr)


@interrupts_repeated()
def run(args: argparse.Namespace) -> int:
    """Replay all traces; a game that cannot be loaded counts as a difference."""
    rules = Path(args.rules)
    if not rules.is_dir():
        raise UserError(f"--rules {rules}: the folder does not exist")
    traces = [Path(trace) for trace in args.traces]
    for trace in traces:
        if not trace.is_file():
            raise UserError(f"{trace}: the file does not exist")
    results = []
    first: tuple[str, Difference] | None = None
    with BarDisplay("replay", len(traces), quiet=args.json, stdout=True) as display:
        replay_one = functools.partial(
            _replay, rules=rules, kind=args.machine, playouts=args.playouts, steps=args.steps
        )
        try:
            for result in run_in_workers(replay_one, traces, args.jobs):
                results.append(result)
                if first is None and result.differences:
                    first = result.game, result.differences[0]
                display.line(_line(result))
                display.advance()
        except WorkerDiedError as error:
            raise UserError(f"a replay failed: {error}") from None
    steps = sum(result.steps for result in results)
    differences = sum(len(result.differences) for result in results)
    per_game = [{**dataclasses.asdict(result), "differences": len(result.differences)} for result in results]
    document = {"games": len(results), "steps": steps, "differences": differences, "per_game": per_game}
    text = f"{amount(len(results), 'game')}, {amount(steps, 'step')}, {amount(differences, 'difference')}"
    print_result(document, [text], as_json=args.json)
    if first is not None:
        _show(*first)
    return 1 if differences else 0

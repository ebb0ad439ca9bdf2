"""`ggp-agent measure`: properties of games from their rules, random games and searched games."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from gdl.files import write_whole

from ..common.errors import report
from ..common.interrupts import interrupts_repeated
from ..common.processes import cores
from ..common.progress import BarDisplay
from ..common.terminal_text import json_text
from ..measures.game_measures import GameMeasures, MeasuredGame, MeasureOptions, measure_games
from ..measures.measure_definitions import Definition, definitions
from ..measures.measure_report import text_report, to_csv_rows, to_markdown, to_page
from ._arguments import add_games_argument, add_option, add_output, add_shared, words_of_games

DESCRIPTION = """\
Measure properties of games with 95 % intervals: length, branching factor, sizes of game tree and state space, draws,
advantage of the first player, balance, drama and others, from random games and from games of equal searches; and the
structure of the rules. The page docs/guide/measure_games.md defines all measures.

Each game is measured in its own process, within --seconds after it is loaded. A measure that is not defined for a game
is listed with the reason. If a game cannot be loaded, one line is printed on stderr, the other games are still
measured, and the exit status is 2. Ctrl-C keeps the games that are complete. Equal seeds give equal results, if the
time suffices for all games.
"""

EPILOG = """\
examples:
  ggp-agent measure breakthrough
  ggp-agent measure connect_four --simulations 100 1000 --doublings 100 \\
      --seconds 120
  ggp-agent measure rules/*.kif --csv measures.csv --html measures.html
  ggp-agent measure --catalogue --markdown measures.md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    standard = MeasureOptions()
    add_games_argument(parser)
    add_option(parser, "--games", "count", "random games", standard.games)
    add_option(parser, "--searched", "natural", "searched games for each number of simulations", standard.searched)
    add_option(
        parser,
        "--simulations",
        "count",
        "simulations per move of the searched games, several numbers for several strengths (default: 100)",
        list(standard.simulations),
        nargs="+",
    )
    add_option(
        parser,
        "--doublings",
        "even",
        "also measure the depth: play GAMES games between N and 2 N simulations, for each N (default: none)",
        standard.doublings,
        metavar="GAMES",
    )
    add_option(parser, "--seconds", "seconds", "time limit of a game after it is loaded", standard.seconds)
    add_option(parser, "--max-turns", "turns", "turn limit of random games", standard.max_turns)
    add_shared(parser, "--jobs")
    add_option(parser, "--seed", "natural", "seed of all games", standard.seed, metavar="K")
    add_shared(parser, "--no-cache")
    add_output(parser, "--csv", help="also write a row per game as CSV")
    add_output(parser, "--html", help="also write a page with charts")
    add_output(parser, "--markdown", help="also write a table of selected measures as Markdown")
    add_shared(parser, "--json")


@interrupts_repeated()
def run(args: argparse.Namespace) -> int:
    """Measure the games, then write the files."""
    words = words_of_games(args)
    options = MeasureOptions(
        args.games,
        args.searched,
        tuple(args.simulations),
        args.doublings,
        args.max_turns,
        args.seconds,
        args.seed,
    )
    columns = definitions(options.strengths, doublings=options.doublings > 0)
    results: list[MeasuredGame] = []
    try:
        status = _measure(args, words, options, results)
    except KeyboardInterrupt:
        print(f"interrupted after {len(results)} of {len(words)} games", file=sys.stderr)
        _write(args, words, _complete(results), columns)
        raise
    _write(args, words, _complete(results), columns)
    return status


def _measure(args: argparse.Namespace, words: list[str], options: MeasureOptions, results: list[MeasuredGame]) -> int:
    """Measure all games and append the results; return the exit status."""
    status = 0
    columns = definitions(options.strengths, doublings=options.doublings > 0)

    def began(word: str, work: str) -> None:
        display.show(f"{word}: {work}")

    with (
        BarDisplay("measure", len(words)) as display,
        contextlib.closing(measure_games(words, options, args.jobs or cores(), began)) as measuring,
    ):
        for result in measuring:
            display.advance()
            results.append(result)
            if not isinstance(result.found, GameMeasures):
                status = report(result.found)
            elif not args.json:
                print(text_report(result.found, columns), end="\n\n", flush=True)
    return status


def _complete(results: list[MeasuredGame]) -> list[GameMeasures]:
    """Return the measured games in the order of the command line."""
    ordered = sorted(results, key=lambda result: result.number)
    return [result.found for result in ordered if isinstance(result.found, GameMeasures)]


def _write(
    args: argparse.Namespace, words: list[str], found: list[GameMeasures], columns: dict[str, Definition]
) -> None:
    """Print the JSON document and write the files; without games nothing is written."""
    if not found:
        return
    if args.json:
        documents = [one.document() for one in found]
        print(json_text(documents if len(words) > 1 else documents[0]))
    for name, write in (("csv", to_csv_rows), ("html", to_page), ("markdown", to_markdown)):
        if getattr(args, name) is not None:
            write_whole(Path(getattr(args, name)), write(found, columns).encode())

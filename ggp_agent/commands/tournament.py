"""`ggp-agent tournament`: play many matches between many players."""

from __future__ import annotations

import argparse
import dataclasses
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gdl.files import write_whole

from ..common.database import put_aside
from ..common.errors import EXIT_INTERRUPTED, UserError
from ..common.report import print_result
from ..common.terminal_text import amount, printable
from ..game.sheet_errors import note_sheet_errors
from ..manager.tournament.director import Director
from ..manager.tournament.plan import open_store, read_plan
from ..manager.tournament.reports import as_csv, as_document, as_html, as_text
from ..manager.tournament.standings import standings
from ..manager.tournament.tournament_display import TournamentDisplay
from ..manager.tournament.tournament_store import Store, default_state, own_state, record_folder
from ._arguments import add_option, add_output, add_shared, advised

if TYPE_CHECKING:
    from ..manager.tournament.standings import Standings

DESCRIPTION = """\
Play the matches of a tournament that a TOML file describes, several at the same time, and rank the players.

The state is stored in FILE.db next to the file, the match records in FILE.matches. After Ctrl-C, kill -9 or a power cut
the same command resumes: finished matches count, interrupted matches are played again.

  name = "spring cup"             # default: the name of the file
  games = ["connect_four", "tic_tac_toe", "my_game.kif"]
  startclock = 10                 # seconds, as below
  playclock = 2
  previewclock = 5                # send the rules 5 s before START
  scramble = true                 # meaningless names, different for each player
  schedule = "round-robin"        # or "gauntlet" (challenger = NAME), "swiss",
                                  # "elimination"
  rounds = 4                      # each: all meet in every game and role
  matches = 1000                  # stop after 1000 (default: all)
  tables = 2                      # matches at the same time (default: by cores)
  seed = 1                        # of the order, chance and openings
  opening_plies = 4               # random turns at the start
  openings = { connect_four = "lines.txt" }  # or lines of moves
  on_error = "lose"               # or "random", "stop": three missing moves
  adjudication = { proven = true, agreement = 4 }  # default: never

  [players]
  plain = "agent"                 # or "random", "legal", as for 'match'
  tuned = { player = "agent", config = "tuned.toml", modules = false }
  bold = { player = "agent", config = { selection = { exploration = 1.2 } } }
  remote = "http://localhost:9148"
  rival = { command = "java -jar rival.jar {port}", thinks = true }
  model = "exec:python3 my_player.py"                # a text player
  shell = { exec = "./model.sh", retries = 2 }       # another one
"""

EPILOG = """\
Paths are relative to the folder of the file. The programs that a file names after command and exec are run: read the
file of another person first. A player that makes no legal move in three consecutive matches is benched: its other
matches are cancelled.

examples:
  ggp-agent tournament spring.toml
  ggp-agent tournament spring.toml --report --html spring.html
  ggp-agent tournament spring.toml --unbench rival
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("file", metavar="FILE", help="the TOML file")
    add_option(parser, "--state", "DB", "file of the state (default: FILE.db next to FILE)")
    add_option(parser, "--tables", "count", "matches at the same time (default: as in the file)")
    add_option(parser, "--report", "flag", "print the results so far, without playing")
    add_option(parser, "--fresh", "flag", "start again; the existing state is renamed")
    add_option(parser, "--unbench", "NAME", "let a benched player play again, and resume", [], action="append")
    add_output(parser, "--csv", help="also write the results as CSV")
    add_output(parser, "--html", help="also write the results as one HTML page")
    add_option(parser, "--json", "flag", "print the results as one JSON document")
    add_option(parser, "--quiet", "flag", "print only errors during play")
    add_shared(parser, "--no-cache")


def run(args: argparse.Namespace) -> int:
    """Play the remaining matches and print the results."""
    file = Path(args.file)
    state = Path(args.state) if args.state is not None else default_state(file)
    if state == file:
        raise UserError(f"{file}: give the TOML file of the tournament, not its state")
    if args.report and (args.fresh or args.unbench):
        raise UserError("--report changes nothing; leave out --fresh and --unbench")
    finished = True
    try:
        if not args.report:
            finished = _play(args, file, state)
        with advised("--state FILE selects another state"):
            opened = Store(state)
        with opened as store:
            results = standings(store)
    except sqlite3.Error as error:
        raise UserError(f"{state}: the state cannot be stored: {error}; finished matches are stored") from None
    _report(args, results)
    if not finished:
        counts = results.counts
        print(
            f"interrupted after {counts['finished']} of {sum(counts.values())} matches; run the same command to resume",
            file=sys.stderr,
        )
    return 0 if finished else EXIT_INTERRUPTED


def _play(args: argparse.Namespace, file: Path, state: Path) -> bool:
    plan = read_plan(file)
    if args.tables is not None:
        plan = dataclasses.replace(plan, keys=dataclasses.replace(plan.keys, tables=args.tables))
    for game in plan.games:
        note_sheet_errors(game)
    with own_state(state):
        if args.fresh:
            aside = put_aside(state, record_folder)
            if aside is not None:
                print(printable(f"the previous state was renamed to {aside}"), file=sys.stderr)
        with advised("--fresh starts again and renames the existing state; --state FILE selects another state"):
            opened = open_store(state, plan)
        with opened as store, TournamentDisplay(quiet=args.quiet) as display:
            for name in args.unbench:
                display.note(f"{name} plays again: {amount(store.unbench(name), 'match')}")
            return Director(plan, store, display).run()


def _report(args: argparse.Namespace, results: Standings) -> None:
    if args.csv is not None:
        write_whole(Path(args.csv), as_csv(results).encode())
    if args.html is not None:
        write_whole(Path(args.html), as_html(results).encode())
    print_result(as_document(results), [as_text(results).rstrip("\n")], as_json=args.json, indent=1)
    sys.stdout.flush()

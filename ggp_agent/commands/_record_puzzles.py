"""`ggp-agent records puzzles`: positions of matches in which exactly one move wins."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gdl import GdlError

from ..common.errors import EXIT_ERROR, UserError, located, report
from ..common.progress import BarDisplay
from ..common.report import print_result
from ..common.terminal_text import amount, printable, table
from ..records.read_record import read_record
from ..records.record_list import files_of_words
from ..records.record_puzzles import Puzzle, puzzles_of
from ..records.record_rules import rules_word
from ..ui.web.set_position import position_address
from ._arguments import DEFAULT_FOLDER, add_option, add_shared

HELP = """

A puzzle is a position in which one role chooses and exactly one of its moves wins, by proof. The column `simulations`,
by which puzzles are sorted, is the number of simulations until the search has proven the win: a measure of difficulty.
With --json each puzzle has its position and, in a game of the catalogue, its address on the page of 'ggp-agent web'.
"""

_HEADS = ("match", "turn", "role", "move", "simulations")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("matches", metavar="MATCH|FOLDER", nargs="+", help="one or more matches")
    add_option(parser, "--folder", "DIR", "folder of the records", DEFAULT_FOLDER, type=Path)
    add_option(parser, "--simulations", "count", "maximal simulations of each search", 2000)
    add_shared(parser, "--rules", "--no-cache", "--json")


def run(args: argparse.Namespace) -> int:
    """Print the puzzles of all matches."""
    found: list[Puzzle] = []
    errors: list[str] = []
    paths = list(files_of_words(args.matches, args.folder))
    with BarDisplay("records", len(paths)) as display:
        for number, path in enumerate(paths, 1):
            try:
                record = read_record(path)
                rules = rules_word(record, path, args.rules)
                found += puzzles_of(record, source=path, rules=rules, simulations=args.simulations)
            except (GdlError, UserError, OSError) as error:
                errors.append(located(error, path))
            display.show(completed=number)
    for text in errors:
        report(UserError(text))
    found.sort(key=lambda each: each.simulations)
    rows = [(each.match, str(each.turn), each.role, each.move, f"{each.simulations:,}") for each in found]
    shown = table(_HEADS, [tuple(map(printable, row)) for row in rows], right=("turn", "simulations")) if rows else ""
    parts = [part for part in (shown, amount(len(found), "puzzle")) if part]
    print_result({"puzzles": [_document(each) for each in found]}, parts, as_json=args.json, indent=1)
    return EXIT_ERROR if errors else 0


def _document(puzzle: Puzzle) -> dict[str, Any]:
    return asdict(puzzle) | {"address": position_address(puzzle.game, puzzle.fluents) if puzzle.game else ""}

"""`ggp-agent check`: check rule sheets for errors."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from gdl.checks import Report, arranged, check_text
from gdl.checks.fixes import SheetFixes
from gdl.language.errors import draw_excerpt
from gdl.language.parse import read_stream

from ..common.errors import EXIT_ERROR, UserError
from ..common.errors import report as report_error
from ..common.terminal_text import amount, json_text, printable
from ..game.load import sheet_text
from ..verify.random_play import try_out
from ._arguments import add_option, add_shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdl.checks import Finding, Verdict


DESCRIPTION = """\
Check rule sheets without playing them and print each problem: place, severity, code, one sentence, and how to fix it.
An error breaks the game for some player; a warning is worth a look. The page docs/reference/finding_codes.md explains
each code.

With --stdin the sheet is read from standard input, for editors. With --json a finding whose correction is certain has
the key fixes: changes of the text that remove it.

With --play the sheets without errors are also played at random, to find problems that only show during play.

The exit status is 1 if a sheet has errors, 2 if a file cannot be read.
"""

EPILOG = """\
examples:
  ggp-agent check my_game.kif
  ggp-agent check kif_games/*.kif --play 20
  ggp-agent check my_game.kif --json
  ggp-agent check --stdin --json < my_game.kif
"""

_NOT_PLAYED = (
    "no games were played: roles without a legal move, missing goals and games without an end are found by --play N"
)
# The name of standard input in messages and documents.
_STDIN = "<stdin>"

# Only the last turns of longer games are printed; --json prints all.
_SHOWN_TURNS = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("files", metavar="FILE", nargs="*", help="a rule sheet (.kif), name of the catalogue, or URL")
    add_option(parser, "--stdin", "flag", "check the sheet on standard input instead of files")
    add_option(parser, "--play", "count", "also play N games at random")
    add_option(parser, "--max-turns", "count", "stop a random game after T turns", 1000, metavar="T")
    add_option(parser, "--seed", "integer", "seed of the random games", 0)
    add_shared(parser, "--no-cache", "--json")


def run(args: argparse.Namespace) -> int:
    """Check the files one by one."""
    if bool(args.files) == args.stdin:
        raise UserError("give either files or --stdin")
    documents: list[dict[str, Any]] = []
    status = 0
    unreadable = unexamined = False
    for file in args.files or [_STDIN]:
        try:
            text = read_stream(sys.stdin.buffer) if args.stdin else sheet_text(file)
        except (OSError, UserError) as error:
            unreadable = True
            report_error(error)
            continue
        report = check_text(text, source=file)
        played = bool(args.play) and report.verdict != "error"
        if played:
            tried = try_out(report.sheet, args.play, max_turns=args.max_turns, seed=args.seed)
            report = Report(report.sheet, arranged([*report.findings, *tried]))
        if report.verdict == "error":
            status = 1
        if args.json:
            findings = SheetFixes(text, report.sheet).documents(report.findings)
            documents.append({"file": file, "verdict": report.verdict, "findings": findings})
        else:
            _print(file, text, report.findings, report.verdict, bool(args.play) and not played)
        unexamined |= not args.play and report.verdict != "error"
    if args.json:
        print(json_text({"files": documents}))
    elif unexamined:
        print(_NOT_PLAYED)
    return EXIT_ERROR if unreadable else status


def _print(file: str, text: str, findings: Sequence[Finding], verdict: Verdict, unplayed: bool) -> None:
    for finding in findings:
        line, column = finding.position
        place = f"{file}:{line}:{column}" if line else file
        print(f"{place}: {finding.severity} {finding.code} {printable(finding.message)}")
        excerpt = draw_excerpt(text.removeprefix("\ufeff"), finding.position)
        details = excerpt.split("\n") if excerpt else []
        if finding.moves:
            details.append(f"moves: {_moves(finding.moves)}")
        print("\n".join("    " + detail for detail in [*details, f"cure: {finding.cure}"]))
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    counted = [amount(number, what) for number, what in ((errors, "error"), (warnings, "warning")) if number]
    note = "; not played because of the errors" if unplayed else ""
    print(f"{file}: {', '.join(counted) if verdict != 'valid' else 'valid'}{note}", flush=True)


def _moves(moves: Sequence[Sequence[str]]) -> str:
    """Print joint moves; of a long game only the last ones."""
    shown = [f"({' '.join(joint)})" for joint in moves[-_SHOWN_TURNS:]]
    left_out = len(moves) - len(shown)
    return " ".join([f"[{amount(left_out, 'turn')}]", *shown] if left_out else shown)

"""`ggp-agent records`: list, show, replay, draw, check, export and verify recorded matches."""

from __future__ import annotations

import argparse

from ..records.record_list import read_time
from ._arguments import (
    DEFAULT_FOLDER,
    SUFFIXES,
    add_cache_option,
    add_config_option,
    add_force,
    add_machine_option,
    natural_number,
    positive_int,
    positive_seconds,
)
from ._record_actions import ACTIONS

DESCRIPTION = """\
Work with match records: of this program, GGP-Base and Tiltyard, and XML records of 2005 to 2008.

Without an ACTION the records of a folder are listed: `records` is `records list matches`. MATCH is the identifier of a
match, the beginning of an identifier that only one match has, or the file of a record.
"""

EPILOG = """\
examples:
  ggp-agent records
  ggp-agent records old/ --player agent --errors --since 2d
  ggp-agent records list --game connect_four --csv > matches.csv
  ggp-agent records show MATCH
  ggp-agent records replay MATCH
  ggp-agent records check matches/
  ggp-agent records export MATCH --out match.csv
  ggp-agent records analyse MATCH --seconds 2
  ggp-agent records html MATCH --out public/
  ggp-agent records svg MATCH --seconds 0.5
  ggp-agent records gif MATCH --width 320
  ggp-agent records key --new host.pem
  ggp-agent records verify matches/

'ggp-agent records ACTION --help' explains an action.
"""

DEFAULT_SUBCOMMAND = "list"

# Limits of the width of a GIF in pixels.
_LEAST_WIDTH, _MOST_WIDTH = 32, 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, summary: str, more: str = "") -> argparse.ArgumentParser:
        return actions.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}.{more}")

    _add_list(add("list", "list records in a table, oldest first", _LIST_HELP))
    show = add("show", "show the details of a match: clocks, times of each player, errors, joint moves")
    _add_matches(show, "MATCH", several=False)
    show.add_argument("--json", action="store_true", help="print one JSON document")
    _add_replay(add("replay", "replay a match in the terminal, move by move", _REPLAY_HELP))
    check = add("check", "check records by the rules", _CHECK_HELP)
    _add_matches(check, "MATCH|FOLDER", several=True)
    _add_rules(check)
    check.add_argument("--json", action="store_true", help="print one JSON document")
    export = add("export", "write matches as JSON, text or CSV", _EXPORT_HELP)
    _add_matches(export, "MATCH", several=True)
    export.add_argument("--out", metavar="FILE|FOLDER", help="output file or folder (default: standard output)")
    add_force(export)
    export.add_argument(
        "--format", choices=tuple(SUFFIXES), help="output format (default: by the suffix of FILE, else json)"
    )
    _add_analyse(add("analyse", "search every position of a match", _ANALYSE_HELP))
    html = add("html", "write a match as one page that needs no server", _HTML_HELP)
    _add_matches(html, "MATCH", several=False)
    html.add_argument("--out", metavar="FILE|FOLDER", help="output file (default: MATCH.html here)")
    add_force(html)
    html.add_argument("--rules", metavar="GAME", help="the rules, if the catalogue does not have them: a .kif file")
    svg = add("svg", "draw a match as an animated SVG, or single positions", _SVG_HELP)
    _add_picture(svg, "FILE|FOLDER/", "MATCH.svg")
    svg.add_argument("--turn", type=natural_number, metavar="N", help="draw only this position; 0 is the initial state")
    gif = add("gif", "draw a match as an animated GIF", _GIF_HELP)
    _add_picture(gif, "FILE|FOLDER", "MATCH.gif")
    gif.add_argument("--width", type=_width, default=480, metavar="N", help="width in pixels (default: 480)")
    verify = add("verify", "verify the signatures of records", _VERIFY_HELP)
    _add_matches(verify, "MATCH|FOLDER", several=True)
    verify.add_argument("--key", metavar="KEY", help="the expected public key: a key file, or the key as text")
    verify.add_argument("--json", action="store_true", help="print one JSON document")
    key = add("key", "create a key for `match --sign`, or print its public part", _KEY_HELP)
    key.add_argument("file", metavar="FILE", help="the private key")
    key.add_argument("--new", action="store_true", help="create the key; existing files are never overwritten")


_LIST_HELP = """

The state `running` means that the record has no end: the match is still running, or its manager was killed. Names in
filters may contain wildcards, such as 'agent*'. A time is a date (2026-11-21), a date and time (2026-11-21T18:30), or a
time span before now (90m, 12h, 3d, 2w).
"""
_REPLAY_HELP = """

On a terminal each turn waits for a key: Enter shows the next turn, b the previous one, a number that turn, q quits. If
the rules are known (by the catalogue or --rules) the record is also checked; the exit status is 1 if it differs.
"""
_CHECK_HELP = """

All moves must be legal, and all states, the end and the goals must agree with the rules. The exit status is 1 if
something differs, 2 if a record cannot be read or its rules are unknown.
"""
_EXPORT_HELP = """

json is the unchanged record, or an XML record as JSON; text is the output of `show`; csv has a line for
each move of each role. Several matches need a folder, or one csv file. Existing files are replaced only with --force.
"""
_ANALYSE_HELP = """

Prints the expected goal of each role after each turn (mean goal, 0 to 100), and the turns that lost most. The values
are stored next to the record in MATCH.values; the web page and exported pages show them.
"""
_HTML_HELP = """

The page contains all positions and loads nothing else. Existing files are replaced only with --force.
"""
_SVG_HELP = """

The animation also runs as an image on a page. --turn N draws one position, --out FOLDER/ one file for each turn.
Existing files are replaced only with --force. A game without a board cannot be drawn.
"""
_GIF_HELP = """

Like `svg`, but larger and less sharp. Requires the packages of pip install matplotlib pillow resvg-py.
"""
_VERIFY_HELP = """

A valid signature shows that the owner of the key wrote this record; --key gives the expected key. The exit status is 1
if a record is not signed or its signature is bad, 2 if it cannot be read or verified.
"""
_KEY_HELP = """

--new writes the private key to FILE, readable only by its owner, and the public key to FILE.pub.
"""


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="FOLDER|FILE", nargs="*", help=f"folders of records, or records (default: {DEFAULT_FOLDER})"
    )
    parser.add_argument("--game", metavar="NAME", help="only matches of this game")
    parser.add_argument("--player", metavar="NAME", help="only matches of this player")
    parser.add_argument("--since", type=_time, metavar="TIME", help="only matches started at this time or later")
    parser.add_argument("--until", type=_end_time, metavar="TIME", help="only matches started at this time or earlier")
    parser.add_argument("--state", choices=("complete", "aborted", "running"), help="only matches in this state")
    parser.add_argument(
        "--errors",
        nargs="?",
        const="any",
        choices=("any", "TO", "CE", "IN", "IL"),
        help="only matches with an error of a player (of this kind)",
    )
    parser.add_argument("--won-by", metavar="NAME", help="only matches that this player or role won alone")
    parser.add_argument(
        "--signature", choices=("valid", "none", "bad", "unknown"), help="only records with this kind of signature"
    )
    parser.add_argument("--last", type=positive_int, metavar="N", help="only the latest N matches")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--csv", action="store_true", help="print comma-separated values")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    _add_matches(parser, "MATCH", several=False)
    parser.add_argument("--turn", type=natural_number, metavar="N", help="first turn to show; 0 is the initial state")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--all", action="store_true", help="print all turns at once (always if there is no terminal)")
    how.add_argument("--delay", type=positive_seconds, metavar="S", help="print all turns with a delay of S seconds")
    _add_rules(parser)
    parser.add_argument("--no-check", action="store_true", help="do not check the record by the rules")


def _add_analyse(parser: argparse.ArgumentParser) -> None:
    _add_matches(parser, "MATCH", several=False)
    parser.add_argument("--seconds", type=positive_seconds, metavar="S", help="seconds for each position (default: 1)")
    parser.add_argument("--simulations", type=positive_int, metavar="N", help="maximal simulations for each position")
    add_config_option(parser)
    parser.add_argument("--rules", metavar="GAME", help="the rules, if the catalogue does not have them: a .kif file")
    add_cache_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _add_picture(parser: argparse.ArgumentParser, out: str, usual: str) -> None:
    _add_matches(parser, "MATCH", several=False)
    parser.add_argument("--out", metavar=out, help=f"output (default: {usual} here)")
    add_force(parser)
    parser.add_argument(
        "--seconds", type=positive_seconds, default=1.0, metavar="S", help="seconds for each turn (default: 1)"
    )
    parser.add_argument("--rules", metavar="GAME", help="the rules, if the catalogue does not have them: a .kif file")


def _add_matches(parser: argparse.ArgumentParser, metavar: str, *, several: bool) -> None:
    if several:
        parser.add_argument("matches", metavar=metavar, nargs="+", help="one or more matches")
    else:
        parser.add_argument("match", metavar=metavar, help="the match")
    parser.add_argument(
        "--folder", default=DEFAULT_FOLDER, metavar="DIR", help=f"folder of the records (default: {DEFAULT_FOLDER})"
    )


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules", metavar="GAME", help="the rules, if the catalogue does not have them: a .kif file or a URL"
    )
    add_machine_option(parser)
    add_cache_option(parser)


def _width(text: str) -> int:
    width = positive_int(text)
    if not _LEAST_WIDTH <= width <= _MOST_WIDTH:
        raise argparse.ArgumentTypeError(f"{text} is not a valid width; give {_LEAST_WIDTH} to {_MOST_WIDTH}")
    return width


def _time(text: str, *, end: bool = False) -> int:
    try:
        return read_time(text, end=end)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time; give 2026-11-21, 2026-11-21T18:30, or a time span before now: 90m, 12h, 3d, 2w"
        ) from None


def _end_time(text: str) -> int:
    return _time(text, end=True)


def run(args: argparse.Namespace) -> int:
    """Run the action."""
    return ACTIONS[args.action](args)

"""`ggp-agent records`: recorded matches, listed, shown, replayed, drawn, checked, exported, verified."""

from __future__ import annotations

import argparse

from ..records.record_list import read_time
from ._arguments import (
    DEFAULT_FOLDER,
    SUFFIXES,
    add_cache_option,
    add_config_option,
    add_machine_option,
    natural_number,
    positive_int,
    positive_seconds,
)
from ._record_actions import ACTIONS

DESCRIPTION = """\
Look into match records: those that `match` and `play` write, and those of GGP-Base and Tiltyard.

ACTION is one of those below; without one, the records of a folder are listed, so `records` alone means `records list
matches`. MATCH is the identifier of a match, a beginning of it that no other has, or the file of a record.
"""

EPILOG = """\
examples:
  ggp-agent records
  ggp-agent records old/ --player agent --errors --since 2d
  ggp-agent records list --game connect_four --csv > matches.csv
  ggp-agent records show connect_four.17637
  ggp-agent records replay connect_four.17637
  ggp-agent records check matches/
  ggp-agent records export connect_four.17637 --out match.csv
  ggp-agent records analyse connect_four.17637 --seconds 2
  ggp-agent records html connect_four.17637 --out public/
  ggp-agent records svg connect_four.17637 --seconds 0.5
  ggp-agent records gif connect_four.17637 --width 320
  ggp-agent records key --new host.pem
  ggp-agent records verify matches/

'ggp-agent records ACTION --help' explains an action.
"""

DEFAULT_SUBCOMMAND = "list"

# Pixels of a GIF.
_LEAST_WIDTH, _MOST_WIDTH = 32, 2000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, summary: str, more: str = "") -> argparse.ArgumentParser:
        return actions.add_parser(
            name,
            help=summary,
            description=f"{summary[:1].upper()}{summary[1:]}.{more}",
        )

    _add_list(add("list", "list records in a table, the oldest first", _LIST_HELP))
    show = add("show", "tell all about a match: clocks, times of each player, errors, joint moves")
    _add_matches(show, "MATCH", several=False)
    show.add_argument("--json", action="store_true", help="print one JSON document")
    _add_replay(add("replay", "replay a match in the terminal, move by move", _REPLAY_HELP))
    check = add("check", "hold records against the rules", _CHECK_HELP)
    _add_matches(check, "MATCH|FOLDER", several=True)
    _add_rules(check)
    check.add_argument("--json", action="store_true", help="print one JSON document")
    export = add("export", "write matches as JSON, text or CSV", _EXPORT_HELP)
    _add_matches(export, "MATCH", several=True)
    export.add_argument("--out", metavar="FILE|FOLDER", help="where to (default: print)")
    export.add_argument("--format", choices=tuple(SUFFIXES), help="what to write (default: as FILE ends, else json)")
    _add_analyse(add("analyse", "search every position of a match", _ANALYSE_HELP))
    html = add("html", "write a match as one page that needs no server", _HTML_HELP)
    _add_matches(html, "MATCH", several=False)
    html.add_argument("--out", metavar="FILE|FOLDER", help="where to (default: MATCH.html here)")
    html.add_argument("--rules", metavar="GAME", help="the rules, where they are not in the catalogue: a .kif file")
    svg = add("svg", "draw a match as a moving picture, or positions of it", _SVG_HELP)
    _add_picture(svg, "FILE|FOLDER/", "MATCH.svg")
    svg.add_argument("--turn", type=natural_number, metavar="N", help="this position alone; 0 is the beginning")
    gif = add("gif", "draw a match as a moving picture for programs that show no SVG", _GIF_HELP)
    _add_picture(gif, "FILE|FOLDER", "MATCH.gif")
    gif.add_argument("--width", type=_width, default=480, metavar="N", help="in pixels (default: 480)")
    verify = add("verify", "verify the signatures of records", _VERIFY_HELP)
    _add_matches(verify, "MATCH|FOLDER", several=True)
    verify.add_argument("--key", metavar="KEY", help="the key that must have signed: a key file, or the key as text")
    verify.add_argument("--json", action="store_true", help="print one JSON document")
    key = add("key", "make a key for `match --sign`, or print the public part of one", _KEY_HELP)
    key.add_argument("file", metavar="FILE", help="the private key")
    key.add_argument("--new", action="store_true", help="make it; no file is ever overwritten")


_LIST_HELP = """

State `running` is what a record says until its match ends; it stays where the host was killed. Names in filters may
hold wildcards, such as 'agent*'. A time is a date (2026-11-21), a date and time (2026-11-21T18:30), or how long ago
(90m, 12h, 3d, 2w).
"""
_REPLAY_HELP = """

On a terminal each turn waits for a key: Enter goes on, b back, a number to that turn, q leaves. Where the rules are
known (a game of the catalogue, or --rules) the record is held against them, too; the exit status is 1 when they differ.
"""
_CHECK_HELP = """

Every move must be legal, every state, the end and the goals be those of the rules. The exit status is 1 when something
differs, 2 when a record cannot be read or its rules are not known.
"""
_EXPORT_HELP = """

json is the record as it is, to the byte; text is what `show` prints; csv has a line for each move of each role. Several
matches need a folder, or one csv file. No file is overwritten.
"""
_ANALYSE_HELP = """

It tells what each role could expect after each turn (mean goal, 0 to 100), and which turns lost most. This is kept
beside the record, in MATCH.values, from where the page and exported pages show it.
"""
_HTML_HELP = """

The page holds all positions, steps by keys and buttons or runs by itself, and loads nothing. No file is overwritten.
"""
_SVG_HELP = """

The picture runs by itself, also as an image on a page. --turn N draws one position, --out FOLDER/ one for each turn. No
file is overwritten. A game that has no board cannot be drawn.
"""
_GIF_HELP = """

As `svg`, but larger and less sharp; it needs an extra: pip install '.[gif]' in the folder of the program.
"""
_VERIFY_HELP = """

A valid signature says that the record is as the owner of the key wrote it; --key says whose it must be. The exit status
is 1 when a record is not signed or its signature is bad, 2 when it cannot be read or verified.
"""
_KEY_HELP = """

--new writes the private key to FILE, for its owner's eyes only, and the public one to FILE.pub.
"""


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="FOLDER|FILE", nargs="*", help=f"folders of records, or records (default: {DEFAULT_FOLDER})"
    )
    parser.add_argument("--game", metavar="NAME", help="of this game")
    parser.add_argument("--player", metavar="NAME", help="in which this player took part")
    parser.add_argument("--since", type=_time, metavar="TIME", help="that began then or later")
    parser.add_argument("--until", type=_end_time, metavar="TIME", help="that began then or earlier")
    parser.add_argument("--state", choices=("complete", "aborted", "running"), help="that are so far")
    parser.add_argument(
        "--errors",
        nargs="?",
        const="any",
        choices=("any", "TO", "CE", "IN", "IL"),
        help="in which a player failed (this way)",
    )
    parser.add_argument("--won-by", metavar="NAME", help="that this player or role won: no other has so high a goal")
    parser.add_argument("--signature", choices=("valid", "none", "bad", "unknown"), help="whose signature is so")
    parser.add_argument("--last", type=positive_int, metavar="N", help="the latest N of them alone")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--csv", action="store_true", help="print comma-separated values")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    _add_matches(parser, "MATCH", several=False)
    parser.add_argument("--turn", type=natural_number, metavar="N", help="begin there; 0 is the initial state")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--all", action="store_true", help="print all turns at once (always so where there is no terminal)"
    )
    how.add_argument("--delay", type=positive_seconds, metavar="S", help="print all turns, S seconds apart")
    _add_rules(parser)
    parser.add_argument("--no-check", action="store_true", help="do not hold the record against the rules")


def _add_analyse(parser: argparse.ArgumentParser) -> None:
    _add_matches(parser, "MATCH", several=False)
    parser.add_argument("--seconds", type=positive_seconds, metavar="S", help="for each position (default: 1)")
    parser.add_argument("--simulations", type=positive_int, metavar="N", help="so many at most for each position")
    add_config_option(parser)
    parser.add_argument("--rules", metavar="GAME", help="the rules, where they are not in the catalogue: a .kif file")
    add_cache_option(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _add_picture(parser: argparse.ArgumentParser, out: str, usual: str) -> None:
    _add_matches(parser, "MATCH", several=False)
    parser.add_argument("--out", metavar=out, help=f"where to (default: {usual} here)")
    parser.add_argument("--seconds", type=positive_seconds, default=1.0, metavar="S", help="for each turn (default: 1)")
    parser.add_argument("--rules", metavar="GAME", help="the rules, where they are not in the catalogue: a .kif file")


def _add_matches(parser: argparse.ArgumentParser, metavar: str, *, several: bool) -> None:
    if several:
        parser.add_argument("matches", metavar=metavar, nargs="+", help="which")
    else:
        parser.add_argument("match", metavar=metavar, help="which")
    parser.add_argument(
        "--folder", default=DEFAULT_FOLDER, metavar="DIR", help=f"where records are (default: {DEFAULT_FOLDER})"
    )


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules", metavar="GAME", help="the rules, where the catalogue has them not: a .kif file or a URL"
    )
    add_machine_option(parser)
    add_cache_option(parser)


def _width(text: str) -> int:
    width = positive_int(text)
    if not _LEAST_WIDTH <= width <= _MOST_WIDTH:
        raise argparse.ArgumentTypeError(f"{text} is no width; give {_LEAST_WIDTH} to {_MOST_WIDTH}")
    return width


def _time(text: str, *, end: bool = False) -> int:
    try:
        return read_time(text, end=end)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time; give 2026-11-21, 2026-11-21T18:30, or how long ago: 90m, 12h, 3d, 2w"
        ) from None


def _end_time(text: str) -> int:
    return _time(text, end=True)


def run(args: argparse.Namespace) -> int:
    """Do what ACTION says."""
    return ACTIONS[args.action](args)

"""`ggp-agent web`: a page to play, watch and write games."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..common.errors import UserError
from ..ui.web.page_server import WebServer
from ._arguments import DEFAULT_FOLDER, add_cache_option, advised

DESCRIPTION = """\
Serve a page on this machine, to be opened in a browser: play any game against the agent and see what it thinks, step
through recorded matches, write rules and see what is wrong with them while you type.

All of it stays on this machine: nothing is loaded from elsewhere, and what you type goes nowhere else. Games are kept
as match records in the folder, from which 'ggp-agent records' reads them, too. Ctrl-C ends the server and the games.
"""

EPILOG = """\
examples:
  ggp-agent web
  ggp-agent web --port 8000 --records my_matches
  ggp-agent web --host 0.0.0.0

The last one is for other machines, too: whoever reaches the page can play here
and read the records of the folder.
"""

DEFAULT_PORT = 9180


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, metavar="N", help=f"where to listen (default: {DEFAULT_PORT})"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen at (default: this machine alone)"
    )
    parser.add_argument(
        "--allow-name",
        action="append",
        default=[],
        metavar="NAME",
        help="host name by which browsers reach this machine, such as games.example, or '*'; repeatable "
        "(default: the own name of this machine, and its addresses)",
    )
    parser.add_argument(
        "--records",
        metavar="FOLDER",
        default=DEFAULT_FOLDER,
        help=f"where matches are read and kept (default: {DEFAULT_FOLDER})",
    )
    parser.add_argument(
        "--tournaments",
        metavar="FOLDER",
        default=".",
        help="where the states of tournaments are, the files NAME.db (default: this folder)",
    )
    parser.add_argument(
        "--configs",
        metavar="FOLDER",
        default=".",
        help="where configurations of the agent are, the files NAME.toml (default: this folder)",
    )
    parser.add_argument("--no-record", action="store_true", help="keep no records of the games played")
    add_cache_option(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""

    folder = Path(args.records)
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--records {folder}: this is no folder")
    for option, named in (("--tournaments", args.tournaments), ("--configs", args.configs)):
        if not Path(named).is_dir():
            raise UserError(f"{option} {named}: this is no folder")
    if not 0 <= args.port <= 65535:
        raise UserError(f"--port {args.port}: give a number from 0 to 65535")
    with advised("--host, --port and --allow-name say where"):
        server = WebServer(
            args.host,
            args.port,
            folder,
            tournaments=Path(args.tournaments),
            configurations=Path(args.configs),
            recording=not args.no_record,
            names=args.allow_name,
        )
    print(f"the page is at {server.address} (Ctrl-C ends it)", flush=True)
    if not server.is_local:
        print("whoever reaches this address can play here and read the records", file=sys.stderr)
    try:
        server.serve()
    except KeyboardInterrupt:
        print("ended", file=sys.stderr)
    return 0

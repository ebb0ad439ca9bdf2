"""`ggp-agent web`: a page to play, watch and write games."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..common.errors import UserError
from ..ui.web.page_server import WebServer
from ._arguments import DEFAULT_FOLDER, add_cache_option, advised, port_number

DESCRIPTION = """\
Serve a page on this machine for a browser: play any game against the agent and see its thoughts, step through recorded
matches, write rules and see their errors while you type.

The page loads nothing from other servers and sends nothing to them. Games are stored as match records in a folder,
which 'ggp-agent records' reads, too. Ctrl-C stops the server and the games.
"""

EPILOG = """\
examples:
  ggp-agent web
  ggp-agent web --port 8000 --records my_matches
  ggp-agent web --host 0.0.0.0

The last command also accepts other machines: everyone who can connect to the
page can play and can read the records of the folder.
"""

DEFAULT_PORT = 9180


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--port",
        type=port_number,
        default=DEFAULT_PORT,
        metavar="N",
        help=f"port to listen on (default: {DEFAULT_PORT})",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default: this machine only)"
    )
    parser.add_argument(
        "--allow-name",
        action="append",
        default=[],
        metavar="NAME",
        help="host name by which browsers reach this machine, such as games.example, or '*'; repeatable "
        "(default: the name of this machine and its addresses)",
    )
    parser.add_argument(
        "--records",
        metavar="FOLDER",
        default=DEFAULT_FOLDER,
        help=f"where matches are read and stored (default: {DEFAULT_FOLDER})",
    )
    parser.add_argument(
        "--tournaments",
        metavar="FOLDER",
        default=".",
        help="folder of tournament states, files NAME.db (default: this folder)",
    )
    parser.add_argument(
        "--configs",
        metavar="FOLDER",
        default=".",
        help="folder of agent configurations, files NAME.toml (default: this folder)",
    )
    parser.add_argument("--no-record", action="store_true", help="do not record games")
    add_cache_option(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    folder = Path(args.records)
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--records {folder}: not a folder")
    for option, named in (("--tournaments", args.tournaments), ("--configs", args.configs)):
        if not Path(named).is_dir():
            raise UserError(f"{option} {named}: not a folder")
    with advised("options: --host, --port and --allow-name"):
        server = WebServer(
            args.host,
            args.port,
            folder,
            tournaments=Path(args.tournaments),
            configurations=Path(args.configs),
            recording=not args.no_record,
            names=args.allow_name,
        )
    print(f"the page is at {server.address} (Ctrl-C stops it)", flush=True)
    if not server.is_local:
        print("everyone who can connect to this address can play and can read the records", file=sys.stderr)
    try:
        server.serve()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    return 0

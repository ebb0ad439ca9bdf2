"""`ggp-agent web`: a page to play, watch and write games."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..common.errors import UserError
from ..records.record_puzzles import read_puzzles
from ..ui.web.page_server import WebServer
from ._arguments import DEFAULT_FOLDER, add_option, add_shared, advised

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
page can play and can read the records of the folder. Two persons on two
machines play with a link for each seat.
"""

DEFAULT_PORT = 9180


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_option(parser, "--port", "port", "port to listen on", DEFAULT_PORT)
    add_option(parser, "--host", "ADDRESS", "address to listen on (default: this machine only)", "127.0.0.1")
    add_option(
        parser,
        "--allow-name",
        "NAME",
        "host name by which browsers reach this machine, such as games.example, or '*'; repeatable "
        "(default: the name of this machine and its addresses)",
        [],
        action="append",
    )
    add_option(
        parser,
        "--allow-frame",
        "ORIGIN",
        "origin of web pages that may show positions in a frame, such as https://notes.example, or '*'; repeatable "
        "(default: none)",
        [],
        action="append",
    )
    add_option(parser, "--records", "FOLDER", "where matches are read and stored", DEFAULT_FOLDER)
    add_option(parser, "--tournaments", "FOLDER", "folder of tournament states (default: this folder)", ".")
    add_option(parser, "--configs", "FOLDER", "folder of configurations, NAME.toml (default: this folder)", ".")
    add_option(parser, "--puzzles", "FILE", "puzzles of the page, written by 'records puzzles --json'", None)
    add_option(parser, "--no-record", "flag", "do not record games")
    add_shared(parser, "--no-cache")


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    folder = Path(args.records)
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--records {folder}: not a folder")
    for option, named in (("--tournaments", args.tournaments), ("--configs", args.configs)):
        if not Path(named).is_dir():
            raise UserError(f"{option} {named}: not a folder")
    puzzles = [] if args.puzzles is None else read_puzzles(Path(args.puzzles))
    with advised("options: --host, --port, --allow-name and --allow-frame"):
        server = WebServer(
            args.host,
            args.port,
            folder,
            tournaments=Path(args.tournaments),
            configurations=Path(args.configs),
            puzzles=puzzles,
            recording=not args.no_record,
            names=args.allow_name,
            frames=args.allow_frame,
        )
    print(f"the page is at {server.address} (Ctrl-C stops it)", flush=True)
    if not server.is_local:
        print("everyone who can connect to this address can play and can read the records", file=sys.stderr)
    try:
        server.serve()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    return 0

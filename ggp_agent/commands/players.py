"""`ggp-agent players`: show which players answer at a list of addresses."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from rich.live import Live
from rich.text import Text

from ..common.progress import plain_console
from ..common.terminal_text import json_text, table
from ..manager.presence import ask, clients_at
from ._arguments import add_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..manager.presence import Answer

DESCRIPTION = """\
Send INFO to all players at once and show their answers: name, status, species, seconds; for the others, the error.

ADDRESS is host, host:port, host:first-last for a range of ports, a URL, or a file with one address on each line
(# starts a comment). The default port is 9147. The exit status is 1 if no player answers.
"""

EPILOG = """\
examples:
  ggp-agent players 127.0.0.1:9147
  ggp-agent players 127.0.0.1:9147-9150 http://10.0.0.7:9147
  ggp-agent players players.txt --watch 5
"""

DEFAULT_TIMEOUT = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("addresses", metavar="ADDRESS", nargs="+", help="address of a player, or a file of addresses")
    add_option(parser, "--timeout", "seconds", "total seconds for all answers", DEFAULT_TIMEOUT)
    add_option(parser, "--watch", "seconds", "repeat every S seconds, until Ctrl-C")
    add_option(parser, "--json", "flag", "print one JSON document; with --watch one line each time")


def run(args: argparse.Namespace) -> int:
    """Send INFO once, or repeatedly."""
    clients = clients_at(args.addresses)
    console = plain_console(stderr=False)

    def answered() -> tuple[str, int]:
        answers = ask(clients, args.timeout)
        status = 0 if any(answer.presence is not None for answer in answers) else 1
        if args.json:
            document = {"time": time.time(), "players": [answer.document() for answer in answers]}
            return json_text(document, indent=None if args.watch else 1), status
        return _table(answers), status

    if args.watch is None:
        text, status = answered()
        print(text)
        return status
    if args.json or not console.is_terminal:
        while True:
            text, _ = answered()
            print(text if args.json else f"{time.strftime('%H:%M:%S')}\n{text}\n", flush=True)
            time.sleep(args.watch)
    with Live(console=console, auto_refresh=False) as live:
        while True:
            text, _ = answered()
            live.update(Text(f"{text}\n{time.strftime('%H:%M:%S')}; Ctrl-C stops", no_wrap=True), refresh=True)
            time.sleep(args.watch)


def _table(answers: Sequence[Answer]) -> str:
    rows = []
    for answer in answers:
        presence = answer.presence
        if presence is None:
            who = ("-", f"no answer ({answer.error})", "-", answer.detail)
        else:
            who = (presence.name or "-", presence.status or "-", presence.species or "-", "")
        rows.append((answer.address, *who[:3], f"{answer.seconds:.3f}", who[3]))
    found = sum(answer.presence is not None for answer in answers)
    text = table(("address", "name", "status", "species", "seconds", ""), rows, right=("seconds",))
    return f"{text}\n{found} of {len(answers)} answered"

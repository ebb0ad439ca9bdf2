"""`ggp-agent serve`: a player, over HTTP."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ._arguments import add_cache_option, add_modules_option

if TYPE_CHECKING:
    from ..player_status import StatusLine

SUMMARY = "serve a player over HTTP"

DESCRIPTION = """\
Serve a player: wait for a game manager, play its matches, one at a time.

Managers of the GGP-Base and Dresden kind reach it by host and port; so does 'ggp-agent match' by its URL.
The log, a line per message, goes to stderr; on a terminal, a live line below it shows the match that is played.
Ctrl-C ends the player.
"""

EPILOG = """\
examples:
  ggp-agent serve
  ggp-agent serve --port 9148 --player random --seed 7
  ggp-agent serve --config mine.toml
  ggp-agent serve --host 0.0.0.0 --allow 10.0.0.0/8 --allow manager.example
                                          reachable from other machines, but these only
  ggp-agent serve --log-dir log --log-json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="HOST",
        help="address, network (10.0.0.0/8) or name that may connect, others may not; repeatable (default: all may)",
    )
    parser.add_argument("--port", type=int, default=9147, help="port to listen on; 0 takes a free one (default: 9147)")
    parser.add_argument(
        "--player", default="agent", choices=("agent", "random", "legal"), help="what plays (default: agent)"
    )
    parser.add_argument("--config", metavar="FILE", help="TOML file that says how 'agent' searches")
    parser.add_argument(
        "--no-ponder", action="store_true", help="do not think while others do, nor to the end of the startclock"
    )
    add_modules_option(parser)
    parser.add_argument("--name", default="ggp-agent", help="name told to managers, one word (default: ggp-agent)")
    parser.add_argument("--seed", type=int, help="seed of random choices; equal seeds play equally (default: random)")
    add_cache_option(parser)
    parser.add_argument("--quiet", action="store_true", help="log what goes wrong only")
    parser.add_argument("--log-dir", metavar="DIR", help="write the log to files there, too: server.log, one per match")
    parser.add_argument("--log-json", action="store_true", help="with --log-dir: events.jsonl too, an object per event")
    parser.add_argument("--exit-with-parent", action="store_true", help="end when standard input is closed")


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    import contextlib
    import signal
    import sys
    from pathlib import Path

    from ..errors import UserError
    from ..player import Player
    from ..player_log import LineHandler, player_log
    from ..policies import make_policy
    from ..protocol import is_word
    from ..search_config import SearchConfig
    from ..server import PlayerServer

    if not is_word(args.name):
        raise UserError(f"--name {args.name!r}: give one word without parentheses or semicolons")
    if args.log_json and args.log_dir is None:
        raise UserError("--log-json: say with --log-dir DIR where to write")
    folder = Path(args.log_dir) if args.log_dir is not None else None
    config = SearchConfig.load(Path(args.config)) if args.config is not None else None
    player = Player(
        args.name,
        lambda: make_policy(args.player, args.seed, config),
        ponders=not args.no_ponder,
        modules=not args.no_modules,
    )
    with contextlib.ExitStack() as stack:
        status = _status_line() if sys.stderr.isatty() and not args.quiet else None
        stack.enter_context(player_log(status or LineHandler(), quiet=args.quiet, folder=folder, events=args.log_json))
        server = stack.enter_context(PlayerServer(args.host, args.port, player.answer, allow=args.allow))
        sys.setswitchinterval(0.001)  # a thread that computes holds INFO up for a fifth of the time it does by default
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        if args.exit_with_parent:
            _exit_with_parent()
        try:
            print(f"{args.player} player '{args.name}' listens at {server.address}", flush=True)
            if status is not None:
                stack.enter_context(status).watch(server.conversation.present, server.thoughts)
            server.serve_forever()
        except KeyboardInterrupt:
            print("ended", file=sys.stderr)
        finally:
            player.close()
    return 0


def _status_line() -> StatusLine:
    from rich.console import Console

    from ..player_status import StatusLine

    return StatusLine(Console(stderr=True, highlight=False, markup=False))


def _exit_with_parent() -> None:
    """End the process, whatever it does, when its parent closes our standard input or dies."""
    import os
    import sys
    import threading

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        os._exit(0)

    threading.Thread(target=wait, name="parent watch", daemon=True).start()

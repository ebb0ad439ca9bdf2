"""`ggp-agent serve`: run a player as an HTTP server."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
from pathlib import Path

from rich.console import Console

from gdl.compile.cache import default_cache

from ..common.errors import UserError
from ..common.processes import use_one_arena, when_closed
from ..mcts.config import SearchConfig
from ..mcts.configurations import read_player_configuration
from ..player.guard.fork_server import ForkServer
from ..player.guard.journal import Journal, default_folder
from ..player.match.messages import LearningSettings, PlayerSettings
from ..player.server.log import LineHandler, StatusLine, player_log
from ..player.server.player import Player
from ..player.server.player_server import PlayerServer
from ..prepare.candidates import is_open
from ..protocol.clocks import DEFAULT_MARGIN
from ..protocol.messages import is_word
from ._arguments import add_config_option, add_option, add_shared, advised

DESCRIPTION = """\
Run a player: wait for game managers and play their matches, by default one at a time.

Managers of GGP-Base and Dresden connect by host and port, 'ggp-agent match' by the URL. The log, one line per message,
is written to stderr; on a terminal, a live line below it shows the current match. Ctrl-C stops the player.
"""

EPILOG = """\
examples:
  ggp-agent serve
  ggp-agent serve --port 9148 --player random --seed 7
  ggp-agent serve --config mine.toml
  ggp-agent serve --host 0.0.0.0 --allow 10.0.0.0/8 --allow manager.example
  ggp-agent serve --log-dir log --log-json
  ggp-agent serve --learn --learn-minutes 60
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_option(parser, "--host", "HOST", "address to listen on (default: this machine only)", "127.0.0.1")
    add_option(parser, "--allow", "HOST", "address, network or name that may connect; repeatable", [], action="append")
    add_option(
        parser,
        "--allow-origin",
        "ORIGIN",
        "origin of web pages that may send messages, such as https://manager.example, or '*'; repeatable "
        "(default: pages of this machine)",
        [],
        action="append",
    )
    add_option(
        parser,
        "--allow-name",
        "NAME",
        "host name by which managers reach this machine, such as player.example, or '*'; repeatable "
        "(default: the names of this machine, names without a dot, and addresses)",
        [],
        action="append",
    )
    add_option(parser, "--port", "port", "port; 0 selects a free port", 9147)
    add_option(parser, "--player", ("agent", "random", "legal"), "player", "agent")
    add_config_option(parser, "how 'agent' searches")
    add_option(parser, "--matches", "count", "matches at the same time", 1)
    add_option(parser, "--margin", "number", "seconds kept for sending the reply in time", DEFAULT_MARGIN, metavar="S")
    add_option(parser, "--no-ponder", "flag", "do not search in the turns of others or until the end of the startclock")
    add_shared(parser, "--no-native")
    add_option(parser, "--name", "NAME", "name sent to managers, one word", "ggp-agent")
    add_option(parser, "--seed", "integer", "seed of random choices (default: random)")
    _add_learning_options(parser)
    add_shared(parser, "--no-cache")
    add_option(parser, "--quiet", "flag", "log only errors")
    add_option(parser, "--log-dir", "DIR", "write the log to files, too: server.log, one per match")
    add_option(parser, "--log-json", "flag", "with --log-dir: write events.jsonl, too, an object per event")
    add_option(parser, "--exit-with-parent", "flag", "exit when standard input is closed")


def _add_learning_options(parser: argparse.ArgumentParser) -> None:
    add_option(parser, "--learn", "flag", "between matches, learn the games of earlier matches")
    add_option(parser, "--learn-minutes", "minutes", f"CPU time of each game (default: {LearningSettings().minutes:g})")
    add_option(parser, "--learn-threads", "count", f"with --learn: threads (default: {LearningSettings().threads})")


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    use_one_arena()
    with ForkServer() as fork_server:  # gets ready in the background
        return _serve(args, fork_server)


def _serve(args: argparse.Namespace, fork_server: ForkServer) -> int:
    settings = _settings(args)
    folder = Path(args.log_dir) if args.log_dir is not None else None
    # With a random port the address changes, so that matches cannot be resumed.
    journal = Journal(default_folder(args.host, args.port) if args.port != 0 else None)
    with contextlib.ExitStack() as stack:
        status = _status_line() if sys.stderr.isatty() and not args.quiet else None
        stack.enter_context(player_log(status or LineHandler(), quiet=args.quiet, folder=folder, events=args.log_json))
        _prepare_process(args)
        try:
            fork_server.wait()  # before a manager's clock can run
        except OSError as error:
            raise UserError(f"no process can be started: {error.strerror or error}") from None
        player = Player(args.name, settings, fork_server, journal=journal)
        server = stack.enter_context(_server(args, player))
        try:
            player.resume()  # only now: the address belongs to this process
            # One write with the end of the line, because other threads write the log.
            print(f"{args.player} player '{args.name}' listens at {server.address}\n", end="", flush=True)
            if status is not None:
                stack.enter_context(status).watch(server.conversation.matches, player.thoughts)
            server.serve_forever()
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
        finally:
            player.close()
    return 0


def _settings(args: argparse.Namespace) -> PlayerSettings:
    """Return the settings of the player from the arguments."""
    if not is_word(args.name):
        raise UserError(f"--name {args.name!r}: give one word without parentheses or semicolons")
    if args.log_json and args.log_dir is None:
        raise UserError("--log-json requires --log-dir DIR")
    if not 0 <= args.margin < 60:
        raise UserError(f"--margin {args.margin:g}: give seconds, at least 0 and less than 60")
    config = read_player_configuration(args.config)
    return PlayerSettings(
        args.player,
        args.seed,
        config,
        ponders=not args.no_ponder,
        native=not args.no_native,
        margin=args.margin,
        matches=args.matches,
        learning=_learning(args, config),
    )


def _learning(args: argparse.Namespace, config: SearchConfig) -> LearningSettings | None:
    """Return the limits of learning between matches; None without `--learn`."""
    if not args.learn:
        for name in ("minutes", "threads"):
            if getattr(args, f"learn_{name}") is not None:
                raise UserError(f"--learn-{name} requires --learn")
        return None
    if args.player != "agent":
        raise UserError(f"--learn requires --player agent, because {args.player!r} does not search")
    if not is_open(config) and config.evaluation.name != "learned":
        raise UserError(
            f"--learn: matches with --config {args.config} would not use learned networks; use 'default' or 'learned', "
            "or set only threads, seed, memory_mb and settle"
        )
    if args.no_cache:
        raise UserError("--learn stores networks in the cache; leave out --no-cache")
    obstacle = default_cache().obstacle()
    if obstacle:
        raise UserError(f"--learn stores networks in the cache, but {obstacle}")
    limits = LearningSettings()
    return LearningSettings(args.learn_minutes or limits.minutes, args.learn_threads or limits.threads)


def _server(args: argparse.Namespace, player: Player) -> PlayerServer:
    """Open the server at the address of the arguments."""
    with advised("options: --host, --port, --allow, --allow-origin and --allow-name"):
        server = PlayerServer(
            args.host,
            args.port,
            player.answer,
            allow=args.allow,
            pages=args.allow_origin,
            names=[name for name in (args.host, *args.allow_name) if name],
        )
    if not args.allow and not server.is_local:
        logging.getLogger(__name__).warning(
            "everyone who can connect to %s can start and end matches; restrict this with --allow HOST", server.address
        )
    return server


def _prepare_process(args: argparse.Namespace) -> None:
    """Set the thread switch interval and the signal handling of this process."""
    sys.setswitchinterval(0.001)  # a thread that computes holds INFO up for a fifth of the time it does by default
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if args.exit_with_parent:
        when_closed(sys.stdin.fileno(), lambda: os._exit(0))


def _status_line() -> StatusLine:
    return StatusLine(Console(stderr=True, highlight=False, markup=False))

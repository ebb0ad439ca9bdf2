"""The command line: `ggp-agent COMMAND ...`."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from gdl import GdlError

from . import __version__
from .commands import MODULES
from .commands._arguments import HelpFormatter
from .completion import VARIABLE as COMPLETION_VARIABLE
from .completion import complete
from .errors import EXIT_ERROR, EXIT_INTERRUPTED, PROGRAM, UserError, report

_VERSION = f"{PROGRAM} {__version__}"

_EPILOG = f"""\
examples:
  {PROGRAM} games
  {PROGRAM} play connect_four
  {PROGRAM} match tic_tac_toe --player agent --player random
  {PROGRAM} serve --port 9147

'{PROGRAM} COMMAND --help' explains a command.
"""


class CommandParser(argparse.ArgumentParser):
    """Parse arguments; a mistake in them is one line on stderr and status 2.

    Attributes:
        default_subcommand: what a command that has sub-commands does where none is named.
        is_command: whether it parses what follows a command, so that a mistake there points to the command's help.
    """

    default_subcommand: str | None = None
    is_command = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": HelpFormatter, "allow_abbrev": False, **options})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse arguments, with the sub-command that goes without saying."""
        if self.default_subcommand is not None and args is not None and args[:1] not in (["-h"], ["--help"]):
            named = {name for action in self._actions for name in action.choices or ()}
            asks_for_names = not args and COMPLETION_VARIABLE in os.environ
            if not asks_for_names and (not args or args[0] not in named):
                args = [self.default_subcommand, *args]
        found, unknown = super().parse_known_args(args, namespace)
        if unknown and self.is_command:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Raise the mistake as a UserError, with the way to the help."""
        raise UserError(f"{message} (see '{self.prog} --help')")


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands."""
    parser = CommandParser(
        prog=PROGRAM,
        description="Play games from their rules alone: serve a player, host matches, look into games.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=_VERSION)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=CommandParser)
    for name in MODULES:
        module = importlib.import_module(name)
        command = subparsers.add_parser(
            name.rpartition(".")[2],
            help=module.SUMMARY,
            description=module.DESCRIPTION,
            epilog=module.EPILOG,
        )
        module.add_arguments(command)
        command.is_command = True
        command.default_subcommand = getattr(module, "DEFAULT_SUBCOMMAND", None)
        command.set_defaults(run=module.run)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status.

    Args:
        argv: the arguments without the program's name; those of the process by default.

    Returns:
        What the command returns; 2 after a mistake of the user's, 130 after Ctrl-C.
    """
    try:
        try:
            if COMPLETION_VARIABLE in os.environ:
                complete(build_parser())
            words = sys.argv[1:] if argv is None else argv
            if words == ["--version"]:
                print(_VERSION)  # without any of the commands
                return 0
            _require_command(words)
            args = build_parser().parse_args(words)
            with _without_cache() if getattr(args, "no_cache", False) else contextlib.nullcontext():
                status: int = args.run(args)
            return status
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`ggp-agent ... | head`); keep the interpreter from flushing into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_ERROR
    except (GdlError, UserError, OSError) as error:
        return report(error)


@contextlib.contextmanager
def _without_cache() -> Iterator[None]:
    """Switch the cache off meanwhile, for the processes that we start, too."""
    from gdl.compile.cache import FOLDER_VARIABLE, OFF

    before = os.environ.get(FOLDER_VARIABLE)
    os.environ[FOLDER_VARIABLE] = OFF
    try:
        yield
    finally:
        if before is None:
            del os.environ[FOLDER_VARIABLE]
        else:
            os.environ[FOLDER_VARIABLE] = before


def _require_command(words: list[str]) -> None:
    """Refuse a command that there is not, with the one that was perhaps meant."""
    commands = [name.rpartition(".")[2] for name in MODULES]
    if not words or words[0].startswith("-") or words[0] in commands:
        return
    near = difflib.get_close_matches(words[0].lower(), commands, n=2, cutoff=0.6)
    advice = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(commands)}"
    raise UserError(f"no command is called {words[0]!r}; {advice} (see '{PROGRAM} --help')")

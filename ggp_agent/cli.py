"""The command line: `ggp-agent COMMAND ...`."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any, NoReturn

from gdl import GdlError

from .commands import COMMANDS, FORMER_COMMANDS, FORMER_OPTIONS
from .commands._help import HelpFormatter
from .common.errors import EXIT_ERROR, EXIT_INTERRUPTED, PROGRAM, UserError, report
from .common.terminal_text import write_encodable
from .common.version import __version__

# A shell that completes a command line sets this variable.
_COMPLETION_VARIABLE = "_ARGCOMPLETE"
_OPTIONS = ("--help", "--version")
_VERSION = f"{PROGRAM} {__version__}"

_EPILOG = f"""\
examples:
  {PROGRAM} games
  {PROGRAM} play connect_four
  {PROGRAM} match tic_tac_toe --player agent --player random
  {PROGRAM} serve --port 9147

'{PROGRAM} help COMMAND' explains a command.
"""


class _Once(argparse.Action):
    """Store the value of an option; a list that is given twice is refused, because the first would be ignored."""

    def __call__(self, _: object, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        if option and self.nargs and getattr(namespace, self.dest) is not self.default:
            raise argparse.ArgumentError(self, "given more than once")
        setattr(namespace, self.dest, values)


class CommandParser(argparse.ArgumentParser):
    """Parse arguments; a wrong argument prints one line on stderr and exits with status 2."""

    default_subcommand: str | None = None  # the sub-command that runs if none is given; None if the command has none
    is_command = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": HelpFormatter, "allow_abbrev": False, **options})
        self.register("action", None, _Once)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse arguments; add the default sub-command if none is given."""
        if self.default_subcommand is not None and args is not None and args[:1] not in (["-h"], ["--help"]):
            named = {name for action in self._actions for name in action.choices or ()}
            asks_for_names = not args and _COMPLETION_VARIABLE in os.environ
            if not asks_for_names and (not args or args[0] not in named):
                args = [self.default_subcommand, *args]
        found, unknown = super().parse_known_args(args, namespace)
        if unknown and self.is_command:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Raise a UserError that refers to the help."""
        raise UserError(f"{message} (see '{self.prog} --help')")


def build_parser(commands: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """Build the parser of the program."""
    parser = CommandParser(
        prog=PROGRAM,
        description="Play games from their rules alone: serve a player, run matches, examine games.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=_VERSION)
    subparsers = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    imported = frozenset(commands)
    for name, summary in COMMANDS.items():
        command = subparsers.add_parser(name, help=summary)
        if name in imported:
            _fill(command, importlib.import_module(f".commands.{name}", __package__))
    return parser


def _fill(command: CommandParser, module: ModuleType) -> None:
    """Add the arguments and texts of a command's module to its parser."""
    command.description, command.epilog = module.DESCRIPTION, module.EPILOG
    module.add_arguments(command)
    command.is_command = True
    command.default_subcommand = getattr(module, "DEFAULT_SUBCOMMAND", None)
    command.set_defaults(run=module.run)


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    write_encodable(sys.stdout)
    try:
        try:
            if _COMPLETION_VARIABLE in os.environ:
                _complete(os.environ.get("COMP_LINE", "").split()[1:2])
            words = sys.argv[1:] if argv is None else argv
            if words == ["--version"]:
                print(_VERSION)  # without importing a command
                return 0
            words = list(_present_names(_words_of_help(words)))
            _require_command(words)
            args = build_parser(words[:1]).parse_args(words)
            if hasattr(args, "outputs"):
                importlib.import_module(".commands._arguments", __package__).require_outputs(args)
            with _without_cache() if getattr(args, "no_cache", False) else contextlib.nullcontext():
                status: int = args.run(args)
            return status
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of stdout has exited (`ggp-agent ... | head`): discard what Python flushes at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_ERROR
    except (GdlError, UserError, OSError) as error:
        return report(error)


def _complete(commands: list[str]) -> None:
    """Print the completions of a command line to the shell and exit."""
    from .commands.completion import complete  # imports the games, which no command line but this one needs

    complete(build_parser(commands))


@contextlib.contextmanager
def _without_cache() -> Iterator[None]:
    """Switch the cache off in the context, also for the processes started in it."""
    from gdl.compile.cache import FOLDER_VARIABLE, OFF  # slow to import, and rarely needed

    before = os.environ.get(FOLDER_VARIABLE)
    os.environ[FOLDER_VARIABLE] = OFF
    try:
        yield
    finally:
        if before is None:
            del os.environ[FOLDER_VARIABLE]
        else:
            os.environ[FOLDER_VARIABLE] = before


def _words_of_help(words: list[str]) -> list[str]:
    """Return the words that print the same help as no word, `help`, or `help COMMAND`; other words as they are."""
    if not words or words == ["help"]:
        return ["--help"]
    return [words[1], "--help"] if words[0] == "help" and len(words) == 2 else words


def _present_names(words: list[str]) -> Iterator[str]:
    """Yield the words of a command line; a former name of the command or of an option becomes the present name."""
    command = FORMER_COMMANDS.get(words[0], words[0])
    renamed = FORMER_OPTIONS.get(command, {})
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        present = renamed.get(name, name) if number else command
        if present != name:
            print(f"{PROGRAM}: {name} is now {present}", file=sys.stderr)
        yield present + equals + value


def _require_command(words: list[str]) -> None:
    """Refuse an unknown command or option and suggest similar names."""
    word = words[0]
    if word.startswith("--") and word not in _OPTIONS:
        close = difflib.get_close_matches(word.lower(), _OPTIONS, n=1, cutoff=0.6)
        advice = f"did you mean {close[0]}?" if close else "options of a command follow its name"
        raise UserError(f"no option is called {word!r}; {advice} (see '{PROGRAM} --help')")
    if word.startswith("-") or word in COMMANDS:
        return
    near = difflib.get_close_matches(word.lower(), ["help", *COMMANDS], n=2, cutoff=0.6)
    advice = f"did you mean {' or '.join(near)}?" if near else f"commands: {', '.join(COMMANDS)}"
    raise UserError(f"no command is called {word!r}; {advice} (see '{PROGRAM} --help')")

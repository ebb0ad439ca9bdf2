"""Options and argument types that several commands share."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.files import write_whole

from ..common.errors import UserError
from ..common.terminal_text import printable
from ..protocol.clocks import LARGEST_MAX_TURNS, MAX_CLOCK
from ..protocol.message_text import MessageTextError, split

if TYPE_CHECKING:
    from ..arena.sprt import Sprt
    from ..hidden.equilibrium import Turns

# The longest duration that an option accepts: about 30 years.
_LONGEST = 1e9

_LARGEST_PORT = 65_535

# What options are added to: a parser or a group.
Container = argparse._ActionsContainer

# Where matches are recorded, and the export format by file name suffix.
DEFAULT_FOLDER = "matches"
FORMATS = {".json": "json", ".txt": "text", ".csv": "csv"}
SUFFIXES = {form: suffix for suffix, form in FORMATS.items()}


def add_config_option(parser: argparse.ArgumentParser, about: str = "how to search") -> None:
    """Add `--config`; `read_configuration` reads its value."""
    text = f"{about}: a TOML file, or key=value,... (default: 'default')"
    parser.add_argument("--config", default="default", metavar="CONFIG", help=text)


def refuse_options(args: argparse.Namespace, reason: str, *names: str) -> None:
    """Refuse options that have no effect."""
    for name in names:
        if getattr(args, name) not in (None, "", "default"):
            raise UserError(f"--{name.replace('_', '-')}: no effect, because {reason}; leave it out")


def seconds_of(args: argparse.Namespace, default: float) -> float | None:
    """Return the value of `--seconds`, by default None if `--simulations` limits the search."""
    return default if args.seconds is None and args.simulations is None else args.seconds


def read_history(args: argparse.Namespace) -> Turns:
    """Return what a role has observed.

    >>> read_history(argparse.Namespace(history="(choose 1) () noop ((open 3))"))
    (('(choose 1)', ()), ('noop', ('(open 3)',)))
    """
    turns: list[tuple[str, tuple[str, ...]]] = []
    try:
        items = list(split(args.history or ""))
        if len(items) % 2:
            raise UserError("--history: the last move has no list of percepts; () is the empty list")
        for number, (move, percepts) in enumerate(zip(items[::2], items[1::2], strict=True), 1):
            if not percepts.is_list:
                raise UserError(f"--history: {percepts} in turn {number} is not a list of percepts, as in (a (b 1))")
            turns.append((str(move), tuple(map(str, percepts.items()))))
    except MessageTextError as error:
        raise UserError(f"--history: {error}") from None
    return tuple(turns)


@contextlib.contextmanager
def advised(advice: str) -> Iterator[None]:
    """Append advice about command-line options to a UserError from the library, which does not know the options."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{error} ({advice})") from None


def add_output(
    parser: argparse.ArgumentParser,
    *names: str,
    group: argparse._MutuallyExclusiveGroup | None = None,
    continues: str = "",
    metavar: str = "FILE",
    **options: Any,
) -> None:
    """Add an option that names a file to write, and `--force`; `require_outputs` refuses files that exist."""
    action = (parser if group is None else group).add_argument(*names, metavar=metavar, **options)
    earlier: tuple[tuple[str, str, str], ...] = parser.get_default("outputs") or ()
    parser.set_defaults(outputs=(*earlier, (names[-1], action.dest, continues)))
    if not earlier:
        add_shared(parser, "--force")


def require_outputs(args: argparse.Namespace) -> None:
    """Check the files that a command will write, before its work begins."""
    named: dict[Path, str] = {}
    for option, dest, continues in args.outputs:
        name = getattr(args, dest)
        if name is None:
            continue
        continued = getattr(args, continues) if continues else None
        if continued is None or Path(name).resolve() != Path(continued).resolve():
            require_output(option, name, force=args.force)
        other = named.setdefault(Path(name).resolve(), option)
        if other != option:
            raise UserError(f"{option} {name}: {other} names the same file")
    if args.force and not named:
        raise UserError(f"--force is for {' and '.join(option for option, _, _ in args.outputs)}; leave it out")


def require_output(option: str, name: str | Path, *, force: bool) -> None:
    """Check that a file can be written."""
    path = Path(name)
    if path.is_dir():
        raise UserError(f"{option} {name}: this is a directory; give the path of a file")
    above = next(folder for folder in path.absolute().parents if folder.exists())  # missing folders are created
    if not above.is_dir():
        raise UserError(f"{option} {name}: {above} is not a directory")
    if not os.path.lexists(path):
        return
    if path.exists() and not path.is_file():
        raise UserError(f"{option} {name}: this is not a regular file; give the path of a file")
    if not force:
        raise UserError(f"{option} {name}: this exists already; name a new file, or replace it with --force")


def write_new(files: Mapping[Path, bytes], *, force: bool) -> None:
    """Write files and print the path of each."""
    for path in files:
        require_output("--out", path, force=force)
    for path, data in files.items():
        write_whole(path, data)
        print(printable(f"written: {path}"), file=sys.stderr, flush=True)


def add_game_argument(
    parser: argparse.ArgumentParser, name: str = "game", *, nargs: str | None = None, native: bool = True
) -> None:
    """Add an argument that names one or several games; `load_game` reads them."""
    kinds = "a .kif file, a URL, a name of the catalogue"
    help_text = f"{kinds}, or fast:NAME" if native else kinds.replace(", a name", " or a name")
    parser.add_argument(name, metavar="GAME", nargs=nargs, help=help_text)


def add_games_argument(parser: argparse.ArgumentParser) -> None:
    """Add an argument that names any number of games, and `--catalogue`; `words_of_games` reads them."""
    add_game_argument(parser, "words", nargs="*")
    add_option(parser, "--catalogue", "flag", "measure all games of the catalogue")


def words_of_games(args: argparse.Namespace) -> list[str]:
    """Return the words of the games that the options name, at least one."""
    from kif_games import catalogue  # reads its file

    words = [*args.words, *(catalogue() if args.catalogue else ())]
    if not words:
        required = "the following arguments are required: GAME, or --catalogue"
        raise UserError(f"{required} (see 'ggp-agent {args.command} --help')")
    return words


def positive_int(text: str) -> int:
    """Read a whole number above 0.

    >>> positive_int("12")
    12
    """
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return value


def _turn_limit(text: str) -> int:
    """Read the turn limit of a match: at least 1, at most `LARGEST_MAX_TURNS`.

    >>> _turn_limit("500")
    500
    """
    turns = positive_int(text)
    if turns > LARGEST_MAX_TURNS:
        raise argparse.ArgumentTypeError(f"{text!r} is too large; give at most {LARGEST_MAX_TURNS:,}")
    return turns


def _even_number(text: str) -> int:
    """Read an even number of games above 0, so that both sides play every role equally often.

    >>> _even_number("12")
    12
    """
    value = positive_int(text)
    if value % 2:
        raise argparse.ArgumentTypeError(
            f"{text!r} is odd; give an even number, so that both sides play every role equally often"
        )
    return value


def _reader(what: str, fits: Callable[[float], bool]) -> Callable[[str], float]:
    """Return what reads a finite number that fits.

    >>> _reader("number above 0", lambda value: 0 < value)("0.5")
    0.5
    """

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (abs(value) <= _LONGEST and fits(value)):
            raise argparse.ArgumentTypeError(f"{text!r} is not a {what}")
        return value

    return read


def _natural_number(text: str) -> int:
    """Read a whole number of at least 0.

    >>> _natural_number("0")
    0
    """
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def _whole_number(text: str) -> int:
    """Read a whole number, such as a seed; the program that uses it knows its range.

    >>> _whole_number("-7")
    -7
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _port_number(text: str) -> int:
    """Read the number of a port; 0 selects a free port.

    >>> _port_number("9180")
    9180
    """
    if not (text.isascii() and text.isdigit()) or int(text[:9]) > _LARGEST_PORT:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a port: give a number from 0 to {_LARGEST_PORT}, 0 for a free one"
        )
    return int(text)


_DAY = f"{MAX_CLOCK:,.0f}"
# The kinds of numbers: the placeholder in the help, and what reads the number.
_KINDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "count": ("N", positive_int),
    "natural": ("N", _natural_number),
    "even": ("N", _even_number),
    "turns": ("N", _turn_limit),
    "integer": ("K", _whole_number),
    "port": ("N", _port_number),
    "number": ("X", _reader("number", lambda value: True)),
    "seconds": ("S", _reader("number of seconds above 0", lambda value: value > 0)),
    "seconds or 0": ("S", _reader(f"number of seconds 0 .. {_DAY}", lambda value: 0 <= value <= MAX_CLOCK)),
    "clock": ("S", _reader(f"number of seconds above 0 and at most {_DAY}", lambda value: 0 < value <= MAX_CLOCK)),
    "minutes": ("M", _reader("number of minutes above 0", lambda value: value > 0)),
    "milliseconds": ("M", _reader("number of milliseconds above 0", lambda value: value > 0)),
}

# Options of several commands: their kinds and help texts.
_SHARED: dict[str, tuple[Any, ...]] = {
    "--force": ("flag", "replace files that exist"),
    "--jobs": ("count", "processes (default: one per core)"),
    "--json": ("flag", "print one JSON document"),
    "--machine": (("any", "network", "reasoner", "reference"), "state machine to use (default: the fastest)", "any"),
    "--no-cache": ("flag", "compile again, and store nothing in the cache"),
    "--no-native": ("flag", "play by the rules as received, even if a native game has the same rules"),
    "--position": ("FILE", "start from the position in this text file (native games)"),
    "--ray": ("ADDRESS", "play on a Ray cluster ('auto' finds the one of this machine)"),
    "--rules": ("GAME", "the rules, if the catalogue does not have them: a .kif file or a URL"),
    "--seed": ("integer", "seed of all random choices"),
    "--width": ("count", "characters of a line"),
}


def add_shared(parser: Container, *names: str, **options: Any) -> None:
    """Add options that several commands have; `default` and other options of `add_option` apply to each."""
    for name in names:
        add_option(parser, name, *_SHARED[name], **options)


def add_option(
    parser: argparse._ActionsContainer,
    name: str,
    kind: str | Iterable[str],
    about: str,
    default: Any = None,
    **options: Any,
) -> None:
    """Add an option; the help names its default.

    `kind` is "flag", a kind of numbers, the words to choose from, or the placeholder of a text in the help.

    >>> parser = argparse.ArgumentParser(prog="p", usage="", add_help=False)
    >>> add_option(parser, "--seconds", "seconds", "time limit", 2.0)
    >>> parser.parse_args(["--seconds", "0.5"]).seconds, parser.format_help().split("\\n")[-2]
    (0.5, '  --seconds S  time limit (default: 2)')
    """
    if not isinstance(kind, str):
        options["choices"] = tuple(kind)
    elif kind == "flag":
        options["action"] = "store_true"
    else:
        metavar, read = _KINDS.get(kind, (kind, str))
        options = {"metavar": metavar, "type": read, **options}
    if default is not None:
        options["default"] = default
        if default not in ([], {}, "") and "(default" not in about:
            shown = f"{default:,}" if kind != "port" and isinstance(default, int) else default
            about += f" (default: {shown:g})" if isinstance(shown, float) else f" (default: {shown})"
    parser.add_argument(name, help=about, **options)


def add_sprt_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--sprt`; `what` is its help text."""
    add_option(parser, "--sprt", "number", what, nargs=2, metavar=("ELO0", "ELO1"))


def read_sprt(args: argparse.Namespace) -> Sprt | None:
    """Return the sequential test; None without `--sprt`."""
    from ..arena.sprt import Sprt  # only two commands need it

    try:
        return None if args.sprt is None else Sprt(*args.sprt)
    except ValueError as error:
        raise UserError(f"--sprt: {error}") from None

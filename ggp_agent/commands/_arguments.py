"""Options and argument types that several commands share."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gdl.files import write_whole

from ..common.errors import UserError
from ..common.terminal_text import printable
from ..protocol.clocks import LARGEST_MAX_TURNS, LONGEST_CLOCK

# The longest duration that an option accepts: about 30 years.
_LONGEST = 1e9

_LARGEST_PORT = 65_535

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
    **options: Any,
) -> None:
    """Add an option that names a file to write, and `--force`; `require_outputs` refuses files that exist."""
    action = (parser if group is None else group).add_argument(*names, **options)
    earlier: tuple[tuple[str, str, str], ...] = parser.get_default("outputs") or ()
    parser.set_defaults(outputs=(*earlier, (names[-1], action.dest, continues)))
    if not earlier:
        add_force(parser)


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add `--force`."""
    parser.add_argument("--force", action="store_true", help="replace files that exist")


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


def add_machine_option(parser: argparse.ArgumentParser) -> None:
    """Add `--machine`."""
    parser.add_argument(
        "--machine",
        choices=("any", "network", "reasoner", "reference"),
        default="any",
        help="state machine to use (default: the fastest)",
    )


def add_cache_option(parser: argparse.ArgumentParser) -> None:
    """Add `--no-cache`; the command line handles it for every command."""
    parser.add_argument("--no-cache", action="store_true", help="compile again, and store nothing in the cache")


def add_native_option(parser: argparse.ArgumentParser) -> None:
    """Add `--no-native`."""
    parser.add_argument(
        "--no-native",
        action="store_true",
        help="play by the rules as received, even if a native game has the same rules",
    )


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


def turn_limit(text: str) -> int:
    """Read the turn limit of a match: at least 1, at most `LARGEST_MAX_TURNS`.

    >>> turn_limit("500")
    500
    """
    turns = positive_int(text)
    if turns > LARGEST_MAX_TURNS:
        raise argparse.ArgumentTypeError(f"{text!r} is too large; give at most {LARGEST_MAX_TURNS:,}")
    return turns


def even_number(text: str) -> int:
    """Read an even number of games above 0, so that both sides play every role equally often.

    >>> even_number("12")
    12
    """
    value = positive_int(text)
    if value % 2:
        raise argparse.ArgumentTypeError(
            f"{text!r} is odd; give an even number, so that both sides play every role equally often"
        )
    return value


def positive_seconds(text: str) -> float:
    """Read a finite number of seconds above 0.

    >>> positive_seconds("0.5")
    0.5
    """
    return _number(text, "number of seconds above 0", _is_positive)


def clock_seconds(text: str) -> float:
    """Read the seconds of a clock: above 0, at most one day.

    >>> clock_seconds("0.5")
    0.5
    """
    what = f"number of seconds above 0 and at most {LONGEST_CLOCK:,.0f}"
    return _number(text, what, lambda value: 0 < value <= LONGEST_CLOCK)


def seconds_or_zero(text: str) -> float:
    """Read a number of seconds: at least 0, at most one day.

    >>> seconds_or_zero("0")
    0.0
    """
    return _number(text, f"number of seconds 0 .. {LONGEST_CLOCK:,.0f}", lambda value: 0 <= value <= LONGEST_CLOCK)


def positive_minutes(text: str) -> float:
    """Read a finite number of minutes above 0.

    >>> positive_minutes("0.5")
    0.5
    """
    return _number(text, "number of minutes above 0", _is_positive)


def positive_milliseconds(text: str) -> float:
    """Read a finite number of milliseconds above 0.

    >>> positive_milliseconds("20")
    20.0
    """
    return _number(text, "number of milliseconds above 0", _is_positive)


def _is_positive(value: float) -> bool:
    return 0 < value <= _LONGEST


def _number(text: str, what: str, fits: Callable[[float], bool]) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not fits(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a {what}")
    return value


def natural_number(text: str) -> int:
    """Read a whole number of at least 0.

    >>> natural_number("0")
    0
    """
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def whole_number(text: str) -> int:
    """Read a whole number, such as a seed; the program that uses it knows its range.

    >>> whole_number("-7")
    -7
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def any_number(text: str) -> float:
    """Read a finite number.

    >>> any_number("-2.5")
    -2.5
    """
    return _number(text, "number", lambda value: abs(value) <= _LONGEST)


def port_number(text: str) -> int:
    """Read the number of a port; 0 selects a free port.

    >>> port_number("9180")
    9180
    """
    if not (text.isascii() and text.isdigit()) or int(text[:9]) > _LARGEST_PORT:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a port: give a number from 0 to {_LARGEST_PORT}, 0 for a free one"
        )
    return int(text)

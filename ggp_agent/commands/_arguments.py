"""What the command lines of several commands share: options, types of arguments, the look of the help."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from gdl.files import write_whole

from ..common.errors import UserError
from ..common.terminal_text import printable
from ..protocol.clocks import LARGEST_MAX_TURNS, LONGEST_CLOCK

if TYPE_CHECKING:
    from pathlib import Path

# No wait of this program is as long: 30 years.
_LONGEST = 1e9

# Where matches are recorded, and what they are exported as, by the end of the file name.
DEFAULT_FOLDER = "matches"
FORMATS = {".json": "json", ".txt": "text", ".csv": "csv"}
SUFFIXES = {form: suffix for suffix, form in FORMATS.items()}


def add_config_option(parser: argparse.ArgumentParser, about: str = "how to search") -> None:
    """Add --config, which `read_configuration` reads."""
    text = f"{about}: a TOML file, or key=value,... (default: 'default')"
    parser.add_argument("--config", default="default", metavar="CONFIG", help=text)


@contextlib.contextmanager
def advised(advice: str) -> Iterator[None]:
    """Add to a mistake of the user's which options of the command mend it: the library knows of none."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{error} ({advice})") from None


def write_new(files: Mapping[Path, bytes]) -> None:
    """Write files none of which is there yet, and tell of each.

    Raises:
        UserError: one is there already.
    """

    for path in files:
        if path.exists():
            raise UserError(f"--out {path}: this exists already; name a new one")
    for path, data in files.items():
        write_whole(path, data)
        print(printable(f"written: {path}"), file=sys.stderr, flush=True)


def add_game_argument(
    parser: argparse.ArgumentParser, name: str = "game", *, nargs: str | None = None, modules: bool = True
) -> None:
    """Let the user name a game, or several; all of them are read by `load_game`.

    Args:
        parser: of the command.
        name: of the argument.
        nargs: as argparse has it.
        modules: whether hand-coded games make sense there.
    """
    kinds = "a .kif file, a URL, a name of the catalogue"
    help_text = f"{kinds}, or fast:NAME" if modules else kinds.replace(", a name", " or a name")
    parser.add_argument(name, metavar="GAME", nargs=nargs, help=help_text)


def add_machine_option(parser: argparse.ArgumentParser) -> None:
    """Let the user choose between the machines."""
    parser.add_argument(
        "--machine",
        choices=("any", "network", "reasoner", "reference"),
        default="any",
        help="what computes (default: the fastest)",
    )


def add_cache_option(parser: argparse.ArgumentParser) -> None:
    """Let the user do without compiled networks of earlier runs; the command line does the rest for every command."""
    parser.add_argument("--no-cache", action="store_true", help="compile anew, and keep nothing for the next time")


def add_modules_option(parser: argparse.ArgumentParser) -> None:
    """Let the user forbid the player to put a hand-coded game in the place of rules that it recognises."""
    parser.add_argument(
        "--no-modules", action="store_true", help="play by the rules as received, also where they are of a fast: game"
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
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return value


def turn_limit(text: str) -> int:
    """Read the number of turns after which a match is stopped: at least 1, at most `LARGEST_MAX_TURNS`.

    >>> turn_limit("500")
    500
    """
    turns = positive_int(text)
    if turns > LARGEST_MAX_TURNS:
        raise argparse.ArgumentTypeError(f"{text!r} is too large; give at most {LARGEST_MAX_TURNS:,}")
    return turns


def even_number(text: str) -> int:
    """Read an even number above 0, of games in which both sides are to take every seat as often.

    >>> even_number("12")
    12
    """
    value = positive_int(text)
    if value % 2:
        raise argparse.ArgumentTypeError(f"{text!r} is odd: both sides are to take every seat as often")
    return value


def positive_seconds(text: str) -> float:
    """Read a finite number of seconds above 0.

    >>> positive_seconds("0.5")
    0.5
    """
    return _number(text, "number of seconds above 0", _is_positive)


def clock_seconds(text: str) -> float:
    """Read the seconds of a clock: above 0, at most a day.

    >>> clock_seconds("0.5")
    0.5
    """
    what = f"number of seconds above 0 and at most {LONGEST_CLOCK:,.0f}"
    return _number(text, what, lambda value: 0 < value <= LONGEST_CLOCK)


def seconds_or_zero(text: str) -> float:
    """Read a number of seconds: 0 or more, at most a day.

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
        raise argparse.ArgumentTypeError(f"{text!r} is no {what}")
    return value


def natural_number(text: str) -> int:
    """Read a whole number of at least 0.

    >>> natural_number("0")
    0
    """
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 0")
    return int(text)

"""Types of arguments that several commands take."""

from __future__ import annotations

import argparse
import math


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


def positive_seconds(text: str) -> float:
    """Read a finite number of seconds above 0.

    >>> positive_seconds("0.5")
    0.5
    """
    return _positive(text, "number of seconds")


def seconds_from_zero(text: str) -> float:
    """Read a finite number of seconds, 0 or more.

    >>> seconds_from_zero("0")
    0.0
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds, 0 or more")
    return value


def positive_milliseconds(text: str) -> float:
    """Read a finite number of milliseconds above 0.

    >>> positive_milliseconds("20")
    20.0
    """
    return _positive(text, "number of milliseconds")


def _positive(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no {what} above 0")
    return value


def natural_number(text: str) -> int:
    """Read a whole number of at least 0.

    >>> natural_number("0")
    0
    """
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 0")
    return int(text)

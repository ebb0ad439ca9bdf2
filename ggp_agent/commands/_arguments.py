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
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds

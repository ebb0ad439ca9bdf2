"""The option --sprt: end a comparison by a sequential test."""

from __future__ import annotations

import argparse

from ..arena.sprt import Sprt
from ..common.errors import UserError


def add_sprt_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Let the user end a comparison as soon as it is decided; `what` says in the help what ends, and who is tested."""
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help=what)


def read_sprt(args: argparse.Namespace) -> Sprt | None:
    """Return the sequential test that was asked for.

    Raises:
        UserError: the numbers make no test.
    """
    try:
        return None if args.sprt is None else Sprt(*args.sprt)
    except ValueError as error:
        raise UserError(f"--sprt: {error}") from None

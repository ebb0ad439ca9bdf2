"""The option `--sprt`: stop a comparison by a sequential test."""

from __future__ import annotations

import argparse

from ..arena.sprt import Sprt
from ..common.errors import UserError
from ._arguments import add_option


def add_sprt_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--sprt`; `what` is its help text."""
    add_option(parser, "--sprt", "number", what, nargs=2, metavar=("ELO0", "ELO1"))


def read_sprt(args: argparse.Namespace) -> Sprt | None:
    """Return the sequential test; None without `--sprt`."""
    try:
        return None if args.sprt is None else Sprt(*args.sprt)
    except ValueError as error:
        raise UserError(f"--sprt: {error}") from None

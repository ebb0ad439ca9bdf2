"""Errors of a rule sheet that can be played nevertheless, in one line for the start of a match.

The static checks of a sheet take up to two CPU-seconds, so their result is stored in the cache by the text of the
sheet. Sheets of the catalogue have no errors and are not checked.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gdl.compile.cache import Beside, default_cache
from gdl.json_text import read_typed
from gdl.language.percepts import hides_information, percept_rules

from ..common.errors import PROGRAM
from ..common.terminal_text import printable
from .game import Game

# Part of the name of every entry; increase it whenever the checks find other errors in the same text.
FORMAT = 3


@dataclass(frozen=True, slots=True)
class SheetErrors:
    """The number of errors in a sheet, and the first of them."""

    errors: int  # the number of errors that `ggp-agent check` prints
    # The code of the first error; empty if there is none. line, column: the position of the first error; 0 if it
    # concerns the whole sheet.
    code: str = ""
    line: int = 0
    column: int = 0


_ERRORS: Beside[SheetErrors] = Beside.of_json("errors", f"errors-{FORMAT}", partial(read_typed, SheetErrors))


def note_sheet_errors(game: Game, note: Callable[[str], None] | None = None) -> None:
    """Report in one line that the sheet of a game has errors, and in one that its percepts hide nothing."""
    source = game.sheet.source
    if percept_rules(game.sheet) and not hides_information(game.sheet):
        _say(f"{source}: every role sees every move (GDL-II), so nothing is hidden", note)
    found = sheet_errors(game)
    if not found.errors:
        return
    is_file = "://" in source or Path(source).is_file()
    count = "1 error" if found.errors == 1 else f"{found.errors} errors, the first is"
    first = f": {found.code}" if found.errors == 1 else f" {found.code}"
    place = f" at {found.line}:{found.column}" if found.line else ""
    checked = (f'"{source}"' if " " in source else source) if is_file else "FILE"
    _say(f"{source} has {count}{first}{place}; '{PROGRAM} check {checked}' shows all", note)


def _say(line: str, note: Callable[[str], None] | None) -> None:
    if note is not None:
        note(line)
    else:
        print(printable(f"{PROGRAM}: {line}"), file=sys.stderr, flush=True)


def sheet_errors(game: Game) -> SheetErrors:
    """Return the errors that the static checks find in the sheet of a game, from the cache if it was checked before."""
    if not game.text:
        return SheetErrors(0)
    cache, key = default_cache(), hashlib.sha256(game.text.encode(errors="replace")).hexdigest()
    if (found := _ERRORS.read(cache, key)) is None:
        found = _check(game.text)
        _ERRORS.write(cache, key, found)
    return found


def _check(text: str) -> SheetErrors:
    from gdl.checks import check_text  # not needed for games of the catalogue and for stored results

    try:
        report = check_text(text)
    except RecursionError:
        return SheetErrors(0)
    errors = [finding for finding in report.findings if finding.severity == "error"]
    return SheetErrors(len(errors), errors[0].code, *errors[0].position) if errors else SheetErrors(0)

"""`ggp-agent format`: give rule sheets a normal layout."""

from __future__ import annotations

import argparse
import os
import stat
from pathlib import Path

from gdl import GdlError
from gdl.files import write_whole
from gdl.language.forms import MAX_CHARACTERS
from gdl.language.notation import WIDTH, format_sheet, require_rules
from kif_games.catalogue import catalogue

from ..common.errors import EXIT_ERROR, UserError
from ..common.errors import report as report_error
from ..common.terminal_text import json_text, printable
from ..game.load import sheet_path
from ._arguments import add_option, add_shared

DESCRIPTION = """\
Give rule sheets a normal layout: each rule begins a line, and a rule that does not fit into a line has each formula of
its body in a line of its own. Rules, their order, words and comments stay the same. Sheets in KIF and in infix notation
are written in place, as a whole or not at all. A file without a rule and a role is refused, and so is a file that is
mostly words outside of rules, such as a letter.

With --check no file is written. The exit status is 1 if --check finds a file that would change, 2 if a file cannot be
read or has an error in its text.
"""

EPILOG = """\
examples:
  ggp-agent format my_game.kif
  ggp-agent format kif_games/*.kif --check
  ggp-agent format my_game.hrf --width 120
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="a rule sheet, or a name of the catalogue")
    add_option(parser, "--check", "flag", "report files that would change, and write nothing")
    add_shared(parser, "--width", default=WIDTH)
    add_shared(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """Format the files one by one."""
    documents = []
    failed = False
    for file in args.files:
        try:
            in_catalogue = file in catalogue() and not Path(file).is_file()
            if in_catalogue and not args.check:
                raise UserError(f"{file}: sheets of the catalogue can only be checked; give --check or a file")
            changed = _format(sheet_path(file), args.width, write=not args.check)
        except (OSError, UserError, GdlError) as error:
            failed = True
            report_error(error)
            continue
        documents.append({"file": file, "changed": changed})
        if changed and not args.json:
            print(printable(f"{'would change' if args.check else 'changed'}: {file}"), flush=True)
    if args.json:
        print(json_text({"files": documents}))
    if failed:
        return EXIT_ERROR
    return 1 if args.check and any(document["changed"] for document in documents) else 0


def _format(path: Path, width: int, *, write: bool) -> bool:
    """Format a file; return True if its content changes."""
    with path.open("rb") as file:
        data = file.read(4 * MAX_CHARACTERS + 16)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if len(data) > 4 * MAX_CHARACTERS:
            text = data.decode(errors="replace")  # the text is too long, which is the error to report
        else:
            raise UserError(f"{path}: byte {error.start} is not UTF-8; save the sheet in UTF-8") from None
    require_rules(text, source=str(path))
    formatted = format_sheet(text, width=width, source=str(path)).encode()
    if formatted == data:
        return False
    if write:
        target = path.resolve()  # a symbolic link stays a link
        mode = stat.S_IMODE(target.stat().st_mode)
        if not mode & stat.S_IWUSR:
            raise UserError(f"{path}: the file is read-only, so it is not changed")
        write_whole(target, formatted)
        os.chmod(target, mode)
    return True

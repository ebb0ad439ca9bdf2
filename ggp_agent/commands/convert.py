"""`ggp-agent convert`: write a rule sheet in another notation, or with the pie rule."""

from __future__ import annotations

import argparse
from pathlib import Path

from gdl import parse_sheet
from gdl.language.notation import WIDTH, convert_sheet, notation_of, require_rules
from gdl.machines.pie_rule import with_pie_rule

from ..common.errors import UserError, describe_os_error
from ..game.load import sheet_text
from ._arguments import add_option, add_output, add_shared, write_new

DESCRIPTION = """\
Write a rule sheet in another notation: KIF, as in (<= (next ?f) (true ?f)), or infix, as in next(F) :- true(F).
Rules, their order and comments stay the same.

Every command reads both notations, so a conversion is only necessary for other programs. Infix notation is read as
HRF, Prolog-like sheets and Stanford's texts have it. Names that infix notation cannot write stand in quotes; a variable
that it cannot write gets another name.

With --pie the result has the pie rule, for games of two roles that move in turn: at its first choice the second role
may take the side of the first role instead, by the move 'swap'. The comments of the sheet are left out.
"""

EPILOG = """\
examples:
  ggp-agent convert my_game.hrf --to kif --out my_game.kif
  ggp-agent convert kif_games/hex.kif --to infix
  ggp-agent convert hex --pie -o hex_pie.kif
  ggp-agent convert https://example.org/rules/my_game.pl --to kif
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("file", metavar="FILE", help="a rule sheet, a name of the catalogue, or a URL")
    add_option(parser, "--to", ("kif", "infix"), "the notation of the result; KIF if --pie is given")
    add_option(parser, "--pie", "flag", "add the pie rule")
    add_output(parser, "-o", "--out", metavar="OUT", type=Path, help="write this new file (default: print)")
    add_shared(parser, "--width", default=WIDTH)


def run(args: argparse.Namespace) -> int:
    """Convert the sheet."""
    try:
        text = sheet_text(args.file)
        require_rules(text, source=args.file)
        if args.pie:
            text = with_pie_rule(parse_sheet(text, source=args.file))
        elif args.to is None:
            raise UserError("name what to convert: the notation by --to kif or --to infix, or the pie rule by --pie")
        elif notation_of(text) == args.to:
            name = "KIF" if args.to == "kif" else "infix notation"
            raise UserError(f"{args.file}: these rules are in {name} already; 'ggp-agent format' changes the layout")
        converted = convert_sheet(text, args.to or "kif", width=args.width, source=args.file)
        if args.out is None:
            print(converted, end="")
        else:
            write_new({args.out: converted.encode()}, force=args.force)
    except OSError as error:
        raise UserError(describe_os_error(error)) from None
    return 0

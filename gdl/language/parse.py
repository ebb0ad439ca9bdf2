"""Text to terms and rules, by the grammar in `kif.lark` (the module `grammar`, imported on first use).

`parse_sheet` reads a rule sheet, `parse_term` one move or fluent. `recover_sheet` reads the correct forms of a sheet
and lists the errors of the others.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .errors import GdlError, GdlSyntaxError
from .foreign_comments import without_foreign_comments
from .forms import MAX_CHARACTERS, MAX_NESTING, find_forms
from .infix_tokens import is_infix
from .line_ends import with_lf
from .other_notation import without_infix_rules, without_kif_rules
from .rule_sheet import Rule, RuleSheet
from .terms import Spellings, Term
from .text_errors import MAX_ERRORS, TextErrors, TooManyErrorsError

__all__ = [
    "MAX_NESTING",
    "Recovered",
    "parse_sheet",
    "parse_term",
    "read_sheet",
    "read_stream",
    "read_text",
    "recover_sheet",
]


@dataclass(frozen=True, slots=True)
class Recovered:
    """The rules that could be read from a sheet, and the errors.

    Attributes:
        sheet: the rules of all forms without errors.
        errors: the errors of the other forms, in the order of the text; at most one more than `MAX_ERRORS`.
        text: the text that was read, in which comments of other languages are blank.
        complete: True if no form is left out.
    """

    sheet: RuleSheet
    errors: tuple[GdlError, ...]
    text: str = ""
    complete: bool = True


def parse_sheet(text: str, *, source: str = "<text>") -> RuleSheet:
    """Read a rule sheet.

    Symbols are compared without regard to case and keep their first spelling; `(f)` is the atom `f`.

    >>> sheet = parse_sheet("(role robot) (<= (LEGAL robot (go ?x)) (true (at ?x)))")
    >>> print(sheet.rules[1])
    (<= (legal robot (go ?x)) (true (at ?x)))
    >>> parse_sheet("(role robot))")
    Traceback (most recent call last):
    gdl.language.errors.GdlSyntaxError: <text>:1:13: closing parenthesis without an opening one

    Raises:
        GdlSyntaxError: the text is not KIF; the message contains line, column and cause of the first error, `others`
            the errors after it.
        GdlRuleError: as before, if a connective has a wrong number of parts.
    """
    recovered = recover_sheet(text, source=source)
    if recovered.errors:
        first, *others = recovered.errors
        first.others = tuple(others)
        raise first
    return recovered.sheet


def recover_sheet(text: str, *, source: str = "<text>") -> Recovered:
    """Read a rule sheet as far as possible; after an error, continue with the next top-level form.

    >>> recovered = recover_sheet("(role robot) (init ?x ()) (init (at 1))")
    >>> [str(rule) for rule in recovered.sheet.rules]
    ['(role robot)', '(init (at 1))']
    >>> [str(error) for error in recovered.errors]
    ['<text>:1:24: empty list; a list starts with the name of a relation or function']
    """
    text = with_lf(text.removeprefix("\ufeff"))
    errors = TextErrors(text, source)
    spellings = Spellings()
    from . import grammar, infix_grammar  # these import lark, which a cached game does not need

    if is_infix(text):
        with contextlib.suppress(TooManyErrorsError):
            text = without_kif_rules(text, errors)
        return _recovered(text, infix_grammar.read_infix(text, spellings, errors), spellings, errors, source)
    builder = grammar.the_builder()
    builder.begin(spellings, errors.at_position)
    try:
        if len(text) <= MAX_CHARACTERS:
            text, closed = without_foreign_comments(text, errors.at_offset)
            errors.hidden |= not closed
            text = without_infix_rules(text, errors)
        forms = find_forms(text, errors.at_offset, rules=True)
        for start, end in forms.stretches:
            grammar.read_stretch(text, start, end, forms, errors)
    except TooManyErrorsError:
        pass
    return _recovered(text, builder.rules(), spellings, errors, source)


def _recovered(text: str, rules: tuple[Rule, ...], spellings: Spellings, errors: TextErrors, source: str) -> Recovered:
    """Return rules and errors, the errors in the order of the text and limited in number."""
    found = sorted(errors.found, key=lambda error: error.position)
    if len(found) > MAX_ERRORS:
        del found[MAX_ERRORS:]
        message = f"more than {MAX_ERRORS} errors; later errors are not listed"
        found.append(GdlSyntaxError(message, source=source, position=found[-1].position, code="GDL116"))
    return Recovered(RuleSheet(rules, spellings, source), tuple(found), text, not errors.hidden)


def read_sheet(path: str | Path) -> RuleSheet:
    """Read a rule sheet from a file in UTF-8; bytes that are not UTF-8 are accepted in comments only.

    Raises:
        OSError: the file cannot be read.
        GdlSyntaxError, GdlRuleError: the file is not KIF; see `parse_sheet`.
    """
    return parse_sheet(read_text(path), source=str(path))


def read_text(path: str | Path) -> str:
    """Read the text of a rule sheet from a file, at most one character more than the limit.

    Raises:
        OSError: the file cannot be read.
    """
    with Path(path).open("rb") as file:
        return read_stream(file)


def read_stream(file: BinaryIO) -> str:
    """Read the text of a rule sheet from an open file; see `read_text`."""
    return file.read(4 * MAX_CHARACTERS + 16).decode("utf-8-sig", errors="replace")


def parse_term(text: str, spellings: Spellings | None = None, *, source: str = "<term>") -> Term:
    """Read one term, such as a move; use the spellings of a sheet if given.

    >>> parse_term("( mark 1 ( s 0 ) )")
    Compound('mark', ('1', Compound('s', ('0',))))

    Raises:
        GdlSyntaxError: the text is not exactly one term.
    """
    text = with_lf(text)
    errors = TextErrors(text, source)
    from .grammar import read_term, the_builder  # imports lark, which a cached game does not need

    the_builder().begin((spellings or Spellings()).closed(), errors.at_position)
    _require_sound(text, errors)
    term = read_term(text, errors)
    errors.raise_first()
    return term


def _require_sound(text: str, errors: TextErrors) -> None:
    """Raise the first error in the parentheses and words of a text, if there is one."""
    with contextlib.suppress(TooManyErrorsError):
        find_forms(text, errors.at_offset)
    errors.raise_first()

"""Lark's parser of KIF (LALR), built once from `kif.lark`. It reads parts of a text and reports errors.

Programs that only play cached games do not import this module: importing Lark and building the parser takes longer than
everything else then.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

from lark import Lark
from lark.exceptions import UnexpectedInput, UnexpectedToken

from .builder import Builder
from .errors import GdlSyntaxError
from .forms import Forms
from .rule_sheet import NOWHERE
from .terms import Term
from .text_errors import TextErrors

# Created at import, so that two threads cannot create two builders; the parser keeps a reference to it.
_BUILDER = Builder()


def the_builder() -> Builder:
    """Return the shared builder of rules; each thread parses its own text with it."""
    return _BUILDER


@cache
def _lark() -> Lark:
    return Lark.open(
        "kif.lark",
        rel_to=__file__,
        parser="lalr",
        start=["sheet", "single"],
        maybe_placeholders=False,
        transformer=the_builder(),
    )


def read_term(text: str, errors: TextErrors) -> Term:
    """Parse a text that is one term; raise the first error if it is not."""
    try:
        term: Term = _lark().parse(text, start="single")  # type: ignore[assignment]
        return term
    except UnexpectedInput as error:
        offset, code, message = _cause(error, len(text))
        position = NOWHERE if offset == len(text) else errors.places.position(offset)
        errors.add(GdlSyntaxError, position, code, message)
        errors.raise_first()
        raise


def read_stretch(text: str, start: int, end: int, forms: Forms, errors: TextErrors) -> None:
    """Parse complete forms; after an error Lark starts again at the next form."""
    while start < end:
        part = text[start:end]
        the_builder().resume(errors.places.position(start))
        try:
            _lark().parse(part, start="sheet")
        except UnexpectedInput as error:
            offset, code, message = _cause(error, len(part))
            errors.at_offset(start + offset, code, message)
            following = bisect_right(forms.starts, start + offset)
            start = forms.starts[following] if following < len(forms.starts) else end
        else:
            return


def _cause(error: UnexpectedInput, length: int) -> tuple[int, str, str]:
    """Translate an error of Lark into offset, code and message in terms of KIF."""
    token = error.token if isinstance(error, UnexpectedToken) else None
    if token is None or token.type == "$END":
        return length, "GDL104", "the text ends where a term was expected"
    offset = token.start_pos or 0
    if token.type == "RPAR":
        return offset, "GDL106", "empty list; a list starts with the name of a relation or function"
    if token.type == "LPAR":
        return offset, "GDL107", "a list starts with a name, not with another list"
    if token.type == "VARIABLE":
        return offset, "GDL108", f"a list starts with a name, not with the variable {token}"
    return offset, "GDL107", f"unexpected {str(token)!r}"

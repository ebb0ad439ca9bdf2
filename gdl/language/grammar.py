"""Lark's parser of KIF (LALR), built once from `kif.lark`. It reads parts of a text and reports errors.

Programs that only play cached games do not import this module: importing Lark and building the parser takes longer than
everything else then.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput, UnexpectedToken

from .arrows import CODE as ARROW
from .arrows import arrow_message, head_first, is_rule, is_unmistakable
from .errors import GdlSyntaxError
from .forms import Forms
from .rule_sheet import (
    KEYWORD_ARITIES,
    NOWHERE,
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Position,
    Rule,
)
from .terms import Compound, Spellings, Term, Variable
from .text_errors import TextErrors

# The actions of the grammar: Lark calls one for each piece of a text (see `kif.lark`).
#
# Lark calls the actions of one shared object as soon as a piece is complete, so a syntax tree is never stored. The
# data of one parse is kept per thread. A form with an error is reported and left out.

ReportRuleError: TypeAlias = Callable[[Position, str, str], None]

# Placeholder for a formula in a form that is left out anyway.
_NOTHING = Literal("")


class _Reading(threading.local):
    """The state of the parse of one thread."""

    spellings: Spellings  # the symbols seen so far
    report: ReportRuleError  # called with position, code and message of each error
    rules: list[Rule]  # the completed rules
    origin: Position  # the position at which the text given to Lark starts
    broken: bool  # whether the present form has an error and is to be left out


class Builder(Transformer[Token, Any]):
    """Turn the pieces of a sheet or a term into rules or terms."""

    def __init__(self) -> None:
        super().__init__()
        self._reading = _Reading()

    def begin(self, spellings: Spellings, report: ReportRuleError) -> None:
        """Start reading in this thread."""
        self._reading.spellings = spellings
        self._reading.report = report
        self._reading.rules = []
        self.resume(Position(1, 1))

    def resume(self, origin: Position) -> None:
        """Continue in this thread with the part of the text that starts at a position."""
        self._reading.origin = origin
        self._reading.broken = False

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that were completed since `begin`."""
        return tuple(self._reading.rules)

    def place(self, token: Token) -> Position:
        """Return the position of a token in the whole text."""
        assert token.line is not None and token.column is not None
        line, column = self._reading.origin
        return Position(token.line + line - 1, token.column + (column - 1 if token.line == 1 else 0))

    def _fail(self, token: Token, code: str, message: str) -> Literal:
        self._reading.broken = True
        self._reading.report(self.place(token), code, message)
        return _NOTHING

    # ---- terms

    def symbol(self, children: list[Token]) -> Term:
        return self._reading.spellings.canonical(str(children[0]))

    def variable(self, children: list[Token]) -> Term:
        if len(children[0]) == 1:
            self._fail(children[0], "GDL110", "a variable needs a name after its question mark")
        return Variable(str(children[0])[1:].lower())

    def compound(self, children: list[Any]) -> Term:
        name = self._reading.spellings.canonical(str(children[0]))
        return Compound(name, tuple(children[1:])) if len(children) > 1 else name

    def single(self, children: list[Term]) -> Term:
        return children[0]

    # ---- formulas

    def sentence(self, children: list[Any]) -> Literal:
        first: Token = children[0]
        if first.type == "VARIABLE":
            return self._fail(first, "GDL111", f"the variable {first} stands where a sentence must stand")
        name_token: Token = children[1] if first.type == "LPAR" else first
        if name_token == "<=" and len(children) > 1 and not _is_comparison(children[2:]):
            return self._fail(first, "GDL203", "a rule inside a rule; is a parenthesis missing before it?")
        name = str(name_token).lower()
        if name not in KEYWORD_ARITIES:
            name = self._reading.spellings.canonical(str(name_token))
        terms = tuple(children[2:])
        return Literal(Compound(name, terms) if terms else name, self.place(first))

    def literal(self, children: list[Literal]) -> Formula:
        return children[0]

    def negation(self, children: list[Any]) -> Formula:
        if len(children) != 2:
            return self._fail(children[0], "GDL112", f"'not' takes one formula, not {len(children) - 1}")
        return Negation(children[1], self.place(children[0]))

    def disjunction(self, children: list[Any]) -> Formula:
        return Disjunction(tuple(children[1:]), self.place(children[0]))

    def conjunction(self, children: list[Any]) -> Formula:
        return Conjunction(tuple(children[1:]), self.place(children[0]))

    def distinct(self, children: list[Any]) -> Formula:
        if len(children) != 3:
            return self._fail(children[0], "GDL113", f"'distinct' takes two terms, not {len(children) - 1}")
        return Distinct(children[1], children[2], self.place(children[0]))

    # ---- forms

    def fact(self, children: list[Literal]) -> None:
        sentence, position = children[0].sentence, children[0].position
        if isinstance(sentence, str) and is_unmistakable(sentence):
            message = f"{sentence} looks like the arrow of a rule; write the rule as one list: (<= head body ...)"
            self._reading.report(position, ARROW, message)
            self._reading.broken = True
        self._complete(Rule(children[0], (), children[0].position))

    def rule(self, children: list[Any]) -> None:
        head = children[1] if len(children) > 1 else None
        if head is None:
            self._fail(children[0], "GDL114", "a rule needs a head: (<= head body ...)")
        elif not isinstance(head, Literal):
            self._fail(children[0], "GDL115", "the head of a rule is one sentence, not a formula")
        else:
            self._complete(Rule(head, tuple(children[2:]), self.place(children[0])))
        self._reading.broken = False

    def arrow_form(self, children: list[Any]) -> None:
        """Read a form that begins with a sign such as `:-`: a rule with an error, or a fact of a relation."""
        parenthesis, arrow, *parts = children
        if is_rule(arrow, parts):
            self._reading.report(self.place(arrow), ARROW, arrow_message(arrow, parts))
            self.rule([arrow, *head_first(arrow, parts)])
        else:
            terms = tuple(part.sentence for part in parts)
            name = self._reading.spellings.canonical(str(arrow))
            self.fact([Literal(Compound(name, terms) if terms else name, self.place(parenthesis))])

    def _complete(self, rule: Rule) -> None:
        if not self._reading.broken:
            self._reading.rules.append(rule)
        self._reading.broken = False


def _is_comparison(terms: list[Term]) -> bool:
    """Return whether the terms after `<=` are two variables or numbers, so that the list is no rule."""
    return len(terms) == 2 and all(
        isinstance(term, Variable) or (isinstance(term, str) and term.lstrip("-").isdecimal()) for term in terms
    )


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

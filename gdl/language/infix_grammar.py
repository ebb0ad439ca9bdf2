"""Lark's parser of infix rules (LALR), built once from `infix.lark`; it gets the tokens of each clause in turn."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cache

from lark import Lark, Token
from lark.exceptions import UnexpectedToken
from lark.lexer import Lexer

from .forms import is_text
from .infix_builder import InfixBuilder
from .infix_clauses import InfixClause, find_clauses, find_operation
from .infix_tokens import COMMENT, LPAR, VARIABLE, InfixToken, infix_tokens
from .rule_sheet import Rule
from .terms import Spellings
from .text_errors import TextErrors, TooManyErrorsError

# The parser calls the actions of this object, so there is one for all threads.
_BUILDER = InfixBuilder()
# The end of the input, as Lark names it.
_END = "$END"


class _NoLexer(Lexer):
    """Stand in for Lark's lexer: the tokens are fed one by one."""

    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, lexer_state: object, parser_state: object) -> Iterator[Token]:
        raise NotImplementedError


@cache
def _lark() -> Lark:
    return Lark.open(
        "infix.lark",
        rel_to=__file__,
        parser="lalr",
        lexer=_NoLexer,
        start="clause",
        keep_all_tokens=True,
        maybe_placeholders=False,
        transformer=_BUILDER,
    )


def read_infix(text: str, spellings: Spellings, errors: TextErrors) -> tuple[Rule, ...]:
    """Read the rules of an infix text; after an error the next clause is read."""
    builder = _BUILDER
    builder.begin(spellings, errors.at_position, errors.places.position)
    try:
        if is_text(text, errors.at_offset):
            _read_clauses(text, infix_tokens(text), errors)
    except TooManyErrorsError:
        pass
    return builder.rules()


def _read_clauses(text: str, tokens: list[InfixToken], errors: TextErrors) -> None:
    operation = find_operation([token for token in tokens if token.kind != COMMENT])
    if operation is not None:
        message = (
            f"'{operation.text}' belongs to an operation of Gamemaster (action :: conditions ==> effects), "
            "which is not GDL; write rules for next, true and does"
        )
        errors.at_offset(operation.start, "GDL118", message)
        return
    start = _lark().parse_interactive("").parser_state
    for clause in find_clauses(text, tokens, errors.at_offset):
        _BUILDER.begin_rule()
        state = copy(start)
        try:
            for token in clause.tokens:
                state.feed_token(Token(token.kind, token.text, token.start))
            state.feed_token(Token(_END, "", clause.end), is_end=True)
        except UnexpectedToken as error:
            errors.at_offset(*_cause(error.token, clause))


def _cause(token: Token, clause: InfixClause) -> tuple[int, str, str]:
    """Return offset, code and message of a token that the grammar does not expect."""
    offset = token.start_pos or 0
    if token.type == _END:
        return (
            clause.tokens[-1].start,
            "GDL117",
            f"the rule ends after {clause.tokens[-1].text}, where more must follow",
        )
    before = [each for each in clause.tokens if each.start < offset]
    if token.type == LPAR and before and before[-1].kind == VARIABLE:
        variable = before[-1]
        message = f"the variable {variable.text} stands where a name must stand; names begin with a lower-case letter"
        return variable.start, "GDL108", f"{message}, or stand in quotes"
    shown = token if len(token) <= 40 else f"{token[:37]}..."
    return offset, "GDL117", f"unexpected {shown} in a rule"

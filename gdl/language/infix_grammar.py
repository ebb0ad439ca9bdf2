"""Lark's parser of infix rules (LALR), built once from `infix.lark`; it gets the tokens of each clause in turn."""

from __future__ import annotations

import contextlib
import re
from typing import Any, NamedTuple

from lark import Token
from lark.exceptions import UnexpectedToken

from .errors import TextErrors, TooManyErrorsError
from .forms import MAX_SYMBOL, is_text
from .grammar import END, RuleBuilder, parser_state
from .infix import (
    COMMENT,
    EITHER,
    LPAR,
    VARIABLE,
    InfixClause,
    InfixToken,
    find_clauses,
    find_operation,
    infix_tokens,
)
from .rule_sheet import (
    KEYWORD_ARITIES,
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Rule,
)
from .terms import Compound, Spellings, Term, Variable

# The function that a term such as (X, Y) without a name is read as.
TUPLE = "tuple"

_WRITABLE = re.compile(r"(?!//|/\*|\*/$|#\||\|#$)[^\s();?][^\s();]*")


class _InfixAtom(NamedTuple):
    """A formula that may become a literal, a head, or one side of an inequality."""

    token: Token
    arguments: tuple[Term, ...]


class InfixBuilder(RuleBuilder):
    """Turn the pieces of an infix sheet into rules."""

    def _fail(self, token: Token, code: str, message: str) -> Literal:
        """Report an error of the present rule; only the first one of a rule."""
        return Literal("") if self._reading.broken else super()._fail(token, code, message)

    # ---- terms

    def _name(self, token: Token) -> str:
        """Return the name that a symbol stands for, in its first spelling."""
        text = str(token)
        if text[0] == "'":
            text = text[1:-1].replace("''", "'")
            if _WRITABLE.fullmatch(text) is None or len(text) > MAX_SYMBOL:
                message = (
                    f"the name {token} cannot be written in KIF: it is empty, begins with ? or a sign of a comment,"
                    " or has blanks, ( ) or ;"
                )
                self._fail(token, "GDL119", message)
                return "name"
        return self._reading.spellings.canonical(text)

    def _variable(self, token: Token) -> Variable:
        """Return a variable; variables that differ in case only, and each `_`, get different names."""
        known = self._reading.variables
        spelt = str(token) if token[0] != "?" else token.lower()
        if spelt in known:
            return known[spelt]
        base = "" if spelt == "_" else spelt.removeprefix("?").lower()
        numbers = self._reading.numbers
        name = base
        while not name or name in numbers:
            numbers[base] = numbers.get(base, 0) + 1
            name = f"{base}_{numbers[base]}"
        numbers.setdefault(name, 1)
        variable = Variable(name)
        if base:
            known[spelt] = variable
        return variable

    def symbol(self, children: list[Token]) -> Term:
        return self._name(children[0])

    def variable(self, children: list[Token]) -> Term:
        return self._variable(children[0])

    def compound(self, children: list[Any]) -> Term:
        name = self._name(children[0])
        arguments = _without_signs(children[1:])
        return Compound(name, arguments) if arguments else name

    def unnamed(self, children: list[Any]) -> Term:
        parts = _without_signs(children)
        return Compound(self._reading.spellings.canonical(TUPLE), parts) if len(parts) > 1 else parts[0]

    def atom(self, children: list[Any]) -> _InfixAtom:
        return _InfixAtom(children[0], _without_signs(children[1:]))

    def _sentence(self, atom: _InfixAtom) -> Literal:
        token = atom.token
        if token.type == "VARIABLE":
            advice = "names of relations begin with a lower-case letter, or stand in quotes"
            return self._fail(token, "GDL111", f"the variable {token} stands where a sentence must stand; {advice}")
        name = str(token).lower()
        if name not in KEYWORD_ARITIES:
            name = self._name(token)
        return Literal(Compound(name, atom.arguments) if atom.arguments else name, self._place(token))

    # ---- formulas

    def literal(self, children: list[_InfixAtom]) -> Formula:
        return self._sentence(children[0])

    def unequal(self, children: list[Any]) -> Formula:
        return Distinct(self._term(children[0]), children[2], self._place(children[0].token))

    def comparison(self, children: list[Any]) -> Formula:
        left, sign, right = children
        name = self._reading.spellings.canonical(str(sign))
        return Literal(Compound(name, (self._term(left), right)), self._place(left.token))

    def _term(self, atom: _InfixAtom) -> Term:
        """Return an atom as a term."""
        if atom.token.type == "VARIABLE":
            return self._variable(atom.token)
        name = self._name(atom.token)
        return Compound(name, atom.arguments) if atom.arguments else name

    def negation(self, children: list[Any]) -> Formula:
        return Negation(children[1], self._place(children[0]))

    def group(self, children: list[Any]) -> Formula:
        formulas: tuple[Formula, ...] = children[1]
        return formulas[0] if len(formulas) == 1 else Conjunction(formulas, self._place(children[0]))

    def disjunction(self, children: list[Any]) -> Formula:
        return Disjunction(_without_signs(children[1:]), self._place(children[0]))

    def conjunction(self, children: list[Any]) -> Formula:
        return Conjunction(_without_signs(children[1:]), self._place(children[0]))

    def distinct(self, children: list[Any]) -> Formula:
        terms = _without_signs(children[1:])
        if len(terms) != 2:
            return self._fail(children[0], "GDL113", f"'distinct' takes two terms, here are {len(terms)}")
        return Distinct(terms[0], terms[1], self._place(children[0]))

    def joined(self, children: list[Any]) -> tuple[Formula, ...]:
        return _without_signs(children)

    def series(self, children: list[Any]) -> tuple[Formula, ...]:
        return tuple([formula for formulas in _without_signs(children) for formula in formulas])

    def body(self, children: list[Any]) -> tuple[Formula, ...]:
        return self._alternatives(children)

    def part(self, children: list[Any]) -> Formula:
        formulas = self._alternatives(children)
        return formulas[0] if len(formulas) == 1 else Conjunction(formulas, formulas[0].position)

    def _alternatives(self, children: list[Any]) -> tuple[Formula, ...]:
        """Join the formulas of each alternative by "and", and several alternatives by "or"."""
        sign = next((child for child in children if isinstance(child, Token) and child.type == EITHER), None)
        alternatives = _without_signs(children)
        if sign is None:
            only: tuple[Formula, ...] = alternatives[0]
            return only
        parts = [each[0] if len(each) == 1 else Conjunction(each, each[0].position) for each in alternatives]
        return (Disjunction(tuple(parts), self._place(sign)),)

    # ---- clauses

    def fact(self, children: list[Any]) -> None:
        head = self._sentence(children[0])
        self._complete(Rule(head, (), head.position))

    def rule(self, children: list[Any]) -> None:
        head = self._sentence(children[0])
        self._complete(Rule(head, children[2], head.position))


def _without_signs(children: list[Any]) -> tuple[Any, ...]:
    """Leave out the tokens among the children of a piece: parentheses, commas and connectives."""
    return tuple([child for child in children if not isinstance(child, Token)])


_BUILDER = InfixBuilder()


def read_infix(text: str, spellings: Spellings, errors: TextErrors) -> tuple[Rule, ...]:
    """Read the rules of an infix text; after an error the next clause is read."""
    _BUILDER.begin(spellings, errors)
    with contextlib.suppress(TooManyErrorsError):
        if is_text(text, errors.at_offset):
            _read_clauses(text, infix_tokens(text), errors)
    return _BUILDER.rules()


def _read_clauses(text: str, tokens: list[InfixToken], errors: TextErrors) -> None:
    operation = find_operation([token for token in tokens if token.kind != COMMENT])
    if operation is not None:
        message = (
            f"'{operation.text}' belongs to an operation of Gamemaster (action :: conditions ==> effects), "
            "which is not GDL; write rules for next, true and does"
        )
        errors.at_offset(operation.start, "GDL118", message)
        return
    start = parser_state("infix.lark", _BUILDER, all_tokens=True)
    for clause in find_clauses(text, tokens, errors.at_offset):
        _BUILDER.begin_rule()
        state = start.copy(deepcopy_values=False)
        try:
            for token in clause.tokens:
                state.feed_token(Token(token.kind, token.text, token.start))
            state.feed_token(Token(END, "", clause.end), is_end=True)
        except UnexpectedToken as error:
            errors.at_offset(*_cause(error.token, clause))


def _cause(token: Token, clause: InfixClause) -> tuple[int, str, str]:
    """Return offset, code and message of a token that the grammar does not expect."""
    offset = token.start_pos or 0
    if token.type == END:
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

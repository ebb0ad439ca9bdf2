"""Lark's parser of rules in KIF (LALR), built once from `kif.lark`, and its parts that infix rules share.

The parser gets the tokens of one form after the other and calls the actions of a builder as soon as a piece is
complete, so a syntax tree is never stored. There is one builder for all threads; the data of one text is kept per
thread. A form with an error is reported and left out.

Programs that only play cached games do not import this module: importing Lark and building the parser takes longer than
everything else then.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedToken
from lark.lexer import Lexer

from .errors import TextErrors, TooManyErrorsError
from .forms import CODE as ARROW
from .forms import arrow_message, find_forms, head_first, is_arrow, is_rule, is_unmistakable, misplaced
from .rule_sheet import (
    KEYWORD_ARITIES,
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

# The end of the input, as Lark names it.
END = "$END"

# Placeholder for a formula in a form that is left out anyway.
_NOTHING = Literal("")

# Words that are symbols wherever the grammar does not expect their terminals.
_CONNECTIVES = {"<=": "IMPLIES", "not": "NOT", "or": "OR", "and": "AND", "distinct": "DISTINCT"}


class _Reading(threading.local):
    """The state of the parse of one thread."""

    spellings: Spellings  # the symbols seen so far
    errors: TextErrors  # the errors of the text
    rules: list[Rule]  # the completed rules
    broken: bool  # whether the present form has an error and is to be left out
    variables: dict[str, Variable]  # in infix notation: the variables of the present rule, by their spelling
    numbers: dict[str, int]  # likewise: the last number that was appended to each name of a variable


class RuleBuilder(Transformer[Token, Any]):
    """Collect the rules of a text."""

    def __init__(self) -> None:
        super().__init__()
        self._reading = _Reading()

    def begin(self, spellings: Spellings, errors: TextErrors) -> None:
        """Start to read a text in this thread."""
        self._reading.spellings = spellings
        self._reading.errors = errors
        self._reading.rules = []

    def begin_rule(self) -> None:
        """Start to read a rule in this thread."""
        self._reading.broken = False
        self._reading.variables = {}
        self._reading.numbers = {}

    def rules(self) -> tuple[Rule, ...]:
        """Return the rules that were completed since `begin`."""
        return tuple(self._reading.rules)

    def _place(self, token: Token) -> Position:
        return self._reading.errors.places.position(token.start_pos or 0)

    def _fail(self, token: Token, code: str, message: str) -> Literal:
        self._reading.broken = True
        self._reading.errors.at_position(self._place(token), code, message)
        return _NOTHING

    def _complete(self, rule: Rule) -> None:
        if not self._reading.broken:
            self._reading.rules.append(rule)


class _NoLexer(Lexer):
    """Take the place of Lark's lexer and give no tokens: the parser receives them one by one."""

    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, lexer_state: object, parser_state: object) -> Iterator[Token]:
        return iter(())


@cache
def parser_state(grammar: str, builder: RuleBuilder, *, all_tokens: bool = False) -> Any:
    """Return the state of a parser before the first token of a rule; `copy` makes one for each rule."""
    parser = Lark.open(
        grammar,
        rel_to=__file__,
        parser="lalr",
        lexer=_NoLexer,
        start="form",
        keep_all_tokens=all_tokens,
        maybe_placeholders=False,
        transformer=builder,
    )
    return parser.parse_interactive("").parser_state


class Builder(RuleBuilder):
    """Turn the pieces of a sheet in KIF into rules."""

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
        return Literal(Compound(name, terms) if terms else name, self._place(first))

    def literal(self, children: list[Literal]) -> Formula:
        return children[0]

    def negation(self, children: list[Any]) -> Formula:
        if len(children) != 2:
            return self._fail(children[0], "GDL112", f"'not' takes one formula, not {len(children) - 1}")
        return Negation(children[1], self._place(children[0]))

    def disjunction(self, children: list[Any]) -> Formula:
        return Disjunction(tuple(children[1:]), self._place(children[0]))

    def conjunction(self, children: list[Any]) -> Formula:
        return Conjunction(tuple(children[1:]), self._place(children[0]))

    def distinct(self, children: list[Any]) -> Formula:
        if len(children) != 3:
            return self._fail(children[0], "GDL113", f"'distinct' takes two terms, not {len(children) - 1}")
        return Distinct(children[1], children[2], self._place(children[0]))

    # ---- forms

    def fact(self, children: list[Literal]) -> None:
        sentence, position = children[0].sentence, children[0].position
        if isinstance(sentence, str) and is_unmistakable(sentence):
            message = f"{sentence} looks like the arrow of a rule; write the rule as one list: (<= head body ...)"
            self._reading.errors.at_position(position, ARROW, message)
            self._reading.broken = True
        self._complete(Rule(children[0], (), children[0].position))

    def rule(self, children: list[Any]) -> None:
        head = children[1] if len(children) > 1 else None
        if head is None:
            self._fail(children[0], "GDL114", "a rule needs a head: (<= head body ...)")
        elif not isinstance(head, Literal):
            self._fail(children[0], "GDL115", "the head of a rule is one sentence, not a formula")
        else:
            self._complete(Rule(head, tuple(children[2:]), self._place(children[0])))

    def arrow_form(self, children: list[Any]) -> None:
        """Read a form that begins with a sign such as `:-`: a rule with an error, or a fact of a relation."""
        parenthesis, arrow, *parts = children
        if is_rule(arrow, parts):
            self._reading.errors.at_position(self._place(arrow), ARROW, arrow_message(arrow, parts))
            self.rule([arrow, *head_first(arrow, parts)])
        else:
            terms = tuple(part.sentence for part in parts)
            name = self._reading.spellings.canonical(str(arrow))
            self.fact([Literal(Compound(name, terms) if terms else name, self._place(parenthesis))])


def _is_comparison(terms: list[Term]) -> bool:
    """Return whether the terms after `<=` are two variables or numbers, so that the list is no rule."""
    return len(terms) == 2 and all(
        isinstance(term, Variable) or (isinstance(term, str) and term.lstrip("-").isdecimal()) for term in terms
    )


_BUILDER = Builder()


def _terminal(word: str, expected: Mapping[str, Any]) -> str:
    """Return the terminal of a word where the grammar expects some terminals."""
    if word == "(":
        return "LPAR"
    if word == ")":
        return "RPAR"
    if word[0] == "?":
        return "VARIABLE"
    if (connective := _CONNECTIVES.get(word.lower())) in expected:
        return connective or ""
    return "ARROW" if "ARROW" in expected and is_arrow(word) else "SYMBOL"


def read_kif(text: str, spellings: Spellings, errors: TextErrors) -> tuple[Rule, ...]:
    """Read the rules of a KIF text; after an error the next form is read."""
    _BUILDER.begin(spellings, errors)
    start = parser_state("kif.lark", _BUILDER)
    states = start.parse_conf.states
    with contextlib.suppress(TooManyErrorsError):
        for form in find_forms(text, errors.at_offset, rules=True):
            _BUILDER.begin_rule()
            state = start.copy(deepcopy_values=False)
            try:
                for word, offset in form:
                    state.feed_token(Token(_terminal(word, states[state.position]), word, offset))
                state.feed_token(Token(END, "", offset), is_end=True)
            except UnexpectedToken as error:
                errors.at_offset(error.token.start_pos or 0, *misplaced(error.token))
    return _BUILDER.rules()

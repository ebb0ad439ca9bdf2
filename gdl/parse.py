"""Text to terms and rules, by the grammar in `kif.lark` (Lark, LALR).

`parse_sheet` reads a rule sheet, `parse_term` one move or fluent, `parse_words` a protocol message.
Parentheses are checked before Lark sees the text, so that the message names the one that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput, UnexpectedToken, VisitError

from .errors import GdlRuleError, GdlSyntaxError
from .rules import (
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
    RuleSheet,
)
from .terms import Compound, Spellings, Term, Variable

# Deeper nesting than any sheet needs (the deepest public one has 25 levels) is a mistake or an attack.
MAX_NESTING = 100

_PARENTHESES = re.compile(r";[^\n]*|[()]")
_BROKEN_BYTES = re.compile("[\udc80-\udcff]|;[^\n]*")  # as they are decoded with "surrogateescape"


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a protocol message."""

    text: str


@dataclass(frozen=True, slots=True)
class WordList:
    """A parenthesised list of a protocol message; `start` and `end` delimit it in the text."""

    items: tuple[Item, ...]
    start: int
    end: int


Item: TypeAlias = Word | WordList


def parse_sheet(text: str, *, source: str = "<text>") -> RuleSheet:
    """Read a rule sheet.

    Symbols are compared without regard to case and keep their first spelling; `(f)` is the atom `f`.

    >>> sheet = parse_sheet("(role robot) (<= (LEGAL robot (go ?x)) (true (at ?x)))")
    >>> print(sheet.rules[1])
    (<= (legal robot (go ?x)) (true (at ?x)))
    >>> parse_sheet("(role robot))")
    Traceback (most recent call last):
    gdl.errors.GdlSyntaxError: <text>:1:13: closing parenthesis without an opening one

    Raises:
        GdlSyntaxError: the text is not KIF; the message gives line, column and cause.
    """
    _check_parentheses(text, source)
    spellings = Spellings()
    rules = _parse(text, "sheet", _Builder(text, source, spellings), source)
    return RuleSheet(rules, spellings, source)


def read_sheet(path: str | Path) -> RuleSheet:
    """Read a rule sheet from a file in UTF-8; broken bytes are accepted in comments only.

    Raises:
        OSError: the file cannot be read.
        GdlSyntaxError: the file holds no KIF text.
    """
    path = Path(path)
    data = path.read_bytes()
    text = data.decode("utf-8-sig", errors="surrogateescape")
    broken = next((match for match in _BROKEN_BYTES.finditer(text) if not match[0].startswith(";")), None)
    text = re.sub("[\udc80-\udcff]", "\ufffd", text)
    control = re.search(r"[\x00-\x08\x0e-\x1f]", text)
    if control is not None:
        line = text.count("\n", 0, control.start()) + 1
        message = f"this is no text (byte {ord(control[0]):#04x}); give a rule sheet in KIF"
        raise GdlSyntaxError(message, source=str(path), position=Position(line, 1))
    if broken is not None:
        message = "this byte is no UTF-8; outside comments a rule sheet holds UTF-8 only"
        raise GdlSyntaxError(message, source=str(path), position=_position(text, broken.start()), text=text)
    return parse_sheet(text, source=str(path))


def parse_term(text: str, spellings: Spellings | None = None, *, source: str = "<term>") -> Term:
    """Read one term, such as a move, in the spellings of a sheet where they are given.

    >>> parse_term("( mark 1 ( s 0 ) )")
    Compound('mark', ('1', Compound('s', ('0',))))

    Raises:
        GdlSyntaxError: the text is not exactly one term.
    """
    _check_parentheses(text, source)
    term: Term = _parse(text, "single", _Builder(text, source, spellings or Spellings()), source)
    return term


def parse_words(text: str, *, source: str = "<message>") -> tuple[Item, ...]:
    """Read nested lists of words, as the match protocol sends them.

    Raises:
        GdlSyntaxError: parentheses do not match.
    """
    _check_parentheses(text, source)
    items: tuple[Item, ...] = _parse(text, "message", _MessageBuilder(), source)
    return items


@cache
def _lark() -> Lark:
    starts = ["sheet", "single", "message"]
    return Lark.open("kif.lark", rel_to=__file__, parser="lalr", start=starts, maybe_placeholders=False)


def _parse(text: str, start: str, builder: Transformer[Token, Any], source: str) -> Any:
    try:
        return builder.transform(_lark().parse(text, start=start))
    except UnexpectedInput as error:
        raise _syntax_error(error, text, source) from None
    except VisitError as error:
        raise error.orig_exc from None


def _syntax_error(error: UnexpectedInput, text: str, source: str) -> GdlSyntaxError:
    """Name the cause of what Lark found, in the words of KIF."""
    token = error.token if isinstance(error, UnexpectedToken) else None
    position = Position(error.line, error.column)
    if token is None or token.type == "$END":
        message = "the text ends where a term was expected"
        position = NOWHERE
    elif token.type == "RPAR":
        message = "empty list; a list starts with the name of a relation or function"
    elif token.type == "LPAR":
        message = "a list starts with a name, not with another list"
    elif token.type == "VARIABLE":
        message = f"a list starts with a name, not with the variable {token}"
    else:
        message = f"unexpected {str(token)!r}"
    return GdlSyntaxError(message, source=source, position=position, text=text)


def _check_parentheses(text: str, source: str) -> None:
    """Find unbalanced or too deeply nested parentheses before anything else is said of the text."""
    open_at: list[int] = []
    for match in _PARENTHESES.finditer(text):
        if match[0] == "(":
            open_at.append(match.start())
            if len(open_at) > MAX_NESTING:
                message = f"parentheses nested deeper than {MAX_NESTING}"
                raise GdlSyntaxError(message, source=source, position=_position(text, match.start()), text=text)
        elif match[0] == ")":
            if not open_at:
                message = "closing parenthesis without an opening one"
                raise GdlSyntaxError(message, source=source, position=_position(text, match.start()), text=text)
            open_at.pop()
    if open_at:
        message = "this parenthesis is never closed"
        raise GdlSyntaxError(message, source=source, position=_position(text, open_at[0]), text=text)


def _position(text: str, offset: int) -> Position:
    line_start = text.rfind("\n", 0, offset) + 1
    return Position(text.count("\n", 0, offset) + 1, offset - line_start + 1)


class _Builder(Transformer[Token, Any]):
    """Turn the tree of a sheet or a term into rules and terms."""

    def __init__(self, text: str, source: str, spellings: Spellings) -> None:
        super().__init__()
        self._text = text
        self._source = source
        self._spellings = spellings

    def _error(self, message: str, position: Position) -> GdlRuleError:
        return GdlRuleError(message, source=self._source, position=position, text=self._text)

    def symbol(self, children: list[Token]) -> Term:
        return self._spellings.canonical(str(children[0]))

    def variable(self, children: list[Token]) -> Term:
        if len(children[0]) == 1:
            raise self._error("a variable needs a name after its question mark", _place(children[0]))
        return Variable(str(children[0])[1:].lower())

    def compound(self, children: list[Any]) -> Term:
        name = self._spellings.canonical(str(children[0]))
        return Compound(name, tuple(children[1:])) if len(children) > 1 else name

    def single(self, children: list[Term]) -> Term:
        return children[0]

    def sentence(self, children: list[Any]) -> tuple[Term, Position]:
        first: Token = children[0]
        if first.type == "VARIABLE":
            raise self._error(f"the variable {first} stands where a sentence must stand", _place(first))
        name_token: Token = children[1] if first.type == "LPAR" else first
        if len(children) > 1 and name_token == "<=":
            raise self._error("a rule inside a rule; is a parenthesis missing before it?", _place(first))
        name = str(name_token).lower()
        if name not in KEYWORD_ARITIES:
            name = self._spellings.canonical(str(name_token))
        terms = tuple(children[2:])
        return (Compound(name, terms) if terms else name), _place(first)

    def literal(self, children: list[tuple[Term, Position]]) -> Formula:
        return Literal(*children[0])

    def negation(self, children: list[Any]) -> Formula:
        position = _place(children[0])
        if len(children) != 2:
            raise self._error(f"'not' takes one formula, here are {len(children) - 1}", position)
        return Negation(children[1], position)

    def disjunction(self, children: list[Any]) -> Formula:
        position = _place(children[0])
        if len(children) < 2:
            raise self._error("'or' without a formula can never hold", position)
        return Disjunction(tuple(children[1:]), position)

    def conjunction(self, children: list[Any]) -> Formula:
        return Conjunction(tuple(children[1:]), _place(children[0]))

    def distinct(self, children: list[Any]) -> Formula:
        position = _place(children[0])
        if len(children) != 3:
            raise self._error(f"'distinct' takes two terms, here are {len(children) - 1}", position)
        return Distinct(children[1], children[2], position)

    def fact(self, children: list[tuple[Term, Position]]) -> Rule:
        sentence, position = children[0]
        return Rule(Literal(sentence, position), (), position)

    def rule(self, children: list[Any]) -> Rule:
        position = _place(children[0])
        if len(children) < 2:
            raise self._error("a rule needs a head: (<= head body ...)", position)
        head = children[1]
        if not isinstance(head, Literal):
            raise self._error("the head of a rule is one sentence, not a formula", position)
        return Rule(head, tuple(children[2:]), position)

    def sheet(self, children: list[Rule]) -> tuple[Rule, ...]:
        return tuple(children)


class _MessageBuilder(Transformer[Token, Any]):
    """Turn the tree of a message into lists of words."""

    def word(self, children: Sequence[Token]) -> Item:
        return Word(str(children[0]))

    def list(self, children: Sequence[Any]) -> Item:
        return WordList(tuple(children[1:-1]), children[0].start_pos, children[-1].end_pos)

    def message(self, children: Sequence[Item]) -> tuple[Item, ...]:
        return tuple(children)


def _place(token: Token) -> Position:
    return Position(token.line or 0, token.column or 0)

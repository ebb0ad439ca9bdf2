"""Infix tokens to clauses (facts and rules): where each one ends, and which of them are broken.

A clause ends with a full stop, or where the next one begins. A name after a complete formula begins a clause if the
clause before it is a fact, or if the name begins a line that is not indented further than the clause before it.

Parentheses, nesting and the length of words are checked here, so that a message names the parenthesis that is wrong.
If parentheses do not match, a name in the first column of a line begins a clause.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .forms import MAX_NESTING, MAX_SYMBOL
from .infix_text import new_name
from .infix_tokens import (
    AND,
    BOTH,
    COMMA,
    COMMENT,
    COMPARE,
    DISTINCT,
    EITHER,
    IMPLIES,
    LPAR,
    NOT,
    OR,
    OTHER,
    RPAR,
    STOP,
    SYMBOL,
    VARIABLE,
    InfixToken,
    infix_tokens,
)

ReportError = Callable[[int, str, str], None]

_NAMES = {SYMBOL, VARIABLE, OR, AND, DISTINCT}
_CONNECTIVES = {COMMA, BOTH, EITHER, IMPLIES}
_ADVICE = {
    "<=": "write ':-' between head and body",
    "<-": "write ':-' between head and body",
    "=>": "write the rule as head :- body",
    "=": "write the same variable twice, or distinct(X, Y)",
    "==": "write the same variable twice, or distinct(X, Y)",
    **dict.fromkeys(("+", "-", "*", "is"), "write arithmetic as a relation, such as '+'(X, 1, Y)"),
    "'": "this quote is never closed",
    "/": "names with this character stand in quotes, and a comment between /* and */",
}
_OPERATIONS = {"::", "==>"}


@dataclass(slots=True)
class InfixClause:
    """One fact or rule."""

    # The tokens without comments and without the full stop; at least one.
    tokens: list[InfixToken] = field(default_factory=list)
    end: int = 0  # the offset after the clause


def find_operation(tokens: list[InfixToken]) -> InfixToken | None:
    """Return the first sign of an operation (`action :: conditions ==> effects`), which GDL does not have."""
    return next((token for token in tokens if token.kind == OTHER and token.text in _OPERATIONS), None)


def find_clauses(text: str, tokens: list[InfixToken], report: ReportError) -> list[InfixClause]:
    """Split the tokens of a text into clauses."""
    significant = [token for token in tokens if token.kind != COMMENT]
    return _ClauseScan(text, report, sound=_is_sound(significant)).run(significant)


def capital_variables(text: str) -> list[tuple[InfixToken, str]]:
    """Return the variables with a question mark, each with its name in infix notation, different in each rule.

    >>> [name for _, name in capital_variables("p(?x, Door, ?door) :- q(?x, ?Door)")]
    ['X', 'Door_2', 'X', 'Door_2']
    """
    found: list[tuple[InfixToken, str]] = []
    for clause in find_clauses(text, infix_tokens(text), lambda *_: None):
        variables = [token for token in clause.tokens if token.kind == VARIABLE]
        taken = {token.text.lower() for token in variables}
        names: dict[str, str] = {}
        for token in variables:
            spelt = token.text.lower()
            if spelt[0] == "?":
                if spelt not in names:
                    names[spelt] = new_name(spelt[1:], taken)
                found.append((token, names[spelt]))
    return found


def _is_sound(tokens: list[InfixToken]) -> bool:
    """Return True if parentheses match and every `:-` and full stop is outside of parentheses."""
    depth = 0
    for token in tokens:
        if token.kind == LPAR:
            depth += 1
        elif token.kind == RPAR:
            depth -= 1
        if depth < 0 or (depth and token.kind in (IMPLIES, STOP)):
            return False
    return depth == 0


class _ClauseScan:
    """One pass over the tokens."""

    def __init__(self, text: str, report: ReportError, *, sound: bool) -> None:
        self._text = text
        self._report = report
        self._sound = sound
        self._found: list[InfixClause] = []
        self._clause = InfixClause()
        self._broken = False
        self._is_rule = False
        self._head_below = 0  # index of the last token that may begin another rule; 0 if there is none
        self._open: list[tuple[int, int]] = []  # offset of each open parenthesis, and the negations before it
        self._negations = 0  # directly before this token
        self._all_negations = 0  # around this token

    def run(self, tokens: list[InfixToken]) -> list[InfixClause]:
        for token in tokens:
            if self._begins_clause(token):
                self._finish()
            if token.kind == STOP:
                self._stop(token)
                continue
            self._check(token)
            self._clause.tokens.append(token)
        self._finish()
        return self._found

    def _begins_clause(self, token: InfixToken) -> bool:
        clause = self._clause.tokens
        if not clause or token.kind not in _NAMES:
            return False
        if self._open:
            return not self._sound and self._column(token) == 1
        if clause[-1].kind not in _NAMES and clause[-1].kind != RPAR:
            return not self._sound and self._column(token) == 1 and self._broken
        return not self._is_rule or self._begins_line(token)

    def _begins_line(self, token: InfixToken) -> bool:
        """Return True if a token begins a line that is not indented further than its clause."""
        clause = self._clause.tokens
        between = self._text.find("\n", clause[-1].end, token.start) >= 0
        return between and self._column(token) <= self._column(clause[0])

    def _split_at_head(self) -> None:
        """Begin a new clause at the head before this `:-`; the clause before it ends with a connective."""
        head = self._clause.tokens[self._head_below :]
        del self._clause.tokens[self._head_below :]
        last = self._clause.tokens[-1]
        self._fault(last.start, "GDL117", f"the rule ends after {_shown(last)}, where more must follow")
        self._finish()
        self._clause.tokens += head

    def _column(self, token: InfixToken) -> int:
        return token.start - self._text.rfind("\n", max(0, token.start - MAX_SYMBOL), token.start)

    def _check(self, token: InfixToken) -> None:
        clause = self._clause.tokens
        kind = token.kind
        if kind == OTHER or (token.text == "<=" and kind == COMPARE and not self._is_rule):
            self._fault(token.start, "GDL117", _unexpected(token))
        elif len(token.text) > MAX_SYMBOL:
            message = f"a word of {len(token.text):,} characters; {MAX_SYMBOL:,} are the limit"
            self._fault(token.start, "GDL109", message)
        elif kind in _NAMES and not self._open and clause and (clause[-1].kind in _NAMES or clause[-1].kind == RPAR):
            message = f"'&' is missing before {_shown(token)}; a new rule begins a line of its own"
            self._fault(token.start, "GDL117", _unexpected(token) if token.text == "is" else message)
        if kind == IMPLIES:
            if self._open:
                self._never_closed()
            if self._is_rule and self._head_below:
                self._split_at_head()
            self._is_rule = True
        elif kind in _NAMES and clause and not self._open and self._begins_line(token):
            self._head_below = len(clause)
        self._nest(token)

    def _nest(self, token: InfixToken) -> None:
        """Follow parentheses and negations."""
        if token.kind == NOT:
            self._negations += 1
            self._all_negations += 1
        elif token.kind == LPAR:
            self._open.append((token.start, self._negations))
            self._negations = 0
        elif token.kind == RPAR:
            if not self._open:
                self._fault(token.start, "GDL103", "closing parenthesis without an opening one")
                return
            _, before = self._open.pop()
            self._all_negations -= self._negations + before
            self._negations = 0
        elif token.kind in _CONNECTIVES:
            self._all_negations -= self._negations
            self._negations = 0
        if len(self._open) + self._all_negations > MAX_NESTING:
            self._fault(token.start, "GDL105", f"parentheses and negations nested deeper than {MAX_NESTING}")

    def _stop(self, token: InfixToken) -> None:
        if not self._clause.tokens:
            self._fault(token.start, "GDL117", "a full stop without a rule before it")
        self._finish()

    def _finish(self) -> None:
        """Complete the present clause."""
        if self._open:
            self._never_closed()
        tokens = self._clause.tokens
        if tokens and not self._broken:
            self._clause.end = tokens[-1].end
            self._found.append(self._clause)
        self._clause = InfixClause()
        self._broken = self._is_rule = False
        self._head_below = 0
        self._negations = self._all_negations = 0

    def _never_closed(self) -> None:
        self._fault(self._open[-1][0], "GDL104", "this parenthesis is never closed")
        self._open.clear()
        self._negations = self._all_negations = 0

    def _fault(self, offset: int, code: str, message: str) -> None:
        """Report an error of the present clause; only the first one of a clause."""
        if not self._broken:
            self._broken = True
            self._report(offset, code, message)


def _unexpected(token: InfixToken) -> str:
    if token.text == "\ufffd":
        return "this byte is not UTF-8; outside comments a rule sheet has UTF-8 only"
    advice = _ADVICE.get(token.text, "infix rules have names, ':-', '&', '|', '~', commas and parentheses")
    return f"unexpected {token.text}: {advice}"


def _shown(token: InfixToken) -> str:
    return token.text if len(token.text) <= 40 else f"{token.text[:37]}..."

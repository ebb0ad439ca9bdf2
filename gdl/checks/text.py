"""Checks of the text as it is written: capitalisation, characters, superfluous parentheses.

Parsed rules do not contain the original spelling, so these checks read the words of the text again.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Iterable

from ..language.forms import Places
from ..language.rule_sheet import KEYWORD_ARITIES, Position
from .findings import Finding, Findings
from .words import CONNECTIVES

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
_USUAL = re.compile(r"[A-Za-z0-9_+\-./*]*")


class SheetText:
    """Find the words of a sheet in its text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = Places(text)
        self._tokens = [(match[0], match.start()) for match in _TOKEN.finditer(text) if match[0][0] != ";"]
        self._offsets = [offset for _, offset in self._tokens]

    def place_of(self, name: str, within: Position) -> Position:
        """Return the first position of a name in the form that starts at a position."""
        start = bisect_left(self._offsets, self._places.offset(within))
        # A position at a word, such as the connective of a list, means the rest of its list.
        depth = int(start < len(self._tokens) and self._tokens[start][0] != "(")
        start += depth
        for token, offset in itertools.islice(self._tokens, start, None):
            depth += (token == "(") - (token == ")")
            if token.lower() == name.lower():
                return self._places.position(offset)
            if depth <= 0:
                break
        return within

    def findings(self, operators: Iterable[str] = ()) -> Findings:
        """Yield the findings about spelling, characters and parentheses; operators may have unusual characters."""
        yield from self._capitalisation()
        yield from self._characters(operators)
        yield from self._superfluous_parentheses()

    def _finding(self, code: str, message: str, offset: int) -> Finding:
        return Finding(code, message, self._places.position(offset))

    def _capitalisation(self) -> Findings:
        spelt: dict[str, str] = {}
        variables: dict[str, str] = {}
        reported: set[str] = set()
        depth = 0
        for token, offset in self._tokens:
            if token == "(":
                if not depth:
                    variables = {}
                depth += 1
            elif token == ")":
                depth -= 1
            elif token[0] == "?":
                first = variables.setdefault(token.lower(), token)
                if first != token:
                    message = f"the variable {first} is spelt {token} here; case-sensitive players see two"
                    yield self._finding("GDL210", message, offset)
            else:
                lower = token.lower()
                first = spelt.setdefault(lower, token)
                # Every program reads keywords in any case.
                known = lower in KEYWORD_ARITIES or lower in CONNECTIVES
                if first != token and not known and token not in reported:
                    reported.add(token)
                    message = f"the symbol {first} is spelt {token} here; case-sensitive players see two"
                    yield self._finding("GDL209", message, offset)

    def _characters(self, operators: Iterable[str]) -> Findings:
        checked: set[str] = {"(", ")", "<=", *operators}
        for token, offset in self._tokens:
            if token in checked:
                continue
            checked.add(token)
            name = token[1:] if token[0] == "?" else token
            if _USUAL.fullmatch(name) is None:
                odd = " ".join(dict.fromkeys(c for c in name if _USUAL.fullmatch(c) is None))
                message = f"unusual characters in {shown(token)}: {odd}; some players may not read them"
                yield self._finding("GDL211", message, offset)

    def _superfluous_parentheses(self) -> Findings:
        tokens = self._tokens
        for index in range(len(tokens) - 2):
            if tokens[index][0] != "(" or tokens[index + 2][0] != ")":
                continue
            token, _ = tokens[index + 1]
            if token in "()" or token[0] == "?" or token.lower() in CONNECTIVES:
                continue
            message = f"({shown(token)}) and {shown(token)} are the same, but some programs see two"
            yield self._finding("GDL607", message, tokens[index][1])


def shown(token: str) -> str:
    """Shorten a long word for a message."""
    return token if len(token) <= 40 else token[:37] + "..."

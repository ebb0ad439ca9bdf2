"""Checks of an infix text as it is written; `text` has the checks of KIF."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property

from ..language.forms import Places
from ..language.infix_clauses import find_clauses
from ..language.infix_layout import capital_variables
from ..language.infix_tokens import COMMENT, LPAR, RPAR, SYMBOL, infix_tokens
from ..language.rule_sheet import Position
from .findings import Finding, Findings
from .text import SheetText, shown

_USUAL = re.compile(r"[A-Za-z0-9_+\-./*]*")


class InfixSheetText(SheetText):
    """Look up names of an infix sheet in its text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = Places(text)
        self._infix = [token for token in infix_tokens(text) if token.kind != COMMENT]
        self._offsets = [token.start for token in self._infix]

    @cached_property
    def _starts(self) -> list[int]:
        """The offset of each rule."""
        return [clause.tokens[0].start for clause in find_clauses(self._text, self._infix, lambda *_: None)]

    def place_of(self, name: str, within: Position) -> Position:
        """Return the first position of a name in the rule that contains a position, from there on."""
        offset = self._places.offset(within)
        following = bisect_right(self._starts, offset)
        end = self._starts[following] if following < len(self._starts) else float("inf")
        for token in itertools.islice(self._infix, bisect_left(self._offsets, offset), None):
            if token.start >= end:
                break
            if token.kind == SYMBOL and token.name.lower() == name.lower():
                return self._places.position(token.start)
        return within

    def findings(self, operators: Iterable[str] = ()) -> Findings:
        """Yield the findings about the text; operators may have unusual characters."""
        yield from self._question_marks()
        spelt: dict[str, str] = {}
        reported: set[str] = set()
        for index, token in enumerate(self._infix):
            if token.kind != SYMBOL:
                continue
            name = token.text if token.text[0] != "'" else token.name
            first = spelt.setdefault(name.lower(), name)
            if name not in reported:
                if first != name:
                    message = f"the symbol {first} is spelt {name} here; symbols are compared without regard to case"
                    yield Finding("GDL209", message, self._places.position(token.start))
                odd = " ".join(dict.fromkeys(c for c in name if _USUAL.fullmatch(c) is None))
                if odd and name != "<=" and name not in operators:
                    message = f"unusual characters in {shown(name)}: {odd}; some players may stumble over them"
                    yield Finding("GDL211", message, self._places.position(token.start))
                reported.add(name)
            if (
                index + 2 < len(self._infix)
                and self._infix[index + 2].kind == RPAR
                and self._infix[index + 1].kind == LPAR
            ):
                message = f"{shown(name)}() and {shown(name)} are the same, but some programs see two"
                yield Finding("GDL607", message, self._places.position(token.start))

    def _question_marks(self) -> Findings:
        """Report the variables with a question mark in one finding."""
        if variables := capital_variables(self._text):
            token, name = variables[0]
            others = len({token.text.lower() for token, _ in variables}) - 1
            more = f" (and {others:,} more variables)" if others else ""
            message = f"{shown(token.text)} is read as the variable {shown(name)}{more}"
            yield Finding("GDL219", message, self._places.position(token.start), infix=True)

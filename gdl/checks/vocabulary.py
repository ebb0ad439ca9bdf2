"""Checks of words: the use of keywords, relations and functions in the whole sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..language.playable import compound_role
from ..language.rule_sheet import KEYWORD_ARITIES, Literal, Position, Rule, RuleSheet, literals
from ..language.terms import Compound, Term, arguments, relation
from .findings import Finding, Findings
from .text import SheetText, shown

_CONNECTIVES = {"<=", "not", "or", "and", "distinct"}

# `random` is the name of a role only, so it is not a keyword where a relation stands.
_RELATIONS = {name: arity for name, arity in KEYWORD_ARITIES.items() if name != "random"}


def literals_of(rule: Rule) -> Iterator[Literal]:
    """Yield all literals of the body of a rule, also inside other formulas."""
    for formula in rule.body:
        yield from literals(formula)


def check_vocabulary(sheet: RuleSheet, text: SheetText, complete: bool) -> Findings:
    """Check the words of a sheet.

    Args:
        sheet: the rules.
        text: the text of these rules.
        complete: whether the rules are the whole sheet; otherwise missing definitions are not reported.
    """
    yield from _FirstUses(text).check(sheet)
    if complete:
        yield from _definitions_and_uses(sheet)


class _FirstUses:
    """Remember the first use of each name."""

    def __init__(self, text: str | SheetText) -> None:
        self._text = text if isinstance(text, SheetText) else SheetText(text)
        self._relations: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        self._reported: set[tuple[str, str, int]] = set()

    def check(self, sheet: RuleSheet) -> Findings:
        for rule in sheet.rules:
            yield from self._sentence(rule.head)
            yield from self._goal_value(rule.head)
            if role := compound_role(rule):
                yield Finding("GDL306", f"the role {role} is a compound term; a role is one word", rule.position)
            for literal in literals_of(rule):
                yield from self._sentence(literal)

    def _sentence(self, literal: Literal) -> Findings:
        name, arity = relation(literal.sentence)
        position = literal.position
        if name in _RELATIONS:
            if arity != _RELATIONS[name]:
                wanted = _RELATIONS[name]
                message = f"'{name}' takes {_count(wanted)}, not {arity}"
                yield Finding("GDL201", message, position)
        elif name.lower() in _CONNECTIVES:
            yield Finding("GDL203", f"the connective {name} stands where the name of a relation must stand", position)
        elif name.lower() == "knows":
            message = "'knows' belongs to GDL-III (games with knowledge), which is not supported"
            yield Finding("GDL702", message, position)
        else:
            yield from self._consistent("GDL204", "relation", name, arity, self._relations, position)
            if name in self._functions:
                yield from self._both(name, position)
        for term in arguments(literal.sentence):
            yield from self._functions_of(term, position)

    def _functions_of(self, term: Term, position: Position) -> Findings:
        if not isinstance(term, Compound):
            return
        name, arity = term.name, len(term.args)
        if name.lower() in _RELATIONS:
            if self._new("GDL202", name, 0):
                place = self._text.place_of(name, position)
                yield Finding("GDL202", f"the keyword {name} is used as a function here", place)
        elif name.lower() in _CONNECTIVES:
            message = f"the connective {name} stands inside of a term"
            yield Finding("GDL203", message, self._text.place_of(name, position))
        else:
            yield from self._consistent("GDL205", "function", name, arity, self._functions, position)
            if name in self._relations:
                yield from self._both(name, position)
        for inner in term.args:
            yield from self._functions_of(inner, position)

    def _consistent(
        self, code: str, what: str, name: str, arity: int, known: dict[str, int], position: Position
    ) -> Findings:
        first = known.setdefault(name, arity)
        if first != arity and self._new(code, name, arity):
            message = f"the {what} {shown(name)} has {_count(arity)} here, {first} before"
            yield Finding(code, message, self._text.place_of(name, position))

    def _both(self, name: str, position: Position) -> Findings:
        if self._new("GDL206", name, 0):
            message = f"{shown(name)} is the name of a relation and of a function"
            yield Finding("GDL206", message, self._text.place_of(name, position))

    def _goal_value(self, head: Literal) -> Findings:
        if relation(head.sentence) != ("goal", 2):
            return
        value = arguments(head.sentence)[1]
        if isinstance(value, Compound) or (isinstance(value, str) and not _is_goal_value(value)):
            place = self._text.place_of(value if isinstance(value, str) else value.name, head.position)
            yield Finding("GDL212", f"the goal value {value} is not a whole number from 0 to 100", place)

    def _new(self, code: str, name: str, number: int) -> bool:
        """Return whether this is reported for the first time."""
        known = (code, name, number) in self._reported
        self._reported.add((code, name, number))
        return not known


def _is_goal_value(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) is not None and int(text) <= 100


def _count(arity: int) -> str:
    return f"{arity} argument" if arity == 1 else f"{arity or 'no'} arguments"


def _definitions_and_uses(sheet: RuleSheet) -> Findings:
    """Compare the names of derived and of used relations."""
    known = {*_RELATIONS, *_CONNECTIVES, "knows"}
    defined: dict[str, Literal] = {}
    used: dict[str, Literal] = {}
    for rule in sheet.rules:
        defined.setdefault(relation(rule.head.sentence)[0], rule.head)
        for literal in literals_of(rule):
            used.setdefault(relation(literal.sentence)[0], literal)
    for name, literal in used.items():
        if name not in defined and name.lower() not in known:
            message = f"no fact or rule defines {shown(name)}, so it never holds"
            yield Finding("GDL207", message, literal.position)
    for name, head in defined.items():
        if name not in used and name.lower() not in known:
            yield Finding("GDL208", f"{shown(name)} is defined, but no rule uses it", head.position)

"""Goals outside 0..100: where a sheet gives them, and the same sheet with its goals cut to that range.

Managers that never look at goals before the end host such sheets without a word, and so a player has to play them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .rules import Conjunction, Disjunction, Distinct, Formula, Literal, Negation, Rule, RuleSheet
from .terms import Compound, Term, Variable, arguments, relation

_NUMERAL = re.compile(r"-?[0-9]+")
_GOAL = ("goal", 2)


def goal_out_of_range(sheet: RuleSheet) -> Rule | None:
    """Return the first rule for a goal whose value is written as a number outside 0..100.

    Where no rule is, but there are such numbers, the first one whose value depends on its body.
    """
    goals = [rule for rule in sheet.rules if relation(rule.head.sentence) == _GOAL]
    values = [arguments(rule.head.sentence)[1] for rule in goals]
    outside = [rule for rule, value in zip(goals, values, strict=True) if _is_out_of_range(value)]
    depends = [rule for rule, value in zip(goals, values, strict=True) if isinstance(value, Variable)]
    return next(iter(outside + depends), None)


def with_goals_cut(sheet: RuleSheet) -> RuleSheet:
    """Return a sheet that plays the same, but for its goals, which are cut to the range 0..100.

    The goals as they are written get another name, also where rules ask for them, and the new goals are derived from
    these. A sheet in which no number lies outside the range comes back as it is.

    >>> from gdl import ReferenceMachine, parse_sheet
    >>> sheet = with_goals_cut(parse_sheet("(role r) (init (score 250)) (<= (goal r ?n) (true (score ?n)))"))
    >>> machine = ReferenceMachine(sheet)
    >>> machine.goals(machine.initial(), "r")
    [100]
    """
    words = {word for rule in sheet.rules for word in _words_of_rule(rule)}
    outside = sorted(filter(_is_out_of_range, words))
    if not outside:
        return sheet
    name = "goal_as_written"
    while name in {word.lower() for word in words}:
        name += "_"
    role, value = Variable("role"), Variable("value")
    written = Literal(Compound(name, (role, value)))
    kept = Rule(Literal(Compound("goal", (role, value))), (written, *[Distinct(value, number) for number in outside]))
    cut = [
        Rule(Literal(Compound("goal", (role, _cut(number)))), (Literal(Compound(name, (role, number))),))
        for number in outside
    ]
    rules = [
        replace(rule, head=_renamed(rule.head, name), body=tuple([_renamed_formula(part, name) for part in rule.body]))
        for rule in sheet.rules
    ]
    return replace(sheet, rules=(*rules, kept, *cut))


def _is_out_of_range(term: Term) -> bool:
    return isinstance(term, str) and _NUMERAL.fullmatch(term) is not None and _cut(term) != term


def _cut(numeral: str) -> str:
    """Return the nearest number of the range.

    >>> _cut("-5"), _cut("7"), _cut("1" * 10_000)
    ('0', '7', '100')
    """
    if numeral.startswith("-"):
        return "0"
    digits = numeral.lstrip("0") or "0"
    return digits if len(digits) < 3 else "100"


def _renamed(literal: Literal, name: str) -> Literal:
    if relation(literal.sentence) != _GOAL:
        return literal
    return replace(literal, sentence=Compound(name, arguments(literal.sentence)))


def _renamed_formula(formula: Formula, name: str) -> Formula:
    match formula:
        case Literal():
            return _renamed(formula, name)
        case Negation(formula=inner):
            return replace(formula, formula=_renamed_formula(inner, name))
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            return replace(formula, formulas=tuple([_renamed_formula(part, name) for part in parts]))
        case Distinct():
            return formula


def _words_of_rule(rule: Rule) -> Iterator[str]:
    for formula in (rule.head, *rule.body):
        yield from _words_of_formula(formula)


def _words_of_formula(formula: Formula) -> Iterator[str]:
    match formula:
        case Literal(sentence=sentence):
            yield from _words(sentence)
        case Distinct(left=left, right=right):
            yield from _words(left)
            yield from _words(right)
        case Negation(formula=inner):
            yield from _words_of_formula(inner)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            for part in parts:
                yield from _words_of_formula(part)


def _words(term: Term) -> Iterator[str]:
    """Yield the constants, and the names of relations and functions."""
    if isinstance(term, Compound):
        yield term.name
        for argument in term.args:
            yield from _words(argument)
    elif isinstance(term, str):
        yield term

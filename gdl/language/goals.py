"""Goal values as rule sheets write them: whole numbers, which should lie in 0..100.

Game managers do not look at the rules for goals before the end of a match, so sheets with other values are played. A
value beyond the range counts as its nearest end.
"""

from __future__ import annotations

import re

from .rules import Rule, RuleSheet, terms
from .terms import Compound, Term, Variable, arguments, relation

_NUMERAL = re.compile(r"-?[0-9]+")
_GOAL = ("goal", 2)


def goal_in_range(numeral: str) -> int:
    """Return the goal value that a whole number stands for; one beyond 0..100 stands for the nearest end.

    >>> goal_in_range("-5"), goal_in_range("07"), goal_in_range("1" * 10_000)
    (0, 7, 100)
    """
    if numeral.startswith("-"):
        return 0
    digits = numeral.lstrip("0") or "0"
    return int(digits) if len(digits) < 3 else 100


def rule_for_odd_goal(sheet: RuleSheet) -> Rule | None:
    """Return the first rule for a goal whose value is not written as a number; None if there is no such rule."""
    goals = [rule for rule in sheet.rules if relation(rule.head.sentence) == _GOAL]
    return next((rule for rule in goals if not _is_numeral(arguments(rule.head.sentence)[1])), None)


def may_have_odd_goals(sheet: RuleSheet) -> bool:
    """Return whether a goal of the sheet may have a value outside 0..100."""
    values = [arguments(rule.head.sentence)[1] for rule in sheet.rules if relation(rule.head.sentence) == _GOAL]
    if any(isinstance(value, Variable) for value in values):
        return any(_is_beyond(word) for rule in sheet.rules for word in _words_of_rule(rule))
    return any(map(_is_beyond, values))


def is_beyond_range(numeral: str) -> bool:
    """Return whether a whole number lies outside 0..100.

    >>> is_beyond_range("100"), is_beyond_range("0150"), is_beyond_range("-0")
    (False, True, False)
    """
    digits = numeral.lstrip("-0")
    if numeral.startswith("-"):
        return digits != ""
    return len(digits) > 3 or (len(digits) == 3 and digits != "100")


def _is_numeral(term: Term) -> bool:
    return isinstance(term, str) and _NUMERAL.fullmatch(term) is not None


def _is_beyond(term: Term) -> bool:
    return isinstance(term, str) and _is_numeral(term) and is_beyond_range(term)


def _words_of_rule(rule: Rule) -> list[Term]:
    found: list[Term] = []
    waiting: list[Term] = [rule.head.sentence]
    for formula in rule.body:
        waiting += terms(formula)
    while waiting:
        term = waiting.pop()
        if isinstance(term, Compound):
            waiting += term.args
        else:
            found.append(term)
    return found

"""Goal values in rule sheets: whole numbers, which should lie in 0..100.

Game managers do not check the rules for goals before the end of a match, so sheets with other values are played. A
number beyond the range counts as the nearest end of the range. A value that is not a whole number does not count.
"""

from __future__ import annotations

import re

from .rule_sheet import Rule, RuleSheet, terms
from .terms import Compound, Term, Variable, arguments, relation

_NUMERAL = re.compile(r"-?[0-9]+")
_GOAL = ("goal", 2)


def goal_in_range(numeral: str) -> int | None:
    """Return the goal value of a text, None if it is not a whole number; numbers are clamped to 0..100.

    >>> goal_in_range("-5"), goal_in_range("07"), goal_in_range("1" * 10_000), goal_in_range("win")
    (0, 7, 100, None)
    """
    if not _is_numeral(numeral):
        return None
    if numeral.startswith("-"):
        return 0
    digits = numeral.lstrip("0") or "0"
    return int(digits) if len(digits) < 3 else 100


def may_have_odd_goals(sheet: RuleSheet) -> bool:
    """Return whether a rule writes an odd goal value, or computes goals in a sheet with a number beyond 0..100."""
    values = _goal_values(sheet)
    if any(not isinstance(value, Variable) and is_odd(str(value)) for value in values):
        return True
    return computes_goals(sheet) and any(_is_beyond(word) for rule in sheet.rules for word in _words_of_rule(rule))


def computes_goals(sheet: RuleSheet) -> bool:
    """Return whether a rule for a goal has a variable as its value."""
    return any(isinstance(value, Variable) for value in _goal_values(sheet))


def is_odd(value: str) -> bool:
    """Return whether a goal value is not a whole number from 0 to 100.

    >>> is_odd("100"), is_odd("0150"), is_odd("-0"), is_odd("win")
    (False, True, False, True)
    """
    return not _is_numeral(value) or _is_beyond(value)


def _goal_values(sheet: RuleSheet) -> list[Term]:
    return [arguments(rule.head.sentence)[1] for rule in sheet.rules if relation(rule.head.sentence) == _GOAL]


def _is_beyond_range(numeral: str) -> bool:
    digits = numeral.lstrip("-0")
    if numeral.startswith("-"):
        return digits != ""
    return len(digits) > 3 or (len(digits) == 3 and digits != "100")


def _is_numeral(term: Term) -> bool:
    return isinstance(term, str) and _NUMERAL.fullmatch(term) is not None


def _is_beyond(term: Term) -> bool:
    return isinstance(term, str) and _is_numeral(term) and _is_beyond_range(term)


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

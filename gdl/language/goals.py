"""Goal values in rule sheets: whole numbers, which should lie in 0..100.

Game managers do not check the rules for goals before the end of a match, so sheets with other values are played. A
number beyond the range counts as the nearest end of the range. A value that is not a whole number does not count.
"""

from __future__ import annotations

import re

from .rule_sheet import RuleSheet
from .terms import Term, Variable, arguments, constants, relation

_NUMERAL = re.compile(r"-?[0-9]+")
_GOAL_VALUE = re.compile(r"-?0+|0*(?:[1-9][0-9]?|100)")
_GOAL = ("goal", 2)


def goal_in_range(numeral: str) -> int | None:
    """Return the goal value of a text, None if it is not a whole number; numbers are clamped to 0..100.

    >>> goal_in_range("-5"), goal_in_range("07"), goal_in_range("1" * 10_000), goal_in_range("win")
    (0, 7, 100, None)
    """
    if not _NUMERAL.fullmatch(numeral):
        return None
    if numeral.startswith("-"):
        return 0
    digits = numeral.lstrip("0") or "0"
    return int(digits) if len(digits) < 3 else 100


def may_have_odd_goals(sheet: RuleSheet) -> bool:
    """Return whether a rule writes an odd goal value, or computes goals in a sheet with a number beyond 0..100."""
    if any(not isinstance(value, Variable) and is_odd(str(value)) for value in _goal_values(sheet)):
        return True
    words = (word for rule in sheet.rules for word in constants(*rule.terms()))
    return computes_goals(sheet) and any(_NUMERAL.fullmatch(word) and is_odd(word) for word in words)


def computes_goals(sheet: RuleSheet) -> bool:
    """Return whether a rule for a goal has a variable as its value."""
    return any(isinstance(value, Variable) for value in _goal_values(sheet))


def is_odd(value: str) -> bool:
    """Return whether a goal value is not a whole number from 0 to 100.

    >>> is_odd("100"), is_odd("0150"), is_odd("-0"), is_odd("win")
    (False, True, False, True)
    """
    return _GOAL_VALUE.fullmatch(value) is None


def _goal_values(sheet: RuleSheet) -> list[Term]:
    return [arguments(rule.head.sentence)[1] for rule in sheet.rules if relation(rule.head.sentence) == _GOAL]

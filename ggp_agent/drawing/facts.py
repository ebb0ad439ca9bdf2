"""Fluents that are not about a cell, as they are told beside a board: the turn, scores, counters.

>>> told(["(turn red)", "(score red 3)", "passed"])
['turn red', 'score red 3', 'passed']
>>> told(["(moves 0)", "(moves 2)", "(turn red)"], {"moves": "binary"})
['moves 5', 'turn red']
>>> told(["(ones 7)", "(tens 1)"], {"turns": "decimal"})
['turns 17']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# How many are told.
_MOST = 12

_NUMBER = re.compile(r"\(([^() ]+) ([0-9]{1,3})\)")


def told(fluents: Iterable[str], counters: Mapping[str, str] | None = None) -> list[str]:
    """Return fluents without their outer parentheses, and numbers instead of their digits.

    Args:
        fluents: in the order in which they are told.
        counters: names of numbers, and how their digits are written: `binary`, where `(moves 3)` stands for 2 to the
            power of 3 in the number `moves`; or `decimal`, by fluents `tens` and `ones`.
    """
    counters = counters or {}
    numbers = dict.fromkeys(counters, 0)
    decimal = next((name for name, how in counters.items() if how == "decimal"), None)
    others = []
    for fluent in fluents:
        found = _NUMBER.fullmatch(fluent)
        if found and counters.get(found[1]) == "binary":
            numbers[found[1]] += 1 << int(found[2])
        elif found and decimal and found[1] in ("tens", "ones"):
            numbers[decimal] += int(found[2]) * (10 if found[1] == "tens" else 1)
        else:
            others.append(fluent[1:-1] if fluent.startswith("(") and fluent.endswith(")") else fluent)
    facts = [*(f"{name} {number}" for name, number in numbers.items()), *others]
    if len(facts) > _MOST:
        facts[_MOST:] = [f"and {len(facts) - _MOST} more fluents"]
    return facts

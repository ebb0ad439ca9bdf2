"""Sequences of constants that facts of the rules define, such as rows and columns of a board."""

from __future__ import annotations

from ..language.rule_sheet import RuleSheet
from ..language.terms import Compound, to_kif


def fact_orders(sheet: RuleSheet) -> list[dict[str, int]]:
    """Return the sequences that the binary facts of one relation each define, the longest first.

    A sequence maps each constant to its place, from 0.

    >>> from gdl import parse_sheet
    >>> fact_orders(parse_sheet("(role one) (above 1 2) (above 2 3) (right a b) (loop x x)"))
    [{'1': 0, '2': 1, '3': 2}, {'a': 0, 'b': 1}]
    """
    pairs: dict[str, list[tuple[str, str]]] = {}
    for rule in sheet.rules:
        sentence = rule.head.sentence
        if not rule.body and isinstance(sentence, Compound) and len(sentence.args) == 2:
            first, second = map(to_kif, sentence.args)
            pairs.setdefault(sentence.name, []).append((first, second))
    rows = []
    for facts in pairs.values():
        after = dict(facts)
        begins = set(after) - set(after.values())
        if len(after) != len(facts) or len(set(after.values())) != len(facts) or len(begins) != 1:
            continue
        row = [begins.pop()]
        while row[-1] in after:
            row.append(after[row[-1]])
        if len(row) == len(facts) + 1:
            rows.append({word: place for place, word in enumerate(row)})
    return sorted(rows, key=len, reverse=True)

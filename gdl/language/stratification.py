"""Where rules let something depend on its own negation."""

from __future__ import annotations

from collections.abc import Iterator

from .rules import Conjunction, Disjunction, Distinct, Formula, Literal, Negation, Rule, RuleSheet, literals
from .terms import relation


def negations_in_recursion(sheet: RuleSheet) -> list[tuple[Rule, Literal]]:
    """List negated literals on which, by the rules for relations, they depend themselves; with their rules.

    Rules may be sound all the same, when no ground sentence depends on its own negation: `goal` often is, as in
    `(<= (goal ?r 0) (not (goal ?r 100)))`. Such rules for `goal` come last.

    >>> from gdl.language.parse import parse_sheet
    >>> sheet = parse_sheet("(<= (p ?x) (q ?x) (not (r ?x))) (<= (r ?x) (s ?x)) (<= (s ?x) (p ?x))")
    >>> [str(literal) for _, literal in negations_in_recursion(sheet)]
    ['(r ?x)']
    """
    asks: dict[tuple[str, int], set[tuple[str, int]]] = {}
    for rule in sheet.rules:
        asked = asks.setdefault(relation(rule.head.sentence), set())
        asked.update(relation(literal.sentence) for formula in rule.body for literal in literals(formula))
    found = []
    for rule in sheet.rules:
        head = relation(rule.head.sentence)
        for formula in rule.body:
            for literal in _negated(formula):
                reached, pending = set(), [relation(literal.sentence)]
                while pending:
                    if (here := pending.pop()) not in reached:
                        reached.add(here)
                        pending += asks.get(here, ())
                if head in reached:
                    found.append((rule, literal))
    return sorted(found, key=lambda pair: relation(pair[0].head.sentence) == ("goal", 2))


def _negated(formula: Formula, negated: bool = False) -> Iterator[Literal]:
    match formula:
        case Literal():
            if negated:
                yield formula
        case Negation(formula=inner):
            yield from _negated(inner, not negated)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            for part in parts:
                yield from _negated(part, negated)
        case Distinct():
            return

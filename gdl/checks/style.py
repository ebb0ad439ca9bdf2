"""Checks of style: constructs with a clear meaning that should be written in another way."""

from __future__ import annotations

from ..language.rule_sheet import Conjunction, Disjunction, Formula, Literal, Negation, Rule, RuleSheet
from .findings import Finding, Findings


def check_style(sheet: RuleSheet) -> Findings:
    """Find constructs outside the core of the language, and repeated rules."""
    first: dict[Rule, Rule] = {}
    for rule in sheet.rules:
        # A rule starts at its `<=`, a fact at its sentence.
        if not rule.body and rule.position != rule.head.position:
            yield Finding("GDL601", "this rule has an empty body, so it is a fact", rule.position)
        if first.setdefault(rule, rule) is not rule:
            line = first[rule].position.line
            yield Finding("GDL606", f"the same rule is in line {line}", rule.position)
        for formula in rule.body:
            yield from _formula(formula, within_or=False)


def _formula(formula: Formula, *, within_or: bool) -> Findings:
    match formula:
        case Negation(formula=inner):
            if not isinstance(inner, Literal):
                message = "'not' stands around more than one sentence; other programs may refuse it"
                yield Finding("GDL605", message, formula.position)
            yield from _formula(inner, within_or=False)
        case Disjunction(formulas=parts):
            if not parts:
                yield Finding("GDL604", "'or' without alternatives never holds", formula.position)
            if within_or:
                yield Finding("GDL603", "an 'or' stands directly within another", formula.position)
            for part in parts:
                yield from _formula(part, within_or=True)
        case Conjunction(formulas=parts):
            message = "'and' is not a word of GDL; other programs may read it as a relation"
            yield Finding("GDL602", message, formula.position)
            for part in parts:
                yield from _formula(part, within_or=False)

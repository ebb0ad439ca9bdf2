"""Checks of arithmetic that a sheet uses as other systems have it."""

from __future__ import annotations

from ..compile.arithmetic import arithmetic_of, meaning
from ..language.rule_sheet import RuleSheet
from ..language.terms import relation
from .findings import Finding, Findings
from .words import short


def check_arithmetic(sheet: RuleSheet) -> Findings:
    """Report in one finding what is evaluated, and in one what cannot be evaluated."""
    arithmetic = arithmetic_of(sheet)
    if arithmetic is None:
        return
    if arithmetic.evaluated:
        first = min(arithmetic.evaluated, key=lambda literal: literal.position)
        forms = ", ".join(meaning(relation(literal.sentence)[0]) for literal in arithmetic.evaluated)
        limit = f"{arithmetic.limit:,}"
        message = f"arithmetic is not part of GDL; evaluated for integers: {forms}; results from -{limit} to {limit}"
        yield Finding("GDL220", message, first.position)
    if arithmetic.refused:
        literal, reason = arithmetic.refused[0]
        others = f" (and {len(arithmetic.refused) - 1:,} more)" if len(arithmetic.refused) > 1 else ""
        message = f"the arithmetic {short(literal.sentence)}{others} cannot be evaluated and never holds: {reason}"
        yield Finding("GDL221", message, literal.position)

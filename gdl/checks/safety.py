"""The check of safety (GDL specification, 2008): every variable of a head, of a negation and of a `distinct` must
occur in a positive literal of the body.

With `or` in a body this must hold for each alternative. A disjunction binds the variables that all its alternatives
bind. Inside an alternative, its own bindings and the bindings of the surrounding body count.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..compile.clauses import MAX_CLAUSES_PER_RULE
from ..language.heads import bound_variables, loose_role, loose_variables
from ..language.rule_sheet import Conjunction, Disjunction, Distinct, Formula, Literal, Negation, Rule, RuleSheet
from ..language.terms import Variable, variables
from .findings import Finding, Findings


def check_safety(sheet: RuleSheet) -> Findings:
    """Find unbound variables, and rules that become too large when their `or` is multiplied out."""
    for rule in sheet.rules:
        body = Conjunction(rule.body)
        if rule.body and _cases(body) > MAX_CLAUSES_PER_RULE:
            message = f"multiplying out the 'or' of this rule gives more than {MAX_CLAUSES_PER_RULE:,} cases"
            yield Finding("GDL507", message, rule.position)
            continue
        yield from _head(rule)
        role = loose_role(rule)
        yield from _formula(body, set() if role is None else {role}, False)


def _head(rule: Rule) -> Findings:
    role = loose_role(rule)
    if role is not None:
        message = f"nothing binds the role {role} of this rule; it is read as if the body contained (role {role})"
        yield Finding("GDL508", message, rule.head.position)
        return
    loose = ", ".join(map(str, loose_variables(rule)))
    if loose and rule.body:
        message = f"the head contains {loose}, which no positive literal of the body binds in every case"
        yield Finding("GDL501", message, rule.head.position)
    elif loose:
        yield Finding("GDL501", f"a fact contains {loose}; variables are allowed in rules only", rule.head.position)


def _formula(formula: Formula, bound: set[Variable], negated: bool) -> Findings:
    """Check a formula of a body in which some variables are already bound."""
    match formula:
        case Literal(sentence=sentence):
            loose = _loose(variables(sentence), bound)
            if negated and loose:
                message = f"the negated {_name(formula)} contains {loose}, which no positive literal of the body binds"
                yield Finding("GDL502", message, formula.position)
        case Distinct(left=left, right=right):
            loose = _loose([*variables(left), *variables(right)], bound)
            if loose:
                message = f"'distinct' contains {loose}, which no positive literal of the body binds"
                yield Finding("GDL503", message, formula.position)
        case Negation(formula=inner):
            yield from _formula(inner, bound, not negated)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            either = isinstance(formula, Disjunction) != negated
            together = set(bound)
            if not either:
                for part in parts:
                    together |= bound_variables(part, negated) or set()
            for part in parts:
                inside = together | (bound_variables(part, negated) or set()) if either else together
                yield from _formula(part, inside, negated)


def _cases(formula: Formula, negated: bool = False) -> int:
    """Count the conjunctions of the disjunctive normal form, and stop counting at the limit plus one."""
    match formula:
        case Literal() | Distinct():
            return 1
        case Negation(formula=inner):
            return _cases(inner, not negated)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            either = isinstance(formula, Disjunction) != negated
            count = 0 if either else 1
            for part in parts:
                cases = _cases(part, negated)
                count = min(count + cases if either else count * cases, MAX_CLAUSES_PER_RULE + 1)
            return count


def _loose(found: Iterable[Variable], bound: set[Variable] | None) -> str:
    """Return the names of the unbound variables, for a message."""
    if bound is None:
        return ""
    return ", ".join(dict.fromkeys(str(variable) for variable in found if variable not in bound))


def _name(literal: Literal) -> str:
    text = str(literal)
    return text if len(text) <= 60 else text[:57] + "..."

"""Conditions that a sheet must meet before a machine plays it, and variables in heads that a body does not bind.

Rules are safe when every variable of the head occurs in a positive literal of the body (GDL specification, 2008). One
kind of unsafe rule is common in public sheets and is accepted by backward-chaining game managers: `legal`, `goal` or
`sees` for an unbound role, as in `(<= (goal ?r 50) draw)`. Such a variable stands for every role. All other unsafe
heads are errors if the game depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from .errors import GdlRuleError
from .rule_sheet import (
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Rule,
    RuleSheet,
    signed_literals,
)
from .terms import Compound, Variable, arguments, relation, variables

Relation: TypeAlias = tuple[str, int]

# Relations whose first argument is a role, and relations that machines evaluate.
_OF_ROLES = (("legal", 2), ("goal", 2), ("sees", 2))
_EVALUATED = (("role", 1), ("init", 1), ("next", 1), ("terminal", 0), *_OF_ROLES)


def bound_variables(formula: Formula, negated: bool = False) -> set[Variable] | None:
    """Return the variables bound whenever a formula holds (if negated: does not hold); None if that never happens."""
    match formula:
        case Literal(sentence=sentence):
            return set() if negated else set(variables(sentence))
        case Distinct(left=left, right=right):
            # `(not (distinct ?x t))` makes ?x equal to t.
            if negated and isinstance(left, Variable) and not isinstance(right, Variable):
                return {left} if not set(variables(right)) else set()
            if negated and isinstance(right, Variable) and not isinstance(left, Variable):
                return {right} if not set(variables(left)) else set()
            return set()
        case Negation(formula=inner):
            return bound_variables(inner, not negated)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            sets = [bound_variables(part, negated) for part in parts]
            if isinstance(formula, Disjunction) != negated:
                possible = [found for found in sets if found is not None]
                return set.intersection(*possible) if possible else None
            if any(found is None for found in sets):
                return None
            return set().union(*(found for found in sets if found is not None))


def loose_variables(rule: Rule) -> list[Variable]:
    """Return the variables of the head of a rule that its body does not bind in every case, in their order."""
    bound = bound_variables(Conjunction(rule.body))
    if bound is None:
        return []
    return [variable for variable in dict.fromkeys(variables(rule.head.sentence)) if variable not in bound]


def loose_role(rule: Rule) -> Variable | None:
    """Return the role of a `legal`, `goal` or `sees` if it is the only unbound variable of the head.

    >>> from gdl import parse_sheet
    >>> [str(loose_role(rule)) for rule in parse_sheet("(<= (goal ?r 50) draw) (<= (goal ?r ?n) draw)").rules]
    ['?r', 'None']
    """
    if relation(rule.head.sentence) not in _OF_ROLES:
        return None
    loose = loose_variables(rule)
    role = arguments(rule.head.sentence)[0]
    return role if isinstance(role, Variable) and loose == [role] else None


def with_bound_roles(sheet: RuleSheet) -> RuleSheet:
    """Return a sheet in which `(role ?r)` is added to the body of every rule with an unbound role."""
    if not any(loose_variables(rule) for rule in sheet.rules):
        return sheet
    wanted = reached(_EVALUATED, dependencies(sheet))
    rules = []
    for rule in sheet.rules:
        role = loose_role(rule)
        if role is not None:
            rule = replace(rule, body=(*rule.body, Literal(Compound("role", (role,)))))
        elif relation(rule.head.sentence) in wanted and (loose := loose_variables(rule)):
            names = ", ".join(map(str, loose))
            message = f"the head contains {names}, which no positive literal of the body binds"
            message += "; run 'ggp-agent check FILE'"
            raise GdlRuleError(message, source=sheet.source, position=rule.head.position, code="GDL501")
        rules.append(rule)
    return replace(sheet, rules=tuple(rules))


def dependencies(sheet: RuleSheet) -> dict[Relation, set[Relation]]:
    """Return the relations in the bodies of the rules of each relation."""
    asks: dict[Relation, set[Relation]] = {}
    for rule in sheet.rules:
        asked = asks.setdefault(relation(rule.head.sentence), set())
        asked.update(relation(literal.sentence) for literal in rule.literals())
    return asks


def reached(starts: Iterable[Relation], asks: Mapping[Relation, set[Relation]]) -> set[Relation]:
    """Return the relations on which some relations depend, and these relations."""
    found: set[Relation] = set()
    waiting = list(starts)
    while waiting:
        if (here := waiting.pop()) not in found:
            found.add(here)
            waiting += asks.get(here, ())
    return found


def require_playable(sheet: RuleSheet) -> None:
    """Raise an error for sheets that are not a game, or not a game that this program can play."""
    if not sheet.rules:
        raise GdlRuleError("contains no rules; give a rule sheet in KIF", source=sheet.source)
    if not sheet.roles():
        raise GdlRuleError("names no role; a game needs facts such as (role white)", source=sheet.source)
    for rule in sheet.rules:
        if role := compound_role(rule):
            message = f"the role {role} is a compound term; a role is one word"
            raise GdlRuleError(message, source=sheet.source, position=rule.position)
        for literal in rule.literals():
            if relation(literal.sentence)[0] == "knows":
                message = "games with knowledge (knows, GDL-III) cannot be played"
                raise GdlRuleError(message, source=sheet.source, position=literal.position)


def compound_role(rule: Rule) -> Compound | None:
    """Return the role that a fact names if it is a compound term, which the match protocol cannot express."""
    if rule.body or relation(rule.head.sentence) != ("role", 1):
        return None
    (role,) = arguments(rule.head.sentence)
    return role if isinstance(role, Compound) else None


# ---- negations


def negations_in_recursion(sheet: RuleSheet) -> list[tuple[Rule, Literal]]:
    """List negated literals that depend on themselves in the graph of relations, with their rules.

    The rules may be valid nevertheless, if no ground sentence depends on its own negation. This is common for `goal`,
    as in `(<= (goal ?r 0) (not (goal ?r 100)))`. Such rules for `goal` come last.

    >>> from gdl.language.parse import parse_sheet
    >>> sheet = parse_sheet("(<= (p ?x) (q ?x) (not (r ?x))) (<= (r ?x) (s ?x)) (<= (s ?x) (p ?x))")
    >>> [str(literal) for _, literal in negations_in_recursion(sheet)]
    ['(r ?x)']
    """
    asks = dependencies(sheet)
    found = []
    for rule in sheet.rules:
        head = relation(rule.head.sentence)
        for formula in rule.body:
            for literal, negated in signed_literals(formula):
                if negated and head in reached([relation(literal.sentence)], asks):
                    found.append((rule, literal))
    return sorted(found, key=lambda pair: relation(pair[0].head.sentence) == ("goal", 2))

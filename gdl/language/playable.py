"""Conditions that a sheet must meet before a machine plays it."""

from __future__ import annotations

from .errors import GdlRuleError
from .heads import dependencies, reached
from .rule_sheet import Literal, Rule, RuleSheet, literals, signed_literals
from .terms import Compound, arguments, relation


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
        for formula in rule.body:
            for literal in literals(formula):
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

"""What a machine asks of a sheet before it looks at it: that it is a game, and goals and negations that make sense."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import GdlRuleError
from .rule_sheet import Literal, Rule, RuleSheet, literals, signed_literals
from .terms import Compound, arguments, relation


def require_playable(sheet: RuleSheet) -> None:
    """Refuse sheets that are no game, or none that can be played yet.

    Raises:
        GdlRuleError: the sheet is empty, names no role in a fact or one that is no word, hides information (GDL-II) or
            asks for knowledge (GDL-III).
    """
    if not sheet.rules:
        raise GdlRuleError("holds no rules; give a rule sheet in KIF", source=sheet.source)
    if not sheet.roles():
        raise GdlRuleError("names no role; a game needs facts such as (role white)", source=sheet.source)
    for rule in sheet.rules:
        if role := compound_role(rule):
            message = f"the role {role} is a compound term; a role is one word"
            raise GdlRuleError(message, source=sheet.source, position=rule.position)
        if relation(rule.head.sentence) == ("sees", 2):
            message = "games of imperfect information (sees, GDL-II) cannot be played yet"
            raise GdlRuleError(message, source=sheet.source, position=rule.position)
        for formula in rule.body:
            for literal in literals(formula):
                if relation(literal.sentence)[0] == "knows":
                    message = "games with knowledge (knows, GDL-III) cannot be played"
                    raise GdlRuleError(message, source=sheet.source, position=literal.position)


def compound_role(rule: Rule) -> Compound | None:
    """Return the role that a fact names if it is a compound term, which no message of the match protocol can name."""
    if rule.body or relation(rule.head.sentence) != ("role", 1):
        return None
    (role,) = arguments(rule.head.sentence)
    return role if isinstance(role, Compound) else None


# ---- negations


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
            for literal, negated in signed_literals(formula):
                if negated and head in _reached(relation(literal.sentence), asks):
                    found.append((rule, literal))
    return sorted(found, key=lambda pair: relation(pair[0].head.sentence) == ("goal", 2))


def _reached(start: tuple[str, int], asks: Mapping[tuple[str, int], set[tuple[str, int]]]) -> set[tuple[str, int]]:
    """Return the relations that one depends on, itself among them."""
    reached: set[tuple[str, int]] = set()
    waiting = [start]
    while waiting:
        if (here := waiting.pop()) not in reached:
            reached.add(here)
            waiting += asks.get(here, ())
    return reached

"""Checks of percepts, the `sees` rules of GDL-II."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.chance import is_chance
from ..language.percepts import all_moves_are_seen, percept_rules
from ..language.rule_sheet import Rule, RuleSheet
from ..language.terms import Variable, arguments, relation
from .findings import Finding, Findings
from .words import literals_of


def check_percepts(sheet: RuleSheet) -> Findings:
    """Report that a sheet hides information, roles that perceive nothing, and percepts that some programs reject."""
    rules = percept_rules(sheet)
    roles = sheet.roles()
    if not rules:
        if len(roles) > 1 and any(map(is_chance, roles)):
            message = "the game has chance but no percepts (sees): in a match of GDL-II no role would perceive anything"
            yield Finding("GDL705", message)
        return
    if all_moves_are_seen(sheet):
        message = "the game has percepts (sees, GDL-II); every role sees every move, so all roles know the state"
    else:
        message = "the game hides information (sees, GDL-II): each role knows its own moves and what it sees"
    yield Finding("GDL701", message, rules[0].head.position)
    yield from _blind_roles(rules, roles)
    yield from _unusual_bodies(sheet)


def _blind_roles(rules: Sequence[Rule], roles: Sequence[str]) -> Findings:
    seers = {arguments(rule.head.sentence)[0] for rule in rules}
    if any(isinstance(seer, Variable) for seer in seers):
        return
    for role in roles:
        if role not in seers and not is_chance(role):
            yield Finding("GDL703", f"no rule for sees is about {role}, so {role} never perceives anything")


def _unusual_bodies(sheet: RuleSheet) -> Findings:
    """Report percepts in conditions, and conditions of percepts that are neither fluents nor moves."""
    for rule in sheet.rules:
        head = relation(rule.head.sentence)[0]
        for literal in literals_of(rule):
            asked = relation(literal.sentence)[0]
            if head == "sees" and asked in ("next", "legal"):
                yield Finding("GDL704", f"'sees' depends on '{asked}' here", literal.position)
            elif head in ("goal", "terminal") and asked == "sees":
                yield Finding("GDL704", f"'{head}' depends on 'sees' here", literal.position)

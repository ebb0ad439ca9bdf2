"""Percepts: the `sees` rules of GDL-II.

`(sees r p)` means that role r perceives the term p of a joint move. It is evaluated in the state before the move. If
every role sees every move of all other roles, it knows the state after each turn, because `next` depends on the state
and the moves only. Then the game is one of perfect information.
"""

from __future__ import annotations

from dataclasses import replace

from .playable import loose_role
from .rule_sheet import Distinct, Literal, Rule, RuleSheet
from .terms import Compound, Term, Variable, arguments, is_chance, may_match, relation, variables

_SEES = ("sees", 2)

# Limits of the proof. Larger sheets count as games of imperfect information.
MAX_PERCEPT_RULES = 200
MAX_ROLES = 200


def percept_rules(sheet: RuleSheet) -> list[Rule]:
    """Return the rules that derive percepts."""
    return [rule for rule in sheet.rules if relation(rule.head.sentence) == _SEES]


def without_percepts(sheet: RuleSheet) -> RuleSheet:
    """Return a sheet without the rules that derive percepts."""
    if not percept_rules(sheet):
        return sheet
    return replace(sheet, rules=tuple([rule for rule in sheet.rules if relation(rule.head.sentence) != _SEES]))


def hides_information(sheet: RuleSheet) -> bool:
    """Return True if a sheet has `sees` rules, and their form does not prove that each role sees all moves."""
    return bool(percept_rules(sheet)) and not all_moves_are_seen(sheet)


def all_moves_are_seen(sheet: RuleSheet) -> bool:
    """Return True if the form of the `sees` rules proves that each role sees all moves of all other roles."""
    rules = percept_rules(sheet)
    roles = sheet.roles()
    if len(rules) > MAX_PERCEPT_RULES or len(roles) > MAX_ROLES:
        return False
    if any(relation(literal.sentence) == _SEES for rule in sheet.rules for literal in rule.literals()):
        return False
    needed = {(seer, mover) for seer in roles for mover in roles if seer != mover and not is_chance(seer)}
    for rule in rules:
        shown = _shown_moves(rule, roles)
        if shown and all(other == rule or not _may_be_equal(rule, other) for other in rules):
            needed -= shown
    return not needed


def _shown_moves(rule: Rule, roles: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return the pairs (role that sees, role that moves) for which a rule shows every move."""
    seer, percept = arguments(rule.head.sentence)
    moves: list[tuple[Term, ...]] = []
    named: set[Term] = set()
    for formula in rule.body:
        if isinstance(formula, Literal) and relation(formula.sentence) == ("does", 2):
            moves.append(arguments(formula.sentence))
        elif isinstance(formula, Literal) and relation(formula.sentence) == ("role", 1):
            named.update(arguments(formula.sentence))
        elif not isinstance(formula, Distinct):
            return set()
    if len(moves) != 1:
        return set()
    mover, move = moves[0]
    if not isinstance(move, Variable) or move in (seer, mover) or seer == mover:
        return set()
    if isinstance(seer, Variable) and seer not in named and loose_role(rule) != seer:
        return set()
    apart = [{formula.left, formula.right} for formula in rule.body if isinstance(formula, Distinct)]
    if not named <= {seer, mover, *roles} or any(pair != {seer, mover} for pair in apart):
        return set()
    if any(isinstance(role, Compound) for role in (seer, mover)):
        return set()
    seen = set(variables(percept))
    if move not in seen or (isinstance(mover, Variable) and mover not in seen):
        return set()
    return {(one, other) for one in _roles_of(seer, roles) for other in _roles_of(mover, roles)}


def _roles_of(role: Term, roles: tuple[str, ...]) -> tuple[str, ...]:
    """Return all roles for a variable, else the role itself."""
    return (role,) if isinstance(role, str) else roles


def _may_be_equal(one: Rule, other: Rule) -> bool:
    """Return whether two rules may derive the same percept for the same role."""
    return may_match(one.head.sentence, other.head.sentence)

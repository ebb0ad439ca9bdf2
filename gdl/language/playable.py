"""What a machine asks of a sheet before it looks at it: that it is a game, and goals and negations that make sense."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from .errors import GdlRuleError
from .rules import Distinct, Formula, Literal, Rule, RuleSheet, literals, signed_literals, terms, with_atoms
from .terms import Compound, Term, Variable, arguments, relation

_NUMERAL = re.compile(r"-?[0-9]+")
_GOAL = ("goal", 2)


def require_playable(sheet: RuleSheet) -> None:
    """Refuse sheets that are no game, or none that can be played yet.

    Raises:
        GdlRuleError: the sheet is empty, names no role in a fact, hides information (GDL-II) or asks for
            knowledge (GDL-III).
    """
    if not sheet.rules:
        raise GdlRuleError("holds no rules; give a rule sheet in KIF", source=sheet.source)
    if not sheet.roles():
        raise GdlRuleError("names no role; a game needs facts such as (role white)", source=sheet.source)
    for rule in sheet.rules:
        if relation(rule.head.sentence) == ("sees", 2):
            message = "games of imperfect information (sees, GDL-II) cannot be played yet"
            raise GdlRuleError(message, source=sheet.source, position=rule.position)
        for formula in rule.body:
            for literal in literals(formula):
                if relation(literal.sentence)[0] == "knows":
                    message = "games with knowledge (knows, GDL-III) cannot be played"
                    raise GdlRuleError(message, source=sheet.source, position=literal.position)


# ---- goals outside 0..100


def goal_out_of_range(sheet: RuleSheet) -> Rule | None:
    """Return the first rule for a goal whose value is written as a number outside 0..100.

    Where no rule is, but there are such numbers, the first one whose value depends on its body.
    """
    goals = [rule for rule in sheet.rules if relation(rule.head.sentence) == _GOAL]
    values = [arguments(rule.head.sentence)[1] for rule in goals]
    outside = [rule for rule, value in zip(goals, values, strict=True) if _is_out_of_range(value)]
    depends = [rule for rule, value in zip(goals, values, strict=True) if isinstance(value, Variable)]
    return next(iter(outside + depends), None)


def with_goals_cut(sheet: RuleSheet) -> RuleSheet:
    """Return a sheet that plays the same, but for its goals, which are cut to the range 0..100.

    Managers that never look at goals before the end host sheets with other goals, and so a player has to play them.
    The goals as they are written get another name, also where rules ask for them, and the new goals are derived from
    these. A sheet in which no number lies outside the range comes back as it is.

    >>> from gdl import ReferenceMachine, parse_sheet
    >>> sheet = with_goals_cut(parse_sheet("(role r) (init (score 250)) (<= (goal r ?n) (true (score ?n)))"))
    >>> machine = ReferenceMachine(sheet)
    >>> machine.goals(machine.initial(), "r")
    [100]
    """
    words = {word for rule in sheet.rules for word in _words_of_rule(rule)}
    outside = sorted(filter(_is_out_of_range, words))
    if not outside:
        return sheet
    name = "goal_as_written"
    while name in {word.lower() for word in words}:
        name += "_"

    def renamed(literal: Literal) -> Literal:
        if relation(literal.sentence) != _GOAL:
            return literal
        return replace(literal, sentence=Compound(name, arguments(literal.sentence)))

    def renamed_atom(atom: Literal | Distinct) -> Formula:
        return renamed(atom) if isinstance(atom, Literal) else atom

    role, value = Variable("role"), Variable("value")
    written = Literal(Compound(name, (role, value)))
    kept = Rule(Literal(Compound("goal", (role, value))), (written, *[Distinct(value, number) for number in outside]))
    cut = [
        Rule(Literal(Compound("goal", (role, _cut(number)))), (Literal(Compound(name, (role, number))),))
        for number in outside
    ]
    rules = [
        replace(rule, head=renamed(rule.head), body=tuple([with_atoms(part, renamed_atom) for part in rule.body]))
        for rule in sheet.rules
    ]
    return replace(sheet, rules=(*rules, kept, *cut))


def _is_out_of_range(term: Term) -> bool:
    return isinstance(term, str) and _NUMERAL.fullmatch(term) is not None and _cut(term) != term


def _cut(numeral: str) -> str:
    """Return the nearest number of the range.

    >>> _cut("-5"), _cut("7"), _cut("1" * 10_000)
    ('0', '7', '100')
    """
    if numeral.startswith("-"):
        return "0"
    digits = numeral.lstrip("0") or "0"
    return digits if len(digits) < 3 else "100"


def _words_of_rule(rule: Rule) -> Iterator[str]:
    yield from _words(rule.head.sentence)
    for formula in rule.body:
        for term in terms(formula):
            yield from _words(term)


def _words(term: Term) -> Iterator[str]:
    """Yield the constants, and the names of relations and functions."""
    if isinstance(term, Compound):
        yield term.name
        for argument in term.args:
            yield from _words(argument)
    elif isinstance(term, str):
        yield term


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

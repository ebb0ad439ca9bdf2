"""Checks of the words of the language: required rules, keywords, dependencies, style, percepts, arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from ..compile.arithmetic import arithmetic_of, meaning
from ..language.percepts import all_moves_are_seen, percept_rules
from ..language.rule_sheet import Conjunction, Disjunction, Formula, Literal, Negation, Rule, RuleSheet
from ..language.terms import Variable, arguments, is_chance, relation
from .findings import Finding, Findings, short

_NEEDED = (
    ("role", "GDL302", "the sheet names no role, so the game has no players"),
    ("terminal", "GDL303", "the sheet has no rule for terminal, so the game has no end"),
    ("goal", "GDL304", "the sheet has no goal, so no role can win"),
    ("legal", "GDL305", "the sheet has no legal moves"),
)
_NOT_IN_BODIES = {"init", "next", "base", "input", "sees", "percept"}
# Relations in bodies that percepts need, or that depend on percepts, in sheets of game managers (`check_percepts`).
_OF_PERCEPTS = {("sees", "next"), ("goal", "sees"), ("terminal", "sees")}
_PLAY = {"true", "does", "next", "legal", "goal", "terminal", "sees"}

# For each relation, the code of the finding and the relations that it must not depend on.
_INDEPENDENT = {
    "init": ("GDL404", _PLAY),
    "base": ("GDL405", _PLAY),
    "input": ("GDL405", _PLAY),
    "percept": ("GDL405", _PLAY),
    "legal": ("GDL406", {"does"}),
    "goal": ("GDL406", {"does"}),
    "terminal": ("GDL406", {"does"}),
}


def check_completeness(sheet: RuleSheet) -> Findings:
    """Report missing parts that every game needs."""
    if all(not rule.body and isinstance(rule.head.sentence, str) for rule in sheet.rules):
        yield Finding("GDL301", "the text contains no rules" if sheet.rules else "the sheet is empty")
        return
    heads = {relation(rule.head.sentence)[0] for rule in sheet.rules}
    for name, code, message in _NEEDED:
        if name not in heads:
            yield Finding(code, message)


def check_places(sheet: RuleSheet) -> Findings:
    """Check the keywords in heads and bodies."""
    for rule in sheet.rules:
        name = relation(rule.head.sentence)[0]
        position = rule.head.position
        if name in ("true", "does"):
            given = "the state" if name == "true" else "the moves of the players"
            yield Finding("GDL401", f"'{name}' stands for {given}; no rule may derive it", position)
        elif name == "role" and rule.body:
            yield Finding("GDL402", "roles are facts; no rule may derive them", position)
        for literal in rule.literals():
            asked = relation(literal.sentence)[0]
            if asked in _NOT_IN_BODIES and (name, asked) not in _OF_PERCEPTS:
                yield Finding("GDL403", f"'{asked}' may stand in heads only", literal.position)


def check_dependencies(sheet: RuleSheet) -> Findings:
    """Find keywords with a forbidden dependency, direct or through other relations."""
    rules: dict[str, list[Rule]] = {}
    for rule in sheet.rules:
        rules.setdefault(relation(rule.head.sentence)[0], []).append(rule)
    for name, (code, forbidden) in _INDEPENDENT.items():
        seen = {name}
        pending: list[tuple[str, Literal | None]] = [(name, None)]
        while pending:
            # `entry` is the first literal of the chain: it stands in a rule of the keyword itself.
            current, entry = pending.pop(0)
            for rule in rules.get(current, []):
                for literal in rule.literals():
                    asked = relation(literal.sentence)[0]
                    start = entry or literal
                    if asked in forbidden and asked != name:
                        way = "" if start is literal else f" through {relation(start.sentence)[0]}"
                        message = f"'{name}' must not depend on '{asked}', but it does here{way}"
                        yield Finding(code, message, start.position)
                    elif asked not in seen:
                        seen.add(asked)
                        pending.append((asked, start))


# ---- constructs with a clear meaning that should be written in another way


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
            yield from _style_of(formula, within_or=False)


def _style_of(formula: Formula, *, within_or: bool) -> Findings:
    match formula:
        case Negation(formula=inner):
            if not isinstance(inner, Literal):
                message = "'not' stands around more than one sentence; other programs may refuse it"
                yield Finding("GDL605", message, formula.position)
            yield from _style_of(inner, within_or=False)
        case Disjunction(formulas=parts):
            if not parts:
                yield Finding("GDL604", "'or' without alternatives never holds", formula.position)
            if within_or:
                yield Finding("GDL603", "an 'or' stands directly within another", formula.position)
            for part in parts:
                yield from _style_of(part, within_or=True)
        case Conjunction(formulas=parts):
            message = "'and' is not a word of GDL; other programs may read it as a relation"
            yield Finding("GDL602", message, formula.position)
            for part in parts:
                yield from _style_of(part, within_or=False)


# ---- percepts, the `sees` rules of GDL-II


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
        for literal in rule.literals():
            asked = relation(literal.sentence)[0]
            if head == "sees" and asked in ("next", "legal"):
                yield Finding("GDL704", f"'sees' depends on '{asked}' here", literal.position)
            elif head in ("goal", "terminal") and asked == "sees":
                yield Finding("GDL704", f"'{head}' depends on 'sees' here", literal.position)


# ---- arithmetic that a sheet uses as other systems have it


def check_arithmetic(sheet: RuleSheet) -> Findings:
    """Report in one finding what is evaluated, and in one for each place what cannot be evaluated."""
    arithmetic = arithmetic_of(sheet)
    if arithmetic is None:
        return
    if arithmetic.evaluated:
        first = min(arithmetic.evaluated, key=lambda literal: literal.position)
        forms = ", ".join(meaning(relation(literal.sentence)[0]) for literal in arithmetic.evaluated)
        limit = f"{arithmetic.limit:,}"
        message = f"arithmetic is not part of GDL; evaluated for integers: {forms}; results from -{limit} to {limit}"
        yield Finding("GDL220", message, first.position)
    for literal, reason in arithmetic.refused:
        message = f"the arithmetic {short(literal.sentence)} cannot be evaluated and never holds: {reason}"
        advice = "compare symbols by distinct; = compares integers" if relation(literal.sentence)[0] == "=" else ""
        yield Finding("GDL221", message, literal.position, advice=advice)

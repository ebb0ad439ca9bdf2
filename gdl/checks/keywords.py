"""Checks of keywords: required rules, allowed places of keywords, and forbidden dependencies."""

from __future__ import annotations

from ..language.rule_sheet import Literal, Rule, RuleSheet
from ..language.terms import relation
from .findings import Finding, Findings
from .words import literals_of

_NEEDED = (
    ("role", "GDL302", "the sheet names no role, so the game has no players"),
    ("terminal", "GDL303", "the sheet has no rule for terminal, so the game has no end"),
    ("goal", "GDL304", "the sheet has no goal, so no role can win"),
    ("legal", "GDL305", "the sheet has no legal moves"),
)
_NOT_IN_BODIES = {"init", "next", "base", "input", "sees", "percept"}
# Relations in bodies that percepts need, or that depend on percepts, in sheets of game managers (`percept_checks`).
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
        for literal in literals_of(rule):
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
                for literal in literals_of(rule):
                    asked = relation(literal.sentence)[0]
                    start = entry or literal
                    if asked in forbidden and asked != name:
                        way = "" if start is literal else f" through {relation(start.sentence)[0]}"
                        message = f"'{name}' must not depend on '{asked}', but it does here{way}"
                        yield Finding(code, message, start.position)
                    elif asked not in seen:
                        seen.add(asked)
                        pending.append((asked, start))

"""Checks of names: relations that no rule defines or uses, and fluents that no condition reads.

The messages have a hint if the name of a relation is a fluent or a move, or if the name of a fluent is similar to
another one.
"""

from __future__ import annotations

import difflib

from ..compile.arithmetic import arithmetic_relations
from ..language.rule_sheet import Literal, RuleSheet
from ..language.terms import Compound, Variable, arguments, relation
from .findings import Finding, Findings
from .words import CONNECTIVES, RELATIONS, SimilarNames, literals_of, short, shown

_KNOWN = {*RELATIONS, *CONNECTIVES, "knows"}
# Keywords that bodies contain, and keywords that heads contain.
_OF_BODIES = ("role", "true", "does")
_OF_HEADS = ("role", "init", "next", "base", "input", "legal", "goal", "terminal", "sees", "percept")

# The similarity, 0..1, from which the name of an unread fluent counts as a misspelling of another name, and the longest
# compared name. Only the first unread fluents are compared.
_SIMILAR = 0.85
_MAX_NAME = 64
_MAX_COMPARED = 100


def check_definitions(sheet: RuleSheet) -> Findings:
    """Compare the names of derived and of used relations.

    A body literal whose name is a fluent lacks its `true`, and one whose name is a move lacks its `does`.
    """
    defined: dict[str, Literal] = {}
    used: dict[str, Literal] = {}
    for rule in sheet.rules:
        defined.setdefault(relation(rule.head.sentence)[0], rule.head)
        for literal in literals_of(rule):
            used.setdefault(relation(literal.sentence)[0], literal)
    fluents, moves = state_names(sheet)
    similar = SimilarNames()
    arithmetic = arithmetic_relations(sheet.rules)
    known = [relation(head.sentence) for head in defined.values()]
    known += [(name, RELATIONS[name]) for name in _OF_BODIES]
    for name, literal in used.items():
        if name in defined or name.lower() in _KNOWN or name in arithmetic:
            continue
        message, advice, meant = f"no fact or rule defines {shown(name)}, so it never holds", "", ""
        if relation(literal.sentence) in fluents:
            message += "; it is a fluent"
            advice = f"{shown(name)} is a fluent: write (true {short(literal.sentence)})"
        elif relation(literal.sentence) in moves:
            message += "; it is a move"
            advice = f"{shown(name)} is a move: write (does ?role {short(literal.sentence)})"
        else:
            meant = similar.certain(name, _of_arity(literal, known))
        yield Finding("GDL207", message + _hint(meant), literal.position, advice=advice, meant=meant)
    keywords = [(name, RELATIONS[name]) for name in _OF_HEADS]
    for name, head in defined.items():
        if name not in used and name.lower() not in _KNOWN:
            meant = similar.certain(name, _of_arity(head, keywords))
            message = f"{shown(name)} is defined, but no rule uses it{_hint(meant)}"
            yield Finding("GDL208", message, head.position, meant=meant)


def _of_arity(literal: Literal, relations: list[tuple[str, int]]) -> list[str]:
    """Return the names of the relations with as many arguments as a literal."""
    _, wanted = relation(literal.sentence)
    return [name for name, arity in relations if arity == wanted]


def _hint(meant: str) -> str:
    return f"; do you mean {meant}?" if meant else ""


def check_unread_fluents(sheet: RuleSheet) -> Findings:
    """Find fluents that no condition reads and whose name is similar to a fluent that is read.

    A rule that only keeps a fluent, such as `(<= (next ?f) (true ?f))`, does not read it. Other unread fluents, such as
    the last move, are often intended for displays, so they are not reported.
    """
    read: set[str] = set()
    made: dict[str, Literal] = {}
    for rule in sheet.rules:
        kept = Compound("true", arguments(rule.head.sentence))
        for literal in literals_of(rule):
            if relation(literal.sentence) == ("true", 1) and literal.sentence != kept:
                fluent = arguments(literal.sentence)[0]
                if isinstance(fluent, Variable):
                    return  # this condition reads every fluent
                read.add(relation(fluent)[0])
        if relation(rule.head.sentence) in (("init", 1), ("next", 1)):
            fluent = arguments(rule.head.sentence)[0]
            if not isinstance(fluent, Variable):
                made.setdefault(relation(fluent)[0], rule.head)
    names = sorted(name for name in read if len(name) <= _MAX_NAME)
    for name in sorted(made.keys() - read)[:_MAX_COMPARED]:
        near = difflib.get_close_matches(name, names, n=1, cutoff=_SIMILAR) if len(name) <= _MAX_NAME else []
        if near:
            message = f"no condition reads the fluent {shown(name)}; do you mean {shown(near[0])}?"
            yield Finding("GDL218", message, made[name].position)


def forgotten_keywords(sheet: RuleSheet) -> set[str]:
    """Return the names of fluents and moves that bodies use as relations which no rule defines."""
    names = {name for known in state_names(sheet) for name, _ in known}
    defined = {relation(rule.head.sentence)[0] for rule in sheet.rules}
    used = {relation(literal.sentence)[0] for rule in sheet.rules for literal in literals_of(rule)}
    return names & used - defined


def state_names(sheet: RuleSheet) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """Return name and number of arguments of the fluents and of the moves in heads of rules."""
    fluents: set[tuple[str, int]] = set()
    moves: set[tuple[str, int]] = set()
    for rule in sheet.rules:
        head = relation(rule.head.sentence)
        if head in (("init", 1), ("next", 1), ("legal", 2)):
            last = arguments(rule.head.sentence)[-1]
            if not isinstance(last, Variable):
                (moves if head[0] == "legal" else fluents).add(relation(last))
    return fluents, moves

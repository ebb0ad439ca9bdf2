"""Checks of words: keywords, relations and functions of the whole sheet; names that are not defined or not used."""

from __future__ import annotations

import difflib

from ..compile.arithmetic import arithmetic_relations
from ..language.goals import is_odd
from ..language.playable import compound_role
from ..language.rule_sheet import Literal, Position, RuleSheet
from ..language.terms import Compound, Term, Variable, arguments, relation
from .findings import CONNECTIVES, RELATIONS, Finding, Findings, SimilarNames, short, shown
from .text import SheetText

# Arguments that are percepts.
_PERCEPTS = {("sees", 1), ("percept", 1)}

_PARENTHESIS = "close the parenthesis before it, or give the constant another name"


def check_vocabulary(sheet: RuleSheet, text: SheetText) -> Findings:
    """Check the words of a sheet."""
    reported = forgotten_keywords(sheet) | arithmetic_relations(sheet.rules)
    yield from _FirstUses(text, reported).check(sheet)


class _FirstUses:
    """Remember the first use of each name."""

    def __init__(self, text: SheetText, known: set[str]) -> None:
        self._text = text
        self._known = known  # names of relations that another check reports
        self._relations: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        self._reported: set[tuple[str, str, int]] = set()

    def check(self, sheet: RuleSheet) -> Findings:
        for rule in sheet.rules:
            yield from self._sentence(rule.head)
            yield from self._goal_value(rule.head)
            if role := compound_role(rule):
                yield Finding("GDL306", f"the role {role} is a compound term; a role is one word", rule.position)
            for atom in rule.atoms():
                if isinstance(atom, Literal):
                    yield from self._sentence(atom)
                else:
                    for term in (atom.left, atom.right):
                        yield from self._words_of(term, atom.position)

    def _sentence(self, literal: Literal) -> Findings:
        name, arity = relation(literal.sentence)
        position = literal.position
        if name in RELATIONS:
            if arity != RELATIONS[name]:
                wanted = RELATIONS[name]
                message = f"'{name}' takes {_count(wanted)}, not {arity}"
                yield Finding("GDL201", message, position)
        elif name.lower() in CONNECTIVES and (name, arity) != ("<=", 2):  # a comparison of numbers
            yield Finding("GDL203", f"the connective {name} stands where the name of a relation must stand", position)
        elif name.lower() == "knows":
            message = "'knows' belongs to GDL-III (games with knowledge), which is not supported"
            yield Finding("GDL702", message, position)
        else:
            yield from self._consistent("GDL204", "relation", name, arity, self._relations, position)
            if name in self._functions:
                yield from self._both(name, position)
        for index, term in enumerate(arguments(literal.sentence)):
            yield from self._words_of(term, position, percept=(name, index) in _PERCEPTS)

    def _words_of(self, term: Term, position: Position, *, percept: bool = False) -> Findings:
        """Check the functions and constants of a term. A percept may describe a move, as in `(does ?r ?m)`."""
        if isinstance(term, str):
            yield from self._constant(term, position, percept)
        if not isinstance(term, Compound):
            return
        name, arity = term.name, len(term.args)
        if name.lower() in RELATIONS:
            if not percept and self._new("GDL202", name, 0):
                place = self._text.place_of(name, position)
                yield Finding("GDL202", f"the keyword {name} is used as a function here", place)
        elif name.lower() in CONNECTIVES:
            message = f"the connective {name} stands inside of a term"
            yield Finding("GDL203", message, self._text.place_of(name, position), advice=_PARENTHESIS)
        else:
            yield from self._consistent("GDL205", "function", name, arity, self._functions, position)
            if name in self._relations:
                yield from self._both(name, position)
        for inner in term.args:
            yield from self._words_of(inner, position, percept=percept)

    def _constant(self, name: str, position: Position, percept: bool) -> Findings:
        lower = name.lower()
        if lower in CONNECTIVES:
            message = f"the connective {name} stands where a constant must stand"
            yield Finding("GDL203", message, self._text.place_of(name, position), advice=_PARENTHESIS)
        elif lower in RELATIONS and not percept and self._new("GDL216", lower, 0):
            message = f"the keyword {name} is used as a constant here; perhaps a parenthesis is missing"
            yield Finding("GDL216", message, self._text.place_of(name, position))

    def _consistent(
        self, code: str, what: str, name: str, arity: int, known: dict[str, int], position: Position
    ) -> Findings:
        first = known.setdefault(name, arity)
        if first != arity and self._new(code, name, arity):
            message = f"the {what} {shown(name)} has {_count(arity)} here, {first} before"
            yield Finding(code, message, self._text.place_of(name, position))

    def _both(self, name: str, position: Position) -> Findings:
        if name not in self._known and self._new("GDL206", name, 0):
            message = f"{shown(name)} is the name of a relation and of a function"
            yield Finding("GDL206", message, self._text.place_of(name, position))

    def _goal_value(self, head: Literal) -> Findings:
        if relation(head.sentence) != ("goal", 2):
            return
        value = arguments(head.sentence)[1]
        if not isinstance(value, Variable) and is_odd(str(value)):
            place = self._text.place_of(value if isinstance(value, str) else value.name, head.position)
            yield Finding("GDL212", f"the goal value {value} is not a whole number from 0 to 100", place)

    def _new(self, code: str, name: str, number: int) -> bool:
        """Return whether this is reported for the first time."""
        known = (code, name, number) in self._reported
        self._reported.add((code, name, number))
        return not known


def _count(arity: int) -> str:
    return f"{arity} argument" if arity == 1 else f"{arity or 'no'} arguments"


# ---- definitions and uses


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
    """Compare the names of derived and of used relations."""
    defined: dict[str, Literal] = {}
    used: dict[str, Literal] = {}
    for rule in sheet.rules:
        defined.setdefault(relation(rule.head.sentence)[0], rule.head)
        for literal in rule.literals():
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
        for literal in rule.literals():
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
    used = {relation(literal.sentence)[0] for rule in sheet.rules for literal in rule.literals()}
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

"""Checks of words: the use of keywords, relations and functions in the whole sheet."""

from __future__ import annotations

from ..compile.arithmetic import arithmetic_relations
from ..language.goals import is_odd
from ..language.playable import compound_role
from ..language.rule_sheet import Literal, Position, RuleSheet, signed_atoms
from ..language.terms import Compound, Term, Variable, arguments, relation
from .definitions import forgotten_keywords
from .findings import Finding, Findings
from .text import SheetText
from .words import CONNECTIVES, RELATIONS, shown

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
            for formula in rule.body:
                for atom, _ in signed_atoms(formula):
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

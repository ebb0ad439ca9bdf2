"""Decide whether two sheets are the same game, and translate the symbols of one into the other.

Two sheets are isomorphic here when renaming symbols and variables and shuffling rules and the formulas of bodies,
conjunctions and disjunctions turns one into the other. Keywords and goal values keep their names; all other numerals
are symbols like any other, since the language does not count with them. The order of the `role` facts matters.

`structure` solves a simpler problem: it serves the cache of networks, keeps numerals and the order of bodies, and must
be fast on sheets of any size. Here the whole sheet becomes a hypergraph. Its nodes are the symbols, the rules, the
variables of each rule, and the disjunctions and conjunctions. Its edges are the literals: each passes through the rule
(or connective) that contains the literal and through the names in it, in the order of their arguments. `number_nodes`
numbers the nodes by their position in the hypergraph, and the sheet is printed with numbers for names and in sorted
order. Equal prints prove the isomorphism, because each print is the sheet itself, renamed. If the numbering had to
choose between nodes that look alike but are different, an isomorphism may be missed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ..language.rule_sheet import (
    KEYWORD_ARITIES,
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    RuleSheet,
)
from ..language.terms import Compound, Term, Variable, arguments, is_chance, relation, to_kif
from .numbering import Edge, number_nodes

_NUMERAL = re.compile(r"-?[0-9]+")


@dataclass(frozen=True, slots=True)
class _Atom:
    """A literal: its text with placeholders for names, and the nodes of these names."""

    text: str
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Formulas in any order under a connective."""

    word: str
    parts: tuple[_Part, ...]


_Part: TypeAlias = _Atom | _Group


class CanonicalForm:
    """The part of a sheet that renaming and shuffling do not change."""

    def __init__(self, sheet: RuleSheet) -> None:
        self._is_kept = _kept_numerals(sheet)
        self._symbols: dict[str, int] = {}
        self._variables: dict[str, int] = {}
        self._nodes = 0
        self._rules: list[tuple[_Atom, tuple[_Part, ...]]] = []
        roles = {role: number for number, role in enumerate(sheet.roles())}
        for rule in sheet.rules:
            self._variables.clear()
            head, body = self._sentence(rule.head.sentence), self._parts(rule.body)
            if not body and relation(rule.head.sentence) == ("role", 1):
                number = roles[to_kif(arguments(rule.head.sentence)[0])]
                head = _Atom(f"{number} {head.text}", head.nodes)
            self._rules.append((head, body))

    @cached_property
    def outline(self) -> tuple[str, ...]:
        """The rules without any names, sorted; equal for isomorphic sheets, rarely equal for others."""
        return tuple(sorted(_line(_outline(head), map(_outline, body)) for head, body in self._rules))

    def renaming(self, other: CanonicalForm) -> dict[str, str] | None:
        """Return the names of this sheet's symbols in the other sheet; None if the sheets differ."""
        if len(self._rules) != len(other._rules) or self.outline != other.outline:
            return None
        if self._canonical != other._canonical:
            return None
        names = {other._numbers[node]: symbol for symbol, node in other._symbols.items()}
        return {symbol: names[self._numbers[node]] for symbol, node in self._symbols.items()}

    @cached_property
    def _canonical(self) -> tuple[str, ...]:
        """The rules with numbers for names, sorted."""
        return tuple(sorted(_line(self._written(head), map(self._written, body)) for head, body in self._rules))

    @cached_property
    def _numbers(self) -> list[int]:
        """The number of each node by its position in the sheet."""
        labelled: list[tuple[str, tuple[int, ...]]] = []
        nodes = self._nodes

        def connect(part: _Part, parent: tuple[int, ...], label: str) -> None:
            nonlocal nodes
            if isinstance(part, _Atom):
                # A node may occur on an edge once, so the label contains which places are equal.
                different = list(dict.fromkeys(part.nodes))
                places = [different.index(node) for node in part.nodes]
                labelled.append((f"{label} {part.text} {places}", (*parent, *different)))
                return
            group, nodes = nodes, nodes + 1
            labelled.append((f"{label} {part.word}", (*parent, group)))
            for inner in part.parts:
                connect(inner, (group,), "part")

        for head, body in self._rules:
            rule: tuple[int, ...] = ()
            if body:
                rule, nodes = (nodes,), nodes + 1
            connect(head, rule, "head" if body else "fact")
            for part in body:
                connect(part, rule, "body")
        labels = {label: number for number, label in enumerate(sorted({label for label, _ in labelled}))}
        edges: list[Edge] = [(labels[label], through) for label, through in labelled]
        return number_nodes(nodes, edges)

    def _written(self, part: _Part) -> str:
        if isinstance(part, _Atom):
            return part.text.format(*[self._numbers[node] for node in part.nodes])
        return _line(part.word, map(self._written, part.parts))

    # ---- from rules to parts

    def _parts(self, formulas: tuple[Formula, ...]) -> tuple[_Part, ...]:
        return tuple([self._part(formula) for formula in formulas])

    def _part(self, formula: Formula) -> _Part:
        match formula:
            case Literal(sentence=sentence):
                return self._sentence(sentence)
            case Distinct(left=left, right=right):
                nodes: list[int] = []
                return _Atom(f"(distinct {self._term(left, nodes)} {self._term(right, nodes)})", tuple(nodes))
            case Negation(formula=inner):
                part = self._part(inner)
                return _Atom(f"(not {part.text})", part.nodes) if isinstance(part, _Atom) else _Group("not", (part,))
            case Disjunction(formulas=parts):
                return _Group("or", self._parts(parts))
            case Conjunction(formulas=parts):
                return _Group("and", self._parts(parts))

    def _sentence(self, sentence: Term) -> _Atom:
        name, _ = relation(sentence)
        nodes: list[int] = []
        words = [name if name in KEYWORD_ARITIES else self._term(name, nodes)]
        words += [self._term(term, nodes) for term in arguments(sentence)]
        return _Atom(f"({' '.join(words)})", tuple(nodes))

    def _term(self, term: Term, nodes: list[int]) -> str:
        """Return the text of a term with placeholders for names, and append the nodes of the names."""
        if isinstance(term, Compound):
            words = [self._term(term.name, nodes), *[self._term(argument, nodes) for argument in term.args]]
            return f"({' '.join(words)})"
        if isinstance(term, Variable):
            nodes.append(self._node(self._variables, term.name))
            return "?{}"
        if is_chance(term) or self._is_kept(term):
            return term.lower()
        nodes.append(self._node(self._symbols, term))
        return "s{}"

    def _node(self, known: dict[str, int], name: str) -> int:
        node = known.get(name)
        if node is None:
            node = known[name] = self._nodes
            self._nodes += 1
        return node


def _kept_numerals(sheet: RuleSheet) -> Callable[[str], bool]:
    """Return a test for numerals that keep their names: goal values, or all numerals if goals may be computed."""
    values = {
        value
        for rule in sheet.rules
        for literal in (rule.head, *rule.literals())
        if relation(literal.sentence) == ("goal", 2)
        for value in arguments(literal.sentence)[1:]
    }
    computed = any(not isinstance(value, str) for value in values)
    return lambda symbol: _NUMERAL.fullmatch(symbol) is not None and (computed or symbol in values)


def _outline(part: _Part) -> str:
    return part.text if isinstance(part, _Atom) else _line(part.word, map(_outline, part.parts))


def _line(first: str, parts: Iterable[str]) -> str:
    return " ".join([first, "(", *sorted(parts), ")"])

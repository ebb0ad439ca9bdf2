"""The structure of a sheet: its rules, independent of their order and of the names in them.

Two sheets have the same structure when renaming symbols and variables and shuffling rules turns one into the other;
comments, letter case and repeated rules do not matter, and the order of the `role` facts does, since joint moves
follow it. `structure_of` writes a sheet in canonical form, with symbols called `s0`, `s1`, ..., so that what was
compiled from one copy of a game serves all others. Keywords keep their names where a sentence or the role `random`
stands, and numerals keep their names everywhere.

A sheet is a hypergraph here: symbols are its nodes and each rule is an edge, labelled with the rule's text without its
symbols (the skeleton), through the symbols in order of their occurrence. `numbering` numbers the nodes by what is
around them. If it must choose between symbols that look the same, these are nearly always interchangeable, and then any
choice gives the same text. If they are not, a renamed copy of the sheet may get another key. The only effect is that
its entry in the cache is not found. Equal keys always mean equal structure, since a key is the digest of a whole text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from ..language.rule_sheet import (
    KEYWORD_ARITIES,
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Rule,
    RuleSheet,
)
from ..language.terms import RANDOM_ROLE, Compound, Spellings, Term, Variable, is_chance, relation, to_kif
from .arithmetic import with_arithmetic
from .numbering import number_nodes

# Relations that keep their names. `knows` is not a keyword here, but sheets that use it are rejected.
_RELATIONS = {*KEYWORD_ARITIES, "knows"}
_NUMERAL = re.compile(r"-?[0-9]+")
_NAME = re.compile(r"(s[0-9]+|random)")


@dataclass(frozen=True, slots=True)
class Structure:
    """The canonical form of a sheet.

    The canonical sheet keeps the source and the positions of rules of the given sheet; of equal rules the first counts.
    An error about the canonical sheet thus points to the right place of the given text, but its message contains
    canonical symbols. To get a message with the given symbols, repeat the failed step on the given sheet.
    """

    key: str  # SHA-256 of the canonical text, in hexadecimal digits
    sheet: RuleSheet  # the canonical sheet
    symbols: tuple[str, ...]  # `symbols[i]` is the given sheet's spelling of the canonical symbol `s<i>`
    random: str = RANDOM_ROLE  # the given sheet's spelling of `random`

    def respell(self, names: Iterable[str]) -> list[str]:
        """Translate moves, fluents or roles of the canonical sheet into the given sheet's spelling."""
        listed = list(names)
        # Words with their parentheses, such as `(s1` and `s20))`, are few, so each is translated once.
        words = _Words({RANDOM_ROLE: self.random, **{f"s{n}": symbol for n, symbol in enumerate(self.symbols)}})
        return " ".join([words[word] for word in " \n ".join(listed).split(" ")]).split(" \n ") if listed else []


class _Words(dict[str, str]):
    """Translate canonical words, and store the translations."""

    def __init__(self, spellings: dict[str, str]) -> None:
        super().__init__()
        self._spellings = spellings

    def __missing__(self, word: str) -> str:
        spelt = self[word] = _NAME.sub(lambda match: self._spellings[match[0]], word)
        return spelt


def structure_of(sheet: RuleSheet) -> Structure:
    """Write a sheet, and the facts of its arithmetic, in canonical form."""
    sheet = with_arithmetic(sheet)
    skeletons = _Skeletons(sheet)
    edges = skeletons.edges()
    numbers = number_nodes(len(skeletons.symbols), edges)
    names = [f"s{number}" for number in numbers]
    renamed = _Renaming(dict(zip(skeletons.symbols, names, strict=True)))
    # The labels place roles first, in their order.
    order = sorted((label, [numbers[symbol] for symbol in symbols], n) for n, (label, symbols) in enumerate(edges))
    texts, rules = [], []
    for _, _, n in order:
        _, skeleton, symbols, rule = skeletons.rules[n]
        texts.append(skeleton.format(*[names[symbol] for symbol in symbols]))
        rules.append(renamed.rule(rule))
    spelt = [""] * len(names)
    for symbol, number in zip(skeletons.symbols, numbers, strict=True):
        spelt[number] = symbol
    return Structure(
        key=hashlib.sha256("\n".join(texts).encode()).hexdigest(),
        sheet=RuleSheet(tuple(rules), Spellings({name: name for name in names}), sheet.source),
        symbols=tuple(spelt),
        random=sheet.spellings.closed().canonical(RANDOM_ROLE),
    )


class _Skeletons:
    """Split the rules of a sheet into skeletons without symbols, and symbols, numbered in order of occurrence."""

    def __init__(self, sheet: RuleSheet) -> None:
        self.symbols: dict[str, int] = {}  # the number of each symbol
        self._pieces: list[str] = []
        self._local: dict[str, str] = {}
        self._variables: dict[str, str] = {}
        found: dict[tuple[int, str, tuple[int, ...]], Rule] = {}
        roles: dict[Term, int] = {}
        numbers = self.symbols
        for rule in sheet.rules:
            self._pieces.clear()
            self._local.clear()
            self._variables.clear()
            self._rule(rule)
            role = -1
            if not rule.body and relation(rule.head.sentence) == ("role", 1):
                role = roles.setdefault(rule.head.sentence, len(roles))
            used = tuple([numbers.setdefault(symbol, len(numbers)) for symbol in self._local])
            found.setdefault((role, "".join(self._pieces), used), rule)
        # Index among the roles (-1 for most rules), skeleton, symbols and rule, for each rule.
        self.rules = [(*key, rule) for key, rule in found.items()]

    def edges(self) -> list[tuple[int, tuple[int, ...]]]:
        """Return label and symbols of each rule; equal labels mean equal skeletons, roles have the first labels."""
        kinds = {(role, skeleton) for role, skeleton, _, _ in self.rules}
        labels = {kind: label for label, kind in enumerate(sorted(kinds, key=lambda kind: (kind[0] < 0, kind)))}
        return [(labels[role, skeleton], symbols) for role, skeleton, symbols, _ in self.rules]

    def _rule(self, rule: Rule) -> None:
        if not rule.body:
            self._sentence(rule.head.sentence)
            return
        self._pieces.append("(<= ")
        self._sentence(rule.head.sentence)
        self._formulas(rule.body)

    def _formulas(self, formulas: Iterable[Formula]) -> None:
        pieces = self._pieces
        for formula in formulas:
            pieces.append(" ")
            match formula:
                case Literal(sentence=sentence):
                    self._sentence(sentence)
                case Distinct(left=left, right=right):
                    pieces.append("(distinct ")
                    self._term(left)
                    pieces.append(" ")
                    self._term(right)
                    pieces.append(")")
                case Negation(formula=inner):
                    pieces.append("(not")
                    self._formulas((inner,))
                case Disjunction(formulas=parts):
                    pieces.append("(or")
                    self._formulas(parts)
                case Conjunction(formulas=parts):
                    pieces.append("(and")
                    self._formulas(parts)
        pieces.append(")")

    def _sentence(self, sentence: Term) -> None:
        if isinstance(sentence, Compound):
            self._arguments(_relation(sentence.name) or self._name(sentence.name), sentence.args)
        elif isinstance(sentence, str):
            self._pieces.append(_relation(sentence) or self._name(sentence))

    def _term(self, term: Term) -> None:
        if isinstance(term, str):
            self._pieces.append(self._name(term))
        elif isinstance(term, Variable):
            self._pieces.append(self._variables.setdefault(term.name, f"?v{len(self._variables)}"))
        else:
            self._arguments(self._name(term.name), term.args)

    def _arguments(self, name: str, terms: tuple[Term, ...]) -> None:
        self._pieces.append("(" + name)
        for term in terms:
            self._pieces.append(" ")
            self._term(term)
        self._pieces.append(")")

    def _name(self, symbol: str) -> str:
        """Return the placeholder of a symbol in the skeleton."""
        placeholder = self._local.get(symbol)
        if placeholder is not None:
            return placeholder
        kept = _kept(symbol)
        if kept is not None:
            return kept
        self._local[symbol] = placeholder = f"{{{len(self._local)}}}"
        return placeholder


class _Renaming:
    """Write rules with other symbols, and with variables `v0`, `v1`, ... in order of occurrence."""

    def __init__(self, symbols: dict[str, str]) -> None:
        self._symbols = symbols
        self._variables: dict[Variable, Variable] = {}

    def rule(self, rule: Rule) -> Rule:
        self._variables.clear()
        return rule.with_atoms(self._atom)

    def _atom(self, atom: Literal | Distinct) -> Formula:
        if isinstance(atom, Literal):
            return self._literal(atom)
        return Distinct(self._term(atom.left), self._term(atom.right), atom.position)

    def _literal(self, literal: Literal) -> Literal:
        sentence = literal.sentence
        if isinstance(sentence, Compound):
            terms = tuple([self._term(term) for term in sentence.args])
            renamed: Term = Compound(_relation(sentence.name) or self._name(sentence.name), terms)
        else:
            assert isinstance(sentence, str)
            renamed = _relation(sentence) or self._name(sentence)
        return Literal(renamed, literal.position)

    def _term(self, term: Term) -> Term:
        if isinstance(term, str):
            return self._name(term)
        if isinstance(term, Variable):
            known = self._variables.get(term)
            if known is None:
                known = self._variables[term] = _variable(len(self._variables))
            return known
        return Compound(self._name(term.name), tuple([self._term(argument) for argument in term.args]))

    def _name(self, symbol: str) -> str:
        return self._symbols.get(symbol) or _kept(symbol) or symbol


@cache
def _variable(number: int) -> Variable:
    return Variable(f"v{number}")


def _relation(name: str) -> str | None:
    """Return the name of a relation that keeps it, None for all others."""
    return name if name in _RELATIONS else None


def _kept(symbol: str) -> str | None:
    """Return the canonical name of a symbol that keeps its own, None for all others."""
    if _NUMERAL.fullmatch(symbol):
        return symbol
    return RANDOM_ROLE if is_chance(symbol) else None


def fact_orders(sheet: RuleSheet) -> list[dict[str, int]]:
    """Return the sequences that the binary facts of one relation each define, the longest first.

    A sequence maps each constant to its place, from 0.

    >>> from gdl import parse_sheet
    >>> fact_orders(parse_sheet("(role one) (above 1 2) (above 2 3) (right a b) (loop x x)"))
    [{'1': 0, '2': 1, '3': 2}, {'a': 0, 'b': 1}]
    """
    pairs: dict[str, list[tuple[str, str]]] = {}
    for rule in sheet.rules:
        sentence = rule.head.sentence
        if not rule.body and isinstance(sentence, Compound) and len(sentence.args) == 2:
            first, second = map(to_kif, sentence.args)
            pairs.setdefault(sentence.name, []).append((first, second))
    rows = []
    for facts in pairs.values():
        after = dict(facts)
        begins = set(after) - set(after.values())
        if len(after) != len(facts) or len(set(after.values())) != len(facts) or len(begins) != 1:
            continue
        row = [begins.pop()]
        while row[-1] in after:
            row.append(after[row[-1]])
        if len(row) == len(facts) + 1:
            rows.append({word: place for place, word in enumerate(row)})
    return sorted(rows, key=len, reverse=True)

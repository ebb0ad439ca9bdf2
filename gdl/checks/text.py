"""Checks of the text as it is written: capitalisation, characters, superfluous parentheses.

Parsed rules do not contain the original spelling, so these checks read the words of the text again.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from ..language.forms import KifTree, Places
from ..language.infix import COMMENT, LPAR, RPAR, SYMBOL, capital_variables, find_clauses, infix_tokens
from ..language.rule_sheet import (
    KEYWORD_ARITIES,
    Distinct,
    Formula,
    Literal,
    Position,
    Rule,
    RuleSheet,
)
from ..language.terms import Compound, Term, Variable, arguments, constants, relation
from .findings import CONNECTIVES, Finding, Findings, shown

_USUAL = re.compile(r"[A-Za-z0-9_+\-./*]*")


class SheetText:
    """Find the words of a sheet in its text."""

    def __init__(self, text: str) -> None:
        self._tree = KifTree(text)
        self._places = self._tree.places

    def place_of(self, name: str, within: Position) -> Position:
        """Return the first position of a name in the list that starts at a position, or after the word there."""
        start = self._places.offset(within)
        node = self._tree.starting_at(start)
        around = node.parent if node is not None and node.text else node
        words = around.words() if around is not None else ()
        found = (word.start for word in words if word.start > start and word.name == name.lower())
        return next(map(self._places.position, found), within)

    def findings(self, operators: Iterable[str] = ()) -> Findings:
        """Yield the findings about spelling, characters and parentheses; operators may have unusual characters."""
        yield from self._capitalisation()
        yield from self._characters(operators)
        yield from self._superfluous_parentheses()

    def _finding(self, code: str, message: str, offset: int) -> Finding:
        return Finding(code, message, self._places.position(offset))

    def _capitalisation(self) -> Findings:
        spelt: dict[str, str] = {}
        reported: set[str] = set()
        for form in self._tree.forms:
            variables: dict[str, str] = {}
            for word in form.words():
                if word.text[0] == "?":
                    first = variables.setdefault(word.name, word.text)
                    if first != word.text:
                        message = f"the variable {first} is spelt {word.text} here; case-sensitive players see two"
                        yield self._finding("GDL210", message, word.start)
                    continue
                first = spelt.setdefault(word.name, word.text)
                # Every program reads keywords in any case.
                known = word.name in KEYWORD_ARITIES or word.name in CONNECTIVES
                if first != word.text and not known and word.text not in reported:
                    reported.add(word.text)
                    message = f"the symbol {first} is spelt {word.text} here; case-sensitive players see two"
                    yield self._finding("GDL209", message, word.start)

    def _characters(self, operators: Iterable[str]) -> Findings:
        checked: set[str] = {"<=", *operators}
        for word in self._tree.words:
            if word.text in checked:
                continue
            checked.add(word.text)
            if odd := _unusual(word.text.removeprefix("?")):
                message = f"unusual characters in {shown(word.text)}: {odd}; some players may not read them"
                yield self._finding("GDL211", message, word.start)

    def _superfluous_parentheses(self) -> Findings:
        for word in self._tree.words:
            around = word.parent
            if around is None or len(around.parts) > 1 or not around.closed:
                continue
            if word.text[0] != "?" and word.name not in CONNECTIVES:
                message = f"({shown(word.text)}) and {shown(word.text)} are the same, but some programs see two"
                yield self._finding("GDL607", message, around.start)


class InfixSheetText(SheetText):
    """Look up names of an infix sheet in its text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = Places(text)
        self._infix = [token for token in infix_tokens(text) if token.kind != COMMENT]
        self._offsets = [token.start for token in self._infix]

    @cached_property
    def _starts(self) -> list[int]:
        """The offset of each rule."""
        return [clause.tokens[0].start for clause in find_clauses(self._text, self._infix, lambda *_: None)]

    def place_of(self, name: str, within: Position) -> Position:
        """Return the first position of a name in the rule that contains a position, from there on."""
        offset = self._places.offset(within)
        following = bisect_right(self._starts, offset)
        end = self._starts[following] if following < len(self._starts) else float("inf")
        for token in itertools.islice(self._infix, bisect_left(self._offsets, offset), None):
            if token.start >= end:
                break
            if token.kind == SYMBOL and token.name.lower() == name.lower():
                return self._places.position(token.start)
        return within

    def findings(self, operators: Iterable[str] = ()) -> Findings:
        """Yield the findings about the text; operators may have unusual characters."""
        yield from self._question_marks()
        spelt: dict[str, str] = {}
        reported: set[str] = set()
        for index, token in enumerate(self._infix):
            if token.kind != SYMBOL:
                continue
            name = token.text if token.text[0] != "'" else token.name
            first = spelt.setdefault(name.lower(), name)
            if name not in reported:
                if first != name:
                    message = f"the symbol {first} is spelt {name} here; symbols are compared without regard to case"
                    yield self._finding("GDL209", message, token.start)
                odd = _unusual(name)
                if odd and name != "<=" and name not in operators:
                    message = f"unusual characters in {shown(name)}: {odd}; some players may stumble over them"
                    yield self._finding("GDL211", message, token.start)
                reported.add(name)
            if (
                index + 2 < len(self._infix)
                and self._infix[index + 2].kind == RPAR
                and self._infix[index + 1].kind == LPAR
            ):
                message = f"{shown(name)}() and {shown(name)} are the same, but some programs see two"
                yield self._finding("GDL607", message, token.start)

    def _question_marks(self) -> Findings:
        """Report the variables with a question mark in one finding."""
        if variables := capital_variables(self._text):
            token, name = variables[0]
            others = len({token.text.lower() for token, _ in variables}) - 1
            more = f" (and {others:,} more variables)" if others else ""
            message = f"{shown(token.text)} is read as the variable {shown(name)}{more}"
            yield Finding("GDL219", message, self._places.position(token.start), infix=True)


def _unusual(name: str) -> str:
    """Return the unusual characters of a name."""
    return " ".join(dict.fromkeys(c for c in name if _USUAL.fullmatch(c) is None))


# ---- words in upper case


_WORD = re.compile(r"[A-Z][A-Za-z0-9_]*")
# Relations whose first argument is a role.
_OF_ROLES = {("legal", 2), ("goal", 2), ("sees", 2), ("percept", 2), ("input", 2)}
_MAX_SHOWN = 5


def check_upper_case(sheet: RuleSheet, text: SheetText) -> tuple[list[Finding], RuleSheet]:
    """Find words in upper case that stand where variables should."""
    if not any(map(_WORD.fullmatch, sheet.spellings.by_lower_case.values())):
        return [], sheet
    counts = [_counts(rule) for rule in sheet.rules]
    entering = {word for rule, found in zip(sheet.rules, counts, strict=True) for word in _entering(rule, found)}
    findings: list[Finding] = []
    rules: list[Rule] = []
    for rule, found in zip(sheet.rules, counts, strict=True):
        words = [word for word in found if word not in entering]
        if any(found[word] > 1 for word in words):
            findings.append(_finding(rule, words, text))
            rule = _with_variables(rule, set(words))
        rules.append(rule)
    return findings, replace(sheet, rules=tuple(rules)) if findings else sheet


def _finding(rule: Rule, words: list[str], text: SheetText) -> Finding:
    shown = ", ".join(words[:_MAX_SHOWN]) + (", ..." if len(words) > _MAX_SHOWN else "")
    looks = f"{shown} looks like a variable" if len(words) == 1 else f"{shown} look like variables"
    first = min(text.place_of(word, rule.position) for word in words)
    return Finding("GDL217", f"{looks}; variables begin with ?", first, advice=f"write ?{words[0].lower()}")


def _counts(rule: Rule) -> Counter[str]:
    """Count the words in upper case among the constants of a rule, in the order of the rule."""
    given = list(arguments(rule.head.sentence))
    for atom in rule.atoms():
        given += arguments(atom.sentence) if isinstance(atom, Literal) else (atom.left, atom.right)
    return Counter(_words(given))


def _entering(rule: Rule, found: Counter[str]) -> Iterator[str]:
    """Yield the words that a rule brings into the game: words of a fact, or of a head if the body lacks them."""
    if not rule.body:
        yield from found
        return
    given = arguments(rule.head.sentence)
    all_of_head = Counter(_words(given))
    # A role is named by a fact, so the role of a head does not count.
    inner = given[1:] if relation(rule.head.sentence) in _OF_ROLES else given
    yield from (word for word in set(_words(inner)) if found[word] == all_of_head[word])


def _words(given: Iterable[Term]) -> Iterator[str]:
    """Yield the words in upper case among the constants of terms, with repetitions."""
    return filter(_WORD.fullmatch, constants(*given))


def _with_variables(rule: Rule, words: set[str]) -> Rule:
    def changed(term: Term) -> Term:
        if isinstance(term, Compound):
            return Compound(term.name, tuple([changed(inner) for inner in term.args]))
        return Variable(term.lower()) if isinstance(term, str) and term in words else term

    def changed_atom(atom: Literal | Distinct) -> Formula:
        if isinstance(atom, Distinct):
            return replace(atom, left=changed(atom.left), right=changed(atom.right))
        # The name of a relation is not a constant, so an atom stays.
        return replace(atom, sentence=changed(atom.sentence)) if isinstance(atom.sentence, Compound) else atom

    return rule.with_atoms(changed_atom)

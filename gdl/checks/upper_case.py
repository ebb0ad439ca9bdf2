"""Checks of constants that were meant as variables: words in upper case that no rule can ever bring into the game.

A variable of KIF begins with `?`. In many other notations a word in upper case is a variable, so people forget the
question mark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..language.rule_sheet import Distinct, Formula, Literal, Rule, RuleSheet, signed_atoms, with_atoms
from ..language.terms import Compound, Term, Variable, arguments, relation
from .findings import Finding
from .text import SheetText

_WORD = re.compile(r"[A-Z][A-Za-z0-9_]*")
# Relations whose first argument is a role.
_OF_ROLES = {("legal", 2), ("goal", 2), ("sees", 2), ("percept", 2), ("input", 2)}
_MAX_SHOWN = 5


def check_upper_case(sheet: RuleSheet, text: SheetText) -> tuple[list[Finding], RuleSheet]:
    """Find words in upper case that stand where variables should.

    A constant enters a game through a fact, or through a rule that has it in its head only. A word that never enters,
    and that occurs several times in one rule, was meant as a variable.
    """
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
    for formula in rule.body:
        for atom, _ in signed_atoms(formula):
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
    waiting = list(given)[::-1]
    while waiting:
        term = waiting.pop()
        if isinstance(term, Compound):
            waiting += reversed(term.args)
        elif isinstance(term, str) and _WORD.fullmatch(term):
            yield term


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

    head = changed_atom(rule.head)
    assert isinstance(head, Literal)
    return replace(rule, head=head, body=tuple([with_atoms(formula, changed_atom) for formula in rule.body]))

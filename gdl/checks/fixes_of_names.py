"""Fixes of names: capitalisation, misspelt relations, and fluents without `true`."""

from __future__ import annotations

from collections.abc import Iterator

from ..language.kif_tree import KifTree, Node
from .replacements import Replacement

_AROUND_FORMULAS = {"not", "or", "and"}


def symbol_as_before(tree: KifTree, offset: int) -> list[Replacement]:
    """Write the first spelling of a symbol wherever it has the spelling at an offset."""
    word = tree.starting_at(offset)
    if word is None:
        return []
    same = [each for each in tree.words if each.name == word.name]
    return [_renamed(each, same[0].text) for each in same if each.text == word.text]


def variable_as_before(tree: KifTree, offset: int) -> list[Replacement]:
    """Write the first spelling of a variable of a rule."""
    word = tree.starting_at(offset)
    if word is None:
        return []
    first = next(each for each in word.form.words() if each.name == word.name)
    # In a text with an open list, the form of the finding may be larger than the form of the tree.
    return [_renamed(word, first.text)] if first.text != word.text else []


def relation_renamed(tree: KifTree, name: str, meant: str, *, in_heads: bool) -> list[Replacement]:
    """Replace the name of a relation, in heads of rules or in bodies."""
    literals = _heads(tree) if in_heads else _body_literals(tree)
    return [_renamed(each.parts[0] if each.is_list else each, meant) for each in literals if each.name == name]


def fluent_wrapped(tree: KifTree, name: str) -> list[Replacement]:
    """Write `(true ...)` around the literals of bodies with a name."""
    replacements = []
    for literal in _body_literals(tree):
        if literal.name == name:
            replacements.append(Replacement(literal.start, literal.start, "(true "))
            replacements.append(Replacement(literal.end, literal.end, ")"))
    return replacements


def _renamed(word: Node, name: str) -> Replacement:
    return Replacement(word.start, word.end, name)


def _heads(tree: KifTree) -> Iterator[Node]:
    for form in tree.forms:
        if not form.is_list or form.name != "<=":
            yield form
        elif len(form.parts) > 1:
            yield form.parts[1]


def _body_literals(tree: KifTree) -> Iterator[Node]:
    waiting = [part for form in tree.forms if form.is_list and form.name == "<=" for part in form.parts[2:]]
    while waiting:
        formula = waiting.pop()
        if formula.is_list and formula.name in _AROUND_FORMULAS:
            waiting += formula.parts[1:]
        elif not formula.is_list or formula.name != "distinct":
            yield formula

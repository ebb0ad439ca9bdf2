"""Completion: the words that may stand at a place of a sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..language.forms import Node
from .name_help import KEYWORD_HELP
from .sheet_names import NameUse, SheetNames

# Limit of the offered words.
MAX_COMPLETIONS = 300

_PREFIX = re.compile(r"[^\s();]*\Z")
_HEADS = ("<=", "role", "init", "next", "legal", "goal", "terminal", "base", "input", "sees", "percept")
_BODIES = ("true", "does", "not", "or", "distinct", "role", "legal", "goal", "terminal")
_FORMULA_LISTS = {"<=", "not", "or", "and"}
_FLUENTS = {"init", "true", "next", "base"}
_MOVES = {"legal", "does", "input"}
_OF_ROLES = {*_MOVES, "role", "goal", "sees", "percept"}


@dataclass(frozen=True, slots=True)
class Completion:
    """A word that may stand at a place."""

    word: str
    kind: str  # `keyword`, `variable`, or a kind of `NameUse`
    detail: str = ""  # the pattern of a keyword, or kind and number of arguments of a name; may be empty


def complete(names: SheetNames, offset: int) -> tuple[int, list[Completion]]:
    """Return the words that may stand at an offset.

    The words depend on the list that contains the offset: heads at the start of a form, relations and keywords in a
    body, fluents within `true`, moves within `does`, else variables of the rule, constants and functions.

    >>> names = SheetNames("(init (at 1)) (<= terminal (true (a")
    >>> start, found = complete(names, 35)
    >>> start, [each.word for each in found]
    (34, ['at'])
    """
    if not names.readable:
        return offset, []
    text = names.tree.text
    line = max(text.rfind("\n", 0, offset), offset - 1000, -1) + 1
    if names.tree.has_comment(line, offset):
        return offset, []
    match = _PREFIX.search(text, line, offset)
    start = match.start() if match else offset
    prefix = text[start:offset].lower()
    offered = {each.word.lower(): each for each in _candidates(names, start) if each.word.lower().startswith(prefix)}
    word = names.tree.word_at(start)
    if word is not None and word.start == start and word.name in names.uses:
        use = names.uses[word.name]
        if len(use.words) == 1:  # the word that is being written
            offered.pop(word.name, None)
    return start, list(offered.values())[:MAX_COMPLETIONS]


def _candidates(names: SheetNames, start: int) -> Iterable[Completion]:
    around = names.tree.list_at(start)
    if around is None:
        return [*_of(names.of_kind("relation")), Completion("terminal", "keyword", "terminal")]
    index = sum(part.start < start for part in around.parts)
    if index:
        return _arguments(names, around, index - 1, start)
    outer = around.parent
    if outer is None:
        return [*_keywords(_HEADS), *_of(names.of_kind("relation"))]
    place = sum(part.start < around.start for part in outer.parts)
    if outer.name in _FORMULA_LISTS:
        words = _HEADS[1:] if outer.name == "<=" and place == 1 else _BODIES
        return [*_keywords(words), *_of(names.of_kind("relation"))]
    kinds = _kinds(outer.name, place - 1)
    return _of(names.of_kind(*kinds) if kinds else names.of_kind("function", "fluent", "move"))


def _arguments(names: SheetNames, around: Node, index: int, start: int) -> list[Completion]:
    if around.name in _FORMULA_LISTS:
        return [Completion("terminal", "keyword", "terminal"), *_of(names.of_kind("relation"))]
    kinds = _kinds(around.name, index)
    words = (each for each in around.form.words() if each.text.startswith("?") and each.start != start)
    variables = {word.name: Completion(word.text, "variable") for word in words}
    known = names.of_kind(*kinds) if kinds else names.of_kind("constant", "role")
    return [*variables.values(), *_of(known)]


def _kinds(keyword: str, index: int) -> tuple[str, ...]:
    """Return the kinds of the terms that may be an argument of a keyword; empty if any term may."""
    if keyword in _FLUENTS and index == 0:
        return ("fluent",)
    if keyword in _OF_ROLES and index == 0:
        return ("role",)
    return ("move",) if keyword in _MOVES and index == 1 else ()


def _keywords(words: Iterable[str]) -> list[Completion]:
    return [Completion(word, "keyword", KEYWORD_HELP[word][0]) for word in words]


def _of(uses: Iterable[NameUse]) -> list[Completion]:
    found = []
    for use in uses:
        kind, arity = next(iter(use.kinds))
        found.append(Completion(use.name, kind, f"{kind}, {arity} argument{'' if arity == 1 else 's'}"))
    return found

"""Rename a symbol in a whole sheet, or a variable in its rule."""

from __future__ import annotations

import re

from ..checks.words import CONNECTIVES
from ..language.forms import MAX_SYMBOL, Node
from ..language.rule_sheet import KEYWORD_ARITIES
from .sheet_names import SheetNames

_NAME = re.compile(r"[A-Za-z0-9_+\-.]+")
_NUMBER = re.compile(r"[0-9]+")
_WORDS_OF_GDL = {*KEYWORD_ARITIES, *CONNECTIVES, "knows"}


class RenameError(Exception):
    """Report that a name cannot be renamed; the text is one sentence."""


def renameable_at(names: SheetNames, offset: int) -> Node:
    """Return the word at an offset if it can be renamed."""
    word = names.tree.word_at(offset)
    if word is None:
        raise RenameError("there is no name here")
    if word.text.startswith("?"):
        return word
    if word.name in _WORDS_OF_GDL or word.name not in names.uses:
        raise RenameError(f"{_shown(word.text)} is a word of GDL, which cannot be renamed")
    if names.uses[word.name].goal_value:
        raise RenameError(f"{_shown(word.text)} is a goal value, which cannot be renamed")
    if names.variable_goals and _NUMBER.fullmatch(word.text):
        raise RenameError(f"{word.text} may be a goal value, because a goal of this sheet contains a variable")
    return word


def renamed_at(names: SheetNames, offset: int, new: str) -> tuple[list[Node], str]:
    """Return the words to be replaced, and the word that replaces each of them.

    >>> names = SheetNames("(<= (p ?x) (q ?x)) (q 1)")
    >>> words, new = renamed_at(names, 12, "cell")
    >>> [word.start for word in words], new
    ([12, 20], 'cell')
    >>> renamed_at(names, 7, "y")[1]
    '?y'
    """
    word = renameable_at(names, offset)
    is_variable = word.text.startswith("?")
    bare = new.removeprefix("?") if is_variable else new
    if _NAME.fullmatch(bare) is None or len(bare) >= MAX_SYMBOL:
        raise RenameError(f"{_shown(new)!r} is not a name: use letters, digits and _ + - .")
    if is_variable:
        new = f"?{bare}"
        others = {each.name for each in word.form.words()}
        where = "this rule has"
    elif new.lower() in _WORDS_OF_GDL:
        raise RenameError(f"{new} is a word of GDL and cannot be a name")
    else:
        others = set(names.uses)
        where = "this sheet has"
    if new.lower() in others - {word.name}:
        raise RenameError(f"{where} the name {_shown(new)} already")
    return names.occurrences(offset), new


def _shown(name: str) -> str:
    return name if len(name) <= 40 else name[:37] + "..."

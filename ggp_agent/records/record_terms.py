"""Comparison of terms in match records: moves, fluents and names of roles.

Game managers write the same move as `(mark 3 3)`, `( mark 3 3 )` or `(MARK 3 3)`, and a fluent with or without `true`
around it. Comparisons of a record with rules use the keys of this module.

>>> term_key("( MARK 3 3 )") == term_key("(mark 3 3)")
True
"""

from __future__ import annotations

import re
from collections.abc import Collection

from gdl.language.terms import Spellings

_TOKEN = re.compile(r"[()]|[^()\s]+")
_WORD = re.compile(r"[^()\s]+")
# `(noop)` is the term `noop`.
_WITHOUT_ARGUMENTS = re.compile(r"\(([^() ]+)\)")
_TRUE = re.compile(r"\(true (.*)\)", re.IGNORECASE)


def canonical(text: str) -> str:
    """Return a term in canonical KIF: one blank between arguments, no blanks inside parentheses, unchanged case.

    An invalid term is returned with the same words and parentheses, so it equals no valid term. The time is linear in
    the length of the text.

    >>> canonical(" ( mark ( f 1 )  2 )"), canonical("( noop )"), canonical("( mark 1")
    ('(mark (f 1) 2)', 'noop', '(mark 1')
    """
    return _joined(_TOKEN.findall(text))


def term_key(text: str) -> str:
    """Return the key of a term, which equal terms share: its canonical text in lower case."""
    return canonical(text).lower()


def fluent_key(text: str) -> str:
    """Return the key of a fluent; `true` around it makes no difference.

    >>> fluent_key("( TRUE ( cell 1 1 b ) )"), fluent_key("(truer b)")
    ('(cell 1 1 b)', '(truer b)')
    """
    return term_key(without_true(canonical(text)))


def without_true(fluent: str) -> str:
    """Return a fluent in canonical KIF without an enclosing `true`.

    >>> without_true("(true (cell 1 1 b))"), without_true("(truer b)")
    ('(cell 1 1 b)', '(truer b)')
    """
    found = _TRUE.fullmatch(fluent)
    return found[1] if found else fluent


def same_state(recorded: Collection[str], fluents: Collection[str]) -> bool:
    """Return whether two lists of fluents are the same state.

    >>> same_state(["( true ( b ) )", "(A 1)"], ["(a 1)", "b"])
    True
    """
    if set(recorded) == set(fluents):
        return True
    return set(map(fluent_key, recorded)) == set(map(fluent_key, fluents))


def respelled(text: str, spellings: Spellings) -> str:
    """Return a term with its symbols in the spelling of a rule sheet; unknown symbols stay unchanged.

    >>> respelled("(MARK 3 3 z)", Spellings({"mark": "Mark"}))
    '(Mark 3 3 z)'
    """
    closed = spellings.closed()
    return _WORD.sub(lambda word: closed.canonical(word[0]), text)


def split_state(text: str) -> list[str]:
    """Split the KIF list of a state into its fluents, in canonical KIF without `true`.

    >>> split_state("( ( true ( cell 1 1 b ) ) (control white) ended)")
    ['(cell 1 1 b)', '(control white)', 'ended']
    """
    tokens = _TOKEN.findall(text)
    fluents = []
    depth = start = 0
    for place, token in enumerate(tokens):
        if depth == 1 and token != ")":
            start = place
        depth += (token == "(") - (token == ")")
        if depth == 1 and place > 0:
            fluents.append(without_true(_joined(tokens[start : place + 1])))
        if depth < 1 and place < len(tokens) - 1:
            break
    if tokens[-1:] != [")"] or depth != 0 or place < len(tokens) - 1:
        raise ValueError(f"{text[:40]!r} is not a list of fluents")
    return fluents


def _joined(tokens: Collection[str]) -> str:
    text = " ".join(tokens).replace("( ", "(").replace(" )", ")")
    return _WITHOUT_ARGUMENTS.sub(r"\1", text)

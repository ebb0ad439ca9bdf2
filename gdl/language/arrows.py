"""Signs that people write instead of the `<=` of a rule: `<==`, `:-`, `=>`, the arrows of Unicode and others.

A form `(:- head body ...)` is read as a rule with an error. Signs that point to the right
have the head at the end: `(=> body ... head)`. Some of the signs are also names of relations, as in `(-> 1 2)`; such a
fact stays a fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .rule_sheet import KEYWORD_ARITIES, Formula, Literal, has_variable
from .terms import relation

_ARROW = re.compile(
    r"<==+|<=+>|<[-\u2010-\u2015\u2212]+>?|=<|=+>|[-\u2010-\u2015\u2212]+>|:[-=\u2010-\u2015\u2212]"
    r"|[\u2190\u2192\u2194\u21d0\u21d2\u21d4\u2264\u2266\u27f5-\u27fa\u2a7d]"
)
_TO_THE_RIGHT = re.compile(r"=+>|[-\u2010-\u2015\u2212]+>|[\u2192\u21d2\u27f6\u27f9]")
# Signs that are never names of relations.
_UNMISTAKABLE = re.compile(r"<==+|:[-=\u2010-\u2015\u2212]|[\u21d0\u27f5\u27f8]")

# Relations that stand in heads only, and relations that stand in bodies only.
IN_HEADS = {"init", "next", "legal", "goal", "terminal", "base", "input", "sees", "percept"}
_IN_BODIES = {"true", "does"}

CODE = "GDL121"


def is_arrow(word: str) -> bool:
    """Return True for a sign that people write instead of `<=`."""
    return _ARROW.fullmatch(word) is not None


def is_unmistakable(word: str) -> bool:
    """Return True for a sign that stands for the `<=` of a rule and is never the name of a relation.

    >>> [word for word in ("<=", "<==", ":-", "⇐", "->") if is_unmistakable(word)]
    ['<==', ':-', '⇐']
    """
    return _UNMISTAKABLE.fullmatch(word) is not None


def is_to_the_right(word: str) -> bool:
    """Return True for a sign that points to the head at the end of a rule, such as `=>`."""
    return _TO_THE_RIGHT.fullmatch(word) is not None


def is_rule(arrow: str, parts: Sequence[Formula]) -> bool:
    """Return True if a form that begins with an arrow is a rule, False if it is a fact such as `(-> 1 2)`."""
    if is_unmistakable(arrow):
        return True
    return any(
        not isinstance(part, Literal)
        or has_variable(part.sentence)
        or (relation(part.sentence) in KEYWORD_ARITIES.items() and part.sentence != "random")
        for part in parts
    )


def head_first(arrow: str, parts: Sequence[Formula]) -> list[Formula]:
    """Return the parts of a rule with an arrow in the order of KIF: the head, then the body."""
    if is_to_the_right(arrow) and len(parts) > 1 and not _begins_with_head(parts[0], parts[-1]):
        return [parts[-1], *parts[:-1]]
    return list(parts)


def arrow_message(arrow: str, parts: Sequence[Formula]) -> str:
    """Return the message of the error."""
    order = "" if head_first(arrow, parts) == list(parts) else ", and the head first: (<= head body ...)"
    return f"{arrow} looks like the arrow of a rule; write <={order}"


def _begins_with_head(first: Formula, last: Formula) -> bool:
    """Return True if the first part must be the head although the arrow points to the last part."""
    if not isinstance(first, Literal) or not isinstance(last, Literal):
        return isinstance(first, Literal)
    first_name, last_name = relation(first.sentence)[0], relation(last.sentence)[0]
    if last_name in _IN_BODIES:
        return first_name not in _IN_BODIES
    return first_name in IN_HEADS and last_name not in IN_HEADS

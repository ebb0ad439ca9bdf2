"""Percepts (GDL-II) in messages: the rules that have them, and the two forms of PLAY and STOP."""

from __future__ import annotations

import re

from .message_text import MessageTextError, split

# The forms of PLAY and STOP in games with percepts, as users name them; see `messages`.
NUMBERED, PLAIN = "numbered", "plain"
PERCEPT_FORMS = (NUMBERED, PLAIN)

_BLANK = r"(?:\s|;[^\r\n]*)*"
# The beginning of a rule or fact that derives percepts.
_SEES = re.compile(rf"\({_BLANK}(?:<={_BLANK}\({_BLANK})?sees[\s;()]", re.IGNORECASE)


def has_percepts(rules: str) -> bool:
    """Return whether rules in KIF derive percepts, so that PLAY contains percepts instead of the joint move.

    >>> has_percepts("(<= (sees ?r ?m) (does x ?m))"), has_percepts("(init (sees a b)) ; (sees a b)")
    (True, False)
    """
    if "sees" not in rules.lower():
        return False
    try:
        return any(_SEES.match(rules, item.start) is not None for item in split(rules) if item.is_list)
    except MessageTextError:  # the rules will be refused
        return False

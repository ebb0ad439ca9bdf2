"""The words of the language, and the literals in which they stand."""

from __future__ import annotations

from collections.abc import Iterator

from ..language.rule_sheet import KEYWORD_ARITIES, Literal, Rule, literals
from ..language.terms import Term, to_kif

CONNECTIVES = {"<=", "not", "or", "and", "distinct"}

# `random` is the name of a role only, so it is not a keyword where a relation stands.
RELATIONS = {name: arity for name, arity in KEYWORD_ARITIES.items() if name != "random"}


def literals_of(rule: Rule) -> Iterator[Literal]:
    """Yield all literals of the body of a rule, also inside other formulas."""
    for formula in rule.body:
        yield from literals(formula)


def short(term: Term) -> str:
    """Print a term for a message; long terms are cut."""
    text = to_kif(term)
    return text if len(text) <= 60 else text[:57] + "..."

"""Rules that were read from a text, on disk beside the networks: whoever plays a known game parses nothing.

An entry is JSON. A symbol is a string, a variable one with its question mark, a compound term a list of its name and
arguments; a formula is a list of its kind, its parts, line and column.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ..language.forms import MAX_CHARACTERS
from ..language.parse import parse_sheet
from ..language.rules import Conjunction, Disjunction, Distinct, Formula, Literal, Negation, Position, Rule, RuleSheet
from ..language.terms import Compound, Spellings, Term, Variable
from .cache import Cache, default_cache

# Part of the name of every entry; to be raised whenever the same text gives other rules, or entries look otherwise.
FORMAT = 1


def kept_sheet(text: str, *, source: str = "<text>", cache: Cache | None = None) -> RuleSheet:
    """Read a rule sheet as `parse_sheet` does; what was read before is taken from the cache.

    >>> kept_sheet("(role robot)", source="a") == kept_sheet("(role robot)", source="b")
    True

    Args:
        text: the sheet.
        source: its name in messages.
        cache: where rules are kept; that of the user by default.

    Raises:
        GdlSyntaxError, GdlRuleError: as `parse_sheet`.
    """
    if len(text) > MAX_CHARACTERS:
        return parse_sheet(text, source=source)  # which refuses it
    cache = cache or default_cache()
    name = f"{hashlib.sha256(text.encode(errors='replace')).hexdigest()}-sheet-{FORMAT}"
    content = cache.read_beside(name)
    if content is not None:
        try:
            return _read(json.loads(content), source)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            pass  # of another program: it is written anew
    sheet = parse_sheet(text, source=source)
    try:
        written = json.dumps([sheet.spellings.by_lower_case, [_rule(rule) for rule in sheet.rules]])
    except RecursionError:  # nested as deep as it may be
        return sheet
    cache.write_beside(name, written.encode())
    return sheet


def _term(term: Term) -> Any:
    return [term.name, *map(_term, term.args)] if isinstance(term, Compound) else str(term)


def _formula(formula: Formula) -> list[Any]:
    match formula:
        case Literal(sentence=sentence):
            kind, parts = "holds", [_term(sentence)]
        case Negation(formula=inner):
            kind, parts = "not", [_formula(inner)]
        case Disjunction(formulas=formulas):
            kind, parts = "or", [_formula(each) for each in formulas]
        case Conjunction(formulas=formulas):
            kind, parts = "and", [_formula(each) for each in formulas]
        case Distinct(left=left, right=right):
            kind, parts = "distinct", [_term(left), _term(right)]
    return [kind, parts, *formula.position]


def _rule(rule: Rule) -> list[Any]:
    return [_formula(rule.head), [_formula(each) for each in rule.body], *rule.position]


def _read(content: Any, source: str) -> RuleSheet:
    spellings, rules = content
    return RuleSheet(tuple(map(_read_rule, rules)), Spellings(dict(spellings)), source)


def _read_rule(content: Any) -> Rule:
    head, body, line, column = content
    read = _read_formula(head)
    if not isinstance(read, Literal):
        raise ValueError("the head of a rule is a sentence")
    return Rule(read, tuple(map(_read_formula, body)), Position(line, column))


def _read_formula(content: Any) -> Formula:
    kind, parts, line, column = content
    position = Position(line, column)
    match kind:
        case "holds":
            return Literal(_read_term(parts[0]), position)
        case "not":
            return Negation(_read_formula(parts[0]), position)
        case "or":
            return Disjunction(tuple(map(_read_formula, parts)), position)
        case "and":
            return Conjunction(tuple(map(_read_formula, parts)), position)
        case "distinct":
            return Distinct(_read_term(parts[0]), _read_term(parts[1]), position)
    raise ValueError(f"no formula is a {kind}")


def _read_term(content: Any) -> Term:
    if isinstance(content, str):
        return Variable(content[1:]) if content.startswith("?") else content
    name, *arguments = content
    return Compound(name, tuple(map(_read_term, arguments)))

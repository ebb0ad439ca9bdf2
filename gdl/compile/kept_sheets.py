"""Parsed rules on disk, in the folder of the cache, so that known games are not parsed again.

An entry is JSON. A symbol is a string, a variable one with its question mark, a compound term a list of its name and
arguments; a formula is a list of its kind, its parts, line and column.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import replace
from typing import Any

from ..json_text import checked_count, checked_list, checked_object, checked_text
from ..language.forms import MAX_CHARACTERS, MAX_SYMBOL
from ..language.parse import parse_sheet
from ..language.rule_sheet import (
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Position,
    Rule,
    RuleSheet,
)
from ..language.terms import Compound, Spellings, Term, Variable
from .cache import Beside, Cache, default_cache

# Part of the name of every entry; increase it whenever the same text gives other rules, or the format changes.
FORMAT = 4

_SYMBOL = re.compile(rf"[^\s();?][^\s();]{{0,{MAX_SYMBOL - 1}}}")


def kept_sheet(text: str, *, source: str = "<text>", cache: Cache | None = None) -> RuleSheet:
    """Read a rule sheet as `parse_sheet` does; take rules that were parsed before from the cache."""
    if len(text) > MAX_CHARACTERS:
        return parse_sheet(text, source=source)  # this reports the error
    cache = cache or default_cache()
    key = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    if (kept := _SHEETS.read(cache, key)) is not None:
        return replace(kept, source=source)
    sheet = parse_sheet(text, source=source)
    with contextlib.suppress(RecursionError):  # nested up to the limit
        _SHEETS.write(cache, key, sheet)
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


def _read(content: Any) -> RuleSheet:
    """Read an entry of `kept_sheet`; raise ValueError or RecursionError for any other content."""
    spellings, rules = _parts(content, 2)
    for lower, symbol in checked_object(spellings, set()).items():
        if _symbol(symbol).lower() != lower:
            raise ValueError("a spelling belongs to another symbol")
    return RuleSheet(tuple(map(_read_rule, checked_list(rules))), Spellings(spellings), "<text>")


def _parts(content: Any, count: int) -> list[Any]:
    if len(checked_list(content)) != count:
        raise ValueError("a list has the wrong length")
    return list(content)


def _symbol(content: Any) -> str:
    if _SYMBOL.fullmatch(symbol := checked_text(content)) is None:
        raise ValueError("a symbol is not valid")
    return symbol


def _position(line: Any, column: Any) -> Position:
    return Position(checked_count(line), checked_count(column))


def _read_rule(content: Any) -> Rule:
    head, body, line, column = _parts(content, 4)
    read = _read_formula(head)
    if not isinstance(read, Literal):
        raise ValueError("the head of a rule is a sentence")
    return Rule(read, tuple(map(_read_formula, checked_list(body))), _position(line, column))


def _read_formula(content: Any) -> Formula:
    kind, parts, line, column = _parts(content, 4)
    position = _position(line, column)
    match kind:
        case "holds":
            (sentence,) = map(_read_term, _parts(parts, 1))
            if isinstance(sentence, Variable):
                raise ValueError("a variable is not a sentence")
            return Literal(sentence, position)
        case "not":
            return Negation(_read_formula(_parts(parts, 1)[0]), position)
        case "or":
            return Disjunction(tuple(map(_read_formula, checked_list(parts))), position)
        case "and":
            return Conjunction(tuple(map(_read_formula, checked_list(parts))), position)
        case "distinct":
            left, right = map(_read_term, _parts(parts, 2))
            return Distinct(left, right, position)
    raise ValueError("the kind of a formula is unknown")


def _read_term(content: Any) -> Term:
    if isinstance(content, str):
        return Variable(_symbol(content[1:])) if content.startswith("?") else _symbol(content)
    name, *arguments = checked_list(content) or [None]
    if not arguments:
        raise ValueError("a compound term has arguments")
    return Compound(_symbol(name), tuple(map(_read_term, arguments)))


_SHEETS = Beside.of_json(
    "rule sheet",
    f"sheet-{FORMAT}",
    _read,
    lambda sheet: [sheet.spellings.by_lower_case, [_rule(rule) for rule in sheet.rules]],
)

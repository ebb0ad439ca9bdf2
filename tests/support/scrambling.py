"""Copies of rule sheets under other names and in another order, as a manager may send them."""

from __future__ import annotations

import re
from random import Random

from gdl import RuleSheet
from gdl.language.rule_sheet import KEYWORD_ARITIES, Conjunction, Disjunction, Formula, Negation

_WORD = re.compile(r"[^\s()]+")
_KEPT = {*KEYWORD_ARITIES, "<=", "not", "or", "and", "distinct"}
_NUMERAL = re.compile(r"-?[0-9]+")


def scrambled(sheet: RuleSheet, random: Random, *, numerals: bool = True, bodies: bool = True) -> str:
    """Write a sheet with other symbols and variables, with its rules and the formulas of bodies in another order.

    Goal values and the order of the roles stay. `numerals`: whether other numerals change; `bodies`: whether the order
    of formulas changes.
    """
    text = str(sheet)
    kept = _KEPT | set(re.findall(r"\(goal \S+ ([0-9]+)\)", text))
    symbols = sorted({word for word in _WORD.findall(text) if not word.startswith("?")} - kept)
    if not numerals:
        symbols = [symbol for symbol in symbols if not _NUMERAL.fullmatch(symbol)]
    names = [f"w{number}" for number in range(len(symbols))]
    random.shuffle(names)
    table = dict(zip(symbols, names, strict=True))

    def shuffled(formulas: tuple[Formula, ...]) -> str:
        parts = [written(formula) for formula in formulas]
        if bodies:
            random.shuffle(parts)
        return " ".join(parts)

    def written(formula: Formula) -> str:
        match formula:
            case Negation(formula=inner):
                return f"(not {written(inner)})"
            case Disjunction(formulas=parts):
                return f"(or {shuffled(parts)})"
            case Conjunction(formulas=parts):
                return f"(and {shuffled(parts)})"
        return str(formula)

    roles, others = [], []
    for rule in sheet.rules:
        copy = f"(<= {rule.head} {shuffled(rule.body)})" if rule.body else str(rule.head)
        variables = sorted({word for word in _WORD.findall(copy) if word.startswith("?")})
        numbers = random.sample(range(100), len(variables))
        own = table | {name: f"?v{number}" for name, number in zip(variables, numbers, strict=True)}
        copy = _WORD.sub(lambda word, own=own: own.get(word[0], word[0]), copy)  # type: ignore[misc]
        (roles if copy.startswith("(role ") else others).append(copy)
    random.shuffle(others)
    cut = random.randint(0, len(others))
    return "\n".join([*others[:cut], *roles, *others[cut:]])

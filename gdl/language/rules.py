"""Rules of a sheet: heads, bodies and their formulas, each with its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from .terms import Spellings, Term, relation, to_kif, variables

# Relations with a meaning of their own and the number of their arguments (GDL specification, 2008).
KEYWORD_ARITIES = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "base": 1,
    "input": 2,
    "legal": 2,
    "does": 2,
    "goal": 2,
    "terminal": 0,
    "sees": 2,
    "random": 0,
}


class Position(NamedTuple):
    """Point into a text; lines and columns count from 1."""

    line: int
    column: int


NOWHERE = Position(0, 0)


@dataclass(frozen=True, slots=True)
class Literal:
    """State that a sentence holds."""

    sentence: Term
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return to_kif(self.sentence)


@dataclass(frozen=True, slots=True)
class Negation:
    """State that a formula does not hold (negation as failure)."""

    formula: Formula
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"(not {self.formula})"


@dataclass(frozen=True, slots=True)
class Disjunction:
    """State that at least one of the formulas holds."""

    formulas: tuple[Formula, ...]
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"({' '.join(['or', *map(str, self.formulas)])})"


@dataclass(frozen=True, slots=True)
class Conjunction:
    """State that all of the formulas hold."""

    formulas: tuple[Formula, ...]
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"({' '.join(['and', *map(str, self.formulas)])})"


@dataclass(frozen=True, slots=True)
class Distinct:
    """State that two terms are different."""

    left: Term
    right: Term
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"(distinct {to_kif(self.left)} {to_kif(self.right)})"


Formula: TypeAlias = Literal | Negation | Disjunction | Conjunction | Distinct


@dataclass(frozen=True, slots=True)
class Rule:
    """Derive the head when every formula of the body holds; a fact has an empty body."""

    head: Literal
    body: tuple[Formula, ...] = ()
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        if not self.body:
            return str(self.head)
        return f"(<= {self.head} {' '.join(map(str, self.body))})"


@dataclass(frozen=True, slots=True)
class RuleSheet:
    """Hold the rules of one game in the order of the text.

    `source` names where the text came from (a path, or `<text>`) and is used in messages;
    `spellings` is the table by which moves and fluents that arrive later are read.
    """

    rules: tuple[Rule, ...]
    spellings: Spellings = field(default_factory=Spellings, compare=False)
    source: str = field(default="<text>", compare=False)

    def roles(self) -> tuple[str, ...]:
        """Return the roles in the order of the sheet, as its `role` facts give them."""
        found: dict[str, None] = {}
        for rule in self.rules:
            if relation(rule.head.sentence) == ("role", 1) and not rule.body:
                found.setdefault(to_kif(rule.head.sentence.args[0]))  # type: ignore[union-attr]
        return tuple(found)

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules)) + "\n"


def literals(formula: Formula) -> Iterator[Literal]:
    """Yield every literal inside a formula, under negations and disjunctions too."""
    match formula:
        case Literal():
            yield formula
        case Negation(formula=inner):
            yield from literals(inner)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            for part in parts:
                yield from literals(part)
        case Distinct():
            return


def has_variable(term: Term) -> bool:
    """Tell whether a term contains a variable."""
    return next(variables(term), None) is not None

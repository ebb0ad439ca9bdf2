"""Terms of the Game Description Language: symbols, variables and compound terms.

A symbol is a plain `str`, in the spelling of its sheet (see `Spellings`). Terms are immutable,
hashable and compare by structure; `to_kif` prints them canonically: an atom, or `(f a b)` with
one blank between items and none inside the parentheses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; `name` does not include the leading `?`."""

    name: str

    def __str__(self) -> str:
        return "?" + self.name


class Compound:
    """A function or relation symbol with one or more arguments."""

    __slots__ = ("_hash", "args", "name")

    name: str
    args: tuple[Term, ...]

    def __init__(self, name: str, args: tuple[Term, ...]) -> None:
        self.name = name
        self.args = args
        self._hash = hash((name, args))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Compound)
            and self._hash == other._hash
            and self.name == other.name
            and self.args == other.args
        )

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return to_kif(self)

    def __repr__(self) -> str:
        return f"Compound({self.name!r}, {self.args!r})"


Term: TypeAlias = str | Variable | Compound


@dataclass(slots=True)
class Spellings:
    """Store the first spelling of each symbol, so that symbols can be compared without regard to case.

    GDL symbols do not depend on case, but a player must answer in the spelling it received. Every symbol that is read
    passes through `canonical`; afterwards symbols are equal if the strings are.

    >>> spellings = Spellings()
    >>> spellings.canonical("Mark"), spellings.canonical("MARK")
    ('Mark', 'Mark')
    """

    by_lower_case: dict[str, str] = field(default_factory=dict)

    def canonical(self, symbol: str) -> str:
        """Return the first spelling of this symbol."""
        return self.by_lower_case.setdefault(symbol.lower(), symbol)

    def closed(self) -> Spellings:
        """Return a table with the same spellings that stores no new ones; unknown symbols stay as they are."""
        return _ClosedSpellings(self.by_lower_case)


class _ClosedSpellings(Spellings):
    def canonical(self, symbol: str) -> str:
        return self.by_lower_case.get(symbol.lower(), symbol)


def to_kif(term: Term) -> str:
    """Print a term in canonical KIF."""
    if isinstance(term, str):
        return term
    if isinstance(term, Variable):
        return "?" + term.name
    return f"({term.name} {' '.join(to_kif(argument) for argument in term.args)})"


def relation(sentence: Term) -> tuple[str, int]:
    """Return the relation of a sentence as (name, arity)."""
    if isinstance(sentence, Compound):
        return sentence.name, len(sentence.args)
    if isinstance(sentence, Variable):
        raise ValueError(f"a variable is not a sentence: {sentence}")
    return sentence, 0


def arguments(sentence: Term) -> tuple[Term, ...]:
    """Return the arguments of a sentence; an empty tuple for an atom."""
    return sentence.args if isinstance(sentence, Compound) else ()


def variables(term: Term) -> Iterator[Variable]:
    """Yield the variables of a term from left to right, with repetitions."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Compound):
        for argument in term.args:
            yield from variables(argument)


def constants(*terms: Term) -> Iterator[str]:
    """Yield the symbols in terms from left to right, without names of functions, with repetitions."""
    waiting = list(reversed(terms))
    while waiting:
        term = waiting.pop()
        if isinstance(term, Compound):
            waiting += reversed(term.args)
        elif isinstance(term, str):
            yield term


def substitute(term: Term, bindings: dict[Variable, Term]) -> Term:
    """Replace variables by the terms they are bound to; unbound variables stay."""
    if isinstance(term, Variable):
        return bindings.get(term, term)
    if isinstance(term, Compound):
        return Compound(term.name, tuple(substitute(argument, bindings) for argument in term.args))
    return term


def may_match(left: Term, right: Term) -> bool:
    """Return whether two terms may have a common instance; each occurrence of a variable counts as another one."""
    if isinstance(left, Variable) or isinstance(right, Variable):
        return True
    if isinstance(left, Compound) and isinstance(right, Compound):
        return (
            left.name == right.name and len(left.args) == len(right.args) and all(map(may_match, left.args, right.args))
        )
    return left == right


# The role that is played by chance.
RANDOM_ROLE = "random"


def is_chance(role: str) -> bool:
    """Return True if a role is chance; upper and lower case are the same.

    >>> is_chance("Random"), is_chance("white")
    (True, False)
    """
    return role.lower() == RANDOM_ROLE

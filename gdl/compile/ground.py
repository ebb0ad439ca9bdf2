"""Rules to a program for clingo (Gebser, Kaminski, Kaufmann and Schaub, TPLP 2019) and to its ground program.

Fluents and moves become choices: `{true(F)} :- init(F)`, `{true(F)} :- next(F)` and `{does(R,M)} :- legal(R,M)`,
so that grounding instantiates the rules for every fluent and move that play could reach; `base` and `input` are
not trusted. Constants are interned as `k0`, `k1`, ... in order of appearance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec

from .. import _network
from .._simulator import StopFlag
from ..language.errors import GdlLimitError, GdlRuleError
from ..language.playable import require_playable
from ..language.rule_sheet import RuleSheet
from ..language.terms import Compound, Term, Variable, arguments, relation
from .arithmetic import with_arithmetic
from .clauses import Auxiliaries, Clause, Condition, Holds, clauses
from .split import split

_OWN_RELATIONS = {
    ("role", 1),
    ("init", 1),
    ("true", 1),
    ("next", 1),
    ("legal", 2),
    ("does", 2),
    ("goal", 2),
    ("terminal", 0),
    ("sees", 2),
}
_WANTED = [("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0), ("sees", 2)]
_INPUTS = {("true", 1): [("init", 1), ("next", 1)], ("does", 2): [("legal", 2)]}
_CHOICES = """\
{true(F)} :- init(F).
{true(F)} :- next(F).
{does(R,M)} :- legal(R,M).
#defined true/1. #defined does/2. #defined init/1. #defined next/1. #defined legal/2. #defined sees/2.
#show.
"""


@dataclass(frozen=True, slots=True)
class AspProgram:
    """A program in clingo's language; its constant `k<i>` is `constants[i]` of the sheet."""

    text: str
    constants: tuple[str, ...]


def relevant(clauses: Sequence[Clause]) -> list[Clause]:
    """Keep the clauses on which states, legality, termination, goals or percepts can depend."""
    by_relation: dict[tuple[str, int], list[Clause]] = {}
    for clause in clauses:
        by_relation.setdefault(relation(clause.head), []).append(clause)
    needed: set[tuple[str, int]] = set()
    pending = list(_WANTED)
    while pending:
        wanted = pending.pop()
        if wanted in needed:
            continue
        needed.add(wanted)
        pending += _INPUTS.get(wanted, [])
        for clause in by_relation.get(wanted, []):
            pending += [relation(c.sentence) for c in clause.body if isinstance(c, Holds)]
    return [clause for clause in clauses if relation(clause.head) in needed]


def asp_program(clauses: Iterable[Clause]) -> AspProgram:
    """Print clauses in clingo's language."""
    printer = _Printer()
    lines = [printer.clause(clause) for clause in clauses]
    return AspProgram("\n".join(lines) + "\n" + _CHOICES, tuple(printer.numbers))


@dataclass(slots=True)
class _Printer:
    numbers: dict[str, int] = field(default_factory=dict)

    def constant(self, symbol: str) -> str:
        return f"k{self.numbers.setdefault(symbol, len(self.numbers))}"

    def term(self, term: Term, names: dict[Variable, str]) -> str:
        if isinstance(term, Variable):
            return names.setdefault(term, f"V{len(names)}")
        if isinstance(term, Compound):
            return f"{self.constant(term.name)}({','.join(self.term(t, names) for t in term.args)})"
        return self.constant(term)

    def sentence(self, sentence: Term, names: dict[Variable, str]) -> str:
        name, arity = relation(sentence)
        own = (name, arity) in _OWN_RELATIONS
        printed = name if own else "p" + self.constant(name)
        terms = ",".join(self.term(t, names) for t in arguments(sentence))
        return f"{printed}({terms})" if terms else printed

    def condition(self, condition: Condition, names: dict[Variable, str]) -> str:
        if isinstance(condition, Holds):
            return ("not " if condition.negated else "") + self.sentence(condition.sentence, names)
        sign = "=" if condition.negated else "!="
        return f"{self.term(condition.left, names)}{sign}{self.term(condition.right, names)}"

    def clause(self, clause: Clause) -> str:
        names: dict[Variable, str] = {}
        head = self.sentence(clause.head, names)
        if not clause.body:
            return head + "."
        return f"{head} :- {', '.join(self.condition(condition, names) for condition in clause.body)}."


# Limit beyond which a network would be too large: five million rules take about 600 MB.
MAX_GROUND_RULES = 5_000_000
MAX_SECONDS = 600.0


def to_asp(sheet: RuleSheet) -> AspProgram:
    """Translate the rules on which play depends, split (`gdl.compile.split`), to a program for clingo."""
    require_playable(sheet)
    auxiliaries = Auxiliaries()
    # Relevance comes last: clauses share auxiliary relations, and the definition of one may stand in any clause.
    return asp_program(relevant(split(clauses(with_arithmetic(sheet), auxiliaries), auxiliaries)))


def to_asp_plain(sheet: RuleSheet) -> AspProgram:
    """Translate the rules on which play depends, without splitting, to a program for clingo; errors as in `to_asp`."""
    require_playable(sheet)
    return asp_program(relevant(clauses(with_arithmetic(sheet), Auxiliaries())))


@cache
def clingo_library() -> str:
    """Find the shared library inside clingo's Python package (or, in some builds, next to it)."""
    for module in ("clingo._clingo", "_clingo"):
        spec = find_spec(module)
        if spec is not None and spec.origin is not None:
            return spec.origin
    raise ImportError("the Python package clingo is installed without its compiled library; install it again")


def ground(
    sheet: RuleSheet,
    *,
    stop: StopFlag | None = None,
    max_rules: int = MAX_GROUND_RULES,
    max_seconds: float = MAX_SECONDS,
) -> _network.GroundProgram:
    """Ground a sheet."""
    return _ground(sheet, to_asp(sheet), stop or StopFlag(), max_rules, max_seconds)


def ground_plain(sheet: RuleSheet) -> _network.GroundProgram:
    """Ground a sheet without splitting rules, which would hide symmetries; errors as in `ground`."""
    return _ground(sheet, to_asp_plain(sheet), StopFlag(), MAX_GROUND_RULES, MAX_SECONDS)


def _ground(
    sheet: RuleSheet, program: AspProgram, flag: StopFlag, max_rules: int, max_seconds: float
) -> _network.GroundProgram:
    try:
        return _network.ground(
            clingo_library(), program.text, program.constants, sheet.roles(), flag, max_rules, max_seconds
        )
    except OverflowError as error:
        raise GdlLimitError(str(error), source=sheet.source) from None
    except MemoryError:
        raise GdlLimitError("there is not enough memory for the ground program", source=sheet.source) from None
    except RuntimeError as error:
        raise GdlRuleError(str(error), source=sheet.source) from None

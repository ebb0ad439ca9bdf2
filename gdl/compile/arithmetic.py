"""Arithmetic of other systems: `(> 3 2)`, `(+ 1 2 3)` and `(evaluate (plus 1 2) 3)` in sheets that do not define them.

GDL has no numbers. Sheets for the game managers of 2005 to 2007 and for Gamemaster use such relations as if they were
facts. `with_arithmetic` adds these facts, so that no machine needs to know about numbers: each relation holds for the
integers that can be its arguments.

These integers are a least fixpoint: for each argument of each relation and function, the integers of all rule heads
that derive it, where fluents are the same as `init` and `next`, and moves the same as `legal`. The integers of a
variable stand at all of its places in positive conditions, as far as the arithmetic of the rule holds for them.
Correlations between arguments are lost, so the facts may be more than a game needs, but never fewer. A result beyond
the range does not hold, so that counters end.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeAlias

from ..language.errors import GdlError
from ..language.rule_sheet import Literal, Rule, RuleSheet
from ..language.terms import Compound, Term, Variable, arguments, constants, relation, substitute, variables
from .clauses import Auxiliaries, Clause, Holds, clauses_of_rules

# The largest absolute value of a result, at least: the largest number of the sheet counts too, up to _MAX_NUMBER. A
# smaller range is tried if the relations must be evaluated more often than MAX_EVALUATIONS, which takes about a second.
RANGES = (1_000, 300, 100)
_MAX_NUMBER = 1_000_000
MAX_EVALUATIONS = 300_000
_TOO_MANY = f"more than {MAX_EVALUATIONS:,} facts would be necessary"

_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,15}")

_Node: TypeAlias = tuple[str, int, int]
_SAME = {"next": "true", "init": "true", "legal": "does"}


def _quotient(left: int, right: int) -> int | None:
    """Divide integers as C does: the quotient is rounded towards 0; None for a division by 0."""
    if not right:
        return None
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _remainder(left: int, right: int) -> int | None:
    quotient = _quotient(left, right)
    return None if quotient is None else left - quotient * right


# Functions of two integers, with their meaning; as relations they have the result as a third argument.
FUNCTIONS: dict[str, tuple[Callable[[int, int], int | None], str]] = {
    **dict.fromkeys(("+", "plus"), (operator.add, "c = a + b")),
    **dict.fromkeys(("-", "minus"), (operator.sub, "c = a - b")),
    **dict.fromkeys(("*", "times"), (operator.mul, "c = a * b")),
    **dict.fromkeys(("/", "div", "quotient"), (_quotient, "c = a / b rounded towards 0")),
    **dict.fromkeys(("mod", "rem"), (_remainder, "c = the remainder of a / b")),
    "min": (min, "c = the smaller of a and b"),
    "max": (max, "c = the larger of a and b"),
}
# In terms these functions may have more than two arguments.
_OF_MANY = {"+", "plus", "*", "times", "min", "max"}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    **dict.fromkeys((">", "greater", "gt"), operator.gt),
    **dict.fromkeys(("<", "less", "lt"), operator.lt),
    **dict.fromkeys((">=", "geq", "gte"), operator.ge),
    **dict.fromkeys(("<=", "=<", "leq", "lte"), operator.le),
    "=": operator.eq,
}
# Relations of a term and its value: the places of both.
_EVALUATIONS = {"evaluate": (0, 1), "is": (1, 0)}
_ARITIES = {**dict.fromkeys(FUNCTIONS, 3), **dict.fromkeys(COMPARISONS, 2), **dict.fromkeys(_EVALUATIONS, 2), "succ": 2}


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The arithmetic of a sheet."""

    facts: tuple[Rule, ...]  # the facts that evaluate it
    limit: int  # the largest absolute value of a result
    evaluated: tuple[Literal, ...]  # the first literal of each relation that is evaluated
    refused: tuple[tuple[Literal, str], ...]  # the literals that cannot be evaluated, each with the reason


def meaning(name: str) -> str:
    """Return the form and the meaning of an arithmetic relation, such as `(- a b c) as c = a - b`."""
    lower = name.lower()
    if lower in FUNCTIONS:
        return f"({name} a b c) as {FUNCTIONS[lower][1]}"
    if lower in COMPARISONS:
        return f"a {name} b" if not name.isalpha() else f"({name} a b)"
    return {"evaluate": f"({name} term value)", "is": f"({name} value term)"}.get(lower, f"({name} a b) as b = a + 1")


def with_arithmetic(sheet: RuleSheet) -> RuleSheet:
    """Return a sheet with facts for the arithmetic that the sheet uses and does not define."""
    arithmetic = arithmetic_of(sheet)
    return replace(sheet, rules=sheet.rules + arithmetic.facts) if arithmetic and arithmetic.facts else sheet


def arithmetic_of(sheet: RuleSheet) -> Arithmetic | None:
    """Return the arithmetic of a sheet; None if the sheet has none, or an error."""
    names = arithmetic_relations(sheet.rules)
    result = _evaluated(sheet.rules) if names else None
    if result is None:
        return None
    evaluated: dict[str, Literal] = {}
    refused = []
    for place, rule in enumerate(sheet.rules):
        for literal in rule.literals():
            name = relation(literal.sentence)[0]
            if reason := result.reasons.get((place, literal.sentence), "" if result.limit else _TOO_MANY):
                refused += [(literal, reason)] if name in names else []
            elif name in names:
                evaluated.setdefault(name, literal)
    return Arithmetic(result.facts, result.limit, tuple(evaluated.values()), tuple(refused))


class _Result(NamedTuple):
    """The facts, the range (0 if there are too many facts), and the reasons by rule and sentence."""

    facts: tuple[Rule, ...]
    limit: int
    reasons: dict[tuple[int, Term], str]


@lru_cache(maxsize=16)
def _evaluated(rules: tuple[Rule, ...]) -> _Result | None:
    """Evaluate the arithmetic of rules; None if the rules have an error."""
    try:
        program = list(clauses_of_rules(RuleSheet(rules), Auxiliaries()))
    except GdlError:
        return None
    places = {id(rule): place for place, rule in enumerate(rules)}
    sentences = [literal.sentence for rule in rules for literal in (rule.head, *rule.literals())]
    numbers = [abs(int(word)) for word in constants(*sentences) if _NUMBER.fullmatch(word)]
    largest = max((number for number in numbers if number <= _MAX_NUMBER), default=0)
    for limit in (max(largest, RANGES[0]), *RANGES[1:]):
        fixpoint = _Fixpoint([clause for _, clause in program], arithmetic_relations(rules), limit)
        if fixpoint.run():
            return fixpoint.result([places[id(rule)] for rule, _ in program])
    return _Result((), 0, {})


def arithmetic_relations(rules: Sequence[Rule]) -> frozenset[str]:
    """Return the names of the arithmetic relations that rules use and do not define, and that are no fluents."""
    used = {relation(literal.sentence)[0] for rule in rules for literal in rule.literals()}
    used = {name for name in used if name.lower() in _ARITIES}
    if not used:
        return frozenset()
    for rule in rules:
        name, arity = relation(rule.head.sentence)
        used.discard(name)
        if name in ("init", "next", "legal") and arity:
            last = arguments(rule.head.sentence)[-1]
            used -= {last.name} if isinstance(last, Compound) else set()
    return frozenset(used)


# ---- values


class _Values:
    """Different integers, in the order in which they were found."""

    __slots__ = ("known", "order")

    def __init__(self) -> None:
        self.order: list[int] = []
        self.known: set[int] = set()

    def add(self, value: int) -> None:
        if value not in self.known:
            self.known.add(value)
            self.order.append(value)


class _Common:
    """The integers that all of several lists have."""

    def __init__(self, parts: Sequence[_Values]) -> None:
        self.values = _Values()
        self._parts = parts
        self._read = [0] * len(parts)

    def update(self) -> None:
        for place, part in enumerate(self._parts):
            for value in part.order[self._read[place] :]:
                if all(value in other.known for other in self._parts):
                    self.values.add(value)
            self._read[place] = len(part.order)


class _Site:
    """An arithmetic literal of a clause."""

    def __init__(self, sentence: Term, negated: bool) -> None:
        self.sentence = sentence
        self.negated = negated
        self.inputs: tuple[Variable, ...] = ()  # the variables whose values it needs
        self.output: Variable | None = None  # the variable that the term binds; None without a variable
        self.holding: dict[Variable, _Values] = {}  # the values of each input, and of the output, for which it holds
        self._given: list[_Values] = []  # of the inputs
        self._read: list[int] = []  # the number of evaluated values of each input
        self._facts: list[tuple[int, ...]] = []  # values of `holding`
        name, arity = relation(sentence)
        self._name, wanted = name.lower(), _ARITIES[name.lower()]
        # The cause if it cannot be evaluated; else empty.
        self.reason = f"{name} takes {wanted} arguments, not {arity}" if arity != wanted else ""
        if not self.reason:
            self._prepare(*self._parts())

    def _parts(self) -> tuple[list[Term], list[Term]]:
        """Return the terms to be evaluated, and the term of the result if there is one."""
        given = arguments(self.sentence)
        if self._name in COMPARISONS:
            return list(given), []
        if self._name in _EVALUATIONS:
            term, value = _EVALUATIONS[self._name]
            return [given[term]], [given[value]]
        return list(given[:-1]), [given[-1]]

    def _prepare(self, known: list[Term], result: list[Term]) -> None:
        self.reason = next(filter(None, map(_fault, [*known, *result])), "")
        if self.reason:
            return
        if result and isinstance(result[0], Variable) and not any(result[0] in variables(term) for term in known):
            self.output = result.pop()  # type: ignore[assignment]
        self.inputs = tuple(dict.fromkeys(variable for term in (*known, *result) for variable in variables(term)))
        self.holding = {variable: _Values() for variable in self.inputs}
        if self.output is not None:
            self.holding[self.output] = _Values()
        numbers = {variable: number for number, variable in enumerate(self.inputs)}
        self._terms = [_compiled(term, numbers) for term in known]
        self._wanted = [_compiled(term, numbers) for term in result]

    def read(self, given: Mapping[Variable, _Values]) -> None:
        """Set the values of the inputs."""
        self._given = [given[variable] for variable in self.inputs]
        self._read = [0] * len(self._given)

    def update(self, limit: int, room: int) -> int:
        """Evaluate the literal for new values of its inputs, unless there are more than `room`; return their number."""
        if not self.inputs and not self._facts:
            self._evaluate((), limit)
        number = 0
        for place, (values, read) in enumerate(zip(self._given, self._read, strict=True)):
            before = [other.order[:end] for other, end in zip(self._given[:place], self._read, strict=False)]
            choices = [*before, values.order[read:], *(other.order for other in self._given[place + 1 :])]
            number += prod(map(len, choices))
            if number > room:
                return number
            for chosen in product(*choices):
                self._evaluate(chosen, limit)
        self._read = [len(values.order) for values in self._given]
        return number

    def _evaluate(self, values: tuple[int, ...], limit: int) -> None:
        numbers = [term(values) for term in self._terms]
        if None in numbers:
            return
        if self._name in COMPARISONS:
            if not COMPARISONS[self._name](*numbers):  # type: ignore[arg-type]
                return
        else:
            value = FUNCTIONS[self._name][0](*numbers) if self._name in FUNCTIONS else numbers[0]  # type: ignore[arg-type]
            value = value + 1 if self._name == "succ" and value is not None else value
            if value is None or abs(value) > limit or any(term(values) != value for term in self._wanted):
                return
            if self.output is not None:
                values = (*values, value)
        for known, number in zip(self.holding.values(), values, strict=True):
            known.add(number)
        self._facts.append(values)

    @property
    def holds(self) -> bool:
        """Whether the literal, or its negation, may hold."""
        return self.negated or bool(self._facts)

    def facts(self) -> Iterator[Term]:
        """Yield the sentences that hold."""
        for values in self._facts:
            bound: dict[Variable, Term] = dict(zip(self.holding, map(str, values), strict=True))
            yield substitute(self.sentence, bound)


def _fault(term: Term) -> str:
    """Return why a term is no number; empty if it may be one."""
    if isinstance(term, Variable):
        return ""
    if isinstance(term, str):
        return "" if _NUMBER.fullmatch(term) else f"{term} is not an integer"
    name, number = term.name.lower(), len(term.args)
    if name not in FUNCTIONS or number < 2 or (number > 2 and name not in _OF_MANY):
        return f"{term} is not an integer"
    return next(filter(None, map(_fault, term.args)), "")


def _compiled(term: Term, numbers: Mapping[Variable, int]) -> Callable[[tuple[int, ...]], int | None]:
    """Return the function from the values of the inputs to the value of a term; None for a division by 0."""
    if isinstance(term, Variable):
        return operator.itemgetter(numbers[term])
    if isinstance(term, str):
        number = int(term)
        return lambda _: number
    function = FUNCTIONS[term.name.lower()][0]
    first, *others = [_compiled(argument, numbers) for argument in term.args]

    def value(values: tuple[int, ...]) -> int | None:
        result = first(values)
        for other in others:
            right = other(values)
            if result is None or right is None:
                return None
            result = function(result, right)
        return result

    return value


# ---- the fixpoint


class _ClauseValues:
    """The integers of the variables of a clause."""

    def __init__(self, clause: Clause, names: frozenset[str], values: dict[_Node, _Values]) -> None:
        found: dict[Variable, list[_Node]] = {}
        self.sites: list[_Site] = []  # the arithmetic literals in the order of evaluation
        for condition in clause.body:
            if isinstance(condition, Holds) and relation(condition.sentence)[0] in names:
                self.sites.append(_Site(condition.sentence, condition.negated))
            elif isinstance(condition, Holds) and not condition.negated:
                for term, node in _places(condition.sentence):
                    if isinstance(term, Variable):
                        found.setdefault(term, []).append(node)
        self.sites = _ordered(self.sites, set(found))
        # The arguments that the clause reads.
        self.sources = list(dict.fromkeys(node for nodes in found.values() for node in nodes))
        self._steps: list[_Common | _Site] = []
        given: dict[Variable, _Values] = {}
        for variable, nodes in found.items():
            given[variable] = self._common([values.setdefault(node, _Values()) for node in nodes])
        self.before = dict(given)  # the integers without the arithmetic
        for site in self.sites:
            if site.reason or not given.keys() >= set(site.inputs):
                site.reason = site.reason or f"no other condition binds {_first_missing(site.inputs, given)}"
                continue
            site.read(given)
            self._steps.append(site)
            if not site.negated:
                for variable, holding in site.holding.items():
                    given[variable] = self._common([given[variable], holding]) if variable in given else holding
        self._targets: list[list[Any]] = []  # values, the node that gets them, the number of those it has
        for term, node in _places(clause.head):
            if isinstance(term, Variable) and term in given:
                self._targets.append([given[term], node, 0])
            elif isinstance(term, str) and _NUMBER.fullmatch(term):
                values.setdefault(node, _Values()).add(int(term))

    def _common(self, parts: list[_Values]) -> _Values:
        if len(parts) == 1:
            return parts[0]
        step = _Common(parts)
        self._steps.append(step)
        return step.values

    def update(self, limit: int, room: int) -> int:
        """Follow new integers of the sources, and return the number of evaluations; it is stopped beyond `room`."""
        number = 0
        for step in self._steps:
            if isinstance(step, _Common):
                step.update()
            else:
                number += step.update(limit, room - number)
                if number > room:
                    break
        return number

    def pass_on(self, values: dict[_Node, _Values]) -> Iterator[_Node]:
        """Add the integers to the arguments of the head, and yield the arguments that grow."""
        if not all(site.holds for site in self.sites):
            return
        for target in self._targets:
            given, node, end = target
            into = values.setdefault(node, _Values())
            size = len(into.order)
            for value in given.order[end:]:
                into.add(value)
            target[2] = len(given.order)
            if len(into.order) > size:
                yield node


def _first_missing(inputs: Sequence[Variable], given: Mapping[Variable, _Values]) -> Variable:
    return next(variable for variable in inputs if variable not in given)


class _Fixpoint:
    """The integers of all arguments."""

    def __init__(self, program: Sequence[Clause], names: frozenset[str], limit: int) -> None:
        self._limit = limit
        self._values: dict[_Node, _Values] = {}
        self._clauses = [_ClauseValues(clause, names, self._values) for clause in program]
        self._readers: dict[_Node, list[int]] = {}
        for place, clause in enumerate(self._clauses):
            for node in clause.sources:
                self._readers.setdefault(node, []).append(place)

    def run(self) -> bool:
        """Find the least fixpoint; return False if there are too many evaluations."""
        room = MAX_EVALUATIONS
        waiting = dict.fromkeys(range(len(self._clauses)))
        while waiting:
            place, _ = waiting.popitem()
            clause = self._clauses[place]
            room -= clause.update(self._limit, room)
            if room < 0:
                return False
            for node in clause.pass_on(self._values):
                waiting.update(dict.fromkeys(self._readers.get(node, ())))
        return True

    def result(self, places: Sequence[int]) -> _Result:
        """Return the facts, and the reasons by the places of the rules from which the clauses come."""
        sentences = {fact for clause in self._clauses for site in clause.sites for fact in site.facts()}
        reasons: dict[tuple[int, Term], str] = {}
        for place, clause in zip(places, self._clauses, strict=True):
            for site in clause.sites:
                never = [v for v in site.inputs if v in clause.before and not clause.before[v].order]
                if site.reason or never:
                    reasons[place, site.sentence] = site.reason or f"{never[0]} is never an integer"
        facts = tuple(Rule(Literal(sentence)) for sentence in sorted(sentences, key=str))
        return _Result(facts, self._limit, reasons)


def _ordered(sites: list[_Site], bound: set[Variable]) -> list[_Site]:
    """Return arithmetic literals so that each one comes after the literals that bind its inputs, if possible."""
    ordered: list[_Site] = []
    while sites:
        ready = [site for site in sites if bound.issuperset(site.inputs)]
        # Literals without an output come first: they restrict the integers of the others.
        site = min(ready, key=lambda each: each.output is not None, default=sites[0])
        sites = [other for other in sites if other is not site]
        ordered.append(site)
        if site in ready and site.output is not None and not site.negated:
            bound.add(site.output)
    return ordered


def _places(sentence: Term) -> Iterator[tuple[Variable | str, _Node]]:
    """Yield the variables and symbols of a sentence with the argument at which each one stands."""
    waiting = [sentence]
    while waiting:
        term = waiting.pop()
        if isinstance(term, Compound):
            name = _SAME.get(term.name, term.name)
            for place, argument in enumerate(term.args):
                if isinstance(argument, Compound):
                    waiting.append(argument)
                else:
                    yield argument, (name, len(term.args), place)

"""Checks of literals that can never hold: fluents never made true, moves never legal, roles not declared.

A literal `(true f)` can hold only if f has a common instance with the head of an `init` or a `next`. A literal
`(does r m)`, or `(legal r m)` in a body, can hold only if r and m have a common instance with the head of a `legal`.
Only heads are compared, without their bodies. So each literal reported here never holds, but not all literals that
never hold are reported. A rule that only keeps a fluent, such as `(<= (next ?f) (true ?f) (not changed))`, makes
nothing true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from ..language.rule_sheet import Literal, Rule, RuleSheet, has_variable
from ..language.terms import Compound, Term, Variable, arguments, relation
from .findings import MAX_FINDINGS_OF_A_CODE, Finding, Findings, SimilarNames, short, shown

# Limit of compared symbols and variables per sheet. Beyond it every literal counts as matching.
MAX_COMPARED = 1_000_000

# Relations whose first argument is a role.
_OF_ROLES = {("role", 1), ("legal", 2), ("does", 2), ("goal", 2), ("sees", 2), ("percept", 2), ("input", 2)}
_OF_MOVES = {("does", 2), ("legal", 2)}

# What must agree at a place of two terms: name and number of arguments; a symbol has 0 arguments.
_Shape: TypeAlias = tuple[str, int]


def check_matching(sheet: RuleSheet) -> Findings:
    """Find literals that can never hold because no head matches them, and roles without a `role` fact."""
    fluents = _Heads(_sentences(sheet, ("init", "next", "true")))
    moves = _Heads(_sentences(sheet, ("legal", "does")))
    roles = _roles(sheet)
    reported = _Reported()
    for rule in sheet.rules:
        for literal in (rule.head, *rule.literals()):
            asked = relation(literal.sentence)
            given = arguments(literal.sentence)
            if roles and asked in _OF_ROLES and not has_variable(given[0]) and given[0] not in roles:
                if reported.first("GDL215", given[0]):
                    hint = reported.spelt_like(given[0], roles) if reported.explained("GDL215") else ""
                    message = f"no role fact names {short(given[0])}, so no player has this role{hint}"
                    yield Finding("GDL215", message, literal.position)
            elif literal is rule.head:
                continue
            elif asked == ("true", 1) and not fluents.may_match(given):
                if reported.first("GDL213", given[0]):
                    hint = fluents.hint(given, reported) if reported.explained("GDL213") else ""
                    kept = "this rule keeps it, but " if _only_keeps(rule) else ""
                    message = f"{short(given[0])} never holds: {kept}no init or next makes it true{hint}"
                    yield Finding("GDL213", message, literal.position)
            elif asked in _OF_MOVES and not moves.may_match(given) and reported.first("GDL214", literal.sentence):
                hint = moves.hint(given, reported) if reported.explained("GDL214") else ""
                who = "no role can" if isinstance(given[0], Variable) else f"{short(given[0])} can never"
                message = f"{who} do {short(given[1])}: no legal allows it{hint}"
                yield Finding("GDL214", message, literal.position)


class _Reported:
    """Remember reported findings: each is reported once, and only listed findings get a hint."""

    def __init__(self) -> None:
        self._said: set[tuple[str, Term]] = set()
        self._counts: dict[str, int] = {}
        self._similar = SimilarNames()

    def first(self, code: str, term: Term) -> bool:
        """Return whether this was not reported before."""
        known = (code, term) in self._said
        self._said.add((code, term))
        return not known

    def explained(self, code: str) -> bool:
        """Return whether a finding of this code will be listed, so that a hint is useful."""
        self._counts[code] = self._counts.get(code, 0) + 1
        return self._counts[code] <= MAX_FINDINGS_OF_A_CODE + 1

    def spelt_like(self, word: Term, names: Iterable[Term]) -> str:
        """Return a hint with the name most similar to a word; empty if no name is similar."""
        nearest = self._similar.nearest(word, names)
        return f"; do you mean {nearest}?" if nearest else ""


class _Heads:
    """Find out whether terms have a common instance with one of many heads.

    >>> heads = _Heads([(Compound("at", ("1", Variable("y"))),)])
    >>> heads.may_match((Compound("at", (Variable("x"), "2")),)), heads.may_match((Compound("at", ("3", "2")),))
    (True, False)
    """

    def __init__(self, heads: Iterable[tuple[Term, ...]]) -> None:
        self._heads = list(dict.fromkeys(heads))
        self._ground = {head for head in self._heads if not any(map(has_variable, head))}
        # Heads by the shape at one of their places; None stands for a variable.
        self._by_place: dict[tuple[_Shape | None, int, _Shape | None], list[tuple[Term, ...]]] = {}
        self._by_shape: dict[_Shape | None, list[tuple[Term, ...]]] = {}
        self._general: set[_Shape | None] = set()
        for head in self._heads:
            shape = _shape(head[-1])
            self._by_shape.setdefault(shape, []).append(head)
            places = _places(head)
            if all(isinstance(term, Variable) for term in places) and len(set(places)) == len(places):
                self._general.add(shape)
            for place, term in enumerate(places):
                self._by_place.setdefault((shape, place, _shape(term)), []).append(head)
        self._shapes_at: dict[tuple[_Shape | None, int], list[_Shape | None]] = {}
        for of, place, each in self._by_place:
            self._shapes_at.setdefault((of, place), []).append(each)
        self._sizes = {head: sum(map(_size, head)) for head in self._heads}
        self._known: dict[tuple[Term, ...], bool] = {}
        self._compared = 0

    def may_match(self, asked: tuple[Term, ...]) -> bool:
        """Return whether the terms may have a common instance with a head."""
        if asked in self._ground or None in self._general:
            return True
        if asked not in self._known:
            self._known[asked] = self._look(asked)
        return self._known[asked]

    def _look(self, asked: tuple[Term, ...]) -> bool:
        shape = _shape(asked[-1])
        if shape in self._general or not self._heads:
            return bool(self._heads)
        size = sum(map(_size, asked))
        for head in self._candidates(asked, shape):
            self._compared += size + self._sizes[head]
            if self._compared > MAX_COMPARED or _may_unify(asked, head):
                return True
        return False

    def _candidates(self, asked: tuple[Term, ...], shape: _Shape | None) -> Iterator[tuple[Term, ...]]:
        """Yield the heads that agree with the terms at the place where the fewest heads agree."""
        if shape is None:
            yield from self._heads
            return
        yield from self._by_shape.get(None, [])  # in these heads the whole fluent or move is a variable
        fewest = [self._by_shape.get(shape, [])]
        for place, term in enumerate(_places(asked)):
            found = _shape(term)
            if found is not None:
                agreeing = [self._by_place.get((shape, place, each), []) for each in (found, None)]
                if sum(map(len, agreeing)) < sum(map(len, fewest)):
                    fewest = agreeing
        for heads in fewest:
            yield from heads

    def hint(self, asked: tuple[Term, ...], reported: _Reported) -> str:
        """Return a hint with the most similar head, for terms that match no head; empty if none is similar."""
        last = asked[-1]
        shapes = [shape for shape in self._by_shape if shape is not None]
        shape = _shape(last)
        if shape is None:
            return ""
        name, arity = shape
        if shape not in shapes:
            arities = sorted(other for each, other in shapes if each == name)
            if arities:
                counts = " or ".join(str(other) for other in arities[:3])
                return f"; there {shown(name)} has {counts} argument{'s' if arities != [1] else ''}, not {arity}"
            return reported.spelt_like(name, [each for each, _ in shapes])
        for place, term in enumerate(_places(asked)):
            found = _shape(term)
            if found is None:
                continue
            there = self._shapes_at[shape, place]
            if found not in there and None not in there:
                names = [each[0] for each in there if each is not None and each[1] == found[1]]
                return reported.spelt_like(found[0], names)
        return ""


def _sentences(sheet: RuleSheet, names: Sequence[str]) -> Iterator[tuple[Term, ...]]:
    """Yield the arguments of the heads of these relations; `true` and `does` heads are errors of another check."""
    arity = 2 if "legal" in names else 1
    for rule in sheet.rules:
        name, number = relation(rule.head.sentence)
        if name in names and number == arity and not _only_keeps(rule):
            yield arguments(rule.head.sentence)


def _only_keeps(rule: Rule) -> bool:
    """Return whether a rule derives `(next f)` from the same `(true f)`."""
    if relation(rule.head.sentence) != ("next", 1):
        return False
    kept = Compound("true", arguments(rule.head.sentence))
    return any(isinstance(formula, Literal) and formula.sentence == kept for formula in rule.body)


def _roles(sheet: RuleSheet) -> set[Term]:
    """Return the roles; an empty set if a rule derives roles, because then other roles may exist."""
    rules = [rule for rule in sheet.rules if relation(rule.head.sentence) == ("role", 1)]
    roles = {arguments(rule.head.sentence)[0] for rule in rules}
    return set() if any(rule.body for rule in rules) or any(map(has_variable, roles)) else roles


def _shape(term: Term) -> _Shape | None:
    """Return name and number of arguments; None for a variable."""
    if isinstance(term, Variable):
        return None
    return (term.name, len(term.args)) if isinstance(term, Compound) else (term, 0)


def _size(term: Term) -> int:
    """Count the names and variables of a term."""
    return 1 + sum(map(_size, arguments(term)))


def _places(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return the terms with the last one replaced by its arguments; a last term without arguments stays."""
    return (*terms[:-1], *(arguments(terms[-1]) or terms[-1:]))


def _may_unify(asked: Sequence[Term], head: Sequence[Term]) -> bool:
    """Return whether terms may have a common instance; the variables of the two sides are independent.

    A variable bound to two different ground terms has no value. Cases that need more work count as possible.

    >>> twice, both = Compound("f", (Variable("x"), Variable("x"))), Compound("f", ("1", "2"))
    >>> _may_unify([twice], [both]), _may_unify([both], [twice]), _may_unify([twice], [twice])
    (False, False, True)
    """
    values: dict[tuple[bool, Variable], Term] = {}
    pending = list(zip(asked, head, strict=True))
    while pending:
        left, right = pending.pop()
        if isinstance(left, Variable) and isinstance(right, Variable):
            continue
        if isinstance(left, Variable) or isinstance(right, Variable):
            place: tuple[bool, Variable]
            place, value = ((True, left), right) if isinstance(left, Variable) else ((False, right), left)  # type: ignore[assignment]
            known = values.setdefault(place, value)
            if known is not value and known != value and not has_variable(known) and not has_variable(value):
                return False
        elif isinstance(left, Compound) and isinstance(right, Compound):
            if left.name != right.name or len(left.args) != len(right.args):
                return False
            pending.extend(zip(left.args, right.args, strict=True))
        elif left != right:
            return False
    return True

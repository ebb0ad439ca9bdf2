"""Checks of safety, and of cycles between relations: stratification and recursion (GDL specification, 2008).

A rule is safe if every variable of its head, of a negation and of a `distinct` occurs in a positive literal of the
body. With `or` in a body this must hold for each alternative. A disjunction binds the variables that all its
alternatives bind. Inside an alternative, its own bindings and the bindings of the surrounding body count.

Stratification is checked for ground atoms: `(<= (goal ?r 0) (not (goal ?r 100)))` is allowed. Each of three steps is
more exact than the one before. The first finds cycles in the graph of relations. If such a cycle contains a negation,
the second builds a graph of rules, where a literal points to all rules whose heads may match it. If a cycle remains
there, the third examines the ground program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from ..compile.clauses import MAX_CLAUSES_PER_RULE
from ..compile.compiler_process import CompilerLimits, Outcome, compile_program
from ..compile.ground import to_asp
from ..graphs import components
from ..language.errors import GdlError
from ..language.playable import bound_variables, loose_role, loose_variables
from ..language.rule_sheet import (
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Rule,
    RuleSheet,
    has_variable,
    signed_literals,
)
from ..language.terms import Compound, Spellings, Term, Variable, arguments, may_match, relation, variables
from .findings import Finding, Findings


def check_safety(sheet: RuleSheet) -> Findings:
    """Find unbound variables, and rules that become too large when their `or` is multiplied out."""
    for rule in sheet.rules:
        body = Conjunction(rule.body)
        if rule.body and _cases(body) > MAX_CLAUSES_PER_RULE:
            message = f"multiplying out the 'or' of this rule gives more than {MAX_CLAUSES_PER_RULE:,} cases"
            yield Finding("GDL507", message, rule.position)
            continue
        yield from _head(rule)
        role = loose_role(rule)
        yield from _formula(body, set() if role is None else {role}, False)


def _head(rule: Rule) -> Findings:
    role = loose_role(rule)
    if role is not None:
        message = f"nothing binds the role {role} of this rule; it is read as if the body contained (role {role})"
        yield Finding("GDL508", message, rule.head.position)
        return
    loose = ", ".join(map(str, loose_variables(rule)))
    if loose and rule.body:
        message = f"the head contains {loose}, which no positive literal of the body binds in every case"
        yield Finding("GDL501", message, rule.head.position)
    elif loose:
        yield Finding("GDL501", f"a fact contains {loose}; variables are allowed in rules only", rule.head.position)


def _formula(formula: Formula, bound: set[Variable], negated: bool) -> Findings:
    """Check a formula of a body in which some variables are already bound."""
    match formula:
        case Literal(sentence=sentence):
            loose = _loose(variables(sentence), bound)
            if negated and loose:
                message = f"the negated {_name(formula)} contains {loose}, which no positive literal of the body binds"
                yield Finding("GDL502", message, formula.position)
        case Distinct(left=left, right=right):
            loose = _loose([*variables(left), *variables(right)], bound)
            if loose:
                message = f"'distinct' contains {loose}, which no positive literal of the body binds"
                yield Finding("GDL503", message, formula.position)
        case Negation(formula=inner):
            yield from _formula(inner, bound, not negated)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            either = isinstance(formula, Disjunction) != negated
            together = set(bound)
            if not either:
                for part in parts:
                    together |= bound_variables(part, negated) or set()
            for part in parts:
                inside = together | (bound_variables(part, negated) or set()) if either else together
                yield from _formula(part, inside, negated)


def _cases(formula: Formula, negated: bool = False) -> int:
    """Count the conjunctions of the disjunctive normal form, and stop counting at the limit plus one."""
    match formula:
        case Literal() | Distinct():
            return 1
        case Negation(formula=inner):
            return _cases(inner, not negated)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            either = isinstance(formula, Disjunction) != negated
            count = 0 if either else 1
            for part in parts:
                cases = _cases(part, negated)
                count = min(count + cases if either else count * cases, MAX_CLAUSES_PER_RULE + 1)
            return count


def _loose(found: Iterable[Variable], bound: set[Variable] | None) -> str:
    """Return the names of the unbound variables, for a message."""
    if bound is None:
        return ""
    return ", ".join(dict.fromkeys(str(variable) for variable in found if variable not in bound))


def _name(literal: Literal) -> str:
    text = str(literal)
    return text if len(text) <= 60 else text[:57] + "..."


# Limits for the ground program. Beyond them the check reports that it could not decide.
MAX_GROUND_RULES = 2_000_000
MAX_GROUND_SECONDS = 5.0

# Limit for the pairs of a literal and a matching rule in one cycle. Beyond it the check does not try.
MAX_PAIRS = 1_000_000

Relation: TypeAlias = tuple[str, int]
Signed: TypeAlias = tuple[Literal, bool]


def check_cycles(sheet: RuleSheet) -> Findings:
    """Find negative cycles, and recursion that may build terms without bound."""
    rules = [rule for rule in sheet.rules if rule.body]
    bodies = {id(rule): list(signed_literals(Conjunction(rule.body))) for rule in rules}
    graph: dict[Relation, set[Relation]] = {}
    for rule in rules:
        successors = graph.setdefault(relation(rule.head.sentence), set())
        successors.update(relation(literal.sentence) for literal, _ in bodies[id(rule)])
    cycle_of: dict[Relation, int] = {}
    for number, component in enumerate(components(graph)):
        if len(component) > 1 or component[0] in graph.get(component[0], ()):
            cycle_of.update(dict.fromkeys(component, number))
    members: dict[int, list[Rule]] = {}
    for rule in rules:
        number_of = cycle_of.get(relation(rule.head.sentence))
        if number_of is not None:
            members.setdefault(number_of, []).append(rule)
            yield from _recursion(rule, cycle_of)
    for number, rules_of in members.items():
        inner = [
            [signed for signed in bodies[id(rule)] if cycle_of.get(relation(signed[0].sentence)) == number]
            for rule in rules_of
        ]
        negative = [literal for body in inner for literal, negated in body if negated]
        derived = Counter(relation(rule.head.sentence) for rule in rules_of)
        if sum(derived[relation(literal.sentence)] for body in inner for literal, _ in body) > MAX_PAIRS:
            yield from (_undecided(literal, "the cycle is too large") for literal in negative[:1])
        elif negative:
            suspects = _negative_within(rules_of, inner)
            if suspects:
                yield from _decide(sheet, suspects)


def _negative_within(rules: Sequence[Rule], inner: Sequence[Sequence[Signed]]) -> list[Literal]:
    """List the negated literals that are part of a cycle between the rules of one cycle of relations."""
    heads: dict[Relation, list[int]] = {}
    for place, rule in enumerate(rules):
        heads.setdefault(relation(rule.head.sentence), []).append(place)

    def targets(literal: Literal) -> list[int]:
        matching = heads.get(relation(literal.sentence), [])
        return [place for place in matching if may_match(literal.sentence, rules[place].head.sentence)]

    graph = {place: {target for literal, _ in body for target in targets(literal)} for place, body in enumerate(inner)}
    component = {place: n for n, places in enumerate(components(graph)) for place in places}
    return [
        literal
        for place, body in enumerate(inner)
        for literal, negated in body
        if negated and any(component[target] == component[place] for target in targets(literal))
    ]


def _decide(sheet: RuleSheet, suspects: Sequence[Literal]) -> Findings:
    """Decide by the ground program whether a suspected cycle exists."""
    literal = suspects[0]
    name = relation(literal.sentence)[0]
    asking = _asking_for(sheet, suspects)
    limits = CompilerLimits(seconds=MAX_GROUND_SECONDS, max_rules=MAX_GROUND_RULES)
    try:
        compilation = compile_program(to_asp(asking), asking.roles(), limits)
    except GdlError as error:
        yield _undecided(literal, error.message)
        return
    match compilation.outcome:
        case Outcome.NETWORK:
            return
        case Outcome.NEGATION:
            yield Finding("GDL504", f"{name} depends on its own negation here", literal.position)
        case Outcome.RULES | Outcome.LOST:
            yield _undecided(literal, compilation.reason)
        case _:
            yield _undecided(literal, "the rules are too large")


def _undecided(literal: Literal, reason: str) -> Finding:
    name = relation(literal.sentence)[0]
    message = f"whether {name} depends on its own negation could not be decided: {reason}"
    return Finding("GDL505", message, literal.position)


def _asking_for(sheet: RuleSheet, literals: Sequence[Literal]) -> RuleSheet:
    """Return the sheet with additional fluents that depend on the literals."""
    rules = list(sheet.rules)
    for asked in {relation(literal.sentence) for literal in literals}:
        name, arity = asked
        terms = tuple(Variable(str(number)) for number in range(arity))
        body = Literal(Compound(name, terms) if terms else name)
        rules.append(Rule(Literal(Compound("next", (Compound("asked for", (name,)),))), (body,)))
    return RuleSheet(tuple(rules), Spellings(), sheet.source)


def _recursion(rule: Rule, cycle_of: Mapping[Relation, int]) -> Findings:
    """Check the recursion restriction for one rule.

    In p(t..) <= .. q(v..) .., where q and p are in one cycle, each v must be ground, or be one of the t, or occur in a
    body literal whose relation is not in a cycle with p.
    """
    own = cycle_of[relation(rule.head.sentence)]
    allowed: set[Term] = set(arguments(rule.head.sentence))
    for literal in rule.literals():
        if cycle_of.get(relation(literal.sentence)) != own:
            allowed.update(arguments(literal.sentence))
            allowed.update(variables(literal.sentence))
    for literal in rule.literals():
        if cycle_of.get(relation(literal.sentence)) == own:
            for term in arguments(literal.sentence):
                if has_variable(term) and term not in allowed:
                    name = relation(rule.head.sentence)[0]
                    message = (
                        f"{name} recurs with {term}, which neither its head nor a literal outside the cycle contains"
                    )
                    yield Finding("GDL506", message, literal.position)

"""The structure of the rules of a game as numbers, computed from its rule sheet.

The set follows the idea of 40 structural features of GDL games (arXiv 2602.19160); the definitions are our own. All
features are independent of the names and the order of the rules.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from gdl import RuleSheet
from gdl.graphs import components
from gdl.language.rule_sheet import (
    KEYWORD_ARITIES,
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Rule,
    signed_literals,
)
from gdl.language.terms import Compound, Term, Variable, arguments, is_chance, relation

Relation = tuple[str, int]

_FLUENT_PLACES = (("init", 1), ("true", 1), ("next", 1), ("base", 1))
_MOVE_PLACES = (("legal", 2), ("does", 2), ("input", 2))
_KINDS = (Literal, Negation, Distinct, Disjunction, Conjunction)


def rule_features(sheet: RuleSheet) -> dict[str, float]:
    """Return the features of a rule sheet by key, in the order of `measure_definitions.RULE_FEATURES`."""
    rules = [rule for rule in sheet.rules if rule.body]
    found: dict[str, float] = {"rules": len(rules), "facts": len(sheet.rules) - len(rules)}
    text = " ".join(map(str, sheet.rules))
    found |= {"symbols": len(re.findall(r"[^\s()]+", text)), "roles": len(sheet.roles())}
    found["chance_role"] = float(any(map(is_chance, sheet.roles())))
    return found | _relations(sheet) | _heads(sheet) | _bodies(rules) | _terms(sheet) | _graph(sheet)


def _relations(sheet: RuleSheet) -> dict[str, float]:
    """Return numbers and arities of the relations, keywords excluded."""
    defined, used = set[Relation](), set[Relation]()
    derived = set[Relation]()
    for rule in sheet.rules:
        head = relation(rule.head.sentence)
        defined.add(head)
        if rule.body:
            derived.add(head)
        used.update(relation(literal.sentence) for literal, _ in _signed(rule))
    own = {each for each in defined | used if not _is_keyword(each)}
    arities = [arity for _, arity in own]
    return {
        "relations": len(own),
        "fact_relations": len(own & defined - derived),
        "derived_relations": len(own & derived),
        "largest_arity": max(arities, default=0),
        "mean_arity": fmean(arities) if arities else 0.0,
        "propositions": arities.count(0),
    }


def _heads(sheet: RuleSheet) -> dict[str, float]:
    """Return numbers of rules and facts by keyword of the head, and of fluents and moves by name."""
    count: dict[str, int] = defaultdict(int)
    fluents, moves = set[Relation](), set[Relation]()
    goals, frames = set[Term](), 0
    for rule in sheet.rules:
        head = relation(rule.head.sentence)
        if _is_keyword(head):
            count[head[0]] += 1
        for sentence in _sentences(rule):
            if relation(sentence) in _FLUENT_PLACES and not isinstance(arguments(sentence)[0], Variable):
                fluents.add(relation(arguments(sentence)[0]))
            if relation(sentence) in _MOVE_PLACES and not isinstance(arguments(sentence)[1], Variable):
                moves.add(relation(arguments(sentence)[1]))
        if head == ("goal", 2):
            goals.add(arguments(rule.head.sentence)[1])
        if head == ("next", 1):
            kept = arguments(rule.head.sentence)[0]
            frames += any(
                relation(literal.sentence) == ("true", 1) and arguments(literal.sentence)[0] == kept and not negated
                for literal, negated in _signed(rule)
            )
    rows = {f"{word}_rules": count[word] for word in ("init", "next", "legal", "goal", "terminal", "sees")}
    return {
        **rows,
        "declarations": count["base"] + count["input"],
        "frame_rules": frames,
        "goal_values": len({goal for goal in goals if not isinstance(goal, Variable)}),
        "fluent_names": len(fluents),
        "largest_fluent": max((arity for _, arity in fluents), default=0),
        "move_names": len(moves),
        "largest_move": max((arity for _, arity in moves), default=0),
    }


def _bodies(rules: Sequence[Rule]) -> dict[str, float]:
    """Return lengths of bodies, and numbers of literals, negations and other formulas."""
    lengths = [len(rule.body) for rule in rules]
    all_formulas = [formula for rule in rules for part in rule.body for formula in _formulas(part)]
    kinds = {kind: sum(isinstance(each, kind) for each in all_formulas) for kind in _KINDS}
    literals = [literal for rule in rules for literal, _ in _signed(rule)]
    read = [relation(literal.sentence) for literal in literals]
    in_rule = [len(set(rule.variables())) for rule in rules]
    return {
        "literals": kinds[Literal],
        "mean_body": fmean(lengths) if lengths else 0.0,
        "largest_body": max(lengths, default=0),
        "negations": kinds[Negation],
        "distinct_literals": kinds[Distinct],
        "disjunctions": kinds[Disjunction],
        "conjunctions": kinds[Conjunction],
        "true_literals": read.count(("true", 1)),
        "does_literals": read.count(("does", 2)),
        "mean_variables": fmean(in_rule) if in_rule else 0.0,
        "largest_variables": max(in_rule, default=0),
        "ground_rules": in_rule.count(0),
    }


def _terms(sheet: RuleSheet) -> dict[str, float]:
    """Return numbers of constants and functions and the depth of terms."""
    constants, functions, deepest = set[str](), set[Relation](), 0
    for rule in sheet.rules:
        stack = [(argument, 1) for argument in _arguments(rule)]
        while stack:
            term, depth = stack.pop()
            deepest = max(deepest, depth)
            if isinstance(term, str):
                constants.add(term)
            elif isinstance(term, Compound):
                functions.add((term.name, len(term.args)))
                stack += [(argument, depth + 1) for argument in term.args]
    return {"constants": len(constants), "functions": len(functions), "largest_depth": deepest}


def _graph(sheet: RuleSheet) -> dict[str, float]:
    """Return properties of the dependency graph: an edge from the relation of a head to each relation of its body.

    Relations with `true`, `init` and `next` are one node each, so a cycle over turns is no cycle.
    """
    uses: dict[Relation, set[Relation]] = {}
    negative = set[tuple[Relation, Relation]]()
    for rule in sheet.rules:
        head = relation(rule.head.sentence)
        uses.setdefault(head, set())
        for literal, negated in _signed(rule):
            other = relation(literal.sentence)
            uses[head].add(other)
            uses.setdefault(other, set())
            if negated:
                negative.add((head, other))
    fan_out = [len(used) for used in uses.values() if used]
    fan_in: dict[Relation, int] = defaultdict(int)
    for used in uses.values():
        for other in used:
            fan_in[other] += 1
    cycles = [one for one in components(uses) if len(one) > 1 or one[0] in uses[one[0]]]
    return {
        "mean_fan_out": fmean(fan_out) if fan_out else 0.0,
        "largest_fan_out": max(fan_out, default=0),
        "largest_fan_in": max(fan_in.values(), default=0),
        "recursive_relations": sum(map(len, cycles)),
        "largest_cycle": max(map(len, cycles), default=0),
        "dependency_depth": _longest_path(uses, lambda head, other: 1),
        "strata": 1 + _longest_path(uses, lambda head, other: int((head, other) in negative)),
    }


def _longest_path(uses: Mapping[Relation, set[Relation]], weight: Callable[[Relation, Relation], int]) -> int:
    """Return the largest sum of weights on a path of the graph; edges within a cycle count 0."""
    length: dict[Relation, int] = {}
    for group in components(uses):  # successors come first
        inner = set(group)
        outside = [(head, other) for head in group for other in uses[head] if other not in inner]
        length |= dict.fromkeys(group, max((weight(head, other) + length[other] for head, other in outside), default=0))
    return max(length.values(), default=0)


def _is_keyword(one: Relation) -> bool:
    return KEYWORD_ARITIES.get(one[0]) == one[1]


def _signed(rule: Rule) -> Iterator[tuple[Literal, bool]]:
    """Yield the literals of a body, and whether each is negated."""
    for part in rule.body:
        yield from signed_literals(part)


def _sentences(rule: Rule) -> list[Term]:
    """List the sentences of the head and of all literals of the body."""
    return [literal.sentence for literal in (rule.head, *rule.literals())]


def _arguments(rule: Rule) -> Iterator[Term]:
    """Yield the arguments of all sentences of a rule, and both sides of every `distinct`."""
    yield from arguments(rule.head.sentence)
    for atom in rule.atoms():
        yield from (atom.left, atom.right) if isinstance(atom, Distinct) else arguments(atom.sentence)


def _formulas(formula: Formula) -> Iterator[Formula]:
    """Yield a formula and all formulas inside it."""
    yield formula
    match formula:
        case Negation(formula=inner):
            yield from _formulas(inner)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            for part in parts:
                yield from _formulas(part)

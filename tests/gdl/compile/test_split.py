"""Splitting: clauses with fewer variables, the same meaning."""

from __future__ import annotations

from random import Random

import pytest
from random_sheets import random_sheet

from gdl import parse_sheet
from gdl._network import Network
from gdl.compile.clauses import Auxiliaries, Clause, Holds, bound_variables, clauses, condition_variables
from gdl.compile.compiler_process import CompilerLimits, compile_program
from gdl.compile.ground import AspProgram, asp_program, relevant
from gdl.compile.split import split
from gdl.language.terms import variables
from kif_games import catalogue, rules


def width(clause: Clause) -> int:
    """Count the variables of a clause."""
    return len({*variables(clause.head), *(v for condition in clause.body for v in condition_variables(condition))})


def split_rules(text: str) -> list[Clause]:
    auxiliaries = Auxiliaries()
    return split(clauses(parse_sheet(text), auxiliaries), auxiliaries)


def is_safe(clause: Clause) -> bool:
    used = {*variables(clause.head), *(v for condition in clause.body for v in condition_variables(condition))}
    return used <= bound_variables(clause.body)


def test_a_chain_is_split() -> None:
    found = split_rules("(<= (far ?a ?e) (edge ?a ?b) (edge ?b ?c) (edge ?c ?d) (edge ?d ?e))")
    assert [width(clause) for clause in found] == [3, 3, 3]
    assert str(found[0].head) == "(far ?a ?e)"


def test_conditions_without_common_variables_are_split() -> None:
    found = split_rules("(<= p (q ?a ?b) (r ?b) (q ?c ?d) (not (r ?d)))")
    assert max(map(width, found)) == 2
    assert all(map(is_safe, found))


def test_clauses_that_cannot_be_improved_stay() -> None:
    for text in "(<= (p ?x) (q ?x))", "(<= (p ?x ?y) (q ?x ?z) (r ?z ?y))", "(p a)", "(<= p (q ?x ?y))":
        assert len(split_rules(text)) == 1


def test_negated_conditions_keep_their_binders() -> None:
    body = "(q ?a ?b) (cell ?c) (cell ?d) (not (r ?c ?d)) (distinct ?d ?b) (s ?d ?e) (t ?e ?f)"
    found = split_rules(f"(<= (p ?a) {body})")
    assert len(found) > 1
    assert all(map(is_safe, found))
    assert max(map(width, found)) < 6


def test_equal_parts_share_one_relation() -> None:
    text = "(<= (p ?a) (q ?a ?b) (q ?b ?c) (r ?c ?d))"
    once, twice = split_rules(text), split_rules(text + text.replace("(p ?a)", "(s ?a)"))
    assert len(twice) == len(once) + 1


def test_a_shared_relation_is_defined_even_if_its_first_user_is_irrelevant() -> None:
    auxiliaries = Auxiliaries()
    unused = "(<= (unused ?x) (cell ?x) (not (one ?y)))"
    text = f"(role r) {unused} (<= (legal r (go ?x)) (cell ?x) (one ?z)) (one a) (cell b)"
    found = relevant(split(clauses(parse_sheet(text), auxiliaries), auxiliaries))
    heads = {str(clause.head).strip("(").split(" ?")[0] for clause in found}
    asked = {str(c.sentence) for clause in found for c in clause.body if isinstance(c, Holds)}
    assert {sentence for sentence in asked if "auxiliary" in sentence} <= heads
    assert "unused" not in {str(clause.head).strip("(").split()[0] for clause in found}


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_splitting_narrows_catalogue_games(name: str) -> None:
    auxiliaries = Auxiliaries()
    whole = clauses(parse_sheet(rules(name)), auxiliaries)
    parts = split(whole, auxiliaries)
    assert max(map(width, parts)) <= max(map(width, whole))
    assert all(map(is_safe, parts))


def network(program: AspProgram, roles: tuple[str, ...]) -> Network:
    return Network(compile_program(program, roles, CompilerLimits(max_rules=1_000_000)).network)


@pytest.mark.parametrize("seed", range(40))
def test_splitting_keeps_the_meaning_of_random_sheets(seed: int) -> None:
    text = random_sheet(Random(seed + 1000))
    sheet, auxiliaries = parse_sheet(text), Auxiliaries()
    whole = clauses(sheet, auxiliaries)
    plain = network(asp_program(relevant(whole)), sheet.roles())
    narrow = network(asp_program(relevant(split(whole, auxiliaries))), sheet.roles())
    assert (narrow.moves, narrow.fluents, narrow.always) == (plain.moves, plain.fluents, plain.always)
    one, other = plain.simulator(64, "portable"), narrow.simulator(64, "portable")
    assert one is not None and other is not None
    random = Random(seed)
    state = one.initial
    assert other.initial == state
    for _ in range(20):
        one.evaluate(state)
        other.evaluate(state)
        assert one.terminal() == other.terminal()
        for role in range(2):
            assert one.legal(role) == other.legal(role)
            assert one.goals(role) == other.goals(role)
        legal = [one.legal(role) for role in range(2)]
        if one.terminal() or not all(legal):
            state = one.initial
            continue
        moves = [random.choice(some) for some in legal]
        state = one.step(moves)
        assert other.step(moves) == state

"""Clauses to a program for clingo."""

from __future__ import annotations

import clingo
import pytest
from quick import few

from gdl import parse_sheet
from gdl.compile.clauses import Auxiliaries, clauses
from gdl.compile.ground import asp_program, relevant, to_asp
from kif_games import catalogue, rules


def lines(text: str) -> list[str]:
    """Translate rules, without the choices that end every program."""
    program = asp_program(clauses(parse_sheet(text), Auxiliaries()))
    return program.text.split("{true(F)}")[0].splitlines()


def test_constants_and_relations_are_interned_and_keywords_are_not() -> None:
    program = asp_program(clauses(parse_sheet("(role White) (<= (next (cell ?x B)) (p ?x White))"), Auxiliaries()))
    assert program.constants == ("White", "cell", "B", "p")
    assert program.text.splitlines()[:2] == ["role(k0).", "next(k1(V0,k2)) :- pk3(V0,k0)."]


def test_conditions_are_printed() -> None:
    assert lines("(<= (p ?x ?y) (q ?x ?y) (not (r ?y)) (distinct ?x (f ?y)) (not (distinct (g ?x) (g ?y))))") == [
        "pk0(V0,V1) :- pk1(V0,V1), not pk2(V1), V0!=k3(V1), k4(V0)=k4(V1)."
    ]


def test_keywords_with_other_arities_are_ordinary_relations() -> None:
    assert lines("(goal a) (goal a b) (terminal x) terminal (legal a) (init a b) (base a)") == [
        "pk0(k1).",
        "goal(k1,k2).",
        "pk3(k4).",
        "terminal.",
        "pk5(k1).",
        "pk6(k1,k2).",
        "pk7(k1).",
    ]


def test_only_rules_on_which_play_depends_are_kept() -> None:
    text = """
        (role r) (base (at ?x)) (<= (input r go) (other a)) (other b) (<= (legal r ?m) (known ?m)) (known go)
        (<= (terminal a) (unused ?x)) (unused b) (<= terminal (true (at b)) (not (far b))) (<= (far ?x) (edge ?x ?y))
        (edge a b) (<= (goal r 50) (deep a)) (deep a) (<= (goal r) (unused a))
    """
    kept = [str(clause.head) for clause in relevant(clauses(parse_sheet(text), Auxiliaries()))]
    assert kept == ["(legal r ?m)", "(known go)", "terminal", "(far ?x)", "(edge a b)", "(goal r 50)", "(deep a)"]


@pytest.mark.parametrize("name", few(sorted(catalogue()), 12))
def test_programs_of_catalogue_games_ground_without_a_message_of_clingo(name: str) -> None:
    said: list[str] = []
    control = clingo.Control(logger=lambda code, message: said.append(message))
    control.add("base", [], to_asp(parse_sheet(rules(name))).text)
    control.ground([("base", [])])
    assert said == []
    assert any(atom.symbol.name == "legal" for atom in control.symbolic_atoms)
    assert all(not str(atom.symbol.name).startswith("k") for atom in control.symbolic_atoms)


def test_equal_sheets_give_equal_programs() -> None:
    for name in sorted(catalogue())[::3]:
        assert to_asp(parse_sheet(rules(name))) == to_asp(parse_sheet(rules(name)))
